import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Caller } from '../../support/clients/acl-client.ts';
import { CANONICAL_ID, OTHER_CANONICAL_ID } from '../../support/gateway/gateway.ts';
import { rule } from './rule.ts';
import { type Asked, type Headers, World, element } from './world.ts';

const OTHER = `id="${OTHER_CANONICAL_ID}"`;
const OWNER = `id="${CANONICAL_ID}"`;
const EVERYBODY = 'uri="http://acs.amazonaws.com/groups/global/AllUsers"';
const SIGNERS = 'uri="http://acs.amazonaws.com/groups/global/AuthenticatedUsers"';

let world: World;
let bucket: string;
let key: string;

beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());
beforeEach(async () => {
  bucket = await world.bucket();
  key = `/${bucket}/key`;
  await world.put(key, 'bytes');
});

const setAcl = (headers: Headers, as: Caller = 'owner'): Promise<string> =>
  world.outcome('PUT', `${key}?acl`, { headers, as });

const PRIVATE = { 'x-amz-acl': 'private' } as const;
const REQUESTS: Readonly<Record<string, readonly [method: string, query: string, asked: Asked]>> = {
  data: ['GET', '', {}],
  metadata: ['HEAD', '', {}],
  acl: ['GET', '?acl', {}],
  // The last: it takes away what the ones before it need.
  change: ['PUT', '?acl', { headers: PRIVATE }],
};

/** What a caller may do with the object: the requests that succeed. */
async function abilities(as: Caller): Promise<string[]> {
  const able = [];
  for (const [name, [method, query, asked]] of Object.entries(REQUESTS)) {
    const { status } = await world.ask(method, key + query, { ...asked, as });
    expect([200, 403]).toContain(status);
    if (status === 200) able.push(name);
  }
  return able;
}

describe('what each permission is worth', () => {
  test.each<[string, string, string[]]>([
    [rule('acl.effect.read', 'READ'), 'x-amz-grant-read', ['data', 'metadata']],
    [rule(['acl.get.permission', 'acl.put.permissions'], 'READ_ACP'), 'x-amz-grant-read-acp', ['acl']],
    [rule(['acl.put.permission', 'acl.put.permissions'], 'WRITE_ACP'), 'x-amz-grant-write-acp', ['change']],
    [rule('acl.effect.write', 'WRITE'), 'x-amz-grant-write', []],
    [
      rule('acl.effect.full-control', 'FULL_CONTROL'),
      'x-amz-grant-full-control',
      ['data', 'metadata', 'acl', 'change'],
    ],
  ])('%s', async (_title, header, expected) => {
    expect(await abilities('other')).toEqual([]);
    expect(await setAcl({ [header]: OTHER })).toBe('200');
    expect(await world.grants(key)).toEqual([
      `${header.replace('x-amz-grant-', '').replaceAll('-', '_').toUpperCase()} ${OTHER_CANONICAL_ID}`,
    ]);
    expect(await abilities('other')).toEqual(expected);
    expect(await world.outcome('PUT', key, { body: 'changed', as: 'other' })).toBe('403 AccessDenied');
  });

  test.each<[string, string, string[], string[]]>([
    [
      rule('acl.effect.groups', 'everybody'),
      EVERYBODY,
      ['data', 'metadata', 'acl'],
      ['data', 'metadata', 'acl', 'change'],
    ],
    [rule('acl.effect.groups', 'everybody who signs'), SIGNERS, [], ['data', 'metadata', 'acl', 'change']],
  ])('%s', async (_title, group, anonymous, other) => {
    expect(await setAcl({ 'x-amz-grant-full-control': group })).toBe('200');
    expect(await abilities('anonymous')).toEqual(anonymous);
    expect(await abilities('other')).toEqual(other);
  });
});

test(rule('acl.put.answer', 'PutObjectAcl answers nothing'), async () => {
  const { status, body, headers } = await world.ask('PUT', `${key}?acl`, { headers: PRIVATE });
  expect([status, body, headers['content-length'], headers['content-type']]).toEqual([200, '', '0', undefined]);
});

test(rule('acl.put.digest', 'a checksum of something else'), async () => {
  const body = '<AccessControlPolicy><AccessControlList/></AccessControlPolicy>';
  expect(await world.outcome('PUT', `${key}?acl`, { body, headers: { 'x-amz-checksum-crc32': 'AAAAAA==' } })).toBe(
    '400 BadDigest',
  );
  expect(await world.grants(key)).toEqual([`FULL_CONTROL ${CANONICAL_ID}`]);
});

test(rule('acl.put.replaces', 'the owner who granted itself nothing'), async () => {
  expect(await setAcl({ 'x-amz-grant-read': OTHER })).toBe('200');
  expect(await setAcl({ 'x-amz-grant-write': OWNER })).toBe('200');
  expect(await world.grants(key)).toEqual([`WRITE ${CANONICAL_ID}`]);
  expect(await abilities('other')).toEqual([]);
  expect(await abilities('owner')).toEqual(['data', 'metadata', 'acl', 'change']);
  expect(await world.grants(key)).toEqual([`FULL_CONTROL ${CANONICAL_ID}`]);
});

describe('where the owner of the bucket owns everything', () => {
  const policy = '<AccessControlPolicy><AccessControlList/></AccessControlPolicy>';
  test.each<[string, Asked]>([
    [rule('acl.put.enforced', 'a canned ACL'), { headers: PRIVATE }],
    [rule('acl.put.enforced', 'the ACL that it has'), { headers: { 'x-amz-acl': 'bucket-owner-full-control' } }],
    [rule('acl.put.enforced', 'grants'), { headers: { 'x-amz-grant-read': OWNER } }],
    [rule('acl.put.enforced', 'a document'), { body: policy }],
    [rule('acl.put.enforced', 'what is no document'), { body: 'acl' }],
    [rule('acl.put.enforced', 'an unknown ACL'), { headers: { 'x-amz-acl': 'secret' } }],
    [rule('acl.put.enforced', 'nothing'), {}],
  ])('%s', async (_title, asked) => {
    const enforced = await world.bucket({ 'x-amz-object-ownership': 'BucketOwnerEnforced' });
    await world.put(`/${enforced}/key`);
    expect(await world.outcome('PUT', `/${enforced}/key?acl`, asked)).toBe('400 AccessControlListNotSupported');
    expect(await world.grants(`/${enforced}/key`)).toEqual([`FULL_CONTROL ${CANONICAL_ID}`]);
  });

  test(rule('acl.get.enforced', "the ACL of an object that was another account's"), async () => {
    const shared = await world.bucket({ 'x-amz-acl': 'public-read-write' });
    await world.must('PUT', `/${shared}/theirs`, { body: 'x', headers: { 'x-amz-acl': 'public-read' }, as: 'other' });
    await world.must('PUT', `/${shared}?acl`, { headers: PRIVATE });
    const ownership =
      '<OwnershipControls><Rule><ObjectOwnership>BucketOwnerEnforced</ObjectOwnership></Rule></OwnershipControls>';
    await world.must('PUT', `/${shared}?ownershipControls`, { body: ownership });
    const { body } = await world.must('GET', `/${shared}/theirs?acl`);
    expect(element(body, 'ID')).toBe(CANONICAL_ID);
    expect(await world.grants(`/${shared}/theirs`)).toEqual([`FULL_CONTROL ${CANONICAL_ID}`]);
  });
});
