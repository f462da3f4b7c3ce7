import { type AddressRange, isWithin, rangeOf, sizeOf, unionSize } from './address-range.ts';
import type { PolicyCondition, PolicyDocument, PrincipalEntry, Statement } from './document.ts';

/** Keys that, held to fixed values, leave only callers that can be counted. */
const NARROWING: ReadonlySet<string> = new Set([
  'aws:principalorgid',
  'aws:principalorgpaths',
  'aws:principalaccount',
  'aws:principalarn',
  'aws:sourcearn',
  'aws:sourceaccount',
  'aws:sourceorgid',
  'aws:sourceorgpaths',
  'aws:sourcevpc',
  'aws:sourcevpce',
  'aws:sourceip',
  'aws:sourceowner',
  'aws:userid',
  'aws:vpceaccount',
  'aws:vpceorgid',
  's3:x-amz-server-side-encryption-aws-kms-key-id',
  's3:dataaccesspointarn',
  's3:dataaccesspointaccount',
]);
const OPERATORS: ReadonlySet<string> = new Set([
  'stringequals',
  'stringequalsignorecase',
  'stringlike',
  'arnequals',
  'arnlike',
  'ipaddress',
]);
const SOURCE_IP = 'aws:sourceip';
/** A block with more addresses takes in whoever comes: a /8 of IPv4, a /32 of IPv6. */
const WIDEST_BLOCK = { 4: 2n ** 24n, 6: 2n ** 96n } as const;
/**
 * So many of the widest blocks, in whatever pieces, are no list of networks any more but a part of the world: a
 * sixteenth of all IPv4 addresses. Nobody known owns as many, and the lists that clouds publish have fewer.
 */
const MOST_BLOCKS = 16n;
/** https://www.rfc-editor.org/rfc/rfc1918#section-3: these are not the world's. S3 does not count them either. */
const PRIVATE = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'].flatMap(rangesOf);

/**
 * Whether a bucket's policy is public: it allows something to everybody, or to everybody but some, and no condition
 * holds that to fixed values.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/access-control-block-public-access.html#access-control-block-public-access-policy-status
 *
 * Of addresses S3 says that blocks broader than /8, and /32 of IPv6, are public. So that many small blocks do not say
 * the same as a broad one, all blocks of all statements count together, too: more than sixteen times as many
 * addresses as the widest block has, private ones left out, are public.
 */
export function isPublicPolicy({ statements }: PolicyDocument): boolean {
  const open = statements.filter(isOpen);
  return open.some(({ conditions }) => !conditions.some(narrows)) || isWorld(open.flatMap(addressesOf));
}

function isOpen({ effect, principals }: Statement): boolean {
  if (effect !== 'Allow' || principals === undefined) return false;
  return principals.not || principals.entries.some(isEverybody);
}

/** The addresses that a statement is held to; none, if something else narrows it. */
function addressesOf({ conditions }: Statement): AddressRange[] {
  const narrowing = conditions.filter(narrows);
  if (narrowing.some(({ lookup }) => lookup !== SOURCE_IP)) return [];
  return narrowing[0]?.values.flatMap(rangesOf) ?? [];
}

function isWorld(ranges: readonly AddressRange[]): boolean {
  const counted = ranges.filter((range) => !PRIVATE.some((block) => isWithin(range, block)));
  return ([4, 6] as const).some(
    (family) => unionSize(counted.filter((range) => range.family === family)) > MOST_BLOCKS * WIDEST_BLOCK[family],
  );
}

function isEverybody(entry: PrincipalEntry): boolean {
  return entry.kind === 'anyone' || (entry.kind === 'federated' && entry.provider === '*');
}

function narrows({ operator, lookup, values }: PolicyCondition): boolean {
  if (!NARROWING.has(lookup) || !OPERATORS.has(operator.toLowerCase().replace('foranyvalue:', ''))) return false;
  return values.every((value) => (lookup === SOURCE_IP ? isNarrowBlock(value) : isFixed(value, lookup)));
}

function rangesOf(value: string): AddressRange[] {
  const range = rangeOf(value);
  return range === undefined ? [] : [range];
}

function isNarrowBlock(value: string): boolean {
  const range = rangeOf(value);
  return range !== undefined && sizeOf(range) <= WIDEST_BLOCK[range.family];
}

/** A session's name may be anything behind the id of its role; an ARN names one account at least. */
function isFixed(value: string, lookup: string): boolean {
  if (value.includes('${')) return false;
  if (lookup === 'aws:userid') return /^[^*?]+(?::\*)?$/.test(value);
  if (lookup === 'aws:principalarn' || lookup === 'aws:sourcearn') {
    return /^arn:[^:*?]+:[^:*?]+:[^:]*:\d{12}:/.test(value) || !/[*?]/.test(value);
  }
  return !/[*?]/.test(value);
}
