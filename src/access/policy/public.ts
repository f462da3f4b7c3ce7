import { isIP } from 'node:net';
import type { Condition, PolicyDocument, PrincipalEntry, Statement } from './document.ts';

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
/** Blocks of addresses wider than these take in whoever comes. */
const WIDEST = { 4: 8, 6: 32 } as const;

/**
 * Whether a bucket's policy is public: one of its statements allows something to everybody, or to everybody but some,
 * and no condition holds that to fixed values.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/access-control-block-public-access.html#access-control-block-public-access-policy-status
 */
export function isPublicPolicy({ statements }: PolicyDocument): boolean {
  return statements.some(isPublicStatement);
}

function isPublicStatement({ effect, principals, conditions }: Statement): boolean {
  if (effect !== 'Allow' || principals === undefined) return false;
  const isOpen = principals.not || principals.entries.some(isEverybody);
  return isOpen && !conditions.some(narrows);
}

function isEverybody(entry: PrincipalEntry): boolean {
  return entry.kind === 'anyone' || (entry.kind === 'federated' && entry.provider === '*');
}

function narrows({ operator, lookup, values }: Condition): boolean {
  if (!NARROWING.has(lookup) || !OPERATORS.has(operator.toLowerCase().replace('foranyvalue:', ''))) return false;
  return values.every((value) => (lookup === 'aws:sourceip' ? isNarrowBlock(value) : isFixed(value, lookup)));
}

function isNarrowBlock(value: string): boolean {
  const [address = '', prefix] = value.split('/');
  const family = isIP(address);
  return (family === 4 || family === 6) && (prefix === undefined || Number(prefix) >= WIDEST[family]);
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
