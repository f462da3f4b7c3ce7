import type { Config } from '../../config/schema.ts';
import type { Quotas } from '../manifest/index.ts';
import type { NotificationTargets, OperationSettings } from '../operations/operation.ts';
import { readOnlyBuckets, veeamBuckets } from './bucket-rules.ts';

/** What operations need of the configuration, and no more. */
export function operationSettings(
  config: Config,
  notifications?: NotificationTargets,
  quotas?: Quotas,
): OperationSettings {
  return {
    region: config.region,
    smallRangeCopy: config.smallRangeCopy,
    customerKeysOverHttp: config.customerKeysOverHttp,
    acceptAnyRegion: config.acceptAnyRegion,
    ...(config.defaultChecksum !== 'none' && { defaultChecksum: config.defaultChecksum }),
    holdBytes: config.limits.heldBodyBytes,
    newBuckets: config.newBuckets,
    isReadOnly: readOnlyBuckets(config.buckets.rules),
    veeam: veeamBuckets(config.buckets.veeam),
    cors: config.cors.rules,
    ...(notifications && { notificationTargets: notifications }),
    ...(quotas && { quotas }),
  };
}
