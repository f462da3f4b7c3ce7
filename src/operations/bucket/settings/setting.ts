import type { S3ErrorCode } from '../../../errors/error-table.ts';
import { S3Error } from '../../../errors/s3-error.ts';
import type { Bucket, BucketSettings, Versioning } from '../../../manifest/index.ts';
import type { OperationName } from '../../../protocol/operation-table.ts';
import type { S3Request } from '../../../protocol/request.ts';
import type { XmlDocument } from '../../../protocol/xml/document.ts';
import type { Operation, OperationContext } from '../../operation.ts';

/** Documents of settings have a few lines; the rest is for comments and white space. */
export const MAX_BODY = 64 * 1024;

/** What else of a PUT says how its document is read. */
interface Put extends Pick<S3Request, 'headers'> {
  /** Ends the reading of a long document. */
  readonly signal: AbortSignal;
  readonly context: OperationContext;
}

/** One setting of a bucket: a document that clients put and get and, of most settings, delete. */
interface Setting<M extends keyof BucketSettings> {
  /** Where it lies in the bucket's record. */
  readonly member: M;
  /**
   * Reads the document of a PUT. Undefined: what it says is as if nothing had been set. @throws S3Error what is wrong
   * with the document, or not offered
   */
  readonly decode: (body: Buffer, bucket: Bucket, put: Put) => BucketSettings[M] | Promise<BucketSettings[M]>;
  readonly encode: (value: NonNullable<BucketSettings[M]>, bucket: Bucket) => XmlDocument;
  /** What a GET answers where nothing is set: the code of an error, or a document. */
  readonly unset: S3ErrorCode | XmlDocument;
  /** Headers of the answers to GET and PUT; absent: none. */
  readonly headers?: (value: NonNullable<BucketSettings[M]>) => Readonly<Record<string, string>>;
  /** Absent: there is no DELETE. The name of that operation, if it is not made as those of the others are. */
  readonly isDeletable?: true | OperationName;
  /**
   * Looks at the settings as a PUT or DELETE would leave them, in the record that it changes. @throws S3Error they
   * cannot be so
   */
  readonly check?: (changed: BucketSettings, versioning: Versioning) => void;
  /** A PUT promises protection: it is answered when no replica goes by the old setting any more. */
  readonly isProtection?: true;
  /** Of the answer to a PUT; absent: 200. */
  readonly status?: 204;
  /** Longest document that is read, in bytes; absent: 64 KiB. */
  readonly maxBody?: number;
}

type NameIn<N> = N extends `Put${infer Name}` ? (`Get${Name}` extends OperationName ? Name : never) : never;

/** The common part of the names of the operations on one setting: `BucketCors` of GetBucketCors. */
type SettingName = NameIn<OperationName>;

/** The operations on one setting. */
export function settingOperations<M extends keyof BucketSettings>(
  name: SettingName,
  setting: Setting<M>,
): Readonly<Partial<Record<OperationName, Operation>>> {
  const operations: Record<string, Operation> = { [`Get${name}`]: getter(setting), [`Put${name}`]: putter(setting) };
  const { isDeletable } = setting;
  if (isDeletable !== undefined) operations[isDeletable === true ? `Delete${name}` : isDeletable] = deleter(setting);
  return operations;
}

function getter<M extends keyof BucketSettings>({ member, encode, unset, headers }: Setting<M>): Operation {
  return async (_request, { bucket, manifest, call }) => {
    // Read past the cache: the answer shows what any replica has just put.
    const value = (await manifest.buckets.latest(bucket, call)).settings[member];
    if (value !== undefined) return { status: 200, headers: headers?.(value) ?? {}, body: encode(value, bucket) };
    if (typeof unset === 'string') throw new S3Error(unset, { extra: { BucketName: bucket.name } });
    return { status: 200, body: unset };
  };
}

function putter<M extends keyof BucketSettings>(setting: Setting<M>): Operation {
  const { member, decode, headers, check, isProtection, status = 200, maxBody = MAX_BODY } = setting;
  return async (request, context) => {
    const {
      bucket,
      manifest: { buckets },
      call,
    } = context;
    const put = { headers: request.headers, signal: call.signal, context };
    const value = await decode(await request.body.readAll(maxBody), bucket, put);
    const change = (settings: BucketSettings, versioning: Versioning): BucketSettings => {
      const changed = value === undefined ? without(settings, member) : { ...settings, [member]: value };
      check?.(changed, versioning);
      return changed;
    };
    await (isProtection === true ? buckets.amendEverywhere(bucket, change, call) : buckets.amend(bucket, change, call));
    return { status, headers: value === undefined ? {} : (headers?.(value) ?? {}) };
  };
}

function deleter<M extends keyof BucketSettings>({ member, check }: Setting<M>): Operation {
  return async (_request, { bucket, manifest, call }) => {
    const change = (settings: BucketSettings, versioning: Versioning): BucketSettings => {
      const changed = without(settings, member);
      check?.(changed, versioning);
      return changed;
    };
    await manifest.buckets.amend(bucket, change, call);
    return { status: 204 };
  };
}

/** The settings without one, as if it had never been made. */
export function without<K extends keyof BucketSettings>(settings: BucketSettings, name: K): Omit<BucketSettings, K> {
  const { [name]: _removed, ...others } = settings;
  return others;
}
