import type { Call } from '../../observe/call.ts';
import { mapConcurrent } from '../../streams/map-concurrent.ts';
import type { Backend } from '../buckets/realm.ts';
import { inBackend, problemOf } from '../passes/pass-run.ts';
import { timeOf } from '../records/time.ts';
import { ALL_USAGE } from '../records/usage-record.ts';
import { levelOfAccount, levelOfBucket, type LevelPlace, settleLevel, type TellQuota } from './quota-levels.ts';
import { type Quota, type QuotaOwner, QuotaScope, snapshotOf } from './quota-scope.ts';
import { type KnownUsage, readUsage } from './usage-records.ts';

interface SettlingOptions {
  /** Those that were counted, in the order of the configuration. */
  readonly backends: readonly Backend[];
  /** They are all of the configuration: accounts are judged by all of them. */
  readonly isAll: boolean;
  readonly ofBucket: (name: string) => Quota | undefined;
  readonly ofAccount: (ownerId: string) => { readonly name: string; readonly quota: Quota } | undefined;
  /** A count that is older is not gone by. */
  readonly maxAgeMs: number;
  readonly tell: TellQuota;
}

/** A quota, and all that is known of what it is about. */
interface Judged {
  readonly owner: QuotaOwner;
  readonly quota: Quota;
  readonly place: LevelPlace;
  readonly known: readonly KnownUsage[];
}

/** Quotas whose levels are looked at a time. */
const CONCURRENCY = 16;

/**
 * Brings the levels of quotas up to what was just counted: tells the operator of those that are reached, also if no
 * gateway has been asked to write since, and notes which are not reached any more.
 * @returns what could not be done, a line each. @throws StoreError aborted
 */
export async function settleLevels(options: SettlingOptions, call: Call): Promise<string[]> {
  const { backends, isAll, maxAgeMs, tell } = options;
  const problems: string[] = [];
  const judged: Judged[] = [];
  const everywhere: KnownUsage[] = [];
  for (const backend of backends) {
    const work = async (): Promise<void> => {
      const { store, systemContainer: system } = backend;
      const known = await readUsage({ store, system }, ALL_USAGE, call);
      everywhere.push(...known);
      for (const one of known) {
        const quota = options.ofBucket(one.bucket);
        const place = levelOfBucket({ ...one, home: { store, system } });
        if (quota) judged.push({ owner: { kind: 'bucket', name: one.bucket }, quota, place, known: [one] });
      }
    };
    await inBackend({ backend, work, problems }, call);
  }
  // What is known in part is less than what is used.
  if (isAll && problems.length === 0) judged.push(...accountsOf(everywhere, options));
  const now = timeOf(backends[0] ?? {}).now();
  await mapConcurrent(judged, CONCURRENCY, async ({ owner, quota, place, known }) => {
    const snapshot = snapshotOf(known, { now, maxAgeMs, writer: '', ownSpans: () => [] });
    if (snapshot.isStale) return;
    const scope = new QuotaScope(owner);
    scope.quota = quota;
    scope.renew(snapshot);
    try {
      await settleLevel(place, scope, { tell, now, isCounted: true }, call);
    } catch (error) {
      if (call.signal.aborted) throw error;
      problems.push(problemOf(`quota of ${owner.kind} ${owner.name}`, error));
    }
  });
  return problems;
}

function accountsOf(known: readonly KnownUsage[], { ofAccount, backends }: SettlingOptions): Judged[] {
  return [...Map.groupBy(known, ({ ownerId }) => ownerId)].flatMap(([ownerId, own]): Judged[] => {
    const account = ofAccount(ownerId);
    if (account === undefined) return [];
    const { name, quota } = account;
    return [{ owner: { kind: 'account', name }, quota, place: levelOfAccount(ownerId, backends), known: own }];
  });
}
