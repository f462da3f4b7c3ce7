import {
  type PackedDocument,
  type PackedReasons,
  type ToldStatements,
  firstStatements,
  packStatements,
} from '../observe/packed-reasons.ts';
import type { Principal } from './accounts.ts';
import { principalArn } from './policy-caller.ts';
import type { PolicyDocument } from './policy/document.ts';
import type { Said, Spoken } from './policy/said.ts';
import { escapePattern } from './policy/pattern.ts';

/** A place whose policies may have to allow an action. */
export type Side = 'identity' | 'session' | 'bucket';

/** Most statements that the reasons of one request name. */
const MAX_LOOKED = 100;

const DOCUMENTS: Readonly<Record<Side, string>> = {
  identity: 'a policy of the caller',
  session: 'the policy of the session',
  bucket: 'bucket policy',
};

/** Holds no reference to the request, which would stay in memory as long as the decision does. */
interface Decided {
  readonly action: string;
  /** ARN. */
  readonly resource: string;
  readonly said: readonly Said[];
  readonly by: Spoken | undefined;
  readonly lacking: readonly Side[];
  readonly principal: Principal;
}

/**
 * Explains a decision, in a packed form, because most explanations are never read. `unpackReasons` makes sentences of
 * it.
 */
export function reasonsOf(decided: Decided): PackedReasons {
  const { said, by, lacking, resource } = decided;
  const [only] = said;
  const told = only !== undefined && said.length === 1 && only.by === by ? only.told(toldAlone) : toldOf(said, by);
  if (lacking.length === 0) return { ...told, resource };
  const remedies = lacking.map((side) => ({ document: DOCUMENTS[side], statement: smallest(side, decided) }));
  return { ...told, resource, remedies };
}

function toldAlone(said: Said): ToldStatements {
  return toldOf([said], said.by);
}

function toldOf(said: readonly Said[], by: Spoken | undefined): ToldStatements {
  const documents: PackedDocument[] = [];
  let decided: readonly [number, number] | undefined;
  let [room, omitted] = [MAX_LOOKED, 0];
  for (const one of said) {
    const { policy, count } = one;
    if (by?.policy === policy) decided = [documents.length, by.statement.index];
    // The statement that decided is always shown, however many statements stand before it.
    const shown = Math.max(Math.min(count, room), by?.policy === policy ? by.statement.index + 1 : 0);
    documents.push(packed(one, shown));
    omitted += count - shown;
    room -= Math.min(shown, room);
  }
  return {
    ...(decided !== undefined && { by: decided }),
    documents,
    ...(omitted > 0 && { omitted }),
  };
}

function packed({ policy: { name, document }, letters, failed }: Said, shown: number): PackedDocument {
  const statements = namesOf(document);
  const conditions = failed.map(({ label }) => label);
  return {
    policy: name,
    statements: shown < document.statements.length ? firstStatements(statements, shown) : statements,
    said: letters.slice(0, shown),
    ...(conditions.length > 0 && { conditions: conditions.slice(0, shown) }),
  };
}

const packedNames = new WeakMap<PolicyDocument, string>();

function namesOf(document: PolicyDocument): string {
  const known = packedNames.get(document);
  if (known !== undefined) return known;
  const names = packStatements(
    document.statements.map(({ sid, index, effect }) => ({
      statement: sid === undefined || sid === '' ? String(index + 1) : sid,
      effect,
    })),
  );
  packedNames.set(document, names);
  return names;
}

/** The smallest statement that would allow the request, shown as a remedy. Wildcards in the key are escaped. */
function smallest(
  side: Side,
  { action, resource, principal }: Pick<Decided, 'action' | 'resource' | 'principal'>,
): string {
  const arn = principalArn(principal);
  const escaped = resource === 'arn:aws:s3:::*' ? '*' : escapePattern(resource);
  return JSON.stringify({
    Effect: 'Allow',
    ...(side === 'bucket' && { Principal: arn === undefined ? '*' : { AWS: arn } }),
    Action: action,
    Resource: escaped,
  });
}
