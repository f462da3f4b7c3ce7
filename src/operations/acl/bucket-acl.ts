import { owned } from '../../access/acl/in-force.ts';
import { isSameAcl } from '../../manifest/index.ts';
import type { Operation } from '../operation.ts';
import { requireAccess } from '../permission.ts';
import { aclResponse } from './acl-response.ts';
import { refusePublicAcl, requireAcls } from './bucket-rules.ts';
import { MAX_ACL_BODY, requestedAcl } from './requested-acl.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketAcl.html */
export const getBucketAcl: Operation = async (_request, context) => {
  const { bucket } = context;
  // Read past the cache, so that the answer shows an ACL that any replica has just put.
  const latest = await context.manifest.buckets.latest(bucket, context.call);
  return aclResponse(owned(latest, latest), context.accounts);
};

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketAcl.html */
export const putBucketAcl: Operation = async (request, context) => {
  const { call, manifest } = context;
  const { bucket } = context;
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
