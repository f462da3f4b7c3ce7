import { callerId, namedBucket } from '../authorized-bucket.ts';
import type { ObjectView } from '../../manifest/index.ts';
import { withoutTellingMissing } from '../authorized-object.ts';
import { requireAccess } from '../require-access.ts';
import { refusingMarkers, versionHeaders, versionTarget } from '../object-version.ts';
import type { Operation } from '../operation.ts';
import { refusePublicAcl, requireAcls } from './bucket-rules.ts';
import { MAX_ACL_BODY, requestedAcl } from './requested-acl.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObjectAcl.html */
export const putObjectAcl: Operation = async (request, context) => {
  const bucket = await namedBucket(request, context);
  callerId(context); // never anonymously, whatever an ACL says
  const target = versionTarget(request, bucket, context);
  const body = await request.body.readAll(MAX_ACL_BODY);
  const { call, manifest } = context;
  const amend = (): Promise<ObjectView> =>
    manifest.objects.amend(
      target,
      (object) => {
        requireAccess({ bucket, object }, context);
        requireAcls(bucket.settings);
        const owned = { subject: 'object', ownerId: object.ownerId, bucketOwnerId: bucket.ownerId } as const;
        const acl = requestedAcl({ headers: request.headers, body }, owned, context);
        refusePublicAcl(acl, bucket.settings);
        return { acl };
      },
      call,
    );
  const { versionId } = await withoutTellingMissing(target, context, refusingMarkers(amend, 'PUT'));
  return { status: 200, headers: versionHeaders(bucket, versionId) };
};
