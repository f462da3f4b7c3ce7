import type { Call } from '../../../src/observe/call.ts';
import { TIERS } from '../../../src/store/blob-store.ts';
import { isStoreError } from '../../../src/store/store-error.ts';
import type { LifecycleRule, StoreSurvey } from '../../../src/store/survey.ts';
import type { GcsClient } from '../client.ts';
import { bucketPath } from '../paths.ts';

/** https://cloud.google.com/storage/docs/json_api/v1/buckets#resource, as far as it matters here. */
interface BucketResource {
  readonly location?: string;
  readonly locationType?: string;
  readonly versioning?: { readonly enabled?: boolean };
  readonly softDeletePolicy?: { readonly retentionDurationSeconds?: string | number };
  readonly hierarchicalNamespace?: { readonly enabled?: boolean };
  readonly retentionPolicy?: { readonly retentionPeriod?: string | number };
  readonly autoclass?: { readonly enabled?: boolean };
  readonly lifecycle?: { readonly rule?: readonly Rule[] };
}

interface Rule {
  readonly action?: { readonly type?: string };
  readonly condition?: { readonly age?: number; readonly matchesPrefix?: readonly string[] };
}

const FIELDS =
  'location,locationType,versioning,softDeletePolicy,hierarchicalNamespace,retentionPolicy,lifecycle,autoclass';
const DAY_SECONDS = 86_400;

const ACTIONS: Readonly<Record<string, LifecycleRule['action']>> = {
  Delete: 'delete',
  AbortIncompleteMultipartUpload: 'abortUploads',
  SetStorageClass: 'changeTier',
};

/** What the bucket of a container says of itself; nothing, if we may not read that. */
export async function survey(client: GcsClient, container: string, call: Call): Promise<StoreSurvey> {
  const path = bucketPath(client, container);
  try {
    return toSurvey(
      await client.rest.sendForJson<BucketResource>(
        { call: 'survey', method: 'GET', path, query: [['fields', FIELDS]], effect: 'read', missing: 'bucket' },
        call,
      ),
    );
  } catch (error) {
    if (isStoreError(error, 'denied')) return {};
    throw error;
  }
}

function toSurvey(bucket: BucketResource): StoreSurvey {
  return {
    ...(bucket.location !== undefined && { region: bucket.location }),
    ...(bucket.locationType !== undefined && { redundancy: bucket.locationType }),
    hierarchicalNamespace: bucket.hierarchicalNamespace?.enabled === true,
    softDeleteDays: Math.ceil(Number(bucket.softDeletePolicy?.retentionDurationSeconds ?? 0) / DAY_SECONDS),
    versioning: bucket.versioning?.enabled === true,
    lifecycle: (bucket.lifecycle?.rule ?? []).map(toRule),
    // Autoclass chooses by itself: what a write says is not heeded (https://cloud.google.com/storage/docs/autoclass).
    tiers: bucket.autoclass?.enabled === true ? ['hot'] : TIERS,
    retentionSeconds: Number(bucket.retentionPolicy?.retentionPeriod ?? 0),
  };
}

function toRule({ action, condition }: Rule): LifecycleRule {
  return {
    action: ACTIONS[action?.type ?? ''] ?? 'other',
    prefixes: condition?.matchesPrefix ?? [],
    days: condition?.age,
  };
}
