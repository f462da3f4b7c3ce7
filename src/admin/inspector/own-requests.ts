import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FilterTexts } from '../journal/filter.ts';
import { requestMatcher } from '../journal/filter.ts';
import type { RequestJournal } from '../journal/journal.ts';
import type { KeptRequest } from '../journal/kept-request.ts';
import type {
  ReplicaState,
  RequestDetail,
  RequestList,
  RequestSummary,
  SupportBundle,
  TimelineEntry,
} from './contract.ts';
import { type HarEntry, entryOf } from './har.ts';
import { writeEvent } from './live-stream.ts';
import type { RequestSelection } from './queries.ts';
import { type Origin, detailOf, shownHead, summaryOf } from './render-request.ts';

const MAX_TIMELINE = 500;
const MAX_BUNDLED = 50;
/** More than fits into any journal of a sensible size. */
const MAX_ARCHIVED = 20_000;
/** Between two turns of the event loop. */
const RENDERED_AT_A_TIME = 256;

/** What this replica's journal has, in the words of the contract. */
export class OwnRequests {
  readonly journal: RequestJournal;
  readonly #own: () => ReplicaState;
  readonly #origin: Origin;
  #written: { readonly event: string; readonly request: KeptRequest; readonly bytes: Buffer } | undefined;

  constructor(journal: RequestJournal, own: () => ReplicaState, isOwnHost: Origin['isOwnHost']) {
    this.journal = journal;
    this.#own = own;
    this.#origin = { replica: own().id, slowMs: journal.slowMs, isOwnHost };
  }

  summary(request: KeptRequest): RequestSummary {
    return summaryOf(request, this.#origin);
  }

  /**
   * An event of the stream. The journal tells one after the other to all who listen: it is written for the first of
   * them.
   */
  written(event: 'started' | 'finished', request: KeptRequest): Buffer {
    if (this.#written?.request !== request || this.#written.event !== event) {
      this.#written = { event, request, bytes: writeEvent(event, this.summary(request)) };
    }
    return this.#written.bytes;
  }

  detail(id: string): RequestDetail | undefined {
    const request = this.journal.find(id);
    return request && detailOf(request, this.#origin);
  }

  async list({ matcher }: RequestSelection, limit: number): Promise<Omit<RequestList, 'replicas'>> {
    const { requests, more } = await this.journal.scan({ matcher, limit });
    return { requests: requests.map((request) => this.summary(request)), more };
  }

  /** Oldest first; those that still run are left out. */
  async archive({ matcher }: RequestSelection): Promise<HarEntry[]> {
    const { requests } = await this.journal.scan({ matcher, limit: MAX_ARCHIVED, running: false });
    const entries: HarEntry[] = [];
    for (const request of requests.toReversed()) {
      entries.push(entryOf(detailOf(request, this.#origin)));
      if (entries.length % RENDERED_AT_A_TIME === 0) await nextTurn();
    }
    return entries;
  }

  /** Oldest first. @param texts of a key or of an upload */
  async timeline(texts: FilterTexts, limit = MAX_TIMELINE): Promise<TimelineEntry[]> {
    const { requests } = await this.journal.scan({ matcher: requestMatcher(texts, this.journal.slowMs), limit });
    return requests
      .toReversed()
      .map((request) => ({ request: this.summary(request), head: shownHead(request.heads[0]) }));
  }

  async bundle(id: string): Promise<SupportBundle | undefined> {
    const request = this.detail(id);
    if (request === undefined) return undefined;
    const { bucket, key, uploadId } = request.summary;
    const texts =
      uploadId !== undefined
        ? { uploadId }
        : bucket !== undefined && key !== undefined
          ? { bucket, key }
          : { requestId: id };
    const timeline = await this.timeline(texts, MAX_BUNDLED);
    // Who else uses the backends is nothing to be sent to others.
    const { connections: _others, ...replica } = this.#own();
    return { format: 's3-cloud-gateway-request/1', exported: Date.now(), replica, request, timeline };
  }
}
