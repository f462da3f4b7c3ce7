import { ConfigError } from '../../../config/load.ts';
import { SENT_BODIES, SENT_NAMES } from '../../../config/managed-requests.ts';
import type { Config } from '../../../config/schema.ts';
import type { AccountDirectory } from '../../access/accounts.ts';
import type { ManageGuard } from '../../admin/guard/guard.ts';
import { bucketHandlers } from '../../admin/manage/bucket-handlers.ts';
import { ChangeRecords } from '../../admin/manage/change-records.ts';
import type { RequestReader } from '../../admin/manage/endpoints.ts';
import { ManagementError } from '../../admin/manage/management-error.ts';
import { managementApi } from '../../admin/manage/routes.ts';
import type { AdminPart } from '../../admin/server.ts';
import type { Manifest, Realm } from '../../manifest/index.ts';
import type { Call } from '../../observe/call.ts';
import type { Log } from '../../observe/log.ts';
import type { Readings } from '../../observe/metrics/process-metrics.ts';
import { NEW_BUCKETS } from '../../operations/bucket/create-bucket.ts';
import { checkBucketName } from '../../protocol/bucket-name.ts';
import { backgroundCall } from '../background-call.ts';
import { readOnlyBuckets } from '../bucket-rules.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { VERSION } from '../version.ts';
import { accountHandlers } from './account-handlers.ts';
import { keyHandlers } from './key-handlers.ts';
import type { ManagedDocumentAccess } from './managed-accounts.ts';
import type { RunningManaged } from './open-managed.ts';
import { dropBucketQuota, quotaHandlers } from './quota-handlers.ts';

interface ManagementOptions {
  readonly config: Config;
  readonly managed: ManagedDocumentAccess;
  readonly accounts: AccountDirectory;
  readonly manifest: Pick<Manifest, 'buckets' | 'listing' | 'uploads'>;
  readonly realm: Realm;
  readonly newCall: (signal: AbortSignal) => Call;
  readonly log: Log;
}

/** The admin API of a process, and its record of changes. */
interface Management {
  readonly part: AdminPart;
  readonly onRefused: ManageGuard['onRefused'];
  readonly readings: Readings;
}

interface ServedOptions extends Omit<ManagementOptions, 'managed' | 'newCall'> {
  /** Undefined: the configuration has no managed accounts. */
  readonly managed: RunningManaged | undefined;
  readonly telemetry: Pick<Telemetry, 'observe' | 'calls'>;
}

/** The admin API of a process that serves, and what metrics say of it. Undefined: no caller may manage anything. */
export function serveManagement({ managed, telemetry, ...options }: ServedOptions): Management | undefined {
  if (managed === undefined) return undefined;
  telemetry.observe({
    s3gw_managed_accounts_age_seconds: () => [[managed.followed.age / 1000]],
    s3gw_managed_accounts_left_out: () => [[managed.followed.leftOut]],
  });
  if (options.config.admin.manage === undefined) return undefined;
  const newCall = (signal: AbortSignal): Call => backgroundCall(signal, telemetry.calls);
  const management = openManagement({ ...options, managed: managed.accounts, newCall });
  telemetry.observe(management.readings);
  return management;
}

export function openManagement({
  config,
  managed,
  accounts,
  manifest,
  realm,
  newCall,
  log,
}: ManagementOptions): Management {
  const records = new ChangeRecords(log);
  const buckets = bucketHandlers({
    ...manifest,
    region: config.region,
    defaults: NEW_BUCKETS[config.newBuckets],
    backendOf: (name) => realm.backendOf(name).name,
    isReadOnly: readOnlyBuckets(config.buckets.rules),
    ownerIdOf: (account) => accounts.byName(account)?.canonicalId,
    accountNameOf: (canonicalId) => accounts.byCanonicalId(canonicalId)?.name ?? canonicalId,
    forget: (bucket, call) => dropBucketQuota(managed, bucket, call),
  });
  const handlers = { ...accountHandlers(managed), ...keyHandlers(managed), ...quotaHandlers(managed), ...buckets };
  return {
    part: managementApi({ handlers, readers: READERS, records, newCall, version: VERSION }),
    onRefused: (request, code) => records.denied(request, code),
    readings: {
      s3gw_admin_changes: () => records.counts.map(({ endpoint, outcome, count }) => [count, { endpoint, outcome }]),
    },
  };
}

/** Of a bucket's name, between dots. Some further names are reserved. */
const LABEL = '[a-z0-9]([a-z0-9-]*[a-z0-9])?';

const BUCKET_NAME: RequestReader = {
  schema: { type: 'string', minLength: 3, maxLength: 63, pattern: `^${LABEL}([.]${LABEL})*$` },
  parse(sent) {
    checkBucketName(String(sent));
    return sent;
  },
};

const READERS = {
  bodies: answering(SENT_BODIES),
  names: { ...answering(SENT_NAMES), bucket: BUCKET_NAME },
};

/** The same readers, whose faults are the caller's. */
function answering<N extends string>(readers: Readonly<Record<N, RequestReader>>): Readonly<Record<N, RequestReader>> {
  const answered = Object.entries<RequestReader>(readers).map(([name, reader]) => [
    name,
    {
      schema: reader.schema,
      parse(sent: unknown) {
        try {
          return reader.parse(sent);
        } catch (error) {
          if (!(error instanceof ConfigError)) throw error;
          throw new ManagementError('ValidationError', error.lines.join('; '));
        }
      },
    },
  ]);
  return Object.fromEntries(answered) as Readonly<Record<N, RequestReader>>;
}
