import { WEBSITE_CONFIGURATION } from '../../../protocol/xml/website-shape.ts';
import { checkWebsite } from '../../../protocol/website/website.ts';
import { authorizedBucket } from '../../authorized-bucket.ts';
import type { Operation } from '../../operation.ts';
import { settingBody } from './setting-body.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketWebsite.html */
export const putBucketWebsite: Operation = async (request, context) => {
  const bucket = await authorizedBucket(request, context);
  const website = checkWebsite(await settingBody(request, WEBSITE_CONFIGURATION));
  await context.manifest.buckets.amend(bucket, (settings) => ({ ...settings, website }), context.call);
  return { status: 200 };
};
