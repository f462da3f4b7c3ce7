/** What a row shall reach; whatever is named here. */
export interface Goal {
  /** Ratio of rates to the bare proxy, at least. */
  readonly ratio?: number;
  /** Requests a second, at least. */
  readonly rate?: number;
  /** p99 in times of the proxy's, at most. */
  readonly p99Times?: number;
  /** p99 in times of the mean, at most: of equal requests that are under way together none waits for others. */
  readonly p99OfMean?: number;
  /** MiB resident in the gateway's processes, at most. */
  readonly peakMebibytes?: number;
  /** Calls of the backend per request, at most; a read of the bucket's record now and then is none. */
  readonly calls?: number;
}

/** By row of the table. Other rows are for those who look closer. */
export const GOALS: Readonly<Record<string, Goal>> = {
  'get-4k-32': { ratio: 0.65 },
  'put-4k-32': { ratio: 0.55, p99Times: 2 },
  'head-32': { ratio: 0.65 },
  'get-4k-256': { p99Times: 2 },
  'put-4k-256': { p99Times: 2 },
  'head-256': { p99Times: 2 },
  // Shown beside the others: nothing is asked of them.
  'get-4k-versions-32': {},
  'put-4k-versions-32': {},
  'copy-4k': { ratio: 0.5 },
  'list-1000': { ratio: 1, calls: 1 },
  'get-64m': { ratio: 2.5 },
  'get-64m-4': { ratio: 2.5 },
  'get-1g': { ratio: 2.5 },
  'put-64m-unsigned': { ratio: 1.4 },
  'put-64m-unsigned-4': { ratio: 1.4, p99OfMean: 1.5 },
  'put-1g-unsigned': { ratio: 1.4 },
  'put-64m-crc32-trailer': { ratio: 1.5 },
  'put-64m-crc32-trailer-4': { ratio: 1.5, p99OfMean: 1.5 },
  'put-64m-sha256-4': { p99OfMean: 1.5 },
  'put-64m-signed-chunks-4': { p99OfMean: 1.5 },
  'put-64m-crc64nvme-trailer-4': { p99OfMean: 1.5 },
  'put-64m-sha256': { ratio: 1 },
  'put-64m-signed-chunks': { ratio: 1 },
  'put-64m-crc64nvme-trailer': { ratio: 1.3 },
  'put-16m-256': { ratio: 1.7, peakMebibytes: 350 },
  'part-16m': { ratio: 1.3 },
  'complete-8': { rate: 400, calls: 10 },
  'complete-1000': { rate: 400, calls: 10 },
  'delete-objects': { rate: 1 },
};

/** What a goal is held against. */
interface Reached {
  readonly ratio: number;
  readonly connections: number;
  readonly gateway: {
    readonly rate: number;
    readonly p99: number;
    readonly peak: number;
    readonly backendCalls: number;
  };
  readonly bare: { readonly p99: number };
}

/** Of one thing that a goal names. */
interface Verdict {
  readonly isMet: boolean;
  /** What was wanted: `>= 0.65`. */
  readonly wanted: string;
  /** What was found, without a unit where `wanted` has it. */
  readonly found: string;
}

/** One for each thing that the goal names. */
export function verdicts(goal: Goal, { ratio, connections, gateway, bare }: Reached): Verdict[] {
  const found: Verdict[] = [];
  if (goal.ratio !== undefined) {
    found.push({ isMet: ratio >= goal.ratio, wanted: `>= ${goal.ratio.toFixed(2)}`, found: ratio.toFixed(2) });
  }
  if (goal.rate !== undefined) {
    const { rate } = gateway;
    found.push({ isMet: rate >= goal.rate, wanted: `rate >= ${goal.rate}`, found: rate.toFixed(rate < 100 ? 1 : 0) });
  }
  const atMost = (most: number | undefined, value: number, unit: string): void => {
    if (most === undefined) return;
    const digits = value < 100 ? 1 : 0;
    found.push({ isMet: value <= most, wanted: `${unit} <= ${most}`, found: value.toFixed(digits) });
  };
  atMost(goal.p99Times, gateway.p99 / bare.p99, 'p99 times');
  // Each connection has always one request under way.
  atMost(goal.p99OfMean, (gateway.p99 * gateway.rate) / connections / 1000, 'p99 of mean');
  atMost(goal.peakMebibytes, gateway.peak, 'MiB');
  // The record of the bucket is read once in a while.
  atMost(goal.calls, Math.round(gateway.backendCalls), 'calls');
  return found;
}
