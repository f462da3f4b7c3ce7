import { invalidArgument, S3Error, notOffered } from '../../../errors/s3-error.ts';
import { type Bucket, type BucketEncryption, ENCRYPTION_TYPES, type EncryptionType } from '../../../manifest/index.ts';
import { decodeXml } from '../../../protocol/xml/decode.ts';
import { type XmlDocument, xml } from '../../../protocol/xml/document.ts';
import { SERVER_SIDE_ENCRYPTION_CONFIGURATION } from '../../../protocol/xml/setting-shapes.ts';
import { requireKmsKey } from '../../encryption.ts';

/** A bucket of which nothing was set: the service encrypts all that it stores, with keys of its own. */
export const SERVICES_ENCRYPTION: BucketEncryption = { bucketKey: false };

/** The document of a bucket's encryption. */
export function encryptionDocument({ kms, bucketKey, blocked }: BucketEncryption): XmlDocument {
  const byDefault =
    kms === undefined
      ? { SSEAlgorithm: 'AES256' }
      : { SSEAlgorithm: 'aws:kms', ...(kms.key !== undefined && { KMSMasterKeyID: kms.key }) };
  const rule = {
    ApplyServerSideEncryptionByDefault: byDefault,
    BucketKeyEnabled: bucketKey,
    ...(blocked !== undefined && { BlockedEncryptionTypes: { types: blocked } }),
  };
  return xml(SERVER_SIDE_ENCRYPTION_CONFIGURATION, { rules: [rule] });
}

/**
 * Both clouds always encrypt at rest, with keys of their own. AES256 restates that. `aws:kms` must name a key of the
 * configuration. `BlockedEncryptionTypes` can keep customers' keys out (`operations/encryption.ts`). `BucketKeyEnabled`
 * is stored only to be read again.
 * @throws S3Error MalformedXML, InvalidArgument, NotImplemented, KMS.NotFoundException
 */
export function requestedBucketEncryption(body: Buffer, bucket: Bucket): BucketEncryption {
  const {
    rules: [rule, second],
  } = decodeXml(SERVER_SIDE_ENCRYPTION_CONFIGURATION, body);
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
