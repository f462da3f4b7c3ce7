import type { SteadyFacts } from './context.ts';
import type { NamedPolicy, PrincipalSet, Statement } from './document.ts';

/** The facts that a condition key depends on; `nothing`: its value never changes. */
type Part = 'caller' | 'address' | 'connection' | 'second' | 'nothing';

/**
 * Condition keys that depend on `SteadyFacts` alone; keys of tags stand here up to their slash. The value of any other
 * key may change with each request.
 */
export const STEADY_KEYS: ReadonlyMap<string, Part> = new Map(
  Object.entries({
    'aws:principalarn': 'caller',
    'aws:principalaccount': 'caller',
    'aws:principaltype': 'caller',
    'aws:principaltag/': 'caller',
    'aws:username': 'caller',
    'aws:userid': 'caller',
    'aws:federatedprovider': 'caller',
    'aws:sourceidentity': 'caller',
    'aws:multifactorauthpresent': 'caller',
    'aws:tokenissuetime': 'caller',
    'aws:sourceip': 'address',
    'aws:securetransport': 'connection',
    's3:tlsversion': 'connection',
    'aws:requestedregion': 'connection',
    'aws:currenttime': 'second',
    'aws:epochtime': 'second',
    'aws:principalisawsservice': 'nothing',
    'aws:viaawsservice': 'nothing',
  } satisfies Record<string, Part>),
);

const SECOND = 1000;

/** `SteadyFacts` of the request that was answered last. */
interface Answered<S> extends Omit<SteadyFacts, 'isTemporary' | 'now'> {
  readonly second: number;
  readonly said: S;
}

interface Asked {
  readonly statement: Statement;
  /** Its resources are known to take in the resource. */
  readonly isAbout: boolean;
}

/**
 * Remembers the last answers of some statements that ask for steady facts only. A request with the same facts gets the
 * same answers without asking the statements again.
 */
export class SteadyAnswer<S extends { readonly policy: NamedPolicy }> {
  /** The facts that the statements ask for; undefined: they ask for more than steady facts. */
  readonly #parts: ReadonlySet<Part> | undefined;
  readonly #asksCaller: boolean;
  readonly #asksAddress: boolean;
  #last: Answered<S> | undefined = undefined;

  constructor(candidates: readonly Asked[]) {
    this.#parts = partsOf(candidates);
    this.#asksCaller = this.#parts?.has('caller') === true;
    this.#asksAddress = this.#parts?.has('address') === true;
  }

  /** The remembered answers; undefined: the statements must be asked. */
  get(policy: NamedPolicy, facts: SteadyFacts): S | undefined {
    const last = this.#last;
    if (last?.said.policy !== policy) return undefined;
    if (this.#asksCaller && (facts.isTemporary || last.account !== facts.account || last.user !== facts.user)) {
      return undefined;
    }
    if (this.#asksAddress && last.clientAddress !== facts.clientAddress) return undefined;
    const isSame =
      last.second === Math.floor(facts.now / SECOND) &&
      last.scheme === facts.scheme &&
      last.tlsVersion === facts.tlsVersion &&
      last.region === facts.region;
    return isSame ? last.said : undefined;
  }

  keep(said: S, { isTemporary, account, user, clientAddress, scheme, tlsVersion, region, now }: SteadyFacts): void {
    if (this.#parts === undefined || (this.#asksCaller && isTemporary)) return;
    const second = Math.floor(now / SECOND);
    this.#last = { account, user, clientAddress, scheme, tlsVersion, region, second, said };
  }
}

function partsOf(candidates: readonly Asked[]): ReadonlySet<Part> | undefined {
  const parts = new Set<Part>();
  for (const { isAbout, statement } of candidates) {
    // Whether this statement takes in the resource depends on the resource, which each request may change.
    if (!isAbout) return undefined;
    if (statement.principals !== undefined && !takesAnyone(statement.principals)) parts.add('caller');
    for (const { lookup, values } of statement.conditions) {
      const part = STEADY_KEYS.get(lookup.slice(0, lookup.indexOf('/') + 1 || undefined));
      // A variable in a value may stand for any other key.
      if (part === undefined || values.some((value) => value.includes('${'))) return undefined;
      parts.add(part);
    }
  }
  return parts;
}

function takesAnyone({ not, entries }: PrincipalSet): boolean {
  return !not && entries.every(({ kind }) => kind === 'anyone');
}
