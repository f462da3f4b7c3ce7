import { S3Error, isS3Error } from '../../errors/s3-error.ts';
import { GRANT, requestedGrant } from '../acl/acl-document.ts';
import { type Grant, uriOfGroup } from '../acl/acl.ts';
import { MAX_GRANTS, type RequestedGrant } from '../acl/requested-grant.ts';
import { type Decoded, decodeXml } from '../xml/decode.ts';
import { type XmlDocument, type XmlValue, xml } from '../xml/document.ts';
import { text } from '../xml/shape-parts.ts';
import type { XmlShape } from '../xml/shape.ts';
import { type BucketLogging, PARTITION_DATE_SOURCES } from './bucket-logging.ts';

/** Body of Put- and GetBucketLogging. */
const BUCKET_LOGGING_STATUS = {
  root: 'BucketLoggingStatus',
  content: {
    kind: 'struct',
    fields: [
      {
        element: 'LoggingEnabled',
        content: {
          kind: 'struct',
          fields: [
            { element: 'TargetBucket', content: text, required: true },
            { element: 'Grant', property: 'grants', list: { wrapper: 'TargetGrants' }, content: GRANT },
            {
              element: 'TargetObjectKeyFormat',
              content: {
                kind: 'struct',
                fields: [
                  { element: 'SimplePrefix', content: { kind: 'struct', fields: [] } },
                  {
                    element: 'PartitionedPrefix',
                    content: { kind: 'struct', fields: [{ element: 'PartitionDateSource', content: text }] },
                  },
                ],
              },
            },
            { element: 'TargetPrefix', content: text, required: true },
          ],
        },
      },
    ],
  },
} as const satisfies XmlShape;

type LoggingEnabled = NonNullable<Decoded<typeof BUCKET_LOGGING_STATUS>['LoggingEnabled']>;

/** A setting as the client put it: grantees are not looked up yet. */
export interface RequestedLogging extends Omit<BucketLogging, 'targetGrants'> {
  readonly grants: readonly RequestedGrant[];
}

/** @returns undefined: logging is to be off @throws S3Error MalformedXML */
export function parseLoggingDocument(body: Uint8Array): RequestedLogging | undefined {
  const { LoggingEnabled: enabled } = decodeXml(BUCKET_LOGGING_STATUS, body);
  if (enabled === undefined) return undefined;
  if (enabled.TargetBucket === '') throw new S3Error('MalformedXML');
  const keyFormat = requestedFormat(enabled);
  return {
    targetBucket: enabled.TargetBucket,
    targetPrefix: enabled.TargetPrefix,
    grants: requestedGrants(enabled),
    ...(keyFormat !== undefined && { keyFormat }),
  };
}

function requestedFormat({ TargetObjectKeyFormat: format }: LoggingEnabled): BucketLogging['keyFormat'] {
  if (format === undefined) return undefined;
  const { SimplePrefix: simple, PartitionedPrefix: partitioned } = format;
  if ((simple === undefined) === (partitioned === undefined)) throw new S3Error('MalformedXML');
  if (partitioned === undefined) return 'simple';
  const { PartitionDateSource: said = 'DeliveryTime' } = partitioned;
  const source = PARTITION_DATE_SOURCES.find((known) => known === said);
  if (source === undefined) throw new S3Error('MalformedXML');
  return { partitionedBy: source };
}

function requestedGrants({ grants = [] }: LoggingEnabled): readonly RequestedGrant[] {
  if (grants.length > MAX_GRANTS) throw new S3Error('MalformedXML');
  try {
    return grants.map(requestedGrant);
  } catch (error) {
    throw isS3Error(error, 'MalformedACLError') ? new S3Error('MalformedXML', { cause: error }) : error;
  }
}

/** No log goes anywhere. */
export const LOGGING_OFF: XmlDocument = xml(BUCKET_LOGGING_STATUS, {});

/** @param ownerId canonical id of the owner of both buckets */
export function loggingDocument(logging: BucketLogging, ownerId: string): XmlDocument {
  const { targetBucket, targetPrefix, targetGrants, keyFormat } = logging;
  const LoggingEnabled = {
    TargetBucket: targetBucket,
    grants: targetGrants?.map((grant) => grantValue(grant, ownerId)),
    TargetObjectKeyFormat: keyFormat && formatValue(keyFormat),
    TargetPrefix: targetPrefix,
  };
  return xml(BUCKET_LOGGING_STATUS, { LoggingEnabled });
}

function formatValue(keyFormat: NonNullable<BucketLogging['keyFormat']>): XmlValue {
  return keyFormat === 'simple'
    ? { SimplePrefix: {} }
    : { PartitionedPrefix: { PartitionDateSource: keyFormat.partitionedBy } };
}

function grantValue({ grantee, permission }: Grant, ownerId: string): XmlValue {
  const shown: XmlValue =
    grantee.kind === 'group'
      ? { xsiType: 'Group', URI: uriOfGroup(grantee.group) }
      : { xsiType: 'CanonicalUser', ID: grantee.kind === 'owner' ? ownerId : grantee.id };
  return { Grantee: shown, Permission: permission };
}
