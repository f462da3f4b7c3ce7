import {
  type BackendReport,
  type BucketReport,
  type Finding,
  FINDINGS,
  type SweepReport,
} from '../../manifest/index.ts';
import type { SweepArguments } from './sweep-arguments.ts';

/** The report of a sweep for people. */
export function sweepLines(report: SweepReport, { check }: Pick<SweepArguments, 'check'>): string[] {
  const lines = report.backends.flatMap((backend) => backendLines(backend, report.dryRun, check));
  if (!report.complete) lines.push('told to stop before the end; the next sweep does the rest');
  return lines;
}

function backendLines(backend: BackendReport, dryRun: boolean, check: boolean): string[] {
  const { name, bucketsSeen, buckets } = backend;
  const quiet = buckets.length === 0 && Object.keys(backend.counts).length === 0 && backend.problems.length === 0;
  return [
    `backend ${name}: ${String(bucketsSeen)} buckets${quiet ? ', nothing to be done' : ''}`,
    ...buckets.flatMap((bucket) => [
      `  bucket ${bucket.name}`,
      ...indent(countLines(bucket, dryRun)),
      ...(check ? indent(lostLines(bucket)) : []),
    ]),
    ...(quiet ? [] : ['  beside the buckets', ...indent(countLines(backend, dryRun))]),
  ];
}

function countLines(
  { counts, problems, moreProblems }: Pick<BackendReport, 'counts' | 'problems' | 'moreProblems'>,
  dryRun: boolean,
): string[] {
  const lines = (Object.keys(FINDINGS) as Finding[]).flatMap((finding) => {
    const count = counts[finding];
    if (count === undefined || count.found === 0) return [];
    const size = count.bytes > 0 ? `, ${String(count.bytes)} bytes` : '';
    const outcome = dryRun
      ? ''
      : ` (${String(count.done)} done, ${String(count.left)} changed meanwhile, ${String(count.failed)} failed)`;
    return [`${String(count.found)} ${finding}${outcome}${size}: ${FINDINGS[finding]}`];
  });
  const more = moreProblems > 0 ? [`and ${String(moreProblems)} problems more`] : [];
  return [...lines, ...problems.map((problem) => `problem: ${problem}`), ...more];
}

function lostLines({ lost }: BucketReport): string[] {
  return lost.map(({ key, versionId, size, lastModified, locked }) => {
    return `${locked ? 'locked' : 'lost'}: ${JSON.stringify(key)} version ${versionId}, ${String(size)} bytes, ${new Date(lastModified).toISOString()}`;
  });
}

function indent(lines: readonly string[]): string[] {
  return lines.map((line) => `    ${line}`);
}
