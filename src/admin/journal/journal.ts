import { setImmediate as nextTurn } from 'node:timers/promises';
import { isNotable } from '../../observe/notable.ts';
import type { RequestFacts, RequestObserver } from '../../observe/request-facts.ts';
import { ByteRing } from './byte-ring.ts';
import { beginningOf, packRequest, readRequest } from './fields.ts';
import type { RequestMatcher } from './filter.ts';
import type { EntryBytes } from './entry-marks.ts';
import type { Diagnose, KeptRequest } from './kept-request.ts';
import { RepeatedTexts } from './repeated-texts.ts';
import { SharedTexts } from './shared-texts.ts';

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

/** Of what many entries have in common. */
const REPEATED_SHARE = 1 / 16;
/** Of an entry; a longer one is kept without its long parts. */
const MAX_ENTRY_SHARE = 1 / 8;
/** Entries read between two turns of the event loop: other requests are waiting meanwhile. */
const READ_AT_A_TIME = 64;

/**
 * The recent requests of this replica, in memory, bounded in bytes. Ordinary ones push out ordinary ones only: failures
 * and slow requests have a ring of their own and stay longer. What is kept was redacted before.
 */
export class RequestJournal implements RequestObserver {
  readonly slowMs: number;
  readonly #maxBytes: number;
  readonly #diagnose: JournalOptions['diagnose'];
  readonly #ordinary: ByteRing;
  readonly #notable: ByteRing;
  readonly #repeated: RepeatedTexts;
  readonly #shared: SharedTexts;
  readonly #requests: RequestSource;
  readonly #listeners = new Set<JournalListener>();

  constructor({ maxBytes, slowMs, requests, diagnose }: JournalOptions) {
    this.slowMs = slowMs;
    this.#requests = requests;
    this.#maxBytes = maxBytes;
    this.#diagnose = diagnose;
    const repeatedBytes = Math.floor(maxBytes * REPEATED_SHARE);
    this.#notable = new ByteRing(Math.floor((maxBytes - repeatedBytes) / 2));
    this.#ordinary = new ByteRing(maxBytes - repeatedBytes - this.#notable.capacity);
    this.#repeated = new RepeatedTexts(repeatedBytes, () => this.#rings.map(({ oldest }) => oldest));
    this.#shared = new SharedTexts(this.#repeated);
  }

  get #rings(): readonly [ordinary: ByteRing, notable: ByteRing] {
    return [this.#ordinary, this.#notable];
  }

  get stats(): JournalStats {
    this.#requests.flush();
    const rings = this.#rings;
    return {
      inFlight: this.#requests.running().length,
      kept: rings.reduce((sum, ring) => sum + ring.count, 0),
      keptBytes: rings.reduce((sum, ring) => sum + ring.usedBytes, this.#repeated.bytes),
      maxBytes: this.#maxBytes,
      slowMs: this.slowMs,
    };
  }

  begun(facts: RequestFacts): void {
    if (this.#listeners.size > 0) this.#tell('started', packRequest(facts));
  }

  ended(facts: RequestFacts): void {
    const report = facts.failure === undefined ? undefined : this.#diagnose?.(facts);
    const index = isNotable(facts, this.slowMs) ? 1 : 0;
    const ring = index === 1 ? this.#notable : this.#ordinary;
    const { arrivedAt } = facts.head;
    this.#repeated.begin(index, ring.next);
    const entry = packRequest(facts, { report, shared: this.#shared });
    const fits = ring.append(arrivedAt, entry, ring.capacity * MAX_ENTRY_SHARE);
    if (this.#listeners.size > 0) this.#tell('finished', entry);
    if (!fits) ring.append(arrivedAt, packRequest(facts, { report, brief: true, shared: this.#shared }));
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
    if (running !== undefined) return asKept(running);
    const beginning = beginningOf(id);
    const entry = this.#notable.find(beginning) ?? this.#ordinary.find(beginning);
    return entry === undefined ? undefined : this.#read(entry);
  }

  /** Looks through all that is kept until there are enough. Lets other requests go first now and then. */
  async scan({ matcher, limit, running = true }: Scan): Promise<ScanResult> {
    this.#requests.flush();
    const found: KeptRequest[] = running
      ? this.#requests
          .running()
          .map(asKept)
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
      const request = entry === undefined ? undefined : this.#read(entry);
      if (request === undefined || !matcher.matches(request)) continue;
      found.push(request);
      ended += 1;
    }
    found.sort((a, b) => b.arrived - a.arrived);
    return { requests: found.slice(0, limit), more: found.length > limit };
  }

  #read(entry: EntryBytes): KeptRequest {
    return readRequest(entry, (place) => this.#repeated.at(place));
  }

  #tell(event: 'started' | 'finished', entry: EntryBytes): void {
    const request = this.#read(entry);
    for (const listener of this.#listeners) listener(event, request);
  }
}

/** As it stands now. */
function asKept(running: RequestFacts): KeptRequest {
  return readRequest(packRequest(running));
}
