import type { RequestSummary, StreamEvents } from '../../inspector/contract.ts';

/** What the page holds at most; older ones can be asked for again. */
const MOST_KEPT = 2000;

/**
 * The requests of the live list, newest first. While paused, what comes is put aside, and so is the number of what did
 * not fit.
 */
export class LiveList {
  readonly #shown = new Map<string, RequestSummary>();
  readonly #waiting = new Map<string, RequestSummary>();
  readonly #mostKept: number;
  #sorted: readonly RequestSummary[] | undefined;
  #paused = false;
  #lost = 0;
  #leftOut = 0;

  constructor(mostKept = MOST_KEPT) {
    this.#mostKept = mostKept;
  }

  get paused(): boolean {
    return this.#paused;
  }

  /** Requests that came while paused. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Events that never reached the page. */
  get lost(): number {
    return this.#lost;
  }

  /** Requests that the page was not told of, as more came than it shows. */
  get leftOut(): number {
    return this.#leftOut;
  }

  get requests(): readonly RequestSummary[] {
    this.#sorted ??= [...this.#shown.values()].sort((a, b) => b.arrived - a.arrived);
    return this.#sorted;
  }

  /** A `started` that comes after its `finished` (a stream that was opened again) changes nothing. */
  add(summary: RequestSummary): void {
    const place = this.#paused && !this.#shown.has(summary.href) ? this.#waiting : this.#shown;
    const known = place.get(summary.href);
    if (known !== undefined && known.outcome !== 'running' && summary.outcome === 'running') return;
    place.set(summary.href, summary);
    this.#lost += trim(place, this.#mostKept, place === this.#waiting);
    this.#sorted = undefined;
  }

  addLost({ count }: StreamEvents['lost']): void {
    this.#lost += count;
  }

  addLeftOut({ count }: StreamEvents['leftOut']): void {
    this.#leftOut += count;
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const summary of waiting) this.add(summary);
  }

  /** The stream begins anew: what was running then is finished, or will be named again. */
  forgetRunning(): void {
    for (const place of [this.#shown, this.#waiting]) {
      for (const [href, { outcome }] of place) if (outcome === 'running') place.delete(href);
    }
    this.#sorted = undefined;
  }

  /** Another filter, or all is read again. */
  clear(): void {
    this.#shown.clear();
    this.#waiting.clear();
    this.#lost = 0;
    this.#leftOut = 0;
    this.#sorted = undefined;
  }
}

/** Takes the oldest away when there are a good many too many. Returns how many of them nobody has seen. */
function trim(place: Map<string, RequestSummary>, most: number, unseen: boolean): number {
  if (place.size <= most * 1.1) return 0;
  const oldest = [...place.values()].sort((a, b) => a.arrived - b.arrived).slice(0, place.size - most);
  for (const { href } of oldest) place.delete(href);
  return unseen ? oldest.length : 0;
}
