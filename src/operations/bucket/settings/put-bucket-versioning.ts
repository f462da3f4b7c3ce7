import { S3Error } from '../../../errors/s3-error.ts';
import type { RequestedVersioning } from '../../../manifest/index.ts';
import type { Decoded } from '../../../protocol/xml/decode.ts';
import { VERSIONING_CONFIGURATION } from '../../../protocol/xml/setting-shapes.ts';
import { authorizedBucket } from '../../authorized-bucket.ts';
import type { Operation } from '../../operation.ts';
import { settingBody } from './setting-body.ts';

const VERSIONING: ReadonlyMap<string, RequestedVersioning> = new Map([
  ['Enabled', 'enabled'],
  ['Suspended', 'suspended'],
]);

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketVersioning.html */
export const putBucketVersioning: Operation = async (request, context) => {
  const bucket = await authorizedBucket(request, context);
  const versioning = requestedVersioning(await settingBody(request, VERSIONING_CONFIGURATION));
  await context.manifest.buckets.setVersioning(bucket, versioning, context.call);
  return { status: 200 };
};

/** @throws S3Error IllegalVersioningConfigurationException, MalformedXML, NotImplemented */
function requestedVersioning({
  Status: status,
  MfaDelete: mfaDelete,
}: Decoded<typeof VERSIONING_CONFIGURATION>): RequestedVersioning {
  if (mfaDelete === 'Enabled') throw new S3Error('NotImplemented', { message: 'MFA delete is not implemented.' });
  if (mfaDelete !== undefined && mfaDelete !== 'Disabled') throw new S3Error('MalformedXML');
  if (status === undefined) throw new S3Error('IllegalVersioningConfigurationException');
  const versioning = VERSIONING.get(status);
  if (versioning === undefined) throw new S3Error('MalformedXML');
  return versioning;
}
