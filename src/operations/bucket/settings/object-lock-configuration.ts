import { S3Error, invalidArgument } from '../../../errors/s3-error.ts';
import { type BucketLock, type DefaultRetention, LOCK_MODES } from '../../../protocol/object-lock.ts';
import { type Decoded, decodeXml } from '../../../protocol/xml/decode.ts';
import { type XmlDocument, xml } from '../../../protocol/xml/document.ts';
import { OBJECT_LOCK_CONFIGURATION } from '../../../protocol/xml/setting-shapes.ts';

/** The document of a bucket's object lock. */
export function objectLockDocument({ default: retention }: BucketLock): XmlDocument {
  const rule = retention && {
    DefaultRetention: { Mode: retention.mode, Days: retention.days, Years: retention.years },
  };
  return xml(OBJECT_LOCK_CONFIGURATION, { ObjectLockEnabled: 'Enabled', Rule: rule });
}

/**
 * What a document asks for: object lock on, and the default retention of new objects; without a rule there is none.
 * @throws S3Error MissingRequestBodyError, MalformedXML, InvalidRetentionPeriod, InvalidArgument
 */
export function requestedObjectLock(body: Buffer): BucketLock {
  if (body.length === 0) throw new S3Error('MissingRequestBodyError');
  const { ObjectLockEnabled: enabled, Rule: rule } = decodeXml(OBJECT_LOCK_CONFIGURATION, body);
  if (enabled !== 'Enabled') throw new S3Error('MalformedXML');
  return rule === undefined ? {} : { default: requestedRetention(rule.DefaultRetention) };
}

type RetentionElement = NonNullable<Decoded<typeof OBJECT_LOCK_CONFIGURATION>['Rule']>['DefaultRetention'];

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
