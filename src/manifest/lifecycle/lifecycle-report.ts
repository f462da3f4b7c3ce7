import { addSums, NO_SUMS, type PassSums } from '../records/lifecycle-record.ts';

/** Something that a rule has done. */
export interface LifecycleDeed {
  /** `aborted`: an open upload. */
  readonly kind: 'removed' | 'markerCreated' | 'moved' | 'aborted';
  readonly key: string;
  /** Absent: the current object was meant, or an upload. */
  readonly versionId?: string;
  /** Bytes; absent: a delete marker, or an upload. */
  readonly size?: number;
  /** Where it was moved to. */
  readonly storageClass?: string;
}

/** What became of what was due under one rule of a bucket. A dry run finds only. */
export interface RuleCount {
  /** Versions and uploads that the rule's filter lets through, tags not asked for. */
  lookedAt: number;
  /** Of those, what the rule has to be carried out on. */
  due: number;
  done: number;
  /** Object lock holds them: until it is over they stay. */
  locked: number;
  /** Changed or gone since they were judged: the next pass looks again. */
  changed: number;
  /** Their bytes cannot be brought into the class; the report says why. Rules that remove them are carried out. */
  unmovable: number;
  failed: number;
  /** What has been due for longest was due then; ISO 8601. What was done is not counted, but for a dry run. */
  oldestDue?: string;
}

/** What became of something that was due. The words are the reports' and the metrics'. */
export const RULE_OUTCOMES = ['done', 'locked', 'changed', 'unmovable', 'failed'] as const;
export type RuleOutcome = (typeof RULE_OUTCOMES)[number];

const MAX_PROBLEMS = 100;

/** Counts of one bucket. */
export class BucketTally {
  readonly name: string;
  readonly rules = new Map<string, RuleCount>();
  /** What could not be done, one line each. */
  readonly problems: string[] = [];
  moreProblems = 0;
  /** Of all rules together, since they were last taken. */
  #sums = NO_SUMS;
  /** How often something stood in the way of a move, by the line that says what. */
  readonly hindrances = new Map<string, number>();

  constructor(name: string) {
    this.name = name;
  }

  count(rule: string): RuleCount {
    let count = this.rules.get(rule);
    if (count === undefined) {
      count = { lookedAt: 0, due: 0, done: 0, locked: 0, changed: 0, unmovable: 0, failed: 0 };
      this.rules.set(rule, count);
    }
    return count;
  }

  /** @param at since when it was due; milliseconds */
  found(rule: string, at: number, outcome: RuleOutcome | 'left'): void {
    const count = this.count(rule);
    count.due += 1;
    if (outcome !== 'left') count[outcome] += 1;
    const one = { ...NO_SUMS, due: 1, ...(outcome !== 'left' && { [outcome]: 1 }) };
    this.#sums = addSums(this.#sums, outcome === 'done' ? one : { ...one, oldestDue: at });
    if (outcome === 'done') return;
    const due = new Date(at).toISOString();
    if (count.oldestDue === undefined || due < count.oldestDue) count.oldestDue = due;
  }

  /** What was found since it was asked last. */
  takeSums(): PassSums {
    const sums = this.#sums;
    this.#sums = NO_SUMS;
    return sums;
  }

  /** @param why in words */
  hindered(rule: string, storageClass: string, why: string): void {
    const line = `rule ${rule}: not moved to ${storageClass}, because ${why}`;
    this.hindrances.set(line, (this.hindrances.get(line) ?? 0) + 1);
  }

  problem(what: string, error: unknown): void {
    if (this.problems.length < MAX_PROBLEMS) {
      this.problems.push(`${what}: ${error instanceof Error ? error.message : String(error)}`);
    } else {
      this.moreProblems += 1;
    }
  }
}

export interface LifecycleReport {
  /** ISO 8601. */
  readonly startedAt: string;
  readonly finishedAt: string;
  readonly dryRun: boolean;
  /** False: told to stop before the end. The next run goes on from there. */
  readonly complete: boolean;
  readonly buckets: readonly BucketLifecycleReport[];
  /** What could not be done beside the buckets, one line each. */
  readonly problems: readonly string[];
}

export interface BucketLifecycleReport {
  readonly name: string;
  readonly backend: string;
  /** False: another sweeper works on the bucket, or the run was stopped. */
  readonly complete: boolean;
  readonly rules: Readonly<Record<string, RuleCount>>;
  /** What the rules do that their owner may not expect, and what they cannot do; one line each. */
  readonly warnings: readonly string[];
  readonly problems: readonly string[];
  readonly moreProblems: number;
}
