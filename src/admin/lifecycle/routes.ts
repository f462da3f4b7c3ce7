import type { KeptPassReport } from '../../manifest/index.ts';
import type { Call } from '../../observe/call.ts';
import { plainJson } from '../../observe/written-text.ts';
import { isStoreError } from '../../store/store-error.ts';
import { type AdminPart, refuse } from '../server.ts';
import type { BucketLifecycle, LifecycleList } from './contract.ts';

/** The last pass over a bucket, and where that is. */
export interface FoundPassReport extends KeptPassReport {
  readonly backend: string;
}

interface LifecycleRoutesOptions {
  /** Reads the last passes over all buckets. @throws StoreError */
  readonly read: (call: Call) => Promise<readonly FoundPassReport[]>;
  /** Name of an account by its canonical id. */
  readonly accountName: (ownerId: string) => string | undefined;
  /** A call to the backend that serves no S3 request. */
  readonly newCall: (signal: AbortSignal) => Call;
}

/** Longest time that reading may take: a list call for each thousand notes of passes. */
const READ_MS = 30_000;

/** `GET /api/lifecycle`: how far the lifecycle rules of buckets are behind. */
export function lifecycleRoutes({ read, accountName, newCall }: LifecycleRoutesOptions): AdminPart {
  return (app) => {
    app.get('/api/lifecycle', async (_request, reply) => {
      try {
        const found = await read(newCall(AbortSignal.timeout(READ_MS)));
        const buckets = found.map((one) => shown(one, accountName)).sort((a, b) => (a.name < b.name ? -1 : 1));
        const list: LifecycleList = { askedAt: new Date().toISOString(), buckets };
        reply.header('cache-control', 'no-store').type('application/json; charset=utf-8');
        return await reply.send(plainJson(JSON.stringify(list)));
      } catch (error) {
        if (isStoreError(error)) return refuse(reply, 502, `the backend: ${error.message}`);
        throw error;
      }
    });
  };
}

function shown(
  {
    bucket,
    backend,
    ownerId,
    startedAt,
    finishedAt,
    oldestDue,
    uid: _uid,
    revision: _revision,
    ...counts
  }: FoundPassReport,
  accountName: LifecycleRoutesOptions['accountName'],
): BucketLifecycle {
  return {
    name: bucket,
    backend,
    account: accountName(ownerId) ?? ownerId,
    startedAt: new Date(startedAt).toISOString(),
    finishedAt: new Date(finishedAt).toISOString(),
    ...counts,
    ...(oldestDue !== undefined && { oldestDue: new Date(oldestDue).toISOString() }),
  };
}
