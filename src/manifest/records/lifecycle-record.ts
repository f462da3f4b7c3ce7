import type { BlobMetadata } from '../../store/blob-store.ts';
import type { Bucket } from './bucket.ts';
import { type Check, toAsciiJson } from './fields.ts';
import { RECORD_NAME } from './record.ts';
import { isCount, isMoment, isText } from './record-checks.ts';

/** What became of what was due under the rules of a bucket. */
export interface PassSums {
  readonly due: number;
  readonly done: number;
  /** Object lock holds them. */
  readonly locked: number;
  /** Changed or gone since they were judged. */
  readonly changed: number;
  /** Their bytes cannot be brought into the class. */
  readonly unmovable: number;
  readonly failed: number;
  /** What was left and has been due for longest was due then, milliseconds; absent: nothing was left. */
  readonly oldestDue?: number;
}

export const NO_SUMS: PassSums = { due: 0, done: 0, locked: 0, changed: 0, unmovable: 0, failed: 0 };

const COUNTS = ['due', 'done', 'locked', 'changed', 'unmovable', 'failed'] as const;

/** Of both together. */
export function addSums(a: PassSums, b: PassSums): PassSums {
  const oldest = [a.oldestDue, b.oldestDue].filter((at) => at !== undefined);
  const counts = Object.fromEntries(COUNTS.map((name) => [name, a[name] + b[name]])) as Record<
    (typeof COUNTS)[number],
    number
  >;
  return { ...counts, ...(oldest.length > 0 && { oldestDue: Math.min(...oldest) }) };
}

/** Whether JSON could be sums that a pass has written. */
export const isPassSums: Check = (json) => {
  const said = (json ?? {}) as Partial<Record<keyof PassSums, unknown>>;
  return COUNTS.every((name) => isCount(said[name])) && (said.oldestDue === undefined || isMoment(said.oldestDue));
};

/** The last pass of lifecycle rules over a bucket. In the metadata of the blob `lifecycleReportName`. */
export interface LifecyclePassReport extends PassSums {
  readonly bucket: string;
  /** Canonical id. */
  readonly ownerId: string;
  /** By the service's clock, milliseconds. */
  readonly startedAt: number;
  readonly finishedAt: number;
}

/** What passes of all kinds have noted, in a folder for each bucket. */
export const ALL_PASSES = 'l/';
const NAME = /^l\/([^/]+)\/lifecycle$/;

export function lifecycleReportName({ uid }: Pick<Bucket, 'uid'>): string {
  return `${ALL_PASSES}${uid}/lifecycle`;
}

/** @returns the uid of the bucket; undefined: no name of a report */
export function uidOfReport(name: string): string | undefined {
  return NAME.exec(name)?.[1];
}

const FORMAT = 1;

export function encodePassReport(report: LifecyclePassReport): BlobMetadata {
  return { [RECORD_NAME]: toAsciiJson({ v: FORMAT, ...report }) };
}

/** @returns undefined: no report that this release can read. The next pass writes one over it */
export function decodePassReport(metadata: BlobMetadata): LifecyclePassReport | undefined {
  let json: unknown;
  try {
    json = JSON.parse(metadata[RECORD_NAME] ?? '');
  } catch {
    return undefined;
  }
  const { v, ...said } = (json ?? {}) as Readonly<Record<string, unknown>>;
  const isKnown = v === FORMAT && isPassSums(said) && isText(said['bucket']) && isText(said['ownerId']);
  if (!isKnown || !isMoment(said['startedAt']) || !isMoment(said['finishedAt'])) return undefined;
  return said as unknown as LifecyclePassReport;
}
