import { S3Error, invalidArgument } from '../../errors/s3-error.ts';
import type { HeaderReader } from '../request.ts';
import type { Permission } from './acl.ts';
import { MAX_GRANTS, type RequestedGrant, type RequestedGrantee } from './requested-grant.ts';

const GRANT_HEADERS: readonly (readonly [header: string, permission: Permission])[] = [
  ['x-amz-grant-read', 'READ'],
  ['x-amz-grant-write', 'WRITE'],
  ['x-amz-grant-read-acp', 'READ_ACP'],
  ['x-amz-grant-write-acp', 'WRITE_ACP'],
  ['x-amz-grant-full-control', 'FULL_CONTROL'],
];

/** Every header by which a request says an ACL, in lower case. */
export const ACL_HEADERS: readonly string[] = ['x-amz-acl', ...GRANT_HEADERS.map(([header]) => header)];

const TYPES = ['id', 'uri', 'emailAddress'] as const;
/** `type="value"` or `type=value`; a quoted value may hold commas. */
const GRANTEE = /\s*([A-Za-z]+)\s*=\s*(?:"([^"]*)"|([^",\s]+))\s*(,|$)/y;

/** True when there is any of them, whatever it says. */
export function hasGrantHeaders(headers: HeaderReader, ignored?: Permission): boolean {
  return GRANT_HEADERS.some(([header, permission]) => permission !== ignored && headers.get(header) !== undefined);
}

/**
 * The `x-amz-grant-*` headers; undefined when there is none.
 * @param ignored one that the operation does not have, whatever it says
 * @throws S3Error InvalidArgument, MalformedACLError (too many grants)
 */
export function parseGrantHeaders(headers: HeaderReader, ignored?: Permission): readonly RequestedGrant[] | undefined {
  const present = GRANT_HEADERS.flatMap(([header, permission]) => {
    const value = headers.get(header);
    return value === undefined || permission === ignored ? [] : [{ header, permission, value }];
  });
  if (present.length === 0) return undefined;
  const grants = present.flatMap(({ header, permission, value }) =>
    parseGrantees(header, value).map((grantee) => ({ grantee, permission })),
  );
  if (grants.length > MAX_GRANTS) throw new S3Error('MalformedACLError');
  return grants;
}

function parseGrantees(header: string, value: string): RequestedGrantee[] {
  const found: RequestedGrantee[] = [];
  for (let at = 0; at < value.length; ) {
    GRANTEE.lastIndex = at;
    const match = GRANTEE.exec(value);
    const type = TYPES.find((known) => known.toLowerCase() === match?.[1]?.toLowerCase());
    if (match === null || type === undefined) throw invalidArgument(header, value, 'Argument format not recognized');
    found.push({ type, value: match[2] ?? match[3] ?? '', argument: type });
    at = GRANTEE.lastIndex;
  }
  if (found.length === 0) throw invalidArgument(header, value, 'Argument format not recognized');
  return found;
}
