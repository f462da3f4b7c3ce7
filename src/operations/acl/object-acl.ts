import { owned } from '../../access/acl/in-force.ts';
import type { ObjectView } from '../../manifest/index.ts';
import { authorizedObject, withoutTellingMissing } from '../authorized-object.ts';
import { refusingMarkers, versionHeaders, versionTarget } from '../object-version.ts';
import type { Operation } from '../operation.ts';
import { requireAccess } from '../permission.ts';
import { aclResponse } from './acl-response.ts';
import { refusePublicAcl, requireAcls } from './bucket-rules.ts';
import { MAX_ACL_BODY, requestedAcl } from './requested-acl.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObjectAcl.html */
export const getObjectAcl: Operation = async (request, context) => {
  const { bucket } = context;
  const object = await authorizedObject(versionTarget(request, context), context);
  return { ...aclResponse(owned(object, bucket), context.accounts), headers: versionHeaders(bucket, object.versionId) };
};

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObjectAcl.html */
export const putObjectAcl: Operation = async (request, context) => {
  const { bucket } = context;
  const target = versionTarget(request, context);
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
