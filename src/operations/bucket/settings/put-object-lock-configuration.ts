import { S3Error, invalidArgument } from '../../../errors/s3-error.ts';
import { type BucketLock, type DefaultRetention, LOCK_MODES } from '../../../protocol/object-lock.ts';
import type { Decoded } from '../../../protocol/xml/decode.ts';
import { OBJECT_LOCK_CONFIGURATION } from '../../../protocol/xml/setting-shapes.ts';
import { authorizedBucket } from '../../authorized-bucket.ts';
import type { Operation } from '../../operation.ts';
import { presentSettingBody } from './setting-body.ts';

/**
 * Turns object lock on, which cannot be undone, and sets the default retention of new objects. A document without a
 * rule removes the default.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObjectLockConfiguration.html
 */
export const putObjectLockConfiguration: Operation = async (request, context) => {
  const bucket = await authorizedBucket(request, context);
  const objectLock = requestedLock(await presentSettingBody(request, OBJECT_LOCK_CONFIGURATION));
  await context.manifest.buckets.amendEverywhere(
    bucket,
    (settings, versioning) => {
      if (versioning !== 'enabled') {
        throw new S3Error('InvalidBucketState', {
          message: "Versioning must be 'Enabled' on the bucket to apply a Object Lock configuration",
        });
      }
      return { ...settings, objectLock };
    },
    context.call,
  );
  return { status: 200 };
};

type LockDocument = Decoded<typeof OBJECT_LOCK_CONFIGURATION>;
type RetentionElement = NonNullable<LockDocument['Rule']>['DefaultRetention'];

/** @throws S3Error MalformedXML, InvalidRetentionPeriod, InvalidArgument */
function requestedLock({ ObjectLockEnabled: enabled, Rule: rule }: LockDocument): BucketLock {
  if (enabled !== 'Enabled') throw new S3Error('MalformedXML');
  return rule === undefined ? {} : { default: requestedRetention(rule.DefaultRetention) };
}

function requestedRetention({ Mode, Days: days, Years: years }: RetentionElement): DefaultRetention {
  const mode = LOCK_MODES.find((known) => known === Mode);
  if (mode === undefined) throw new S3Error('MalformedXML');
  if (days !== undefined && years === undefined) return { mode, days: checkedPeriod('Days', days) };
  if (years !== undefined && days === undefined) return { mode, years: checkedPeriod('Years', years) };
  throw new S3Error('MalformedXML');
}

/** A hundred years, in either unit. */
const LONGEST = { Days: 36_500, Years: 100 } as const;

function checkedPeriod(unit: keyof typeof LONGEST, period: number): number {
  if (period <= 0) {
    throw new S3Error('InvalidRetentionPeriod', { extra: { ArgumentName: unit, ArgumentValue: period } });
  }
  if (period > LONGEST[unit]) throw invalidArgument(unit, String(period), 'Default retention period is too large.');
  return period;
}
