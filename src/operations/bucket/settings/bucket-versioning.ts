import { S3Error } from '../../../errors/s3-error.ts';
import type { RequestedVersioning, Versioning } from '../../../manifest/index.ts';
import { decodeXml } from '../../../protocol/xml/decode.ts';
import { xml } from '../../../protocol/xml/document.ts';
import { VERSIONING_CONFIGURATION } from '../../../protocol/xml/setting-shapes.ts';
import type { Operation } from '../../operation.ts';
import { MAX_BODY } from './setting.ts';

const STATUS: Readonly<Record<Versioning, string | undefined>> = {
  never: undefined,
  enabled: 'Enabled',
  suspended: 'Suspended',
};

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketVersioning.html */
export const getBucketVersioning: Operation = async (_request, { bucket, manifest, call }) => {
  const { versioning } = await manifest.buckets.latest(bucket, call);
  return { status: 200, body: xml(VERSIONING_CONFIGURATION, { Status: STATUS[versioning] }) };
};

const VERSIONING: ReadonlyMap<string, RequestedVersioning> = new Map([
  ['Enabled', 'enabled'],
  ['Suspended', 'suspended'],
]);

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketVersioning.html */
export const putBucketVersioning: Operation = async (request, context) => {
  const { bucket } = context;
  const versioning = requestedVersioning(await request.body.readAll(MAX_BODY));
  await context.manifest.buckets.setVersioning(bucket, versioning, context.call);
  return { status: 200 };
};

/** @throws S3Error IllegalVersioningConfigurationException, MalformedXML, NotImplemented */
function requestedVersioning(body: Buffer): RequestedVersioning {
  const { Status: status, MfaDelete: mfaDelete } = decodeXml(VERSIONING_CONFIGURATION, body);
  if (mfaDelete === 'Enabled') throw new S3Error('NotImplemented', { message: 'MFA delete is not implemented.' });
  if (mfaDelete !== undefined && mfaDelete !== 'Disabled') throw new S3Error('MalformedXML');
  if (status === undefined) throw new S3Error('IllegalVersioningConfigurationException');
  const versioning = VERSIONING.get(status);
  if (versioning === undefined) throw new S3Error('MalformedXML');
  return versioning;
}
