import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CANONICAL_ID, OTHER_CANONICAL_ID } from '../../support/gateway/gateway.ts';
import { rule } from './rule.ts';
import { type Headers, World, element } from './world.ts';

const SSE = 'x-amz-server-side-encryption';
const OTHER = `id=${OTHER_CANONICAL_ID}`;

let world: World;
let bucket: string;
let source: string;
let copy: string;

beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());

beforeEach(async () => {
  bucket = await world.bucket();
  source = `/${bucket}/source`;
  copy = `/${bucket}/copy`;
  await world.put(source, 'bytes');
  await world.put(copy, 'before', { 'x-amz-meta-a': 'kept' });
});

/** Whatever was refused, the destination is as it was. */
async function expectUntouched(): Promise<void> {
  const { body, headers } = await world.must('GET', copy);
  expect([body, headers['x-amz-meta-a']]).toEqual(['before', 'kept']);
}

describe(rule(['copy.error.early', 'copy.atomic'], 'what is refused is an ordinary error, and changes nothing'), () => {
  test.each<[string, string, string]>([
    [rule('copy.customer-key', 'a key'), `${SSE}-customer-key`, 'a2V5'],
    [rule('copy.customer-key', 'the MD5 of a key'), `${SSE}-customer-key-MD5`, 'bWQ1'],
    [rule('copy.customer-key', 'a key of the source'), 'x-amz-copy-source-server-side-encryption-customer-key', 'a2V5'],
    [
      rule('copy.customer-key', 'the MD5 of a key of the source'),
      'x-amz-copy-source-server-side-encryption-customer-key-MD5',
      'bWQ1',
    ],
  ])('%s', async (_title, name, value) => {
    const answer = await world.copy(copy, source, { [name.toLowerCase()]: value });
    expect([answer.outcome, answer.body.includes(value)]).toEqual(['400 InvalidRequest', false]);
    await expectUntouched();
  });

  test.each<[string, Headers, string]>([
    [
      rule('copy.metadata.unknown', 'an unknown directive'),
      { 'x-amz-metadata-directive': 'MERGE' },
      '400 InvalidArgument',
    ],
    [rule('copy.metadata.unknown', 'in lower case'), { 'x-amz-metadata-directive': 'replace' }, '400 InvalidArgument'],
    [
      rule('copy.tags.unknown', 'an unknown tagging directive'),
      { 'x-amz-tagging-directive': 'ADD' },
      '400 InvalidArgument',
    ],
    [
      rule('tags.header.malformed', 'tags that are none'),
      { 'x-amz-tagging-directive': 'REPLACE', 'x-amz-tagging': 'a=%' },
      '400 InvalidArgument',
    ],
    [
      rule('tags.count', '11 tags'),
      { 'x-amz-tagging-directive': 'REPLACE', 'x-amz-tagging': 'abcdefghijk'.split('').join('&') },
      '400 InvalidTag',
    ],
    [
      rule('copy.class.unknown', 'an unknown storage class'),
      { 'x-amz-storage-class': 'MOON' },
      '400 InvalidStorageClass',
    ],
    [
      rule('copy.class.unknown', 'one that newer versions of S3 have'),
      { 'x-amz-storage-class': 'SNOW' },
      '400 InvalidStorageClass',
    ],
    [rule('copy.class.unknown', 'none'), { 'x-amz-storage-class': '' }, '400 InvalidStorageClass'],
    [
      rule('copy.redirect.wrong', 'a redirect to anywhere'),
      { 'x-amz-website-redirect-location': 'there' },
      '400 InvalidRedirectLocation',
    ],
    [rule('copy.acl.wrong', 'an unknown ACL'), { 'x-amz-acl': 'secret' }, '400 InvalidArgument'],
    [
      rule('copy.acl.wrong', 'a canned ACL and grants'),
      { 'x-amz-acl': 'private', 'x-amz-grant-read': OTHER },
      '400 InvalidRequest',
    ],
    [rule('copy.acl.wrong', 'a grant to nobody'), { 'x-amz-grant-read': 'id=nobody' }, '400 InvalidArgument'],
    [rule('copy.encryption.unknown', 'another encryption'), { [SSE]: 'aes256' }, '400 InvalidArgument'],
    [rule('copy.encryption.unknown', 'none'), { [SSE]: '' }, '400 InvalidArgument'],
    [
      rule('copy.customer-algorithm', 'another algorithm'),
      { [`${SSE}-customer-algorithm`]: 'AES512' },
      '400 InvalidEncryptionAlgorithmError',
    ],
    [
      rule('copy.customer-algorithm', 'of the source'),
      { 'x-amz-copy-source-server-side-encryption-customer-algorithm': 'AES512' },
      '400 InvalidEncryptionAlgorithmError',
    ],
    [rule('copy.checksum', 'an unknown checksum'), { 'x-amz-checksum-algorithm': 'MD4' }, '400 InvalidRequest'],
    [rule('copy.destination-if', 'a destination that exists'), { 'if-none-match': '*' }, '412 PreconditionFailed'],
    [rule('copy.destination-if', 'a destination that is another'), { 'if-match': '"other"' }, '412 PreconditionFailed'],
    [
      rule('source.if.failed', 'a source that is another'),
      { 'x-amz-copy-source-if-match': '"other"' },
      '412 PreconditionFailed',
    ],
  ])('%s', async (_title, headers, expected) => {
    const answer = await world.copy(copy, source, headers);
    expect(answer.outcome).toBe(expected);
    expect(answer.headers['content-length']).toBeDefined();
    await expectUntouched();
  });

  test.each<[string, string, string]>([
    [rule('copy.encryption.kms', 'a KMS key of the account'), SSE, 'aws:kms'],
    [rule('copy.encryption.kms', 'two layers of it'), SSE, 'aws:kms:dsse'],
    [rule('copy.encryption.kms', 'a KMS key'), `${SSE}-aws-kms-key-id`, 'arn:aws:kms:us-east-1:1:key/1'],
    [rule('copy.encryption.kms', 'a context'), `${SSE}-context`, 'e30='],
    [rule('copy.encryption.kms', 'a bucket key'), `${SSE}-bucket-key-enabled`, 'true'],
    [rule('copy.encryption.kms', 'a bucket key in capitals'), `${SSE}-bucket-key-enabled`, 'TRUE'],
  ])('%s', async (_title, name, value) => {
    const answer = await world.copy(copy, source, { [name.toLowerCase()]: value });
    expect([answer.outcome, element(answer.body, 'Header')]).toEqual(['501 NotImplemented', name.toLowerCase()]);
    await expectUntouched();
  });

  test.each<[string, Headers, string]>([
    [
      rule('copy.metadata.unknown', 'an unknown directive'),
      { 'x-amz-metadata-directive': 'MERGE' },
      '400 InvalidArgument',
    ],
    [
      rule('copy.class.unknown', 'an unknown storage class'),
      { 'x-amz-storage-class': 'MOON' },
      '400 InvalidStorageClass',
    ],
  ])('%s, of a source that does not exist', async (_title, headers, expected) => {
    expect((await world.copy(copy, `/${bucket}/none`, headers)).outcome).toBe(expected);
  });

  test(rule('copy.acceleration', 'a transfer-acceleration endpoint'), async () => {
    for (const host of [`${bucket}.s3-accelerate.localhost`, `${bucket}.s3-accelerate.dualstack.localhost`]) {
      expect(await world.outcome('GET', '/source', { headers: { host } })).toBe('200');
      expect((await world.copy('/copy', source, { host })).outcome).toBe('400 InvalidRequest');
    }
    await expectUntouched();
  });

  test(rule('copy.destination-if', 'If-Match on nothing'), async () => {
    expect((await world.copy(`/${bucket}/new`, source, { 'if-match': '*' })).outcome).toBe('404 NoSuchKey');
    expect(await world.outcome('GET', `/${bucket}/new`)).toBe('404 NoSuchKey');
  });
});

describe('what is taken', () => {
  test.each<[string, Headers]>([
    [rule('copy.encryption', 'AES256'), { [SSE]: 'AES256' }],
    [rule('copy.encryption', 'no bucket key'), { [`${SSE}-bucket-key-enabled`]: 'false' }],
    [rule('copy.customer-algorithm', 'the algorithm alone'), { [`${SSE}-customer-algorithm`]: 'AES256' }],
    [
      rule('copy.customer-algorithm', 'that of the source'),
      { 'x-amz-copy-source-server-side-encryption-customer-algorithm': 'AES256' },
    ],
  ])('%s', async (_title, headers) => {
    const answer = await world.copy(copy, source, headers);
    expect([answer.outcome, answer.headers[SSE], answer.headers[`${SSE}-customer-algorithm`]]).toEqual([
      '200',
      'AES256',
      undefined,
    ]);
    const after = await world.must('GET', copy);
    expect([after.body, after.headers[SSE], after.headers[`${SSE}-customer-algorithm`]]).toEqual([
      'bytes',
      'AES256',
      undefined,
    ]);
  });

  test(rule('copy.destination-if', 'conditions that hold'), async () => {
    const etag = (await world.must('HEAD', copy)).headers['etag'] ?? '';
    expect((await world.copy(copy, source, { 'if-match': etag })).outcome).toBe('200');
    expect((await world.copy(`/${bucket}/new`, source, { 'if-none-match': '*' })).outcome).toBe('200');
  });

  test(rule('copy.checksum', 'the checksum of the source is kept, another is computed'), async () => {
    await world.put(source, 'a', { 'x-amz-checksum-crc32': '6Le+Qw==' });
    const checksums = async (headers: Headers): Promise<Headers> => {
      expect((await world.copy(copy, source, headers)).outcome).toBe('200');
      const head = await world.must('HEAD', copy, { headers: { 'x-amz-checksum-mode': 'ENABLED' } });
      return Object.fromEntries(Object.entries(head.headers).filter(([name]) => name.startsWith('x-amz-checksum-')));
    };
    expect(await checksums({})).toEqual({ 'x-amz-checksum-crc32': '6Le+Qw==', 'x-amz-checksum-type': 'FULL_OBJECT' });
    expect(await checksums({ 'x-amz-checksum-algorithm': 'SHA1' })).toEqual({
      'x-amz-checksum-sha1': 'hvfkN/qlp/zhXR3cuerq6jd2Z7g=',
      'x-amz-checksum-type': 'FULL_OBJECT',
    });
  });
});

test(rule('copy.checksum', 'that of parts becomes one of the whole'), async () => {
  const upload = await world.upload(source, { 'x-amz-checksum-algorithm': 'CRC32' });
  const {
    headers: { etag = '' },
  } = await world.must('PUT', `${upload}&partNumber=1`, { body: 'a', headers: { 'x-amz-checksum-crc32': '6Le+Qw==' } });
  await world.complete(upload, [etag]);
  for (const [headers, checksum, type] of [
    [{}, '6Le+Qw==', 'FULL_OBJECT'],
    [{ 'x-amz-checksum-algorithm': 'CRC32' }, '6Le+Qw==', 'FULL_OBJECT'],
  ] as const) {
    expect((await world.copy(copy, source, headers)).outcome).toBe('200');
    const { headers: after } = await world.must('HEAD', copy, { headers: { 'x-amz-checksum-mode': 'ENABLED' } });
    expect([after['x-amz-checksum-crc32'], after['x-amz-checksum-type']]).toEqual([checksum, type]);
  }
});

describe('where the owner of the bucket owns everything', () => {
  test.each<[string, Headers, string]>([
    [rule('copy.acl.enforced', 'no ACL'), {}, '200'],
    [rule('copy.acl.enforced', 'bucket-owner-full-control'), { 'x-amz-acl': 'bucket-owner-full-control' }, '200'],
    [rule('copy.acl.enforced', 'the same as a grant'), { 'x-amz-grant-full-control': `id=${CANONICAL_ID}` }, '200'],
    [rule('copy.acl.enforced', 'private'), { 'x-amz-acl': 'private' }, '400 AccessControlListNotSupported'],
    [rule('copy.acl.enforced', 'public-read'), { 'x-amz-acl': 'public-read' }, '400 AccessControlListNotSupported'],
    [
      rule('copy.acl.enforced', 'a grant to another'),
      { 'x-amz-grant-read': OTHER },
      '400 AccessControlListNotSupported',
    ],
  ])('%s', async (_title, headers, expected) => {
    const enforced = await world.bucket({ 'x-amz-object-ownership': 'BucketOwnerEnforced' });
    expect((await world.copy(`/${enforced}/copy`, source, headers)).outcome).toBe(expected);
    if (expected === '200') expect(await world.grants(`/${enforced}/copy`)).toEqual([`FULL_CONTROL ${CANONICAL_ID}`]);
    else expect(await world.outcome('GET', `/${enforced}/copy`)).toBe('404 NoSuchKey');
  });
});

describe('onto itself', () => {
  test.each<[string, Headers, string]>([
    [rule('copy.self', 'without anything'), {}, '400 InvalidRequest'],
    [rule('copy.self', 'COPY'), { 'x-amz-metadata-directive': 'COPY', 'x-amz-meta-b': 'c' }, '400 InvalidRequest'],
    [rule('copy.self.no-change', 'another ACL'), { 'x-amz-acl': 'public-read' }, '400 InvalidRequest'],
    [
      rule('copy.self.no-change', 'other tags'),
      { 'x-amz-tagging-directive': 'REPLACE', 'x-amz-tagging': 'a=b' },
      '400 InvalidRequest',
    ],
    [rule('copy.self.changes', 'REPLACE'), { 'x-amz-metadata-directive': 'REPLACE' }, '200'],
    [rule('copy.self.changes', 'the same storage class'), { 'x-amz-storage-class': 'STANDARD' }, '200'],
    [rule('copy.self.changes', 'encryption'), { [SSE]: 'AES256' }, '200'],
    [rule('copy.self.changes', 'a redirect'), { 'x-amz-website-redirect-location': '/x' }, '200'],
    [
      rule('copy.self.conditions', 'a condition that fails'),
      { 'x-amz-copy-source-if-none-match': '*' },
      '412 PreconditionFailed',
    ],
  ])('%s', async (_title, headers, expected) => {
    const named = expected === '400 InvalidRequest' ? '200' : expected;
    for (const [from, told] of [
      [copy, expected],
      [copy.slice(1), expected],
      [`${copy}?versionId=null`, named],
    ] as const) {
      expect((await world.copy(copy, from, headers)).outcome, from).toBe(told);
      expect((await world.must('GET', copy)).body).toBe('before');
    }
  });

  test(rule('copy.self.changes', 'REPLACE gives it new metadata and leaves its bytes'), async () => {
    expect((await world.copy(copy, copy, { 'x-amz-metadata-directive': 'REPLACE', 'x-amz-meta-b': 'c' })).outcome).toBe(
      '200',
    );
    const { body, headers } = await world.must('GET', copy);
    expect([body, headers['x-amz-meta-a'], headers['x-amz-meta-b']]).toEqual(['before', undefined, 'c']);
  });

  test(rule('copy.self.version', 'the current version by its id, and an older one'), async () => {
    const body = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';
    await world.must('PUT', `/${bucket}?versioning`, { body });
    const older = (await world.put(copy, 'older')).headers['x-amz-version-id'] ?? '';
    const current = (await world.put(copy, 'current')).headers['x-amz-version-id'] ?? '';
    expect((await world.copy(copy, copy)).outcome).toBe('400 InvalidRequest');
    const again = await world.copy(copy, `${copy}?versionId=${current}`);
    expect([again.outcome, again.headers['x-amz-copy-source-version-id']]).toEqual(['200', current]);
    expect(again.headers['x-amz-version-id']).not.toBe(current);
    expect((await world.must('GET', copy)).body).toBe('current');
    const restored = await world.copy(copy, `${copy}?versionId=${older}`);
    expect([restored.outcome, restored.headers['x-amz-copy-source-version-id']]).toEqual(['200', older]);
    expect((await world.must('GET', copy)).body).toBe('older');
  });
});
