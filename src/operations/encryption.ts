import { createHash, timingSafeEqual } from 'node:crypto';
import { S3Error, invalidArgument } from '../errors/s3-error.ts';
import type { Bucket, EncryptedBy, Encryption, EncryptWith, KeepApart } from '../manifest/index.ts';
import { ENCRYPTED, type ResponseHeaders } from '../protocol/headers/object-headers.ts';
import type { HeaderReader } from '../protocol/request.ts';
import { CUSTOMER_KEY_BYTES, CustomerKey } from '../store/customer-key.ts';
import type { OperationContext } from './operation.ts';

const METHOD = 'x-amz-server-side-encryption';
const CUSTOMER = `${METHOD}-customer-`;
const SOURCE = `x-amz-copy-source-server-side-encryption-customer-`;
/** The headers of a key. */
const KEY_HEADERS = {
  object: { algorithm: `${CUSTOMER}algorithm`, key: `${CUSTOMER}key`, md5: `${CUSTOMER}key-md5` },
  source: { algorithm: `${SOURCE}algorithm`, key: `${SOURCE}key`, md5: `${SOURCE}key-md5` },
} as const;
const KMS_KEY = `${METHOD}-aws-kms-key-id`;
const BUCKET_KEY = `${METHOD}-bucket-key-enabled`;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** S3's words for what is wrong with a key, after "Requests specifying Server Side Encryption ... must". */
const MUST = {
  transport: 'be made over a secure connection.',
  algorithm: 'provide a valid encryption algorithm.',
  key: 'provide an appropriate secret key.',
  md5: 'provide the client calculated MD5 of the secret key.',
} as const;
const WRONG_KEY = 'The secret key was invalid for the specified algorithm.';
const WRONG_MD5 = 'The calculated MD5 hash of the key did not match the hash that was provided.';
const TWO_METHODS =
  'Server Side Encryption with Customer provided key is incompatible with the encryption method specified';
const NO_METHOD =
  'Server Side Encryption with AWS KMS managed key requires HTTP header x-amz-server-side-encryption : aws:kms';

/** Whose key of a request is meant: that of the object it names, or that of the source it copies. */
type WhoseKey = 'object' | 'source';

interface Asked {
  readonly headers: HeaderReader;
  readonly of?: WhoseKey;
  /** Accept the algorithm without a key, and ignore it. Copies do, and operations that need no key. */
  readonly algorithmAlone?: boolean;
}

interface NewAsked extends Pick<Asked, 'headers' | 'algorithmAlone'> {
  readonly bucket: Bucket;
}

/**
 * The key that a client shows with a request, if it shows one (SSE-C).
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/ServerSideEncryptionCustomerKeys.html
 * @throws S3Error InvalidRequest (no https), InvalidArgument, InvalidEncryptionAlgorithmError. None repeats the key
 */
export function shownKey(
  { headers, of = 'object', algorithmAlone }: Asked,
  context: OperationContext,
): CustomerKey | undefined {
  const names = KEY_HEADERS[of];
  const [algorithm, key, md5] = [headers.get(names.algorithm), headers.get(names.key), headers.get(names.md5)];
  if (algorithm === undefined && key === undefined && md5 === undefined) return undefined;
  if (algorithm !== undefined && algorithm !== 'AES256') {
    throw new S3Error('InvalidEncryptionAlgorithmError', {
      extra: { ArgumentName: METHOD, ArgumentValue: algorithm },
    });
  }
  if (key === undefined && md5 === undefined && algorithmAlone === true) return undefined;
  const { asked, settings } = context;
  if (asked.scheme !== 'https' && settings.customerKeysOverHttp !== true) {
    throw requestsMust('transport', 'InvalidRequest');
  }
  if (algorithm === undefined) throw requestsMust('algorithm');
  if (key === undefined) throw requestsMust('key');
  if (md5 === undefined) throw requestsMust('md5');
  return keyOf(key, md5);
}

function keyOf(text: string, md5: string): CustomerKey {
  const bytes = Buffer.from(text, 'base64');
  if (!BASE64.test(text) || bytes.length !== CUSTOMER_KEY_BYTES) throw wrong(WRONG_KEY);
  const told = Buffer.from(md5, 'base64');
  const counted = createHash('md5').update(bytes).digest();
  if (told.length !== counted.length || !timingSafeEqual(told, counted)) throw wrong(WRONG_MD5);
  return new CustomerKey(bytes);
}

function requestsMust(
  what: keyof typeof MUST,
  code: 'InvalidArgument' | 'InvalidRequest' = 'InvalidArgument',
): S3Error {
  const message = `Requests specifying Server Side Encryption with Customer provided keys must ${MUST[what]}`;
  return code === 'InvalidRequest' ? new S3Error(code, { message }) : wrong(message);
}

/** An error whose message does not repeat what the client sent. */
function wrong(message: string): S3Error {
  return new S3Error('InvalidArgument', { message, extra: { ArgumentName: METHOD } });
}

/**
 * How a new object is to be encrypted: as the request says, else as the bucket says. Undefined: as the service encrypts
 * everything, which is S3's AES256.
 * @throws S3Error as `shownKey`; NotImplemented, KMS.NotFoundException, AccessDenied (the bucket blocks SSE-C)
 */
export function requestedEncryption(asked: NewAsked, context: OperationContext): EncryptWith | undefined {
  const { headers, bucket } = asked;
  const method = headers.get(METHOD);
  const isOther = method !== undefined || headers.get(KMS_KEY) !== undefined;
  // Said first, as on S3: also where customers' keys would be refused as such.
  if (isOther && headers.get(KEY_HEADERS.object.key) !== undefined) {
    throw invalidArgument(METHOD, method ?? 'null', TWO_METHODS);
  }
  const key = shownKey(asked, context);
  if (key !== undefined) {
    if (bucket.settings.encryption?.blocked?.includes('SSE-C') === true) throw new S3Error('AccessDenied');
    return { kind: 'customer', key };
  }
  requireOffered(headers, bucket);
  if (method === 'aws:kms') return requireKmsKey(headers.get(KMS_KEY), bucket);
  const byDefault = method === undefined ? bucket.settings.encryption?.kms : undefined;
  return byDefault && requireKmsKey(byDefault.key, bucket);
}

/** @throws S3Error NotImplemented, InvalidArgument */
export function requireOffered(headers: HeaderReader, bucket?: Bucket): void {
  const method = headers.get(METHOD);
  const hasKeys = bucket?.home.kmsKeys !== undefined;
  if (method === 'aws:kms' ? !hasKeys : method?.startsWith('aws:kms') === true) throw notImplemented(METHOD);
  if (method !== undefined && method !== 'AES256' && method !== 'aws:kms') {
    throw invalidArgument(METHOD, method, 'The encryption method specified is not supported');
  }
  const keyId = headers.get(KMS_KEY);
  if (keyId !== undefined && !hasKeys) throw notImplemented(KMS_KEY);
  if (keyId !== undefined && method !== 'aws:kms') throw invalidArgument(METHOD, method ?? 'null', NO_METHOD);
  const bucketKey = headers.get(BUCKET_KEY);
  if (bucketKey !== undefined && bucketKey !== 'false') throw notImplemented(BUCKET_KEY);
}

/** The key that S3 uses when a client names none. */
const OWN_KMS_KEY = 'alias/aws/s3';

/**
 * Finds the service's key for a name. Only names in the configuration have one. @throws S3Error KMS.NotFoundException
 */
export function requireKmsKey(key: string = OWN_KMS_KEY, { home }: Pick<Bucket, 'home'>): EncryptWith {
  const serviceKey = home.kmsKeys?.get(key);
  if (serviceKey === undefined) throw new S3Error('KMS.NotFoundException', { message: `Key '${key}' does not exist` });
  return { kind: 'kms', key, serviceKey };
}

function notImplemented(header: string): S3Error {
  return new S3Error('NotImplemented', {
    extra: { Header: header, additionalMessage: `${header} is not implemented` },
  });
}

/** The headers of an answer about something that was encrypted in this way. */
export function describeEncryption(keepApart: KeepApart | undefined): Record<string, string> {
  if (keepApart === undefined || keepApart.kind === 'archive') return ENCRYPTED;
  return keepApart.kind === 'kms' ? kmsHeaders(keepApart.key) : customerHeaders(keepApart.key);
}

function kmsHeaders(key: string): Record<string, string> {
  return { [METHOD]: 'aws:kms', [KMS_KEY]: key };
}

/** The headers for a customer's key. Its MD5 goes only to a client that has sent the key. */
function customerHeaders(key: CustomerKey): Record<string, string> {
  return { [`${CUSTOMER}algorithm`]: 'AES256', [`${CUSTOMER}key-md5`]: key.digestBase64('md5') };
}

/** The headers of an answer about an existing object. They replace the headers that answers about all objects have. */
export function storedEncryptionHeaders(
  { encryption }: { readonly encryption?: Encryption | undefined },
  key: CustomerKey | undefined,
): ResponseHeaders {
  if (encryption === undefined) return {};
  const { by } = encryption;
  if (by.kind === 'archive') return ENCRYPTED;
  if (by.kind === 'kms') return kmsHeaders(by.key);
  return { [METHOD]: undefined, ...(key !== undefined && customerHeaders(key)) };
}

/** The same where the client sent no key. */
export function encryptionOf(by: EncryptedBy | undefined): Record<string, string> {
  if (by === undefined || by.kind === 'archive') return ENCRYPTED;
  return by.kind === 'kms' ? kmsHeaders(by.key) : { [`${CUSTOMER}algorithm`]: 'AES256' };
}

/**
 * How a part is kept. Its upload decides: with the customer's key that the client sends, or with the KMS key that
 * was named for the upload.
 */
export function partEncryption(
  by: EncryptedBy | undefined,
  key: CustomerKey | undefined,
  { home }: Bucket,
): KeepApart | undefined {
  if (by === undefined || by.kind === 'archive') return by;
  if (by.kind === 'customer') return key === undefined ? undefined : { kind: 'customer', key };
  return requireKmsKey(by.key, { home });
}
