import type { Call } from '../../observe/call.ts';
import { abortOf, activeRules, type DayLength } from '../../protocol/lifecycle/due.ts';
import type { LifecycleAction } from '../../protocol/lifecycle/judge.ts';
import type { Lifecycle, S3LifecycleRule } from '../../protocol/lifecycle/lifecycle.ts';
import type { Revision } from '../../store/blob-store.ts';
import { mapConcurrent } from '../../streams/map-concurrent.ts';
import type { ClassHindrance } from '../objects/object-class.ts';
import type { Bucket } from '../records/bucket.ts';
import type { PageWork } from '../passes/bucket-turns.ts';
import type { PassKind, PassProgress } from '../passes/pass-lease.ts';
import type { Check } from '../records/fields.ts';
import { addSums, isPassSums, NO_SUMS, type PassSums } from '../records/lifecycle-record.ts';
import { isMoment, isText } from '../records/record-checks.ts';
import type { ListedUpload } from '../uploads/upload-list.ts';
import {
  HINDRANCES,
  type LifecycleManifest,
  moveDue,
  outcomeOfFailure,
  removeDue,
  wantedActions,
} from './carry-out.ts';
import type { BucketTally, LifecycleDeed, RuleOutcome } from './lifecycle-report.ts';
import { keepPassReport } from './pass-reports.ts';
import type { ChangePace } from './change-pace.ts';
import { coverOf, prefixAfter } from './prefix-cover.ts';
import { type DueVersion, VersionWalk } from './version-walk.ts';

const PHASES = ['objects', 'uploads', 'over'] as const;

/** How far a pass has come. */
export interface Progress extends PassProgress {
  readonly phase: (typeof PHASES)[number];
  /** The prefix that is being listed. Absent: the first one is next. */
  readonly prefix?: string;
  /** All of the prefix has been judged. */
  readonly isDone?: boolean;
  /** Everything beneath the prefix up to this key has been judged; empty: nothing. */
  readonly after: string;
  /** Of uploads of that key: up to this one. */
  readonly afterUpload?: string;
  /** What the pass has found up to there. Absent: an earlier release has begun it. */
  readonly sums?: PassSums;
}

const orAbsent =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);

const PROGRESS: readonly (readonly [keyof Progress, Check])[] = [
  ['startedAt', isMoment],
  ['phase', (value) => PHASES.some((phase) => phase === value)],
  ['prefix', orAbsent(isText)],
  ['isDone', orAbsent((value) => typeof value === 'boolean')],
  ['after', isText],
  ['afterUpload', orAbsent(isText)],
  ['sums', orAbsent(isPassSums)],
];

/** Passes of lifecycle rules. */
export const LIFECYCLE_PASS: PassKind<Progress> = {
  name: 'pass',
  isProgress: (json): json is Progress => {
    const said = (json ?? {}) as Partial<Record<keyof Progress, unknown>>;
    return PROGRESS.every(([name, check]) => check(said[name]));
  },
};

/** Names on one page. */
const PAGE = 1000;

export interface PassSettings {
  readonly dryRun: boolean;
  readonly length: DayLength;
  /** Keys at a time. */
  readonly concurrency: number;
}

interface PassOptions {
  readonly manifest: LifecycleManifest;
  readonly settings: PassSettings;
  readonly pace: ChangePace;
  readonly tally: BucketTally;
  /** Told what was done, for the bucket's server access log. */
  readonly onDone?: ((bucket: Bucket, deed: LifecycleDeed) => void) | undefined;
}

/** The rules of a bucket as its record has them, at one moment. */
interface Governed {
  readonly bucket: Bucket;
  readonly lifecycle: Lifecycle;
}

/** The bucket's record has changed since the page was judged: the page is judged again. */
class RecordChangedError extends Error {}

/**
 * A pass over one bucket, page by page. The bucket's record is read again for each page, and while a page is carried
 * out as often as a gateway reads it: a rule that was changed or deleted stops acting at once, and a switch of
 * versioning is heeded as requests heed it.
 */
export class BucketPass implements PageWork<Progress> {
  readonly kind = LIFECYCLE_PASS;
  readonly #options: PassOptions;
  readonly #bucket: Bucket;
  #walk = new VersionWalk();
  /**
   * Of the last page, amid the versions of a key. Progress is kept by keys: there any pass can go on. This one goes on
   * amid the key, also when others have had their turns meanwhile: each key would else be a turn, however many versions
   * it has.
   */
  #within: { readonly key: string; readonly version: string } | undefined;
  /** What the last page came to: what is known of a key is known at this place. */
  #reached: Progress | undefined;
  /** Of the bucket's record, by which the last page was judged. */
  #revision: Revision | undefined;

  constructor(bucket: Bucket, options: PassOptions) {
    this.#bucket = bucket;
    this.#options = options;
  }

  beginning(now: number): Progress {
    return { startedAt: now, phase: 'objects', after: '' };
  }

  /** Does the next page. @param now by the service's clock, milliseconds @returns how far the pass is then */
  async page(progress: Progress, now: number, call: Call): Promise<Progress> {
    const { tally } = this.#options;
    // Of a page that was broken off: what is left of it is found again.
    tally.takeSums();
    // Between two turns another run may have gone on with the pass, or have begun the next one.
    if (this.#reached !== undefined && !isSamePlace(this.#reached, progress)) this.#startOver();
    const reached = await this.#page(progress, now, call);
    this.#reached = reached;
    const sums = addSums(progress.sums ?? NO_SUMS, tally.takeSums());
    const isDone = reached.phase === 'over' && progress.phase === 'uploads';
    if (isDone) await this.#report(progress.startedAt, sums, now, call);
    return { ...reached, sums };
  }

  /** Keeps what the pass has come to, for those who ask how far the rules are behind. */
  async #report(startedAt: number, sums: PassSums, now: number, call: Call): Promise<void> {
    if (this.#options.settings.dryRun) return;
    const { name, ownerId } = this.#bucket;
    await keepPassReport(this.#bucket, { bucket: name, ownerId, startedAt, finishedAt: now, ...sums }, call);
  }

  async #page(progress: Progress, now: number, call: Call): Promise<Progress> {
    const { startedAt, phase, after } = progress;
    const governed = await this.#governed(call);
    if (governed === undefined || phase === 'over') return { startedAt, phase: 'over', after };
    if (governed.bucket.recordRevision !== this.#revision) this.#startOver();
    this.#revision = governed.bucket.recordRevision;
    const prefixes = activeRules(governed.lifecycle)
      .filter(({ rule }) => (phase === 'objects' ? judgesVersions(rule) : rule.abortDays !== undefined))
      .map(({ prefix }) => prefix);
    const prefix = prefixAfter(coverOf(prefixes), progress.prefix, progress.isDone === true);
    if (prefix === undefined) return { startedAt, phase: phase === 'objects' ? 'uploads' : 'over', after: '' };
    const from: PageStart = progress.isDone === true ? { prefix, after: '' } : { ...progress, prefix };
    try {
      const reached = await (phase === 'objects'
        ? this.#objects(governed, from, now, call)
        : this.#uploads(governed, from, now, call));
      return { startedAt, phase, prefix, ...reached };
    } catch (error) {
      if (!(error instanceof RecordChangedError)) throw error;
      this.#startOver();
      return progress;
    }
  }

  /** Forgets what is known of the key amid which a page ended: its versions are listed again. */
  #startOver(): void {
    this.#walk = new VersionWalk();
    this.#within = undefined;
  }

  /** Undefined: no rules are left, or the bucket is gone. */
  async #governed(call: Call): Promise<Governed | undefined> {
    const bucket = await this.#options.manifest.buckets.get(this.#bucket.name, call);
    const { lifecycle } = bucket.settings;
    return bucket.uid !== this.#bucket.uid || lifecycle === undefined ? undefined : { bucket, lifecycle };
  }

  async #objects(governed: Governed, { prefix, after }: PageStart, now: number, call: Call): Promise<Reached> {
    const { manifest, settings, tally } = this.#options;
    const within = this.#within;
    const page = await manifest.listing.versions(
      governed.bucket,
      {
        prefix,
        delimiter: '',
        after: within?.key ?? after,
        limit: PAGE,
        ...(within !== undefined && { afterVersion: within.version }),
      },
      call,
    );
    const due = this.#walk.page(page.entries, {
      lifecycle: governed.lifecycle,
      isUnversioned: governed.bucket.versioning === 'never',
      now,
      length: settings.length,
      onLook: ({ rule }) => (tally.count(rule.id).lookedAt += 1),
    });
    await this.#carryOut(governed, due, now, call);
    this.#within =
      page.next !== undefined && page.nextVersion !== undefined
        ? { key: page.next, version: page.nextVersion }
        : undefined;
    if (page.next === undefined) return { after, isDone: true };
    return { after: this.#within === undefined ? page.next : (lastBefore(page.entries, page.next) ?? after) };
  }

  /**
   * Keys side by side, the versions of one key one after the other, as all of them change its head. The current one
   * comes last: what is beneath it was judged by it.
   */
  async #carryOut(governed: Governed, due: readonly DueVersion[], now: number, call: Call): Promise<void> {
    const byKey = Map.groupBy(due, ({ entry }) => entry.key);
    await mapConcurrent([...byKey.values()], this.#options.settings.concurrency, async (versions) => {
      for (const version of versions.toReversed()) await this.#carryOutOne(governed, version, now, call);
    });
  }

  /** What comes first is done; of moves that are impossible, what comes after them. */
  async #carryOutOne({ bucket }: Governed, due: DueVersion, now: number, call: Call): Promise<void> {
    const { manifest, tally } = this.#options;
    const [first] = due.actions;
    if (first === undefined) return;
    await this.#act({ rule: first.rule.rule.id, at: first.at, what: due.entry.key }, call, async (found) => {
      for (const action of await wantedActions(manifest, bucket, due, call)) {
        found.rule = action.rule.rule.id;
        found.at = action.at;
        const outcome = await this.#carryOutAction(bucket, { due, action, now }, call);
        if (outcome !== 'unmovable') return outcome;
        tally.found(found.rule, found.at, outcome);
      }
      return undefined;
    });
  }

  async #carryOutAction(bucket: Bucket, { due, action, now }: DueAction, call: Call): Promise<RuleOutcome | 'left'> {
    const { manifest, settings, pace, tally } = this.#options;
    const hindered = ({ storageClass }: { storageClass: string }, why: ClassHindrance): 'unmovable' => {
      tally.hindered(action.rule.rule.id, storageClass, HINDRANCES[why]);
      return 'unmovable';
    };
    if (action.kind === 'transition' && bucket.home.classes === undefined) return hindered(action, 'labels');
    if (settings.dryRun) return 'left';
    await pace.turn(call.signal);
    await this.#requireUnchanged(bucket, call);
    if (action.kind !== 'transition') {
      await removeDue(manifest, { bucket, due, action, now }, call);
      const makesMarker = action.kind === 'expire' && bucket.versioning !== 'never';
      this.#options.onDone?.(bucket, deedOf(makesMarker ? 'markerCreated' : 'removed', bucket, due));
      return 'done';
    }
    const { storageClass } = action;
    const outcome = await moveDue(manifest, { bucket, due, action }, call);
    if (outcome === 'done') this.#options.onDone?.(bucket, { ...deedOf('moved', bucket, due), storageClass });
    return outcome === 'done' || outcome === 'changed' ? outcome : hindered(action, outcome);
  }

  async #uploads(
    { bucket, lifecycle }: Governed,
    { prefix, after, afterUpload }: PageStart,
    now: number,
    call: Call,
  ): Promise<Reached> {
    const page = await this.#options.manifest.uploads.list(
      bucket,
      { prefix, limit: PAGE, ...(after !== '' && { afterKey: after, ...(afterUpload && { afterUpload }) }) },
      call,
    );
    const uploads = page.entries.filter((entry) => entry.kind === 'upload');
    await mapConcurrent(uploads, this.#options.settings.concurrency, (upload) =>
      this.#abortIfDue({ bucket, lifecycle }, upload, now, call),
    );
    const last = uploads.at(-1);
    if (!page.isTruncated || last === undefined) return { after, isDone: true };
    return { after: last.key, afterUpload: last.uploadId };
  }

  async #abortIfDue({ bucket, lifecycle }: Governed, upload: ListedUpload, now: number, call: Call): Promise<void> {
    const { manifest, settings, pace, tally } = this.#options;
    const { key, uploadId } = upload;
    for (const { rule, prefix } of activeRules(lifecycle)) {
      if (rule.abortDays !== undefined && key.startsWith(prefix)) tally.count(rule.id).lookedAt += 1;
    }
    const due = abortOf(lifecycle, upload, settings.length);
    if (due === undefined || due.at > now) return;
    await this.#act({ rule: due.id, at: due.at, what: key }, call, async () => {
      if (settings.dryRun) return 'left';
      await pace.turn(call.signal);
      await this.#requireUnchanged(bucket, call);
      await manifest.uploads.abort({ bucket, key, uploadId }, call);
      this.#options.onDone?.(bucket, { kind: 'aborted', key });
      return 'done';
    });
  }

  /**
   * Does something that is due, and counts what became of it, under the rule that was found to want it.
   * @param work undefined: no rule means it after all, or what became of it is counted
   */
  async #act(due: Due, call: Call, work: (found: Found) => Promise<RuleOutcome | 'left' | undefined>): Promise<void> {
    const { tally } = this.#options;
    const found = { rule: due.rule, at: due.at };
    try {
      const outcome = await work(found);
      if (outcome !== undefined) tally.found(found.rule, found.at, outcome);
    } catch (error) {
      if (error instanceof RecordChangedError || call.signal.aborted) throw error;
      const outcome = outcomeOfFailure(error);
      if (outcome === undefined) throw error;
      tally.found(found.rule, found.at, outcome);
      if (outcome === 'failed') tally.problem(due.what, error);
    }
  }

  /**
   * From memory, if it was read as short a time ago as a gateway's may be. @throws RecordChangedError, S3Error
   * NoSuchBucket
   */
  async #requireUnchanged(judged: Bucket, call: Call): Promise<void> {
    const now = await this.#options.manifest.buckets.get(judged.name, call);
    if (now.uid !== judged.uid || now.recordRevision !== judged.recordRevision) throw new RecordChangedError();
  }
}

/** An action that the rules want, at a moment of the service's clock. */
interface DueAction {
  readonly due: DueVersion;
  readonly action: LifecycleAction;
  readonly now: number;
}

interface Found {
  rule: string;
  at: number;
}

interface Due {
  readonly rule: string;
  readonly at: number;
  /** For the line that says why it could not be done. */
  readonly what: string;
}

/** Where a page begins, and how far the pass has come behind it. */
type PageStart = Pick<Progress, 'after' | 'afterUpload'> & { readonly prefix: string };
type Reached = Pick<Progress, 'after' | 'afterUpload' | 'isDone'>;

const PLACE = ['startedAt', 'phase', 'prefix', 'isDone', 'after', 'afterUpload'] as const;

function isSamePlace(one: Progress, other: Progress): boolean {
  return PLACE.every((name) => one[name] === other[name]);
}

function deedOf(kind: LifecycleDeed['kind'], { versioning }: Bucket, { entry }: DueVersion): LifecycleDeed {
  const { key, versionId, isLatest } = entry;
  const isNamed = versioning !== 'never' && !(isLatest && kind === 'markerCreated');
  return { kind, key, ...(isNamed && { versionId }), ...(entry.kind === 'version' && { size: entry.size }) };
}

function judgesVersions(rule: S3LifecycleRule): boolean {
  return (
    rule.expiration !== undefined ||
    rule.noncurrentExpiration !== undefined ||
    rule.transitions !== undefined ||
    rule.noncurrentTransitions !== undefined
  );
}

function lastBefore(entries: readonly { readonly key: string }[], key: string): string | undefined {
  return entries.findLast((entry) => entry.key !== key)?.key;
}
