import type { Versioning } from '../../../manifest/index.ts';
import { xml } from '../../../protocol/xml/document.ts';
import { VERSIONING_CONFIGURATION } from '../../../protocol/xml/setting-shapes.ts';
import { authorizedBucket } from '../../authorized-bucket.ts';
import type { Operation } from '../../operation.ts';

const STATUS: Readonly<Record<Versioning, string | undefined>> = {
  never: undefined,
  enabled: 'Enabled',
  suspended: 'Suspended',
};

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketVersioning.html */
export const getBucketVersioning: Operation = async (request, context) => {
  const bucket = await authorizedBucket(request, context);
  const { versioning } = await context.manifest.buckets.latest(bucket, context.call);
  return { status: 200, body: xml(VERSIONING_CONFIGURATION, { Status: STATUS[versioning] }) };
};
