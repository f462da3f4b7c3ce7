import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RequestFacts, RequestObserver } from '../request-facts.ts';
import { ByteRing, type RingPlace } from './byte-ring.ts';
import type { RequestMatcher } from './filter.ts';
import { keepRequest } from './keep-request.ts';
import type { Diagnose, KeptRequest } from './kept-request.ts';
import { isNotable } from './outcome.ts';

export interface JournalOptions {
  /** Of the memory for ended requests: all that is ever used. Half of it for failures and slow ones. */
  readonly maxBytes: number;
  /** Time of our own from which a request counts as slow, milliseconds. */
  readonly slowMs: number;
  /** What may be wrong with a signature that was refused. */
  readonly diagnose?: Diagnose | undefined;
}

export interface JournalStats {
  readonly inFlight: number;
  readonly kept: number;
  readonly keptBytes: number;
  readonly maxBytes: number;
  readonly slowMs: number;
}

export type JournalListener = (event: 'started' | 'finished', request: KeptRequest) => void;

export interface Scan {
  readonly matcher: RequestMatcher;
  readonly limit: number;
  /** Those that still run, too. */
  readonly running?: boolean;
}

export interface ScanResult {
  /** Newest arrival first. */
  readonly requests: readonly KeptRequest[];
  readonly more: boolean;
}

/** Of an entry; a longer one is kept without its long parts. */
const MAX_ENTRY_SHARE = 1 / 8;
const CALLS_OF_CUT_ENTRY = 4;
/** Entries read between two turns of the event loop: other requests are waiting meanwhile. */
const READ_AT_A_TIME = 64;

/**
 * The recent requests of this replica, in memory, bounded in bytes. Ordinary ones push out ordinary ones only: failures
 * and slow requests have a ring of their own and stay longer. What is kept was redacted before.
 */
export class RequestJournal implements RequestObserver {
  readonly slowMs: number;
  readonly #diagnose: JournalOptions['diagnose'];
  readonly #ordinary: ByteRing;
  readonly #notable: ByteRing;
  readonly #running = new Map<string, RequestFacts>();
  readonly #listeners = new Set<JournalListener>();

  constructor({ maxBytes, slowMs, diagnose }: JournalOptions) {
    this.slowMs = slowMs;
    this.#diagnose = diagnose;
    this.#notable = new ByteRing(Math.floor(maxBytes / 2));
    this.#ordinary = new ByteRing(maxBytes - this.#notable.capacity);
  }

  get stats(): JournalStats {
    const rings = [this.#ordinary, this.#notable];
    return {
      inFlight: this.#running.size,
      kept: rings.reduce((sum, ring) => sum + ring.count, 0),
      keptBytes: rings.reduce((sum, ring) => sum + ring.usedBytes, 0),
      maxBytes: rings.reduce((sum, ring) => sum + ring.capacity, 0),
      slowMs: this.slowMs,
    };
  }

  begun(facts: RequestFacts): void {
    this.#running.set(facts.head.requestId, facts);
    if (this.#listeners.size > 0) this.#tell('started', keepRequest(facts));
  }

  ended(facts: RequestFacts): void {
    this.#running.delete(facts.head.requestId);
    const request = keepRequest(facts, this.#diagnose);
    const ring = isNotable(request, this.slowMs) ? this.#notable : this.#ordinary;
    const limit = ring.capacity * MAX_ENTRY_SHARE;
    const text = JSON.stringify(request);
    ring.append(request.id, request.arrived, Buffer.byteLength(text) <= limit ? text : JSON.stringify(withoutLongParts(request)));
    if (this.#listeners.size > 0) this.#tell('finished', request);
  }

  /** @returns how to stop it */
  listen(listener: JournalListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  find(id: string): KeptRequest | undefined {
    const running = this.#running.get(id);
    if (running !== undefined) return keepRequest(running);
    const text = this.#notable.find(id) ?? this.#ordinary.find(id);
    return text === undefined ? undefined : decode(text);
  }

  /** Looks through all that is kept until there are enough. Lets other requests go first now and then. */
  async scan({ matcher, limit, running = true }: Scan): Promise<ScanResult> {
    const found: KeptRequest[] = running ? [...this.#running.values()].map((facts) => keepRequest(facts)).filter((request) => matcher.matches(request)) : [];
    const places = [this.#ordinary, this.#notable].flatMap((ring) => ring.places().map((place) => ({ ring, place })));
    const wanted = places.filter(({ place }) => matcher.matchesTime(place.time)).sort((a, b) => b.place.time - a.place.time);
    let ended = 0;
    for (const [index, { ring, place }] of wanted.entries()) {
      if (ended > limit) break;
      if (index % READ_AT_A_TIME === READ_AT_A_TIME - 1) await nextTurn();
      const request = readPlace(ring, place);
      if (request === undefined || !matcher.matches(request)) continue;
      found.push(request);
      ended += 1;
    }
    found.sort((a, b) => b.arrived - a.arrived);
    return { requests: found.slice(0, limit), more: found.length > limit };
  }

  #tell(event: 'started' | 'finished', request: KeptRequest): void {
    for (const listener of this.#listeners) listener(event, request);
  }
}

function readPlace(ring: ByteRing, place: RingPlace): KeptRequest | undefined {
  const text = ring.read(place);
  return text === undefined ? undefined : decode(text);
}

/** Nothing but what `ended` wrote lies in the rings. */
function decode(text: string): KeptRequest {
  return JSON.parse(text) as KeptRequest;
}

function withoutLongParts(request: KeptRequest): KeptRequest {
  const { headers, headersOmitted, backend, auth } = request;
  return {
    ...request,
    headers: '',
    headersOmitted: headersOmitted + headers.split('\n').length / 2,
    backend: backend.slice(0, CALLS_OF_CUT_ENTRY),
    auth: auth && { ...auth, report: undefined },
  };
}
