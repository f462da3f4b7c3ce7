import type { Principal } from '../../src/access/accounts.ts';
import type { NamedPolicy, PolicyKind } from '../../src/access/policy/document.ts';
import { parsePolicy } from '../../src/access/policy/parse.ts';
import { type AskedRequest, NO_REQUEST } from '../../src/access/request-keys.ts';

/** Picks by chance; the same seed makes the same cases. */
interface Dice {
  below(limit: number): number;
  oneOf<T>(values: readonly T[]): T;
  chance(of: number): boolean;
}

export function dice(seed: number): Dice {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    oneOf: (values) => {
      const value = values[below(values.length)];
      if (value === undefined) throw new Error('nothing to pick from');
      return value;
    },
    chance: (of) => below(100) < of,
  };
}

/** Documents by their text, and the question that is put to them. */
export interface PolicyCase {
  readonly caller: 'root' | 'user' | 'session' | 'otherRoot' | 'otherUser' | 'anonymous';
  readonly identity: readonly string[];
  readonly session: string | undefined;
  readonly bucket: string | undefined;
  readonly action: string;
  readonly key: string;
  readonly asked: AskedRequest;
  readonly tags: readonly { readonly key: string; readonly value: string }[];
}

export const OWNER = {
  name: 'main',
  canonicalId: 'main-id',
  displayName: 'main',
  email: 'main@example.com',
  accountNumber: '111111111111',
};
const OTHER = {
  name: 'other',
  canonicalId: 'other-id',
  displayName: 'other',
  email: 'other@example.com',
  accountNumber: '222222222222',
};
export const BUCKET = 'bucket';

const ROLE = 'arn:aws:iam::111111111111:role/reader';
export const ARNS: Readonly<Record<PolicyCase['caller'], string>> = {
  root: 'arn:aws:iam::111111111111:root',
  user: 'arn:aws:iam::111111111111:user/anna',
  session: 'arn:aws:sts::111111111111:assumed-role/reader/ci',
  otherRoot: 'arn:aws:iam::222222222222:root',
  otherUser: 'arn:aws:iam::222222222222:user/otto',
  anonymous: '',
};

const ACTIONS = [
  's3:GetObject',
  's3:PutObject',
  's3:DeleteObject',
  's3:GetObjectTagging',
  's3:ListBucket',
  's3:GetBucketLocation',
  's3:GetObjectVersion',
] as const;
const ACTION_PATTERNS = [...ACTIONS, 's3:*', 's3:Get*', 's3:*Object', 's3:Put?bject', 'S3:getobject', 's3:List*'];
const RESOURCES = [
  'arn:aws:s3:::bucket',
  'arn:aws:s3:::bucket/*',
  'arn:aws:s3:::bucket/home/*',
  'arn:aws:s3:::bucket/home/${aws:username}/*',
  'arn:aws:s3:::*',
  'arn:aws:s3:::buck*',
  'arn:aws:s3:::bucket/*/b?',
  "arn:aws:s3:::bucket/home/${aws:PrincipalTag/team, 'none'}/*",
  'arn:aws:s3:::bucket/a*b*c',
];
const KEYS = ['home/anna/x', 'home/otto/b1', 'a', 'abc', 'a/b/c', 'home/blue/bb', 'home/none/x', 'ä', ''] as const;
const PRINCIPALS: readonly unknown[] = [
  '*',
  { AWS: '*' },
  { AWS: '111111111111' },
  { AWS: ARNS.user },
  { AWS: [ARNS.otherRoot, ARNS.user] },
  { AWS: ARNS.otherUser },
  { AWS: ROLE },
  { AWS: ARNS.session },
  { AWS: '222222222222' },
];

type Value = string | readonly string[];
const CONDITIONS: readonly (readonly [operators: readonly string[], key: string, values: readonly Value[]])[] = [
  [
    [
      'StringEquals',
      'StringNotEquals',
      'StringLike',
      'StringNotLike',
      'StringEqualsIgnoreCase',
      'StringNotEqualsIgnoreCase',
    ],
    'aws:username',
    ['anna', 'ANNA', 'a*', ['anna', 'otto'], 'otto', '${aws:username}'],
  ],
  [
    ['StringEquals', 'StringLike', 'StringNotLike', 'StringEqualsIfExists', 'StringNotEqualsIfExists'],
    's3:prefix',
    ['home/', 'home/*', ['', 'a'], 'home/${aws:username}*'],
  ],
  [['StringEquals', 'StringNotEquals', 'StringLike'], 's3:ExistingObjectTag/team', ['blue', 'bl?e', 'red']],
  [
    [
      'NumericEquals',
      'NumericNotEquals',
      'NumericLessThan',
      'NumericLessThanEquals',
      'NumericGreaterThan',
      'NumericGreaterThanEqualsIfExists',
    ],
    's3:max-keys',
    ['10', '5', '1000'],
  ],
  [
    ['IpAddress', 'NotIpAddress', 'IpAddressIfExists'],
    'aws:SourceIp',
    ['10.0.0.0/8', '192.168.1.1', '2001:db8::/32', ['10.1.0.0/16', '127.0.0.1']],
  ],
  [['Bool', 'BoolIfExists'], 'aws:SecureTransport', ['true', 'false']],
  [
    ['DateLessThan', 'DateGreaterThan', 'DateGreaterThanEquals', 'DateEquals', 'DateNotEquals', 'DateLessThanEquals'],
    'aws:CurrentTime',
    ['2026-01-01T00:00:00Z', '2030-01-01T00:00:00Z', '2026-06-01T12:00:00Z'],
  ],
  [
    ['ArnLike', 'ArnEquals', 'ArnNotLike', 'ArnNotEquals'],
    'aws:PrincipalArn',
    ['arn:aws:iam::111111111111:user/*', ROLE, 'arn:aws:iam::*:root', 'arn:aws:iam::1*:*'],
  ],
  [['Null'], 'aws:username', ['true', 'false']],
  [['Null'], 's3:ExistingObjectTag/team', ['true', 'false']],
  [
    [
      'ForAllValues:StringEquals',
      'ForAnyValue:StringEquals',
      'ForAllValues:StringNotEquals',
      'ForAnyValue:StringLike',
      'ForAnyValue:StringNotEquals',
    ],
    's3:RequestObjectTagKeys',
    [['a', 'b'], 'a', 'c*', ['x', 'y']],
  ],
];

/** Keys whose actions have to be in the statement for PutBucketPolicy to take it. */
function conditionOf(roll: Dice): object {
  const count = roll.chance(60) ? 0 : 1 + roll.below(2);
  const condition: Record<string, Record<string, Value>> = {};
  for (let at = 0; at < count; at += 1) {
    const [operators, key, values] = roll.oneOf(CONDITIONS);
    const operator = roll.oneOf(operators);
    condition[operator] = { ...condition[operator], [key]: roll.oneOf(values) };
  }
  return count === 0 ? {} : { Condition: condition };
}

function some<T>(roll: Dice, values: readonly T[]): T | T[] {
  if (roll.chance(50)) return roll.oneOf(values);
  return Array.from({ length: 1 + roll.below(3) }, () => roll.oneOf(values));
}

function statement(roll: Dice, kind: PolicyKind): object {
  return {
    Effect: roll.chance(75) ? 'Allow' : 'Deny',
    ...(kind === 'resource' && { [roll.chance(93) ? 'Principal' : 'NotPrincipal']: roll.oneOf(PRINCIPALS) }),
    [roll.chance(85) ? 'Action' : 'NotAction']: some(roll, ACTION_PATTERNS),
    [roll.chance(85) ? 'Resource' : 'NotResource']: some(roll, kind === 'resource' ? RESOURCES : [...RESOURCES, '*']),
    ...conditionOf(roll),
  };
}

/** A document that can be read; those that cannot are thrown away. */
function text(roll: Dice, kind: PolicyKind): string {
  for (;;) {
    const Statement = Array.from({ length: 1 + roll.below(4) }, () => statement(roll, kind));
    const made = JSON.stringify({ Version: roll.chance(90) ? '2012-10-17' : '2008-10-17', Statement });
    if (parsePolicy(made, kind).document !== undefined) return made;
  }
}

export function randomCase(roll: Dice): PolicyCase {
  const caller = roll.oneOf(['root', 'user', 'session', 'otherRoot', 'otherUser', 'anonymous'] as const);
  const hasIdentity = caller === 'user' || caller === 'session' || caller === 'otherUser';
  const action = roll.oneOf(ACTIONS);
  const lists = action === 's3:ListBucket';
  const query: Readonly<Record<string, string>> = {
    ...(lists && roll.chance(60) && { prefix: roll.oneOf(['', 'home/', 'home/anna', 'a']) }),
    ...(lists && roll.chance(50) && { 'max-keys': roll.oneOf(['5', '10', '1000']) }),
  };
  const headers: Readonly<Record<string, string>> =
    action === 's3:PutObject' && roll.chance(50)
      ? { 'x-amz-tagging': roll.oneOf(['a=1', 'a=1&b=2', 'x=y&a=1', 'cc=1']) }
      : {};
  return {
    caller,
    identity: hasIdentity ? Array.from({ length: roll.below(3) }, () => text(roll, 'identity')) : [],
    session: caller === 'session' && roll.chance(50) ? text(roll, 'session') : undefined,
    bucket: roll.chance(75) ? text(roll, 'resource') : undefined,
    action,
    key: roll.oneOf(KEYS.filter((key) => key !== '')),
    tags: roll.chance(50) ? [{ key: 'team', value: roll.oneOf(['blue', 'red']) }] : [],
    asked: {
      ...NO_REQUEST,
      operation: lists ? 'ListObjectsV2' : action === 's3:PutObject' ? 'PutObject' : 'GetObject',
      headers: { get: (name) => headers[name], startingWith: () => [] },
      query: { ...NO_REQUEST.query, get: (name) => query[name], has: (name) => name in query },
      clientAddress: roll.oneOf(['10.1.2.3', '192.168.1.1', '2001:db8::5', '127.0.0.1']),
      scheme: roll.oneOf(['http', 'https']),
      accountNumberOf: (id) => (id === OWNER.canonicalId ? OWNER.accountNumber : undefined),
      now: Date.UTC(2026, 5, 1, 12),
    },
  };
}

function named(texts: readonly string[], kind: PolicyKind): readonly NamedPolicy[] {
  return texts.map((one, at) => {
    const { document } = parsePolicy(one, kind);
    if (document === undefined) throw new Error(`no ${kind} policy: ${one}`);
    return { name: `${kind} ${String(at)}`, document };
  });
}

export function principalOf({ caller, identity, session }: PolicyCase): Principal {
  if (caller === 'anonymous') return { kind: 'anonymous' };
  const account = caller === 'otherRoot' || caller === 'otherUser' ? OTHER : OWNER;
  if (caller === 'root' || caller === 'otherRoot') return { kind: 'account', account, accessKeyId: 'k' };
  const name = { user: 'anna', otherUser: 'otto', session: 'reader/ci' }[caller];
  const user = {
    name,
    arn: ARNS[caller],
    id: caller === 'session' ? 'AROA1:ci' : 'AIDA1',
    permissions: named(identity, 'identity'),
    tags: { team: 'blue' },
  };
  if (caller !== 'session') return { kind: 'account', account, user, accessKeyId: 'k' };
  const limits = session === undefined ? {} : { policies: named([session], 'session') };
  return {
    kind: 'account',
    account,
    user,
    accessKeyId: 'k',
    session: { ...limits, role: { name: 'reader', arn: ROLE }, issuedAt: 0, expiresAt: 1 },
  };
}
