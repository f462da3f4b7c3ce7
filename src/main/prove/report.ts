import type { PreflightFinding } from '../preflight/finding.ts';
import { redactText } from '../../observe/redact.ts';
import type { StepResult } from './acceptance.ts';
import type { Figure } from './figures.ts';
import type { TrialResult } from './trial.ts';

/** Everything that a run has found, fit for a public issue after `redacted`. */
export interface ProofReport {
  /** ISO 8601, of the beginning. */
  readonly date: string;
  /** Of the gateway, of Node, of the machine. */
  readonly version: string;
  readonly node: string;
  readonly platform: string;
  /** Kind of the backend in the configuration, and of its credential. */
  readonly kind: string;
  readonly credential: string | undefined;
  /** Why it ended before its end. */
  readonly stopped: string | undefined;
  readonly preflight: readonly PreflightFinding[];
  readonly assumptions: readonly TrialResult[];
  readonly acceptance: readonly StepResult[];
  readonly figures: readonly Figure[];
  readonly containers: {
    /** Of runs before this one, which did not come to remove them. */
    readonly found: number;
    readonly removed: number;
    /** Absent: the service did not say. */
    readonly left: number | undefined;
    /** Why these are left. */
    readonly problems: readonly string[];
  };
}

/** Whether the gateway works here as it is documented to. */
export function isAsAssumed({ preflight, assumptions, acceptance, containers }: ProofReport): boolean {
  return (
    preflight.every(({ level }) => level !== 'fail') &&
    assumptions.every(({ verdict }) => verdict !== 'different') &&
    acceptance.every(({ verdict }) => verdict === 'as on S3') &&
    containers.left === 0
  );
}

/**
 * The same without credentials, and without the names that the account gave away.
 * @param names account, host, project and the like
 */
export function redacted<T>(value: T, names: readonly string[]): T {
  // The longest first, so that no part of one stays. Only where a word begins: a project may be called `test`.
  const wanted = names.filter((name) => name !== '').toSorted((a, b) => b.length - a.length);
  const pattern = new RegExp(`(?<![A-Za-z0-9])(?:${wanted.map(escaped).join('|')})`, 'g');
  const clean = (text: string): string => {
    const safe = redactText(text);
    return wanted.length === 0 ? safe : safe.replace(pattern, '(name)');
  };
  const walk = (part: unknown): unknown => {
    if (typeof part === 'string') return clean(part);
    if (Array.isArray(part)) return part.map(walk);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, inner]) => [key, walk(inner)]));
  };
  return walk(value) as T;
}

function escaped(name: string): string {
  return name.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/** For people. */
export function markdownOf(report: ProofReport): string {
  const { assumptions, acceptance, containers } = report;
  const count = (wanted: string): number => assumptions.filter(({ verdict }) => verdict === wanted).length;
  const different = assumptions.filter(({ verdict }) => verdict === 'different');
  const good = acceptance.filter(({ verdict }) => verdict === 'as on S3').length;
  return [
    `# s3-cloud-gateway ${report.version} on ${report.kind}`,
    '',
    `${report.date}, Node ${report.node}, ${report.platform}, credential ${report.credential ?? 'none'}.`,
    ...(report.stopped === undefined ? [] : [`Ended early: ${report.stopped}.`]),
    '',
    `* ${count('assumed')} answers as assumed, ${different.length} different, ${count('not tried')} not tried.`,
    `* ${good} of ${acceptance.length} steps through the gateway as on S3.`,
    `* ${containers.removed} containers removed, ${containers.left ?? 'an unknown number'} left; ${containers.found} were there from runs before.`,
    ...containers.problems.map((problem) => `* Not removed: ${problem}.`),
    ...section('Different', different, ['', 'tried', 'assumed', 'seen', 'what the gateway makes of it'], (row) => [
      ...[row.id, row.tries, row.expected.join(' or '), row.seen, row.otherwise],
    ]),
    ...section('Through the gateway', acceptance, ['step', 'verdict', 'seen'], (row) => [
      ...[row.step, row.verdict, row.seen ?? (row.milliseconds === undefined ? '' : `${row.milliseconds} ms`)],
    ]),
    ...section('Assumptions', assumptions, ['', 'tried', 'verdict', 'seen'], (row) => [
      ...[row.id, row.tries, row.verdict, row.seen],
    ]),
    ...section('Preflight', report.preflight, ['level', 'check', 'found'], (row) => [row.level, row.check, row.detail]),
    ...section('Figures', report.figures, ['what', 'number', 'median', '90 %'], (row) => [
      ...[
        row.what,
        String(row.count),
        `${row.median} ${row.unit}`,
        row.p90 === undefined ? '' : `${row.p90} ${row.unit}`,
      ],
    ]),
    '',
  ].join('\n');
}

function section<T>(
  title: string,
  rows: readonly T[],
  columns: readonly string[],
  cells: (row: T) => readonly string[],
): string[] {
  if (rows.length === 0) return [];
  const line = (texts: readonly string[]): string =>
    `| ${texts.map((text) => text.replaceAll('|', '\\|')).join(' | ')} |`;
  return [
    '',
    `## ${title}`,
    '',
    line(columns),
    `|${'---|'.repeat(columns.length)}`,
    ...rows.map((row) => line(cells(row))),
  ];
}
