import { S3Error } from '../../../errors/s3-error.ts';
import type { BucketSettings } from '../../../manifest/index.ts';
import type { S3Request } from '../../../protocol/request.ts';
import { type Decoded, decodeXml } from '../../../protocol/xml/decode.ts';
import type { XmlShape } from '../../../protocol/xml/shape.ts';

/** Documents of settings have a few lines; the rest is for comments and white space. */
const MAX_BODY = 64 * 1024;

/** Reads the document of a request that changes a setting. @throws S3Error MalformedXML */
export async function settingBody<const S extends XmlShape>(request: S3Request, shape: S): Promise<Decoded<S>> {
  return decodeXml(shape, await request.body.readAll(MAX_BODY));
}

/**
 * The same for operations that have an error of their own for a request without a body.
 * @throws S3Error MissingRequestBodyError, MalformedXML
 */
export async function presentSettingBody<const S extends XmlShape>(request: S3Request, shape: S): Promise<Decoded<S>> {
  const body = await request.body.readAll(MAX_BODY);
  if (body.length === 0) throw new S3Error('MissingRequestBodyError');
  return decodeXml(shape, body);
}

/** The settings without one, as if it had never been made. */
export function without<K extends keyof BucketSettings>(settings: BucketSettings, name: K): Omit<BucketSettings, K> {
  const { [name]: _removed, ...others } = settings;
  return others;
}
