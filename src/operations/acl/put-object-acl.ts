import { callerId, namedBucket, objectKey, requireNullVersion } from '../authorized-bucket.ts';
import { requireAccess, withoutTellingMissing } from '../authorized-object.ts';
import type { Operation } from '../operation.ts';
import { refusePublicAcl, requireAcls } from './bucket-rules.ts';
import { MAX_ACL_BODY, requestedAcl } from './requested-acl.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObjectAcl.html */
export const putObjectAcl: Operation = async (request, context) => {
  const bucket = await namedBucket(request, context);
  callerId(context); // never anonymously, whatever an ACL says
  requireNullVersion(request.query.get('versionId'));
  const body = await request.body.readAll(MAX_ACL_BODY);
  const { accounts, call, manifest } = context;
  await withoutTellingMissing(bucket, context, () =>
    manifest.objects.amend(bucket, objectKey(request), (object) => {
      requireAccess({ bucket, object }, context);
      requireAcls(bucket.settings);
      const target = { subject: 'object', ownerId: object.ownerId, bucketOwnerId: bucket.ownerId } as const;
      const acl = requestedAcl({ headers: request.headers, body }, target, accounts);
      refusePublicAcl(acl, bucket.settings);
      return { acl };
    }, call));
  return { status: 200 };
};
