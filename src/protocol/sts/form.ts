import { StsError } from '../../errors/sts-error.ts';

/** Most parameters of one call: fifty tags, ten policies and some more. */
const MAX_PARAMETERS = 256;

/** A presigned call has its signature among them. */
const SIGNATURE = /^X-Amz-/i;

/** The parameters of a call, decoded once. Names are the Query protocol's: `Tags.member.1.Key`. */
export class StsForm {
  readonly #values: ReadonlyMap<string, string>;

  /**
   * @param text `application/x-www-form-urlencoded`: a body, or a query without `?`
   * @throws StsError MalformedQueryString, ValidationError
   */
  constructor(text: string) {
    const values = new Map<string, string>();
    const pairs = text === '' ? [] : text.split('&', MAX_PARAMETERS + 1);
    if (pairs.length > MAX_PARAMETERS) {
      throw new StsError('MalformedQueryString', `A call may have ${MAX_PARAMETERS} parameters at most.`);
    }
    for (const pair of pairs) {
      const equals = pair.indexOf('=');
      const name = decode(equals < 0 ? pair : pair.slice(0, equals));
      // Two values for one name: it is unknown which one counts.
      if (values.has(name)) throw new StsError('MalformedQueryString', 'A parameter was given twice.');
      values.set(name, equals < 0 ? '' : decode(pair.slice(equals + 1)));
    }
    this.#values = values;
  }

  /** Undefined for an absent parameter. */
  get(name: string): string | undefined {
    return this.#values.get(name);
  }

  /** Whether there is any parameter with this name or below it. */
  has(name: string): boolean {
    return this.#values.has(name) || [...this.#values.keys()].some((known) => known.startsWith(`${name}.`));
  }

  /**
   * Refuses parameters that the action does not know, and lists with gaps: a caller who misspells what narrows a
   * session must not get one that is not narrowed.
   * @param known names of parameters; of lists as `PolicyArns.member.#.arn`
   * @throws StsError ValidationError
   */
  requireKnown(known: ReadonlySet<string>): void {
    for (const [name, value] of this.#values) {
      if (SIGNATURE.test(name) || name === 'Action' || name === 'Version') continue;
      const [, list = name, at, field = ''] = /^(\w+)\.member\.([1-9]\d{0,2})(\.\w+)?$/.exec(name) ?? [];
      const isKnown = known.has(at === undefined ? name : `${list}.member.#${field}`);
      const before = at === undefined || at === '1' || this.#values.has(`${list}.member.${Number(at) - 1}${field}`);
      // Some clients send a list of nothing so.
      const isEmptyList = value === '' && [...known].some((one) => one.startsWith(`${name}.member.#`));
      if ((isKnown && before) || isEmptyList) continue;
      const shown = name.slice(0, 64).toWellFormed();
      throw new StsError(
        'ValidationError',
        `The parameter '${shown}' is not one of this action, or its list has a gap.`,
      );
    }
  }

  /**
   * `name.member.1`, `name.member.2`, ...; with `field`, `name.member.1.<field>`. Ends at the first that is not there.
   */
  list(name: string, field?: string): string[] {
    const suffix = field === undefined ? '' : `.${field}`;
    const found: string[] = [];
    for (let at = 1; at <= MAX_PARAMETERS; at += 1) {
      const value = this.#values.get(`${name}.member.${at}${suffix}`);
      if (value === undefined) break;
      found.push(value);
    }
    return found;
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch (error) {
    throw new StsError('MalformedQueryString', undefined, { cause: error });
  }
}
