import type { AccountDirectory } from '../../access/accounts.ts';
import { owned } from '../../access/acl/in-force.ts';
import type { Owned } from '../../access/acl/permits.ts';
import { isSameAcl, type ObjectView } from '../../manifest/index.ts';
import { ACCESS_CONTROL_POLICY } from '../../protocol/acl/acl-document.ts';
import { type Acl, type Grantee, PRIVATE, uriOfGroup } from '../../protocol/acl/acl.ts';
import type { S3Response } from '../../protocol/response.ts';
import { type XmlValue, xml } from '../../protocol/xml/document.ts';
import { authorizedObject, withoutTellingMissing } from '../authorized-object.ts';
import { refusingMarkers, versionHeaders, versionTarget } from '../object-version.ts';
import type { Operation } from '../operation.ts';
import { requireAccess } from '../permission.ts';
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
        // S3 has no event for an ACL that stays as it is.
        return isSameAcl(object.acl, acl) ? undefined : { acl };
      },
      call,
    );
  const { versionId } = await withoutTellingMissing(target, context, refusingMarkers(amend, 'PUT'));
  return { status: 200, headers: versionHeaders(bucket, versionId) };
};

/** Answer of GetBucketAcl and GetObjectAcl. */
function aclResponse({ ownerId, acl = PRIVATE }: Owned, accounts: AccountDirectory): S3Response {
  const user = (id: string): Record<string, XmlValue> => ({
    ID: id,
    DisplayName: accounts.byCanonicalId(id)?.displayName,
  });
  const granteeValue = (grantee: Grantee): XmlValue => {
    if (grantee.kind === 'group') return { xsiType: 'Group', URI: uriOfGroup(grantee.group) };
    return { xsiType: 'CanonicalUser', ...user(grantee.kind === 'owner' ? ownerId : grantee.id) };
  };
  const grants = groupsFirst(acl).map(({ grantee, permission }) => ({
    Grantee: granteeValue(grantee),
    Permission: permission,
  }));
  return { status: 200, body: xml(ACCESS_CONTROL_POLICY, { Owner: user(ownerId), grants }) };
}

/**
 * The order has no meaning in S3, but the suite that every S3 server is measured with expects this one
 * (docs/deviations.md).
 */
function groupsFirst(acl: Acl): Acl {
  const isGroup = ({ grantee }: Acl[number]): boolean => grantee.kind === 'group';
  return [...acl.filter(isGroup), ...acl.filter((grant) => !isGroup(grant))];
}
