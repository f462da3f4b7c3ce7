import { requireKey } from '../../manifest/index.ts';
import { namedBucket } from '../authorized-bucket.ts';
import { authorizedObject } from '../authorized-object.ts';
import { versionHeaders } from '../object-version.ts';
import type { Operation } from '../operation.ts';
import { describeRead } from './describe-read.ts';
import { notModified, requireConditions } from './read-response.ts';
import { readTarget } from './read-target.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadObject.html */
export const headObject: Operation = async (request, context) => {
  const bucket = await namedBucket(request, context);
  const target = readTarget(request, bucket, context);
  const view = await authorizedObject(target, context);
  requireKey(view.encryption?.by, target.shown);
  if (requireConditions(view, target.conditions) === 'notModified') {
    return notModified(view, versionHeaders(bucket, view.versionId));
  }
  const { status, headers, length } = describeRead(request, target, view, context);
  headers['content-length'] = String(length);
  return { status, headers };
};
