import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CANONICAL_ID, OTHER_CANONICAL_ID } from '../../support/gateway/gateway.ts';
import { rule } from './rule.ts';
import { type Headers, World, children, element } from './world.ts';

let world: World;
let bucket: string;
let source: string;
let copy: string;

beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());

const METADATA: Headers = {
  'cache-control': 'max-age=1',
  'content-disposition': 'attachment',
  'content-encoding': 'gzip',
  'content-language': 'de',
  'content-type': 'text/x',
  expires: 'Thu, 01 Dec 1994 16:00:00 GMT',
  'x-amz-meta-a': '1',
  'x-amz-meta-odd-name': '2',
};
const OTHER_METADATA: Headers = { 'content-type': 'text/y', 'content-language': 'fr', 'x-amz-meta-b': '3' };

beforeEach(async () => {
  bucket = await world.bucket();
  source = `/${bucket}/source`;
  copy = `/${bucket}/copy`;
  await world.put(source, 'bytes', {
    ...METADATA,
    'x-amz-tagging': 'k=v&empty',
    'x-amz-storage-class': 'STANDARD_IA',
    'x-amz-website-redirect-location': '/there',
    'x-amz-acl': 'public-read',
  });
});

/** Copies, and reads what came of it. */
async function copied(headers: Headers = {}): Promise<Headers> {
  const answer = await world.copy(copy, source, headers);
  expect(answer.outcome, answer.body).toBe('200');
  return (await world.must('GET', copy)).headers;
}

/** Those of the headers that are metadata. */
function metadataOf(headers: Headers): Headers {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name in METADATA || name in OTHER_METADATA));
}

describe('the answer', () => {
  test(
    rule(
      [
        'copy.body',
        'copy.checksum.unsaid',
        'common.xml',
        'common.encryption',
        'copy.expiration',
        'common.version.unsaid',
      ],
      'what stands in it',
    ),
    async () => {
      const { status, headers, body } = await world.copy(copy, source);
      expect(status).toBe(200);
      expect(body).toMatch(
        /^<\?xml version="1.0" encoding="UTF-8"\?>\n<CopyObjectResult xmlns="http:\/\/s3.amazonaws.com\/doc\/2006-03-01\/">/,
      );
      expect(children(body)).toEqual(['LastModified', 'ETag']);
      expect(headers).toMatchObject({ 'content-type': 'application/xml', 'x-amz-server-side-encryption': 'AES256' });
      expect(Object.keys(headers).filter((name) => /expiration|version|charged|checksum|customer/.test(name))).toEqual(
        [],
      );
    },
  );

  test(rule(['copy.expiration'], 'says when a lifecycle rule expires the copy'), async () => {
    const bucket = await world.bucket();
    await world.lifecycle(bucket, '<Expiration><Days>2</Days></Expiration>');
    const { headers } = await world.copy(`/${bucket}/copy`, source);
    expect(headers['x-amz-expiration']).toMatch(/^expiry-date="[^"]+ 00:00:00 GMT", rule-id="a rule"$/);
  });

  test(rule(['copy.last-modified', 'copy.etag'], 'says what GetObject says of the copy'), async () => {
    await new Promise((resolve) => setTimeout(resolve, 1100));
    const { body } = await world.copy(copy, source);
    const [of, ofCopy] = [await world.must('HEAD', source), await world.must('HEAD', copy)];
    expect(element(body, 'LastModified')).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/);
    expect(new Date(element(body, 'LastModified')).toUTCString()).toBe(ofCopy.headers['last-modified']);
    expect(ofCopy.headers['last-modified']).not.toBe(of.headers['last-modified']);
    expect([element(body, 'ETag').replaceAll('&quot;', '"'), ofCopy.headers['etag']]).toEqual([
      of.headers['etag'],
      of.headers['etag'],
    ]);
  });

  test(rule('copy.etag', 'of what was made of parts'), async () => {
    const upload = await world.upload(`/${bucket}/big`);
    const part = await world.must('PUT', `${upload}&partNumber=1`, { body: 'part' });
    expect((await world.complete(upload, [part.headers['etag'] ?? ''])).outcome).toBe('200');
    await world.copy(copy, `/${bucket}/big`);
    expect((await world.must('HEAD', copy)).headers['etag']).toBe(
      (await world.must('HEAD', `/${bucket}/big`)).headers['etag'],
    );
  });
});

describe('metadata', () => {
  test.each([
    [rule('copy.metadata.copy', 'copied by default'), {}],
    [rule('copy.metadata.copy', 'copied when asked to'), { 'x-amz-metadata-directive': 'COPY' }],
    [rule('copy.metadata.ignored', 'that of the request is ignored'), OTHER_METADATA],
  ])('%s', async (_title, headers) => {
    expect(metadataOf(await copied(headers))).toEqual(METADATA);
  });

  test(rule('copy.metadata.replace', 'replaced, and nothing left of the source'), async () => {
    expect(metadataOf(await copied({ 'x-amz-metadata-directive': 'REPLACE', ...OTHER_METADATA }))).toEqual(
      OTHER_METADATA,
    );
  });

  test(rule('copy.metadata.default-type', 'replaced by nothing'), async () => {
    expect(metadataOf(await copied({ 'x-amz-metadata-directive': 'REPLACE' }))).toEqual({
      'content-type': 'binary/octet-stream',
    });
  });
});

test(rule('copy.metadata.any', 'as much as there can be, of a source that goes'), async () => {
  const name = 'x-amz-meta-long';
  const headers = { [name]: 'm'.repeat(2048 - 'long'.length), 'x-amz-tagging': '' };
  await world.put(source, 'bytes', headers);
  const tags = Array.from(
    { length: 10 },
    (_, index) => [`${index}${'\u4e2d'.repeat(127)}`, '\u4e2d'.repeat(256)] as const,
  );
  expect(await world.putTags(source, tags)).toBe('200');
  await copied();
  await world.putTags(source, [['other', '1']]);
  await world.must('DELETE', source);
  expect((await world.must('HEAD', copy)).headers[name]).toBe(headers[name]);
  expect(await world.tags(copy)).toEqual(tags.map(([tag, value]) => `${tag}=${value}`));
});

test(rule('copy.metadata.any', 'UTF-8'), async () => {
  await world.put(source, 'bytes', {
    'x-amz-meta-a': 'Gr\u00fc\u00dfe',
    'content-disposition': 'attachment; filename="\u4e2d"',
  });
  const [before, after] = [(await world.must('HEAD', source)).headers, await copied()];
  expect(before['x-amz-meta-a']).toMatch(/^=\?UTF-8\?/);
  expect([after['x-amz-meta-a'], after['content-disposition']]).toEqual([
    before['x-amz-meta-a'],
    before['content-disposition'],
  ]);
});

describe('tags', () => {
  test.each<[string, Headers, string[]]>([
    [rule('copy.tags.copy', 'copied by default'), {}, ['empty=', 'k=v']],
    [rule('copy.tags.copy', 'those of the request are ignored'), { 'x-amz-tagging': 'x=y' }, ['empty=', 'k=v']],
    [
      rule('copy.tags.copy', 'also wrong ones'),
      { 'x-amz-tagging-directive': 'COPY', 'x-amz-tagging': '%' },
      ['empty=', 'k=v'],
    ],
    [rule('copy.tags.replace', 'replaced'), { 'x-amz-tagging-directive': 'REPLACE', 'x-amz-tagging': 'x=y' }, ['x=y']],
    [rule('copy.tags.replace', 'replaced by none'), { 'x-amz-tagging-directive': 'REPLACE' }, []],
    [rule('copy.tags.copy', 'are not metadata'), { 'x-amz-metadata-directive': 'REPLACE' }, ['empty=', 'k=v']],
  ])('%s', async (_title, headers, tags) => {
    await copied(headers);
    expect(await world.tags(copy)).toEqual(tags);
  });
});

describe('never copied', () => {
  test.each([
    [rule(['copy.never.class', 'copy.never.redirect'], 'class and redirect, with COPY'), {}],
    [rule(['copy.never.class', 'copy.never.redirect'], 'nor with REPLACE'), { 'x-amz-metadata-directive': 'REPLACE' }],
  ])('%s', async (_title, headers) => {
    const of = (await world.must('HEAD', source)).headers;
    expect([of['x-amz-storage-class'], of['x-amz-website-redirect-location']]).toEqual(['STANDARD_IA', '/there']);
    const after = await copied(headers);
    expect([after['x-amz-storage-class'], after['x-amz-website-redirect-location']]).toEqual([undefined, undefined]);
  });

  test(rule('copy.never.redirect', 'but taken from the request'), async () => {
    expect(
      (await copied({ 'x-amz-website-redirect-location': 'https://elsewhere.example/' }))[
        'x-amz-website-redirect-location'
      ],
    ).toBe('https://elsewhere.example/');
  });

  test(rule('copy.never.acl', 'the ACL: a copy is private to who asked'), async () => {
    await copied();
    expect(await world.grants(copy)).toEqual([`FULL_CONTROL ${CANONICAL_ID}`]);
    await world.must('DELETE', `${source}?tagging`);
    const theirs = await world.bucket({}, 'other');
    expect((await world.copy(`/${theirs}/copy`, source, {}, 'other')).outcome).toBe('200');
    expect(await world.grants(`/${theirs}/copy`, 'other')).toEqual([`FULL_CONTROL ${OTHER_CANONICAL_ID}`]);
  });
});

describe(rule('copy.class', 'storage classes'), () => {
  test.each([
    'STANDARD',
    'REDUCED_REDUNDANCY',
    'STANDARD_IA',
    'ONEZONE_IA',
    'INTELLIGENT_TIERING',
    'GLACIER',
    'DEEP_ARCHIVE',
    'OUTPOSTS',
    'GLACIER_IR',
  ])('%s', async (name) => {
    expect((await world.copy(copy, source, { 'x-amz-storage-class': name })).outcome).toBe('200');
    expect((await world.must('HEAD', copy)).headers['x-amz-storage-class']).toBe(
      name === 'STANDARD' ? undefined : name,
    );
  });
});

describe('access', () => {
  test.each<[string, Headers, string[]]>([
    [
      rule('copy.acl', 'a canned ACL'),
      { 'x-amz-acl': 'public-read' },
      ['READ AllUsers', `FULL_CONTROL ${CANONICAL_ID}`],
    ],
    [
      rule('copy.acl', 'grants'),
      { 'x-amz-grant-read-acp': `id=${OTHER_CANONICAL_ID}`, 'x-amz-grant-write-acp': `id=${OTHER_CANONICAL_ID}` },
      [`READ_ACP ${OTHER_CANONICAL_ID}`, `WRITE_ACP ${OTHER_CANONICAL_ID}`],
    ],
    [
      rule('copy.acl.grant-write', 'x-amz-grant-write beside another grant'),
      { 'x-amz-grant-write': `id=${OTHER_CANONICAL_ID}`, 'x-amz-grant-read': `id=${OTHER_CANONICAL_ID}` },
      [`READ ${OTHER_CANONICAL_ID}`],
    ],
    [
      rule('copy.acl.grant-write', 'alone'),
      { 'x-amz-grant-write': `id=${OTHER_CANONICAL_ID}` },
      [`FULL_CONTROL ${CANONICAL_ID}`],
    ],
    [
      rule('copy.acl.grant-write', 'even what is no grant'),
      { 'x-amz-grant-write': 'x' },
      [`FULL_CONTROL ${CANONICAL_ID}`],
    ],
    [
      rule('copy.acl.grant-write', 'and beside a canned ACL'),
      { 'x-amz-grant-write': `id=${OTHER_CANONICAL_ID}`, 'x-amz-acl': 'private' },
      [`FULL_CONTROL ${CANONICAL_ID}`],
    ],
  ])('%s', async (_title, headers, grants) => {
    await copied(headers);
    expect(await world.grants(copy)).toEqual(grants);
  });

  test(rule('copy.tags.permission', 'tags of another account can only be replaced'), async () => {
    const theirs = await world.bucket({}, 'other');
    expect((await world.copy(`/${theirs}/copy`, source, {}, 'other')).outcome).toBe('403 AccessDenied');
    expect(
      (await world.copy(`/${theirs}/copy`, source, { 'x-amz-tagging-directive': 'REPLACE' }, 'other')).outcome,
    ).toBe('200');
  });

  test(rule('copy.permission', 'the destination must be writable'), async () => {
    expect((await world.copy(copy, source, {}, 'other')).outcome).toBe('403 AccessDenied');
    await world.must('PUT', `/${bucket}?acl`, { headers: { 'x-amz-grant-write': `id=${OTHER_CANONICAL_ID}` } });
    expect((await world.copy(copy, source, { 'x-amz-tagging-directive': 'REPLACE' }, 'other')).outcome).toBe('200');
  });
});
