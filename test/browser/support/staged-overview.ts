import type { Overview, OverviewWindow } from '../../../src/admin/inspector/contract.ts';
import type { LifecycleList } from '../../../src/admin/lifecycle/contract.ts';
import type { UsageList } from '../../../src/admin/usage/contract.ts';
import { gatherOverview } from '../../../src/admin/overview/gather-overview.ts';
import { mergeOverviews } from '../../../src/admin/overview/merge-overviews.ts';
import { Traffic } from '../../../src/admin/overview/traffic.ts';
import { S3Error } from '../../../src/errors/s3-error.ts';
import { factsOf } from '../../support/observe/request-facts.ts';
import { STAGED_REPLICAS } from './staged-requests.ts';

const MINUTES = 180;
const TEAM = {
  method: 'header',
  identity: {
    kind: 'account',
    account: { name: 'team', canonicalId: '2'.repeat(64) },
    accessKeyId: 'TEAMTEAMTEAMTEAM0001',
  },
  failure: undefined,
  signature: undefined,
} as const;

/**
 * Three hours of requests that never were, some of them refused or slow, in numbers that go up and down: real ones
 * would take as long.
 * @param odd name of a bucket besides `photos`
 */
export function stagedOverview(window: OverviewWindow, odd: string): Overview {
  const end = Date.now();
  let now = end;
  const traffic = new Traffic({ slowMs: 1000, now: () => now, random: () => 0 });
  const get = factsOf({ bucket: 'photos', bytesOut: 40_000, tookMs: 9 });
  const put = factsOf({ bucket: odd, operation: 'PutObject', bytesIn: 60_000, tookMs: 24 });
  const slow = factsOf({ bucket: odd, tookMs: 1500, bytesOut: 1e6, auth: TEAM });
  const denied = factsOf({ bucket: 'photos', status: 403, failure: new S3Error('AccessDenied'), auth: TEAM });
  const busy = factsOf({ bucket: 'photos', status: 503, failure: new S3Error('SlowDown'), tookMs: 400 });
  for (let minute = 0; minute < MINUTES; minute += 1) {
    now = end - (MINUTES - 1 - minute) * 60_000;
    const wave = 30 + Math.round(20 * Math.sin(minute / 9) + 7 * Math.sin(minute * 2.3));
    const counts = [
      [get, wave],
      [put, Math.round(wave / 3)],
      [slow, minute % 4 === 0 ? 1 : 0],
      [denied, minute % 3 === 0 ? 1 : 0],
      [busy, minute % 20 < 3 ? 4 : 0],
    ] as const;
    for (const [facts, count] of counts) for (let index = 0; index < count; index += 1) traffic.ended(facts);
    for (let index = 0; index < wave; index += 1) {
      const outcome = minute % 20 < 3 && index % 9 === 0 ? 'throttled' : 'ok';
      traffic.backendCall({ attempt: outcome === 'ok' ? 1 : 2, outcome, started: 0, ended: 8 } as never);
    }
  }
  const behind = [{ bucket: odd, count: 12, since: end - 60_000 }];
  const gathered = gatherOverview(traffic, window, { delivered: 1200, failed: 3, dropped: 0, behind });
  return { ...mergeOverviews([gathered]), replicas: STAGED_REPLICAS };
}

/** What a pass has counted in `photos`, and a bucket with a quota that none has been over. */
export function stagedUsage(odd: string): UsageList {
  const at = new Date().toISOString();
  const shared = { backend: 'azure', account: 'team', markers: 0, uploads: { count: 1, parts: 2, bytes: 5e6 } };
  const photos = {
    storageClass: 'STANDARD',
    currentObjects: 800,
    currentBytes: 8e9,
    noncurrentObjects: 200,
    noncurrentBytes: 1e9,
  };
  const quota = { bytes: 10e9, usedBytes: 8.6e9, usedObjects: 1000 };
  return {
    askedAt: at,
    buckets: [
      { ...shared, name: 'photos', at, classes: [photos], objects: 1000, bytes: 9e9, quota },
      { ...shared, name: odd, classes: [], objects: 0, bytes: 0, quota: { objects: 5, usedBytes: 0, usedObjects: 0 } },
    ],
    accounts: [],
  };
}

/** A bucket whose rules are a week behind, with failures, and one over which no pass has been for days. */
export function stagedLifecycle(odd: string): LifecycleList {
  const now = Date.now();
  const daysAgo = (days: number): string => new Date(now - days * 86_400_000).toISOString();
  const none = { due: 0, done: 0, locked: 0, changed: 0, unmovable: 0, failed: 0 };
  const shared = { backend: 'azure', account: 'team' };
  return {
    askedAt: new Date(now).toISOString(),
    buckets: [
      { ...shared, ...none, name: odd, startedAt: daysAgo(3), finishedAt: daysAgo(3) },
      { ...shared, ...none, name: 'fresh', startedAt: daysAgo(0.1), finishedAt: daysAgo(0.1), due: 7, done: 7 },
      {
        ...shared,
        ...{ name: 'photos', startedAt: daysAgo(0.2), finishedAt: daysAgo(0.1), oldestDue: daysAgo(7) },
        ...{ due: 1200, done: 1100, locked: 40, changed: 10, unmovable: 20, failed: 30 },
      },
    ],
  };
}
