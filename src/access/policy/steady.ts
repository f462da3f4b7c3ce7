import type { SteadyFacts } from './context.ts';
import type { NamedPolicy, PrincipalSet, Statement } from './document.ts';

/** What a key is made of; `nothing`: it is the same for all requests. */
type Part = 'caller' | 'address' | 'connection' | 'second' | 'nothing';

/**
 * Keys that are made of nothing but `SteadyFacts`, of a tag up to the slash. Any other key may be another one with each
 * request.
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
  /** Its resources speak about the resource. */
  readonly isAbout: boolean;
}

/**
 * What statements said last, for requests that cannot be told anything else: none of the statements asks for anything
 * but steady facts, and those that they ask for are the same.
 */
export class SteadyAnswer<S extends { readonly policy: NamedPolicy }> {
  /** Undefined: they ask for more. */
  readonly #parts: ReadonlySet<Part> | undefined;
  readonly #asksCaller: boolean;
  readonly #asksAddress: boolean;
  #last: Answered<S> | undefined = undefined;

  constructor(candidates: readonly Asked[]) {
    this.#parts = partsOf(candidates);
    this.#asksCaller = this.#parts?.has('caller') === true;
    this.#asksAddress = this.#parts?.has('address') === true;
  }

  /** Undefined: they have to be asked. */
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
    // The resource is another one with each request.
    if (!isAbout) return undefined;
    if (statement.principals !== undefined && !takesAnyone(statement.principals)) parts.add('caller');
    for (const { lookup, values } of statement.conditions) {
      const part = STEADY_KEYS.get(lookup.slice(0, lookup.indexOf('/') + 1 || undefined));
      // A value with a variable asks for more than the key.
      if (part === undefined || values.some((value) => value.includes('${'))) return undefined;
      parts.add(part);
    }
  }
  return parts;
}

function takesAnyone({ not, entries }: PrincipalSet): boolean {
  return !not && entries.every(({ kind }) => kind === 'anyone');
}
