import type { AccountDirectory } from '../../access/accounts.ts';
import type { Owned } from '../../access/acl/permits.ts';
import { ACCESS_CONTROL_POLICY } from '../../protocol/acl/acl-document.ts';
import { type Acl, type Grantee, PRIVATE, uriOfGroup } from '../../protocol/acl/acl.ts';
import type { S3Response } from '../../protocol/response.ts';
import { type XmlValue, xml } from '../../protocol/xml/document.ts';

/** Answer of GetBucketAcl and GetObjectAcl. */
export function aclResponse({ ownerId, acl = PRIVATE }: Owned, accounts: AccountDirectory): S3Response {
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
