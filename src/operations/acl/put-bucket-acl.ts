import { isSameAcl } from '../../manifest/index.ts';
import { authorizedBucket } from '../authorized-bucket.ts';
import type { Operation } from '../operation.ts';
import { requireAccess } from '../require-access.ts';
import { refusePublicAcl, requireAcls } from './bucket-rules.ts';
import { MAX_ACL_BODY, requestedAcl } from './requested-acl.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketAcl.html */
export const putBucketAcl: Operation = async (request, context) => {
  const { call, manifest } = context;
  const bucket = await authorizedBucket(request, context);
  const body = await request.body.readAll(MAX_ACL_BODY);
  const { name, ownerId } = bucket;
  await manifest.buckets.amend(
    bucket,
    (settings) => {
      // Checked again on the record that is changed: the cached one may still grant what was revoked since.
      requireAccess({ bucket: { name, ownerId, acl: settings.acl, settings } }, context);
      const acl = requestedAcl(
        { headers: request.headers, body },
        { subject: 'bucket', ownerId, bucketOwnerId: ownerId },
        context,
      );
      requireAcls(settings); // S3 looks at what is asked for first
      refusePublicAcl(acl, settings);
      return isSameAcl(settings.acl, acl) ? settings : { ...settings, acl };
    },
    call,
  );
  return { status: 200 };
};
