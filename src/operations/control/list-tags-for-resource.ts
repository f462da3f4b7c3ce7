import { xml } from '../../protocol/xml/document.ts';
import { LIST_TAGS_FOR_RESOURCE_RESULT } from '../../protocol/xml/control-shapes.ts';
import type { Operation } from '../operation.ts';
import { requireAccess } from '../require-access.ts';
import { controlBucket } from './control-bucket.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_control_ListTagsForResource.html */
export const listTagsForResource: Operation = async (request, context) => {
  const bucket = await controlBucket(request, context);
  requireAccess({ bucket }, context);
  const { tags = [] } = (await context.manifest.buckets.latest(bucket, context.call)).settings;
  return {
    status: 200,
    body: xml(LIST_TAGS_FOR_RESOURCE_RESULT, { tags: tags.map(({ key, value }) => ({ Key: key, Value: value })) }),
  };
};
