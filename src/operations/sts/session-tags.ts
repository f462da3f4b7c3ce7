import type { Session, Tags } from '../../access/accounts.ts';
import { StsError } from '../../errors/sts-error.ts';
import { check, TAG_KEY, TAG_VALUE } from '../../protocol/sts/constraints.ts';
import type { StsForm } from '../../protocol/sts/form.ts';

const MAX_TAGS = 50;
/**
 * The claim of a web identity that holds its tags.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/id_session-tags.html
 */
const CLAIM = 'https://aws.amazon.com/tags';

/** `Tags` and `TransitiveTagKeys`. */
export interface SessionTags {
  /** The tags of this call. */
  readonly asked: Tags;
  /** The same, and the transitive tags of the caller's own session. */
  readonly all: Tags;
  readonly transitive: readonly string[];
}

/**
 * The tags that a call gives a session. @param session the caller's own, whose transitive tags it inherits @throws
 * StsError ValidationError
 */
export function sessionTags(form: StsForm, session: Session | undefined): SessionTags {
  const names = form.list('Tags', 'Key');
  const values = form.list('Tags', 'Value');
  const transitive = form.list('TransitiveTagKeys');
  if (names.length !== values.length) throw new StsError('ValidationError', 'Each tag must have a key and a value.');
  const asked = names.map((name, at): [string, string] => [name, values[at] ?? '']);
  checkTags(asked, transitive);
  const handedOn = Object.entries(session?.tags ?? {}).filter(([name]) => includes(session?.transitive ?? [], name));
  const kept = handedOn.map(([name]) => name);
  if (names.some((name) => includes(kept, name))) {
    throw new StsError(
      'ValidationError',
      "One of the specified transitive tag keys can't be set because it conflicts with a transitive tag key from the calling session.",
    );
  }
  return {
    asked: Object.fromEntries(asked),
    all: Object.fromEntries([...handedOn, ...asked]),
    transitive: [...kept, ...transitive],
  };
}

/**
 * The tags that an identity provider gives the session, in the claim `https://aws.amazon.com/tags` or, flattened,
 * `https://aws.amazon.com/tags/principal_tags`. Each has one value, in a list or not.
 * @throws StsError InvalidIdentityToken, ValidationError
 */
export function tokenTags(claims: Readonly<Record<string, unknown>>): SessionTags {
  const { principal_tags: nested, transitive_tag_keys: nestedKeys } = objectOf(claims[CLAIM]);
  const given = objectOf(claims[`${CLAIM}/principal_tags`] ?? nested);
  const transitive = claims[`${CLAIM}/transitive_tag_keys`] ?? nestedKeys ?? [];
  const asked = Object.entries(given).map(([name, value]): [string, string] => {
    const [only, ...more] = Array.isArray(value) ? (value as unknown[]) : [value];
    if (typeof only !== 'string' || more.length > 0) throw malformedTags();
    return [name, only];
  });
  if (!Array.isArray(transitive) || !transitive.every((name) => typeof name === 'string')) throw malformedTags();
  checkTags(asked, transitive);
  const tags = Object.fromEntries(asked);
  return { asked: tags, all: tags, transitive };
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  if (value === undefined) return {};
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformedTags();
  return value as Readonly<Record<string, unknown>>;
}

function malformedTags(): StsError {
  return new StsError('InvalidIdentityToken', `The claim ${CLAIM} of the token is not in its form`);
}

function checkTags(asked: readonly (readonly [string, string])[], transitive: readonly string[]): void {
  if (asked.length > MAX_TAGS) {
    throw new StsError(
      'ValidationError',
      `Value at 'tags' failed to satisfy constraint: Member must have length less than or equal to ${MAX_TAGS}`,
    );
  }
  const names = asked.map(([name]) => name);
  for (const [name, value] of asked) {
    check('Tags', name, TAG_KEY);
    check('Tags', value, TAG_VALUE);
  }
  if (new Set(names.map((name) => name.toLowerCase())).size !== names.length) {
    throw new StsError('ValidationError', 'Duplicate tag keys found. Please note that Tag keys are case insensitive.');
  }
  if (!transitive.every((name) => includes(names, name))) {
    throw new StsError('ValidationError', 'The specified transitive tag key must be included in the requested tags.');
  }
}

function includes(names: readonly string[], name: string): boolean {
  return names.some((known) => known.toLowerCase() === name.toLowerCase());
}
