import { S3Error } from '../../../errors/s3-error.ts';
import type { Bucket, BucketSettings } from '../../../manifest/index.ts';
import { OWNERSHIPS, type Ownership, type PublicAccessBlock } from '../../../protocol/acl/ownership.ts';
import { corsDocument, corsRules } from '../../../protocol/cors/cors-document.ts';
import { lifecycleDocument } from '../../../protocol/lifecycle/lifecycle-document.ts';
import { LOGGING_OFF, loggingDocument } from '../../../protocol/logging/logging-document.ts';
import type { OperationName } from '../../../protocol/operation-table.ts';
import {
  BUCKET_TAGGING,
  MAX_TAGGING_BYTES,
  type Tag,
  parseTaggingDocument,
  taggingDocument,
} from '../../../protocol/tagging.ts';
import { checkWebsite, websiteDocument } from '../../../protocol/website/website.ts';
import { CORS_CONFIGURATION } from '../../../protocol/xml/cors-shape.ts';
import { decodeXml } from '../../../protocol/xml/decode.ts';
import { type XmlDocument, xml } from '../../../protocol/xml/document.ts';
import {
  ABAC_STATUS,
  ACCELERATE_CONFIGURATION,
  OWNERSHIP_CONTROLS,
  PUBLIC_ACCESS_BLOCK_CONFIGURATION,
} from '../../../protocol/xml/setting-shapes.ts';
import { WEBSITE_CONFIGURATION } from '../../../protocol/xml/website-shape.ts';
import { requireOwnAcl } from '../../acl/bucket-rules.ts';
import type { Operation } from '../../operation.ts';
import { requestedLogging } from './bucket-logging.ts';
import { SERVICES_ENCRYPTION, encryptionDocument, requestedBucketEncryption } from './bucket-encryption.ts';
import { MAX_LIFECYCLE_BYTES, minimumSizeHeader, requestedRules } from './lifecycle-rules.ts';
import { requireInForce } from './not-offered.ts';
import { objectLockDocument, requestedObjectLock } from './object-lock-configuration.ts';
import { settingOperations } from './setting.ts';

/**
 * The settings that are a document in the bucket's record, one row each. `setting.ts` makes GET, PUT and DELETE of a
 * row. S3 says what each does under the names of the operations, e.g.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketCors.html
 */
export const SETTINGS: Readonly<Partial<Record<OperationName, Operation>>> = {
  // The server's default rules are no setting of the bucket.
  ...settingOperations('BucketCors', {
    member: 'cors',
    unset: 'NoSuchCORSConfiguration',
    decode: (body) => corsRules(decodeXml(CORS_CONFIGURATION, body)),
    encode: corsDocument,
    isDeletable: true,
  }),
  // The sweeper carries the rules out (docs/lifecycle.md).
  ...settingOperations('BucketLifecycleConfiguration', {
    member: 'lifecycle',
    unset: 'NoSuchLifecycleConfiguration',
    decode: requestedRules,
    encode: lifecycleDocument,
    headers: minimumSizeHeader,
    isDeletable: 'DeleteBucketLifecycle',
    maxBody: MAX_LIFECYCLE_BYTES,
  }),
  // `src/access-logs` keeps and delivers the log (docs/access-logs.md).
  ...settingOperations('BucketLogging', {
    member: 'logging',
    unset: LOGGING_OFF,
    decode: requestedLogging,
    encode: (logging, { ownerId }) => loggingDocument(logging, ownerId),
  }),
  ...settingOperations('BucketWebsite', {
    member: 'website',
    unset: 'NoSuchWebsiteConfiguration',
    decode: (body) => checkWebsite(decodeXml(WEBSITE_CONFIGURATION, body)),
    encode: websiteDocument,
    isDeletable: true,
  }),
  ...settingOperations('BucketTagging', {
    member: 'tags',
    unset: 'NoSuchTagSet',
    decode: (body) => someTags(parseTaggingDocument(body, BUCKET_TAGGING)),
    encode: taggingDocument,
    isDeletable: true,
    check: requireUntied,
    status: 204,
    maxBody: MAX_TAGGING_BYTES,
  }),
  ...settingOperations('BucketOwnershipControls', {
    member: 'ownership',
    unset: 'OwnershipControlsNotFoundError',
    decode: requestedOwnership,
    encode: (ownership) => xml(OWNERSHIP_CONTROLS, { rules: [{ ObjectOwnership: ownership }] }),
    isDeletable: true,
    check: requireOwnAcl,
    isProtection: true,
  }),
  // Two of the four switches concern ACLs (`acl/bucket-rules.ts`), two concern policies.
  ...settingOperations('PublicAccessBlock', {
    member: 'publicAccessBlock',
    unset: 'NoSuchPublicAccessBlockConfiguration',
    decode: requestedBlock,
    encode: blockDocument,
    isDeletable: true,
    isProtection: true,
  }),
  // Object lock that is on stays on.
  ...settingOperations('ObjectLockConfiguration', {
    member: 'objectLock',
    unset: 'ObjectLockConfigurationNotFoundError',
    decode: requestedObjectLock,
    encode: objectLockDocument,
    isProtection: true,
    check: (_changed, versioning) => {
      if (versioning === 'enabled') return;
      throw new S3Error('InvalidBucketState', {
        message: "Versioning must be 'Enabled' on the bucket to apply a Object Lock configuration",
      });
    },
  }),
  ...settingOperations('BucketEncryption', {
    member: 'encryption',
    unset: encryptionDocument(SERVICES_ENCRYPTION),
    decode: requestedBucketEncryption,
    encode: encryptionDocument,
    isDeletable: true,
  }),
  // Whether the bucket's tags count in conditions (`aws:ResourceTag`, `s3:BucketTag`).
  ...settingOperations('BucketAbac', {
    member: 'abac',
    unset: xml(ABAC_STATUS, { Status: 'Disabled' }),
    decode: requestedAbac,
    encode: () => xml(ABAC_STATUS, { Status: 'Enabled' }),
  }),
  // The state is stored, because S3 distinguishes "suspended" from "never set".
  ...settingOperations('BucketAccelerateConfiguration', {
    member: 'accelerate',
    unset: xml(ACCELERATE_CONFIGURATION, {}),
    decode: requestedAcceleration,
    encode: (accelerate) => xml(ACCELERATE_CONFIGURATION, { Status: accelerate }),
  }),
};

/** An empty list is stored as if tags had never been set. */
function someTags(tags: readonly Tag[]): readonly Tag[] | undefined {
  return tags.length === 0 ? undefined : tags;
}

/**
 * Refuses buckets whose tags decide who may do what: only operations whose permissions know of tags may change them.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketAbac.html
 * @throws S3Error InvalidRequest
 */
function requireUntied({ abac }: BucketSettings): void {
  if (abac !== true) return;
  throw new S3Error('InvalidRequest', {
    message: 'The bucket has attribute-based access control enabled: use TagResource and UntagResource for its tags.',
  });
}

/** @throws S3Error MalformedXML */
function requestedOwnership(body: Buffer): Ownership {
  const {
    rules: [rule, another],
  } = decodeXml(OWNERSHIP_CONTROLS, body);
  const ownership = OWNERSHIPS.find((known) => known === rule?.ObjectOwnership);
  if (ownership === undefined || another !== undefined) throw new S3Error('MalformedXML');
  return ownership;
}

/** A switch that the document does not name is off. @throws S3Error MalformedXML */
function requestedBlock(body: Buffer): PublicAccessBlock {
  const document = decodeXml(PUBLIC_ACCESS_BLOCK_CONFIGURATION, body);
  return {
    blockPublicAcls: document.BlockPublicAcls ?? false,
    ignorePublicAcls: document.IgnorePublicAcls ?? false,
    blockPublicPolicy: document.BlockPublicPolicy ?? false,
    restrictPublicBuckets: document.RestrictPublicBuckets ?? false,
  };
}

function blockDocument(block: PublicAccessBlock): XmlDocument {
  return xml(PUBLIC_ACCESS_BLOCK_CONFIGURATION, {
    BlockPublicAcls: block.blockPublicAcls,
    IgnorePublicAcls: block.ignorePublicAcls,
    BlockPublicPolicy: block.blockPublicPolicy,
    RestrictPublicBuckets: block.restrictPublicBuckets,
  });
}

/** @throws S3Error MalformedXML */
function requestedAbac(body: Buffer): true | undefined {
  const { Status } = decodeXml(ABAC_STATUS, body);
  if (Status !== 'Enabled' && Status !== 'Disabled') throw new S3Error('MalformedXML');
  return Status === 'Enabled' ? true : undefined;
}

/** @throws S3Error MalformedXML, InvalidRequest, NotImplemented */
function requestedAcceleration(body: Buffer, bucket: Bucket): 'Suspended' {
  const { Status } = decodeXml(ACCELERATE_CONFIGURATION, body);
  if (bucket.name.includes('.')) {
    throw new S3Error('InvalidRequest', {
      message: 'S3 Transfer Acceleration is not supported for buckets with periods (.) in their names',
    });
  }
  requireInForce(Status, { inForce: 'Suspended', refused: 'Enabled', what: 'Transfer acceleration' });
  return 'Suspended';
}
