import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Log } from '../log.ts';
import type { RequestFacts, RequestObserver } from '../request-facts.ts';
import { ByteRing, type RingPlace } from './byte-ring.ts';
import type { RequestMatcher } from './filter.ts';
import type { Diagnose, KeptRequest } from './kept-request.ts';
import { isNotable } from './outcome.ts';
import { packRequest } from './pack-request.ts';
import { briefly, type PackedRequest, unpackRequest } from './packed-request.ts';

export interface JournalOptions {
  /** Of the memory for ended requests: all that is ever used. Half of it for failures and slow ones. */
  readonly maxBytes: number;
  /** Time of our own from which a request counts as slow, milliseconds. */
  readonly slowMs: number;
  /** Requests under way. */
  readonly running: ReadonlySet<RequestFacts>;
  readonly log: Log;
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
/**
 * Ordinary requests are written so many at a time: one after the other that takes half of what it takes between other work,
 * which has pushed code and data of the journal out of the processor's caches each time.
 */
const WRITTEN_AT_A_TIME = 32;
/** Nobody waits longer: what is not written yet is not redacted yet, either. */
const WRITE_AFTER_MS = 100;
/** Entries read between two turns of the event loop: other requests are waiting meanwhile. */
const READ_AT_A_TIME = 64;

/**
 * The recent requests of this replica, in memory, bounded in bytes. Ordinary ones push out ordinary ones only: failures
 * and slow requests have a ring of their own and stay longer. What is kept was redacted before.
 */
export class RequestJournal implements RequestObserver {
  readonly slowMs: number;
  readonly #diagnose: JournalOptions['diagnose'];
  readonly #log: Log;
  readonly #ordinary: ByteRing;
  readonly #notable: ByteRing;
  readonly #running: ReadonlySet<RequestFacts>;
  readonly #listeners = new Set<JournalListener>();
  #unwritten: RequestFacts[] = [];
  #timer: NodeJS.Timeout | undefined;
  #faulty = false;

  constructor({ maxBytes, slowMs, running, log, diagnose }: JournalOptions) {
    this.slowMs = slowMs;
    this.#log = log;
    this.#running = running;
    this.#diagnose = diagnose;
    this.#notable = new ByteRing(Math.floor(maxBytes / 2));
    this.#ordinary = new ByteRing(maxBytes - this.#notable.capacity);
  }

  get stats(): JournalStats {
    this.#writeAll();
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
    if (this.#listeners.size > 0) this.#tell('started', packRequest(facts));
  }

  /** Failures are written at once: what is known of their signature is asked for while it is known. */
  ended(facts: RequestFacts): void {
    this.#unwritten.push(facts);
    if (facts.failure !== undefined || this.#listeners.size > 0 || this.#unwritten.length >= WRITTEN_AT_A_TIME) this.#writeAll();
    else this.#timer ??= setTimeout(() => this.#writeAll(), WRITE_AFTER_MS).unref();
  }

  /** @returns how to stop it */
  listen(listener: JournalListener): () => void {
    this.#writeAll();
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  find(id: string): KeptRequest | undefined {
    this.#writeAll();
    for (const facts of this.#running) if (facts.head.requestId === id) return asKept(facts);
    const beginning = beginningOf(id);
    const text = this.#notable.find(beginning) ?? this.#ordinary.find(beginning);
    return text === undefined ? undefined : decode(text);
  }

  /** Looks through all that is kept until there are enough. Lets other requests go first now and then. */
  async scan({ matcher, limit, running = true }: Scan): Promise<ScanResult> {
    this.#writeAll();
    const found: KeptRequest[] = running ? Array.from(this.#running, asKept).filter((request) => matcher.matches(request)) : [];
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

  #writeAll(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const unwritten = this.#unwritten;
    this.#unwritten = [];
    for (const facts of unwritten) this.#tryToWrite(facts);
  }

  /** A fault is logged once: it would come with every request. */
  #tryToWrite(facts: RequestFacts): void {
    try {
      this.#write(facts);
    } catch (error) {
      if (!this.#faulty) this.#log.error({ requestId: facts.head.requestId, err: error }, 'a request could not be written into the journal');
      this.#faulty = true;
    }
  }

  #write(facts: RequestFacts): void {
    const packed = packRequest(facts, this.#diagnose);
    const ring = isNotable(facts, this.slowMs) ? this.#notable : this.#ordinary;
    const { arrivedAt } = facts.head;
    const fits = ring.append(arrivedAt, JSON.stringify(packed), ring.capacity * MAX_ENTRY_SHARE);
    if (!fits) ring.append(arrivedAt, JSON.stringify(briefly(packed)));
    if (this.#listeners.size > 0) this.#tell('finished', packed);
  }

  #tell(event: 'started' | 'finished', packed: PackedRequest): void {
    const request = unpackRequest(packed);
    for (const listener of this.#listeners) listener(event, request);
  }
}

/** As it stands now. */
function asKept(running: RequestFacts): KeptRequest {
  return unpackRequest(packRequest(running));
}

function readPlace(ring: ByteRing, place: RingPlace): KeptRequest | undefined {
  const text = ring.read(place);
  return text === undefined ? undefined : decode(text);
}

/** Of a request's text: its id is its first value. */
function beginningOf(id: string): string {
  return `[[${JSON.stringify(id)},`;
}

/** Nothing but what `#write` wrote lies in the rings. */
function decode(text: string): KeptRequest {
  return unpackRequest(JSON.parse(text) as PackedRequest);
}
