import type { BucketLifecycleReport, LifecycleReport, RuleCount } from '../../manifest/index.ts';

/** The report of a run of lifecycle rules for people. */
export function lifecycleLines(report: LifecycleReport): string[] {
  const { buckets, dryRun, problems, complete } = report;
  return [
    ...(buckets.length === 0 && complete ? ['no bucket has lifecycle rules'] : []),
    ...buckets.flatMap((bucket) => bucketLines(bucket, dryRun)),
    ...problems.map((problem) => `problem: ${problem}`),
    ...(complete ? [] : ['told to stop before the end; the next run goes on from there']),
  ];
}

function bucketLines(bucket: BucketLifecycleReport, dryRun: boolean): string[] {
  const { name, backend, complete, rules, warnings, problems, moreProblems } = bucket;
  return [
    `bucket ${name} (backend ${backend})${complete ? '' : ': not all of it was looked at by this run'}`,
    ...Object.entries(rules).map(([id, count]) => `  rule ${id}: ${countLine(count, dryRun)}`),
    ...warnings.map((warning) => `  warning: ${warning}`),
    ...problems.map((problem) => `  problem: ${problem}`),
    ...(moreProblems > 0 ? [`  and ${String(moreProblems)} problems more`] : []),
  ];
}

function countLine(count: RuleCount, dryRun: boolean): string {
  const { lookedAt, due, done, locked, changed, unmovable, failed, oldestDue } = count;
  const outcomes = [
    `${String(done)} done`,
    `${String(locked)} locked`,
    `${String(changed)} changed meanwhile`,
    `${String(unmovable)} unmovable`,
    `${String(failed)} failed`,
  ];
  const oldest = oldestDue === undefined ? '' : `, the oldest since ${oldestDue}`;
  return `${String(lookedAt)} looked at, ${String(due)} due${dryRun ? '' : ` (${outcomes.join(', ')})`}${oldest}`;
}
