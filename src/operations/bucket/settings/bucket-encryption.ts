import { invalidArgument, S3Error } from '../../../errors/s3-error.ts';
import { type Bucket, type BucketEncryption, ENCRYPTION_TYPES, type EncryptionType } from '../../../manifest/index.ts';
import type { Decoded } from '../../../protocol/xml/decode.ts';
import { xml } from '../../../protocol/xml/document.ts';
import { SERVER_SIDE_ENCRYPTION_CONFIGURATION } from '../../../protocol/xml/setting-shapes.ts';
import { authorizedBucket } from '../../authorized-bucket.ts';
import { requireKmsKey } from '../../encryption.ts';
import type { Operation } from '../../operation.ts';
import { notOffered } from './not-offered.ts';
import { settingBody, without } from './setting-body.ts';

type Configuration = Decoded<typeof SERVER_SIDE_ENCRYPTION_CONFIGURATION>;

/**
 * Both clouds always encrypt at rest, with keys of their own. AES256 restates that. `aws:kms` must name a key of the
 * configuration. `BlockedEncryptionTypes` can keep customers' keys out (`operations/encryption.ts`). `BucketKeyEnabled`
 * is stored only to be read again.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketEncryption.html
 */
export const putBucketEncryption: Operation = async (request, context) => {
  const bucket = await authorizedBucket(request, context);
  const encryption = requested(await settingBody(request, SERVER_SIDE_ENCRYPTION_CONFIGURATION), bucket);
  await context.manifest.buckets.amend(bucket, (settings) => ({ ...settings, encryption }), context.call);
  return { status: 200 };
};

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketEncryption.html */
export const getBucketEncryption: Operation = async (request, context) => {
  const bucket = await authorizedBucket(request, context);
  const { encryption } = (await context.manifest.buckets.latest(bucket, context.call)).settings;
  const rule = {
    ApplyServerSideEncryptionByDefault: byDefaultOf(encryption),
    BucketKeyEnabled: encryption?.bucketKey ?? false,
    ...(encryption?.blocked !== undefined && { BlockedEncryptionTypes: { types: encryption.blocked } }),
  };
  return { status: 200, body: xml(SERVER_SIDE_ENCRYPTION_CONFIGURATION, { rules: [rule] }) };
};

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteBucketEncryption.html */
export const deleteBucketEncryption: Operation = async (request, context) => {
  const bucket = await authorizedBucket(request, context);
  if (bucket.settings.encryption !== undefined) {
    await context.manifest.buckets.amend(bucket, (settings) => without(settings, 'encryption'), context.call);
  }
  return { status: 204 };
};

function byDefaultOf(encryption: BucketEncryption | undefined): { SSEAlgorithm: string; KMSMasterKeyID?: string } {
  if (encryption?.kms === undefined) return { SSEAlgorithm: 'AES256' };
  const { key } = encryption.kms;
  return { SSEAlgorithm: 'aws:kms', ...(key !== undefined && { KMSMasterKeyID: key }) };
}

/** @throws S3Error MalformedXML, InvalidArgument, NotImplemented, KMS.NotFoundException */
function requested({ rules: [rule, second] }: Configuration, bucket: Bucket): BucketEncryption {
  if (rule === undefined || second !== undefined) throw new S3Error('MalformedXML');
  const {
    ApplyServerSideEncryptionByDefault: byDefault,
    BucketKeyEnabled: bucketKey = false,
    BlockedEncryptionTypes: blocked,
  } = rule;
  const isKms = byDefault?.SSEAlgorithm === 'aws:kms' && bucket.home.kmsKeys !== undefined;
  if (byDefault !== undefined && !isKms) requireOwnKeys(byDefault.SSEAlgorithm, byDefault.KMSMasterKeyID);
  const kms = isKms ? kmsKeyOf(byDefault.KMSMasterKeyID, bucket) : {};
  return { bucketKey, ...kms, ...(blocked !== undefined && { blocked: blocked.types.map(encryptionType) }) };
}

/** @throws S3Error KMS.NotFoundException */
function kmsKeyOf(key: string | undefined, bucket: Bucket): Pick<BucketEncryption, 'kms'> {
  requireKmsKey(key, bucket);
  return { kms: key === undefined ? {} : { key } };
}

function requireOwnKeys(algorithm: string, keyId: string | undefined): void {
  if (algorithm === 'aws:kms' || algorithm === 'aws:kms:dsse') throw notOffered(`Encryption by ${algorithm}`);
  if (algorithm !== 'AES256') throw new S3Error('MalformedXML');
  if (keyId !== undefined) {
    throw invalidArgument(
      'KMSMasterKeyID',
      keyId,
      'a KMSMasterKeyID is not applicable if the default sse algorithm is not aws:kms or aws:kms:dsse',
    );
  }
}

function encryptionType(text: string): EncryptionType {
  const type = ENCRYPTION_TYPES.find((known) => known === text);
  if (type === undefined) throw new S3Error('MalformedXML');
  return type;
}
