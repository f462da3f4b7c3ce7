import { invalidArgument, S3Error } from '../../errors/s3-error.ts';
import { type BucketEncryption, ENCRYPTION_TYPES, type EncryptionType } from '../../manifest/records/bucket.ts';
import type { Decoded } from '../../protocol/xml/decode.ts';
import { xml } from '../../protocol/xml/document.ts';
import { SERVER_SIDE_ENCRYPTION_CONFIGURATION } from '../../protocol/xml/setting-shapes.ts';
import { authorizedBucket } from '../authorized-bucket.ts';
import type { Operation } from '../operation.ts';
import { notOffered } from './not-offered.ts';
import { settingBody, without } from './setting-body.ts';

type Configuration = Decoded<typeof SERVER_SIDE_ENCRYPTION_CONFIGURATION>;

/**
 * Both clouds encrypt at rest, always, with keys of their own: AES256 restates what is in force, what is said
 * beside it is kept to be read again, and anything else is refused.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketEncryption.html
 */
export const putBucketEncryption: Operation = async (request, context) => {
  const bucket = await authorizedBucket(request, context);
  const encryption = requested(await settingBody(request, SERVER_SIDE_ENCRYPTION_CONFIGURATION));
  await context.manifest.buckets.amend(bucket, (settings) => ({ ...settings, encryption }), context.call);
  return { status: 200 };
};

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketEncryption.html */
export const getBucketEncryption: Operation = async (request, context) => {
  const bucket = await authorizedBucket(request, context);
  const { encryption } = (await context.manifest.buckets.latest(bucket, context.call)).settings;
  const rule = {
    ApplyServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' },
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

/** @throws S3Error MalformedXML, InvalidArgument, NotImplemented */
function requested({ rules: [rule, second] }: Configuration): BucketEncryption {
  if (rule === undefined || second !== undefined) throw new S3Error('MalformedXML');
  const {
    ApplyServerSideEncryptionByDefault: byDefault,
    BucketKeyEnabled: bucketKey = false,
    BlockedEncryptionTypes: blocked,
  } = rule;
  if (byDefault !== undefined) requireOwnKeys(byDefault.SSEAlgorithm, byDefault.KMSMasterKeyID);
  return { bucketKey, ...(blocked !== undefined && { blocked: blocked.types.map(encryptionType) }) };
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
