import { corsRules } from '../../../protocol/cors/cors-document.ts';
import { CORS_CONFIGURATION } from '../../../protocol/xml/cors-shape.ts';
import { authorizedBucket } from '../../authorized-bucket.ts';
import type { Operation } from '../../operation.ts';
import { settingBody } from './setting-body.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketCors.html */
export const putBucketCors: Operation = async (request, context) => {
  const bucket = await authorizedBucket(request, context);
  const cors = corsRules(await settingBody(request, CORS_CONFIGURATION));
  await context.manifest.buckets.amend(bucket, (settings) => ({ ...settings, cors }), context.call);
  return { status: 200 };
};
