import { xml } from '../../protocol/xml/document.ts';
import { LOCATION_CONSTRAINT } from '../../protocol/xml/bucket-shapes.ts';
import { authorizedBucket } from '../authorized-bucket.ts';
import type { Operation } from '../operation.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketLocation.html (us-east-1 is the empty constraint) */
export const getBucketLocation: Operation = async (request, context) => {
  await authorizedBucket(request, context);
  const { region } = context.settings;
  return { status: 200, body: xml(LOCATION_CONSTRAINT, region === 'us-east-1' ? '' : region) };
};
