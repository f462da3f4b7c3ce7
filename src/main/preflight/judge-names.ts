import { type Backend, type BucketNames, type HiddenBucket, hiddenBuckets } from '../../manifest/index.ts';
import type { Call } from '../../observe/call.ts';
import { type Finding, ok } from './finding.ts';

const CHECK = 'names of buckets';
/** Most buckets that are named; all are counted. */
const MAX_NAMED = 10;

/**
 * Whether existing buckets can be reached by their names. Only warns, because an alias may hide a bucket on purpose.
 */
export async function judgeNames(backend: Backend, names: BucketNames, call: Call): Promise<Finding> {
  const hidden = await hiddenBuckets(backend, names, call);
  if (hidden.length === 0) return ok(CHECK, 'each reaches its bucket');
  const told = hidden.slice(0, MAX_NAMED).map(wordsOf);
  const more = hidden.length > MAX_NAMED ? [`and ${hidden.length - MAX_NAMED} more`] : [];
  return {
    level: 'warn',
    check: CHECK,
    detail: `${hidden.length} reach other buckets than their own: ${[...told, ...more].join(', ')}`,
    advice:
      'unless this is meant, narrow the pattern in buckets.aliases or buckets.rules, or give the prefix in buckets.prefixes another bucket',
  };
}

function wordsOf({ bucket, instead }: HiddenBucket): string {
  if ('part' in instead) return `${bucket} (part of a container)`;
  return 'bucket' in instead
    ? `${bucket} (alias of ${instead.bucket})`
    : `${bucket} (belongs to backend ${instead.backend})`;
}
