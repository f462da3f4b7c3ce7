import type { WrittenSpan } from '../records/usage-record.ts';

/** Spans that are kept. As JSON in metadata they take up to two kilobytes. */
const MAX_SPANS = 32;
/** What is written within so much time is one span, at first. */
const FIRST_SPAN_MS = 60_000;

/** What a request adds to a bucket. */
export interface WrittenAmount {
  readonly bytes: number;
  readonly objects: number;
}

/**
 * What one process has written into one bucket, in spans of time, so that what the next pass has counted can be told
 * from what came later. When there are too many spans, two become one, and spans are twice as long from then on.
 */
export class WriteLedger {
  #spans: WrittenSpan[] = [];
  #spanMs = FIRST_SPAN_MS;

  /** @param now milliseconds since the epoch */
  add(now: number, { bytes, objects }: WrittenAmount): void {
    const last = this.#spans.at(-1);
    if (last !== undefined && now >= last.from && now - last.from < this.#spanMs) {
      this.#spans[this.#spans.length - 1] = joined(last, { from: now, until: now, bytes, objects });
      return;
    }
    this.#spans.push({ from: now, until: now, bytes, objects });
    if (this.#spans.length > MAX_SPANS) this.#join();
  }

  /** Lets go of what ended before a moment. */
  forgetBefore(moment: number): void {
    const left = this.#spans.filter(({ until }) => until >= moment);
    // There is room for short ones again.
    if (left.length < this.#spans.length) this.#spanMs = FIRST_SPAN_MS;
    this.#spans = left;
  }

  get spans(): readonly WrittenSpan[] {
    return this.#spans;
  }

  #join(): void {
    const pairs: WrittenSpan[] = [];
    for (const [at, span] of this.#spans.entries()) {
      const before = at % 2 === 1 ? pairs.pop() : undefined;
      pairs.push(before === undefined ? span : joined(before, span));
    }
    this.#spans = pairs;
    this.#spanMs *= 2;
  }
}

function joined(a: WrittenSpan, b: WrittenSpan): WrittenSpan {
  return {
    from: Math.min(a.from, b.from),
    until: Math.max(a.until, b.until),
    bytes: a.bytes + b.bytes,
    objects: a.objects + b.objects,
  };
}

/** All that was written in spans that end at a moment or later. */
export function writtenSince(spans: Iterable<WrittenSpan>, moment: number): WrittenAmount {
  let bytes = 0;
  let objects = 0;
  for (const span of spans) {
    if (span.until < moment) continue;
    bytes += span.bytes;
    objects += span.objects;
  }
  return { bytes, objects };
}
