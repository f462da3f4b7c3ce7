import { setImmediate as nextTurn } from 'node:timers/promises';
import { isNotable } from '../../observe/notable.ts';
import type { RequestFacts, RequestObserver } from '../../observe/request-facts.ts';
import { ByteRing } from './byte-ring.ts';
import type { RequestMatcher } from './filter.ts';
import { keepRequest } from './keep-request.ts';
import type { Diagnose, KeptRequest } from './kept-request.ts';

interface JournalOptions {
  /** Of the memory for ended requests: all that is ever used. Half of it for failures and slow ones. */
  readonly maxBytes: number;
  /** Time of our own from which a request counts as slow, milliseconds. */
  readonly slowMs: number;
  readonly requests: RequestSource;
  /** What may be wrong with a signature that was refused. */
  readonly diagnose?: Diagnose | undefined;
}

/** Whose requests these are. */
export interface RequestSource {
  /** Those under way. */
  running(): readonly RequestFacts[];
  /** Tells of those that have ended and of which nobody was told yet. */
  flush(): void;
}

interface JournalStats {
  readonly inFlight: number;
  readonly kept: number;
  readonly keptBytes: number;
  readonly maxBytes: number;
  readonly slowMs: number;
}

type JournalListener = (event: 'started' | 'finished', request: KeptRequest) => void;

interface Scan {
  readonly matcher: RequestMatcher;
  readonly limit: number;
  /** Those that still run, too. */
  readonly running?: boolean;
}

interface ScanResult {
  /** Newest arrival first. */
  readonly requests: readonly KeptRequest[];
  readonly more: boolean;
}

/** Of an entry; a longer one is kept without its long parts. */
const MAX_ENTRY_SHARE = 1 / 8;
/** Entries read between two turns of the event loop: other requests are waiting meanwhile. */
const READ_AT_A_TIME = 64;

/**
 * The recent requests of this replica, in memory, bounded in bytes. Ordinary ones push out ordinary ones only: failures
 * and slow requests have a ring of their own and stay longer. An entry is a `KeptRequest` as JSON: what is kept was
 * redacted before.
 */
export class RequestJournal implements RequestObserver {
  readonly slowMs: number;
  readonly #maxBytes: number;
  readonly #diagnose: JournalOptions['diagnose'];
  readonly #ordinary: ByteRing;
  readonly #notable: ByteRing;
  readonly #requests: RequestSource;
  readonly #listeners = new Set<JournalListener>();

  constructor({ maxBytes, slowMs, requests, diagnose }: JournalOptions) {
    this.slowMs = slowMs;
    this.#requests = requests;
    this.#maxBytes = maxBytes;
    this.#diagnose = diagnose;
    this.#notable = new ByteRing(Math.floor(maxBytes / 2));
    this.#ordinary = new ByteRing(maxBytes - this.#notable.capacity);
  }

  get stats(): JournalStats {
    this.#requests.flush();
    return {
      inFlight: this.#requests.running().length,
      kept: this.#ordinary.count + this.#notable.count,
      keptBytes: this.#ordinary.usedBytes + this.#notable.usedBytes,
      maxBytes: this.#maxBytes,
      slowMs: this.slowMs,
    };
  }

  begun(facts: RequestFacts): void {
    if (this.#listeners.size > 0) this.#tell('started', keepRequest(facts));
  }

  ended(facts: RequestFacts): void {
    const report = facts.failure === undefined ? undefined : this.#diagnose?.(facts);
    const ring = isNotable(facts, this.slowMs) ? this.#notable : this.#ordinary;
    const { arrivedAt } = facts.head;
    const request = keepRequest(facts, { report });
    const fits = ring.append(arrivedAt, JSON.stringify(request), ring.capacity * MAX_ENTRY_SHARE);
    if (!fits) ring.append(arrivedAt, JSON.stringify(keepRequest(facts, { report, brief: true })));
    this.#tell('finished', request);
  }

  /** @returns how to stop it */
  listen(listener: JournalListener): () => void {
    this.#requests.flush();
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  find(id: string): KeptRequest | undefined {
    this.#requests.flush();
    const running = this.#requests.running().find(({ head }) => head.requestId === id);
    if (running !== undefined) return keepRequest(running);
    const beginning = `{"id":${JSON.stringify(id)},`;
    const entry = this.#notable.find(beginning) ?? this.#ordinary.find(beginning);
    return entry === undefined ? undefined : parse(entry);
  }

  /** Looks through all that is kept until there are enough. Lets other requests go first now and then. */
  async scan({ matcher, limit, running = true }: Scan): Promise<ScanResult> {
    this.#requests.flush();
    const found: KeptRequest[] = running
      ? this.#requests
          .running()
          .map((facts) => keepRequest(facts))
          .filter((request) => matcher.matches(request))
      : [];
    const places = [this.#ordinary, this.#notable].flatMap((ring) => ring.places().map((place) => ({ ring, place })));
    const wanted = places
      .filter(({ place }) => matcher.matchesTime(place.time))
      .sort((a, b) => b.place.time - a.place.time);
    let ended = 0;
    for (const [index, { ring, place }] of wanted.entries()) {
      if (ended > limit) break;
      if (index % READ_AT_A_TIME === READ_AT_A_TIME - 1) await nextTurn();
      const entry = ring.read(place);
      const request = entry === undefined ? undefined : parse(entry);
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

function parse(entry: string): KeptRequest {
  return JSON.parse(entry) as KeptRequest;
}
