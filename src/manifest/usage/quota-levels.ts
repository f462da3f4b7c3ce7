import type { Call } from '../../observe/call.ts';
import { ABSENT, at, type BlobStore, type Condition, type Revision } from '../../store/blob-store.ts';
import { isStoreError } from '../../store/store-error.ts';
import { ensureSystemContainer } from '../buckets/bucket-records.ts';
import type { Backend } from '../buckets/realm.ts';
import type { Bucket } from '../records/bucket.ts';
import {
  decodeQuotaLevel,
  encodeQuotaLevel,
  QUOTA_LEVELS,
  type QuotaLevel,
  quotaLevelName,
  type QuotaPercent,
} from '../records/usage-record.ts';
import type { Quota, QuotaOwner, QuotaScope } from './quota-scope.ts';
import type { WrittenAmount } from './write-ledger.ts';

/** What the operator is told when so much of a quota is used. */
export interface QuotaNotice {
  /** The same if it is told again, because it was not known whether it was taken. */
  readonly id: string;
  readonly owner: QuotaOwner;
  readonly percent: QuotaPercent;
  /** When that was found, milliseconds since the epoch. */
  readonly since: number;
  readonly quota: Quota;
  /** What was used when it was told. */
  readonly used: WrittenAmount;
}

/** Tells the operator. @throws Error: the notice was not taken, or perhaps not */
export type TellQuota = (notice: QuotaNotice, call: Call) => Promise<void>;

/** Where the level of a quota is kept. */
export interface LevelPlace {
  readonly store: BlobStore;
  readonly system: string;
  readonly name: string;
  /** Of the bucket or account. */
  readonly id: string;
}

export function levelOfBucket({ ownerId, uid, home: { store, system } }: LevelBucket): LevelPlace {
  return { store, system, name: quotaLevelName({ ownerId, uid }), id: uid };
}

type LevelBucket = Pick<Bucket, 'ownerId' | 'uid'> & { readonly home: Pick<Bucket['home'], 'store' | 'system'> };

/**
 * An account has buckets in several backends: the level of its quota lies in the first one.
 * @param backends all of the configuration, in its order
 */
export function levelOfAccount(
  ownerId: string,
  [first]: readonly Pick<Backend, 'store' | 'systemContainer'>[],
): LevelPlace {
  if (first === undefined) throw new Error('a configuration has a backend');
  return { store: first.store, system: first.systemContainer, name: quotaLevelName({ ownerId }), id: ownerId };
}

/** The highest level that a quota has reached. */
export function percentOf({ share }: Pick<QuotaScope, 'share'>): QuotaPercent {
  return QUOTA_LEVELS.find((percent) => share * 100 >= percent) ?? 0;
}

/** A process that is about to tell and has not after so long has died, or was not heard. Milliseconds. */
export const TELLING_MS = 2 * 60_000;

interface LevelSettings {
  readonly tell: TellQuota;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** What is used was just counted: only then it can be less than before. */
  readonly isCounted: boolean;
}

/**
 * Brings the kept level of a quota up to what is used of it. If a higher level is reached, the operator is told: by one
 * of all processes, which has noted before that it is about to, and notes afterwards that it has. Where that is not
 * noted, another one tells once more, under the same id.
 * @returns the level that the operator knows of; undefined: another process is about to tell, look again later
 * @throws StoreError, what `tell` throws
 */
export async function settleLevel(
  place: LevelPlace,
  scope: Pick<QuotaScope, 'owner' | 'quota' | 'used' | 'share'>,
  { tell, now, isCounted }: LevelSettings,
  call: Call,
): Promise<QuotaPercent | undefined> {
  const percent = percentOf(scope);
  const found = await readLevel(place, call);
  const before = found?.level ?? { percent: 0, since: now, isTold: true };
  const from = found === undefined ? ABSENT : at(found.revision);
  if (percent < before.percent) {
    if (isCounted) await writeLevel(place, { percent, since: now, isTold: true }, from, call);
    return percent;
  }
  if (percent === before.percent && before.isTold) return percent;
  const isAnothers = percent === before.percent && found !== undefined && found.lastModified + TELLING_MS > now;
  if (isAnothers) return undefined;
  const { since } = percent === before.percent ? before : { since: now };
  const claimed = await writeLevel(place, { percent, since, isTold: false }, from, call);
  if (claimed === undefined) return undefined;
  const { owner, quota, used } = scope;
  await tell({ id: `${place.id}-${String(percent)}-${String(since)}`, owner, percent, since, quota, used }, call);
  await writeLevel(place, { percent, since, isTold: true }, at(claimed), call);
  return percent;
}

interface FoundLevel {
  /** Undefined: what lies there is no level. */
  readonly level: QuotaLevel | undefined;
  readonly revision: Revision;
  readonly lastModified: number;
}

async function readLevel({ store, system, name }: LevelPlace, call: Call): Promise<FoundLevel | undefined> {
  try {
    const { metadata, revision, lastModified } = await store.head({ container: system, name }, call);
    return { level: decodeQuotaLevel(metadata), revision, lastModified };
  } catch (error) {
    if (isStoreError(error, 'notFound', 'containerNotFound')) return undefined;
    throw error;
  }
}

/** @returns undefined: another process has changed it meanwhile */
async function writeLevel(
  { store, system, name }: LevelPlace,
  level: QuotaLevel,
  condition: Condition,
  call: Call,
): Promise<Revision | undefined> {
  const write = async (): Promise<Revision> => {
    const request = { metadata: encodeQuotaLevel(level), condition };
    return (await store.write({ container: system, name }, new Uint8Array(0), request, call)).revision;
  };
  try {
    return await write();
  } catch (error) {
    if (isStoreError(error, 'conditionFailed')) return undefined;
    if (!isStoreError(error, 'containerNotFound')) throw error;
    // All buckets of the account lie in other backends.
    await ensureSystemContainer({ store, systemContainer: system }, call);
    return write();
  }
}
