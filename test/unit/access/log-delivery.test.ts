import { describe, expect, test } from 'vitest';
import { deliveryRefusal, unfitTarget } from '../../../src/access/log-delivery.ts';
import type { Bucket, BucketSettings } from '../../../src/manifest/index.ts';
import type { Acl, Permission } from '../../../src/protocol/acl/acl.ts';

const OWNER = 'o'.repeat(64);
const SOURCE = { bucket: 'photos', ownerId: OWNER };

function target(settings: BucketSettings): Bucket {
  const { acl } = settings;
  return {
    name: 'logs',
    uid: 'u',
    ownerId: OWNER,
    ...(acl !== undefined && { acl }),
    createdAt: 0,
    versioning: 'never',
    settings,
    home: {} as Bucket['home'],
  };
}

const statement = (changes: object = {}): object => ({
  Effect: 'Allow',
  Principal: { Service: 'logging.s3.amazonaws.com' },
  Action: 's3:PutObject',
  Resource: 'arn:aws:s3:::logs/a/*',
  Condition: {
    ArnLike: { 'aws:SourceArn': 'arn:aws:s3:::photos' },
    StringEquals: { 'aws:SourceAccount': '444444444444' },
  },
  ...changes,
});
const policy = (...statements: object[]): BucketSettings => ({
  policy: JSON.stringify({ Version: '2012-10-17', Statement: statements }),
});
const granted = (...permissions: Permission[]): Acl =>
  permissions.map((permission) => ({ grantee: { kind: 'group', group: 'LogDelivery' }, permission }));
const DENY = { Effect: 'Deny', Principal: '*', Action: 's3:*', Resource: 'arn:aws:s3:::logs/*' };

describe('whether the log delivery may write', () => {
  test.each<[string, BucketSettings, boolean]>([
    ['neither policy nor ACL', {}, false],
    ["AWS's own policy", policy(statement()), true],
    ['without conditions', policy(statement({ Condition: undefined })), true],
    [
      'account and bucket by wildcards',
      policy(
        statement({
          Condition: { ArnLike: { 'aws:SourceArn': 'arn:aws:s3:::*' }, StringLike: { 'aws:SourceAccount': '*' } },
        }),
      ),
      true,
    ],
    ['everybody, but not the service', policy(statement({ Principal: { AWS: '*' } })), false],
    ['the owner, but not the service', policy(statement({ Principal: { AWS: '444444444444' } })), false],
    ['another service', policy(statement({ Principal: { Service: 'logging.s3.amazonaws.comkaboom' } })), false],
    ['another action', policy(statement({ Action: 's3:GetObject' })), false],
    ['another prefix', policy(statement({ Resource: 'arn:aws:s3:::logs/b/*' })), false],
    [
      'another source',
      policy(statement({ Condition: { ArnLike: { 'aws:SourceArn': 'arn:aws:s3:::kaboom' } } })),
      false,
    ],
    [
      'another account',
      policy(statement({ Condition: { StringEquals: { 'aws:SourceAccount': '555555555555' } } })),
      false,
    ],
    ['denied to all', policy(statement(), DENY), false],
    [
      'denied to all but services',
      policy(statement(), { ...DENY, Condition: { Bool: { 'aws:PrincipalIsAWSService': 'false' } } }),
      true,
    ],
    [
      'denied without TLS',
      policy(statement(), { ...DENY, Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
      true,
    ],
    ['the ACL log-delivery-write', { acl: granted('WRITE', 'READ_ACP') }, true],
    ['full control by the ACL', { acl: granted('FULL_CONTROL') }, true],
    ['half of that ACL', { acl: granted('WRITE') }, false],
    [
      'that ACL, beside a policy about something else',
      { acl: granted('WRITE', 'READ_ACP'), ...policy(statement({ Action: 's3:GetObject' })) },
      true,
    ],
    ['that ACL, and a policy that denies', { acl: granted('WRITE', 'READ_ACP'), ...policy(DENY) }, false],
    ['that ACL where ACLs are off', { acl: granted('WRITE', 'READ_ACP'), ownership: 'BucketOwnerEnforced' }, false],
  ])('%s: %s', (_, settings, expected) => {
    const write = { target: target(settings), key: 'a/2026', source: SOURCE, accountNumber: '444444444444', now: 0 };
    expect(deliveryRefusal(write) === undefined).toBe(expected);
  });

  test('an account that is no longer configured meets no condition on its number', () => {
    const write = { target: target(policy(statement())), key: 'a/1', source: SOURCE, accountNumber: undefined, now: 0 };
    expect(deliveryRefusal(write)).toMatch(/condition on aws:SourceAccount does not hold$/);
  });

  test.each<[string, BucketSettings, RegExp]>([
    [
      'a number that was copied from a page',
      policy(statement({ Condition: { StringEquals: { 'aws:SourceAccount': '111122223333' } } })),
      /: a statement names the service, but its condition on aws:SourceAccount does not hold$/,
    ],
    ['a statement for another service', policy(statement({ Principal: { Service: 's3.amazonaws.com' } })), /write$/],
    [
      'a statement that denies, and does not apply either',
      policy({ ...DENY, Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
      /lets the log delivery write$/,
    ],
    ['a statement that denies', policy(statement(), DENY), /denies the log delivery the write$/],
  ])('%s: the reason is told', (_, settings, reason) => {
    const write = { target: target(settings), key: 'a/1', source: SOURCE, accountNumber: '444444444444', now: 0 };
    expect(deliveryRefusal(write)).toMatch(reason);
  });
});

describe('which buckets can be targets', () => {
  const PUBLIC: Acl = [{ grantee: { kind: 'group', group: 'AllUsers' }, permission: 'READ' }];
  const blocked = { ignorePublicAcls: false, blockPublicPolicy: false, restrictPublicBuckets: false };

  test.each<[string, BucketSettings, RegExp | undefined, Acl?]>([
    ['any of the owner', {}, undefined],
    ['one with object lock', { objectLock: {} }, undefined],
    ['a default retention', { objectLock: { default: { mode: 'GOVERNANCE', days: 1 } } }, /default retention/],
    ['a KMS key by default', { encryption: { bucketKey: false, kms: {} } }, /KMS key/],
    ["the service's encryption", { encryption: { bucketKey: false } }, undefined],
    ['ACLs off, without grants', { ownership: 'BucketOwnerEnforced' }, undefined],
    ['ACLs off, with grants', { ownership: 'BucketOwnerEnforced' }, /does not allow ACLs/, PUBLIC],
    ['public ACLs blocked', { publicAccessBlock: { ...blocked, blockPublicAcls: true } }, /blocks public ACLs/, PUBLIC],
    ['grants where nothing is blocked', {}, undefined, PUBLIC],
  ])('%s', (_, settings, expected, grants) => {
    const reason = unfitTarget(target(settings), { ...SOURCE, grants });
    if (expected === undefined) expect(reason).toBeUndefined();
    else expect(reason).toMatch(expected);
  });

  test("another account's bucket never is", () => {
    expect(unfitTarget(target({}), { ...SOURCE, ownerId: 'x' })).toBe(
      'The owner for the bucket to be logged and the target bucket must be the same.',
    );
  });
});
