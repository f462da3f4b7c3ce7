import type { Fault, FaultPlan, ProxiedCall } from '../support/backends/fault-proxy/fault.ts';
import type { Random } from '../support/random.ts';

/** One call in so many meets a fault. */
const ONE_IN = 25;
/** Of the faults that leave the gateway in doubt, those whose read-back fails too. */
const SECOND_FAULT = 0.4;
/** Calls about the same blob that fail after the first: as many as a gateway tries to read. */
const SECOND_FAULTS = 5;
const LATE_MS = 400;
/**
 * One removal of a version's own blob in so many is refused, and so is every attempt after it: its DELETE is committed
 * and has to be sent again.
 */
const REMOVALS_REFUSED = 5;
const VERSIONS = 'v/';

/** What a call may meet, and how often it is chosen against the others. */
const FAULTS: readonly { readonly weight: number; readonly of: (call: ProxiedCall) => Fault | undefined }[] = [
  { weight: 3, of: () => ({ kind: 'delay', ms: 150 }) },
  { weight: 2, of: () => ({ kind: 'refuse', status: 503 }) },
  { weight: 1, of: ({ service }) => ({ kind: 'refuse', status: service === 'gcs' ? 429 : 500 }) },
  { weight: 2, of: () => ({ kind: 'loseRequest' }) },
  { weight: 4, of: ({ changes }) => (changes ? { kind: 'loseAnswer' } : undefined) },
  { weight: 2, of: ({ changes }) => (changes ? { kind: 'loseAnswer', status: 503 } : undefined) },
  { weight: 3, of: ({ changes }) => (changes ? { kind: 'loseAnswer', lateBy: LATE_MS } : undefined) },
  { weight: 2, of: () => ({ kind: 'breakBody', after: 0, how: 'reset' }) },
  { weight: 1, of: () => ({ kind: 'breakBody', after: 20, how: 'end' }) },
];

const IN_DOUBT: ReadonlySet<Fault['kind']> = new Set(['loseAnswer', 'loseRequest', 'breakBody']);

/** A network and a service on a bad day; what follows a lost answer often fails as well. */
export class BadNetwork {
  readonly #random: Random;
  /** By blob: calls that are still to be refused. */
  readonly #refusing = new Map<string, number>();
  #quiet = false;
  /** Faults met, by kind. */
  readonly met: Record<string, number> = {};

  constructor(random: Random) {
    this.#random = random;
  }

  /** From now on nothing goes wrong. */
  calm(): void {
    this.#quiet = true;
  }

  /** It does again. */
  resume(): void {
    this.#quiet = false;
  }

  readonly plan: FaultPlan = (call) => {
    if (this.#quiet) return undefined;
    const fault = this.#second(call) ?? this.#first(call);
    if (fault !== undefined) this.met[fault.kind] = (this.met[fault.kind] ?? 0) + 1;
    return fault;
  };

  #second(call: ProxiedCall): Fault | undefined {
    const blob = blobOf(call);
    const left = this.#refusing.get(blob) ?? 0;
    if (left === 0) return undefined;
    if (left === 1) this.#refusing.delete(blob);
    else this.#refusing.set(blob, left - 1);
    return { kind: 'refuse', status: 503 };
  }

  #first(call: ProxiedCall): Fault | undefined {
    const isRemoval = call.kind === 'remove' && call.name?.startsWith(VERSIONS) === true;
    if (isRemoval && this.#random.oneIn(REMOVALS_REFUSED)) {
      this.#refusing.set(blobOf(call), SECOND_FAULTS);
      return { kind: 'refuse', status: 503 };
    }
    if (!this.#random.oneIn(ONE_IN)) return undefined;
    const fault = this.#random.weighted(FAULTS).of(call);
    if (fault !== undefined && call.changes && IN_DOUBT.has(fault.kind) && this.#random.chance(SECOND_FAULT)) {
      this.#refusing.set(blobOf(call), SECOND_FAULTS);
    }
    return fault;
  }
}

function blobOf({ container = '', name = '' }: ProxiedCall): string {
  return `${container}/${name}`;
}
