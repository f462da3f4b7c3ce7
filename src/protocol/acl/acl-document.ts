import { S3Error, isS3Error } from '../../errors/s3-error.ts';
import { type Decoded, type DecodedContent, decodeXml } from '../xml/decode.ts';
import type { XmlContent, XmlShape } from '../xml/shape.ts';
import { text } from '../xml/shape-parts.ts';
import { PERMISSIONS } from './acl.ts';
import { MAX_GRANTS, type RequestedGrant, type RequestedGrantee } from './requested-grant.ts';

/** A grant of a list. `Type` is how some clients say what `xsi:type` says; it is read, never written. */
export const GRANT = {
  kind: 'struct',
  fields: [
    {
      element: 'Grantee',
      required: true,
      content: {
        kind: 'struct',
        fields: [
          { element: 'xsi:type', property: 'xsiType', content: text, attribute: true },
          { element: 'ID', content: text },
          { element: 'DisplayName', content: text },
          { element: 'EmailAddress', content: text },
          { element: 'URI', content: text },
          { element: 'Type', content: text },
        ],
      },
    },
    { element: 'Permission', content: text, required: true },
    { element: 'Type', content: text },
  ],
} as const satisfies XmlContent;

/** Body of Get*Acl and Put*Acl. */
export const ACCESS_CONTROL_POLICY = {
  root: 'AccessControlPolicy',
  content: {
    kind: 'struct',
    fields: [
      {
        element: 'Owner',
        content: {
          kind: 'struct',
          fields: [
            { element: 'ID', content: text },
            { element: 'DisplayName', content: text },
          ],
        },
      },
      {
        element: 'Grant',
        property: 'grants',
        list: { wrapper: 'AccessControlList' },
        content: GRANT,
      },
    ],
  },
} as const satisfies XmlShape;

type GrantElement = DecodedContent<typeof GRANT>;

interface RequestedPolicy {
  /** Canonical id; the owner cannot be changed, so it can only be confirmed, or left out. */
  readonly ownerId: string | undefined;
  readonly grants: readonly RequestedGrant[];
}

/** @throws S3Error MalformedACLError */
export function parseAclDocument(body: Uint8Array): RequestedPolicy {
  const { Owner: owner, grants } = decode(body);
  if (owner !== undefined && (owner.ID === undefined || owner.ID === '')) throw malformed();
  if (grants === undefined || grants.length > MAX_GRANTS) throw malformed();
  return { ownerId: owner?.ID, grants: grants.map(requestedGrant) };
}

function decode(body: Uint8Array): Decoded<typeof ACCESS_CONTROL_POLICY> {
  try {
    return decodeXml(ACCESS_CONTROL_POLICY, body);
  } catch (error) {
    if (!isS3Error(error, 'MalformedXML')) throw error;
    throw new S3Error('MalformedACLError', { cause: error });
  }
}

/** @throws S3Error MalformedACLError */
export function requestedGrant(element: GrantElement): RequestedGrant {
  const permission = PERMISSIONS.find((known) => known === element.Permission);
  if (permission === undefined) throw malformed();
  return { grantee: requestedGrantee(element), permission };
}

const GRANTEES: Readonly<
  Record<
    string,
    (grantee: GrantElement['Grantee']) => Omit<RequestedGrantee, 'value'> & { readonly value: string | undefined }
  >
> = {
  CanonicalUser: ({ ID }) => ({ type: 'id', value: ID, argument: 'CanonicalUser/ID' }),
  Group: ({ URI }) => ({ type: 'uri', value: URI, argument: 'Group/URI' }),
  AmazonCustomerByEmail: ({ EmailAddress }) => ({
    type: 'emailAddress',
    value: EmailAddress,
    argument: 'AmazonCustomerByEmail/EmailAddress',
  }),
};

function requestedGrantee({ Grantee: grantee, Type: outer }: GrantElement): RequestedGrantee {
  const type = grantee.xsiType ?? grantee.Type ?? outer ?? '';
  const { value, ...rest } = (Object.hasOwn(GRANTEES, type) ? GRANTEES[type]?.(grantee) : undefined) ?? {
    value: undefined,
  };
  if (value === undefined || !('type' in rest)) throw malformed();
  return { ...rest, value };
}

function malformed(): S3Error {
  return new S3Error('MalformedACLError');
}
