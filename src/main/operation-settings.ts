import type { Config } from '../../config/schema.ts';
import type { NotificationTargets, OperationSettings } from '../operations/operation.ts';
import { readOnlyBuckets } from './bucket-rules.ts';

/** What operations need of the configuration, and no more. */
export function operationSettings(config: Config, notifications?: NotificationTargets): OperationSettings {
  return {
    region: config.region,
    smallRangeCopy: config.smallRangeCopy,
    customerKeysOverHttp: config.customerKeysOverHttp,
    acceptAnyRegion: config.acceptAnyRegion,
    ...(config.defaultChecksum !== 'none' && { defaultChecksum: config.defaultChecksum }),
    holdBytes: config.limits.heldBodyBytes,
    newBuckets: config.newBuckets,
    isReadOnly: readOnlyBuckets(config.buckets.rules),
    cors: config.cors.rules,
    ...(notifications && { notificationTargets: notifications }),
  };
}
