/**
 * Times of requests are counted in fixed classes, three to each doubling: a percentile that is read from them is off by
 * a quarter at the most. Classes of several processes can be added up, which percentiles cannot.
 */
export const LATENCY_CLASSES = 64;
/** What is faster counts in class 0. Milliseconds. */
const FASTEST_MS = 0.25;
const PER_DOUBLING = 3;

/** @returns from 0 to 63; the last one has all that took 7 minutes and longer */
export function latencyClass(ms: number): number {
  if (!(ms >= FASTEST_MS)) return 0;
  return Math.min(LATENCY_CLASSES - 1, 1 + Math.floor(PER_DOUBLING * Math.log2(ms / FASTEST_MS)));
}

/** Milliseconds from which a class counts. */
function lowerBound(index: number): number {
  return index === 0 ? 0 : FASTEST_MS * 2 ** ((index - 1) / PER_DOUBLING);
}

/**
 * @param counts by class
 * @param share 0.99 for the 99th percentile
 * @returns milliseconds that this share of the requests did not exceed; undefined: there were none
 */
export function percentileOf(counts: Float64Array, share: number): number | undefined {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return undefined;
  let left = share * total;
  for (const [index, count] of counts.entries()) {
    if (count > 0 && left <= count) {
      const from = lowerBound(index);
      const to = index === LATENCY_CLASSES - 1 ? from : lowerBound(index + 1);
      return from + (to - from) * (left / count);
    }
    left -= count;
  }
  return lowerBound(LATENCY_CLASSES - 1);
}
