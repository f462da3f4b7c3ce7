import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { rule } from './rule.ts';
import { type Headers, World, element } from './world.ts';

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
  await world.put(key, 'bytes', { 'x-amz-meta-a': 'b', 'content-type': 'text/x' });
});

type Tags = readonly (readonly [string, string])[];
const numbered = (count: number): Tags => Array.from({ length: count }, (_, index) => [`k${index}`, 'v'] as const);

describe('GetObjectTagging', () => {
  test(rule(['tags.get', 'common.xml'], 'the document'), async () => {
    await world.putTags(key, [
      ['b', '2'],
      ['a', '1 / 2'],
    ]);
    expect((await world.must('GET', `${key}?tagging`)).body).toBe(
      '<?xml version="1.0" encoding="UTF-8"?>\n<Tagging xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><TagSet>' +
        '<Tag><Key>a</Key><Value>1 / 2</Value></Tag><Tag><Key>b</Key><Value>2</Value></Tag></TagSet></Tagging>',
    );
  });

  test(rule('tags.get.none', 'no tags'), async () => {
    expect((await world.must('GET', `${key}?tagging`)).body).toMatch(/><TagSet\/><\/Tagging>$/);
  });
});

describe('DeleteObjectTagging', () => {
  test(rule(['tags.delete', 'tags.delete.none', 'common.empty'], 'all tags at once, and again'), async () => {
    await world.putTags(key, numbered(3));
    for (let turn = 0; turn < 2; turn++) {
      const { status, body, headers } = await world.ask('DELETE', `${key}?tagging`);
      expect([status, body, headers['content-length'], headers['content-type']]).toEqual([
        204,
        '',
        undefined,
        undefined,
      ]);
      expect(await world.tags(key)).toEqual([]);
    }
    expect((await world.must('HEAD', key)).headers['x-amz-tagging-count']).toBeUndefined();
  });

  test(rule(['tags.delete.keeps', 'common.etag'], 'nothing else changes'), async () => {
    await world.must('PUT', `${key}?acl`, { headers: { 'x-amz-acl': 'public-read' } });
    const all = async (): Promise<object> => {
      const { body, headers } = await world.must('GET', key);
      const grants = await world.grants(key);
      return {
        body,
        grants,
        ...Object.fromEntries(
          ['etag', 'last-modified', 'x-amz-meta-a', 'content-type'].map((name) => [name, headers[name]]),
        ),
      };
    };
    const before = await all();
    await new Promise((resolve) => setTimeout(resolve, 1100));
    await world.putTags(key, numbered(1));
    expect(await all()).toEqual(before);
    await world.must('DELETE', `${key}?tagging`);
    expect(await all()).toEqual(before);
  });

  test(rule('tags.delete.version-header', 'one header only'), async () => {
    const body = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';
    await world.must('PUT', `/${bucket}?versioning`, { body });
    const version = (await world.put(key, 'bytes')).headers['x-amz-version-id'];
    const { headers } = await world.must('DELETE', `${key}?tagging`);
    expect([headers['x-amz-version-id'], headers['x-amz-versionid']]).toEqual([version, undefined]);
  });

  test(rule('tags.delete.headers', 'other headers are not looked at'), async () => {
    await world.putTags(key, numbered(1));
    const headers = {
      'if-match': '"other"',
      'x-amz-tagging': '%',
      'x-amz-acl': 'no-such',
      'x-amz-bypass-governance-retention': 'x',
    };
    expect(await world.outcome('DELETE', `${key}?tagging`, { headers })).toBe('204');
  });
});

describe('what may be a tag', () => {
  const emoji = '\u{1F600}';
  test.each<[string, Tags, string]>([
    [rule('tags.count', 'ten'), numbered(10), '200'],
    [rule('tags.count', 'eleven'), numbered(11), '400 InvalidTag'],
    [rule('tags.key', '128 characters'), [['k'.repeat(128), '']], '200'],
    [rule('tags.key', '128 characters of two code units'), [['\u{20000}'.repeat(128), '']], '200'],
    [rule('tags.key', '129 characters'), [['k'.repeat(129), '']], '400 InvalidTag'],
    [rule('tags.key', 'none'), [['', 'v']], '400 InvalidTag'],
    [rule('tags.key', 'reserved'), [['aws:k', 'v']], '400 InvalidTag'],
    [rule('tags.key', 'reserved, in capitals'), [['AWS:k', 'v']], '400 InvalidTag'],
    [rule('tags.value', '256 characters'), [['k', 'v'.repeat(256)]], '200'],
    [rule('tags.value', '257 characters'), [['k', 'v'.repeat(257)]], '400 InvalidTag'],
    [rule('tags.value', 'none'), [['k', '']], '200'],
    [rule('tags.charset', 'all that are allowed'), [['aZ0 \u00e9\u4e2d_.:/=+-@', 'aZ0 \u0661_.:/=+-@']], '200'],
    [rule('tags.charset', 'an ampersand'), [['a&amp;b', 'v']], '400 InvalidTag'],
    [rule('tags.charset', 'an exclamation mark in a value'), [['k', 'v!']], '400 InvalidTag'],
    [rule('tags.charset', 'a symbol'), [['k', emoji]], '400 InvalidTag'],
    [rule('tags.charset', 'a tab'), [['k', 'a&#9;b']], '400 InvalidTag'],
    [
      rule('tags.duplicate', 'twice'),
      [
        ['k', '1'],
        ['k', '2'],
      ],
      '400 InvalidTag',
    ],
    [
      rule('tags.duplicate', 'in another case it is another key'),
      [
        ['k', '1'],
        ['K', '2'],
      ],
      '200',
    ],
  ])('%s', async (_title, tags, expected) => {
    expect(await world.putTags(key, tags)).toBe(expected);
    expect(await world.tags(key)).toEqual(
      expected === '200' ? tags.map(([name, value]) => `${name}=${value}`).toSorted() : [],
    );
  });

  const replace = async (tags: string): Promise<string> =>
    (await world.copy(`/${bucket}/copy`, key, { 'x-amz-tagging-directive': 'REPLACE', 'x-amz-tagging': tags })).outcome;

  test.each<[string, string, readonly string[]]>([
    [rule('tags.header', 'pairs'), 'b=2&a=1', ['a=1', 'b=2']],
    [rule('tags.header', 'encoded'), 'k%3D=%C3%A9%2B', ['k==\u00e9+']],
    [rule('tags.header', 'UTF-8 as it is'), 'k=\u00e9', ['k=\u00e9']],
    [rule('tags.header', 'a plus sign'), 'a+b=c+d', ['a b=c d']],
    [rule('tags.header', 'no value'), 'a&b=', ['a=', 'b=']],
    [rule('tags.header', 'empty segments'), '&a=1&&b=2&', ['a=1', 'b=2']],
    [rule('tags.header', 'a value with an equals sign'), 'a=1=2', ['a=1=2']],
    [rule('tags.header', 'nothing'), '', []],
  ])('%s', async (_title, header, tags) => {
    expect(await replace(header)).toBe('200');
    expect(await world.tags(`/${bucket}/copy`)).toEqual(tags);
  });

  test.each([
    [rule('tags.header.malformed', 'half an escape'), 'a=%4', '400 InvalidArgument'],
    [rule('tags.header.malformed', 'no UTF-8'), 'a=%ff', '400 InvalidArgument'],
    [rule('tags.header.malformed', 'no key'), '=1', '400 InvalidArgument'],
    [rule('tags.duplicate', 'twice in the header'), 'a=1&a=2', '400 InvalidArgument'],
    [rule('tags.key', 'too long in the header'), 'k'.repeat(129), '400 InvalidTag'],
    [rule('tags.key', 'reserved in the header'), 'aws:k=v', '400 InvalidTag'],
    [rule('tags.charset', 'a wrong character in the header'), 'k=%21', '400 InvalidTag'],
    [
      rule('tags.count', 'eleven in the header'),
      numbered(11)
        .map(([name]) => name)
        .join('&'),
      '400 InvalidTag',
    ],
  ])('%s', async (_title, header, expected) => {
    expect(await replace(header)).toBe(expected);
    if (!expected.endsWith('InvalidArgument')) return;
    const { body } = await world.copy(`/${bucket}/copy`, key, {
      'x-amz-tagging-directive': 'REPLACE',
      'x-amz-tagging': header,
    });
    expect(element(body, 'ArgumentName')).toBe('x-amz-tagging');
  });
});

describe('DeleteObject', () => {
  test(rule(['delete.never', 'common.empty'], 'what is there'), async () => {
    const { status, body, headers } = await world.ask('DELETE', key);
    expect([status, body, headers['content-length'], headers['content-type']]).toEqual([204, '', undefined, undefined]);
    expect(Object.keys(headers).filter((name) => /version|marker|charged/.test(name))).toEqual([]);
    expect(await world.outcome('GET', key)).toBe('404 NoSuchKey');
  });

  test(rule('delete.missing', 'what is not there'), async () => {
    for (let turn = 0; turn < 2; turn++) {
      const { status, headers } = await world.ask('DELETE', `/${bucket}/none`);
      expect([status, headers['x-amz-delete-marker'], headers['x-amz-version-id']]).toEqual([
        204,
        undefined,
        undefined,
      ]);
    }
  });

  test(rule('delete.null-version', 'the null version'), async () => {
    const { status, headers } = await world.ask('DELETE', `${key}?versionId=null`);
    expect([status, headers['x-amz-version-id'], headers['x-amz-delete-marker']]).toEqual([204, undefined, undefined]);
    expect(await world.outcome('GET', key)).toBe('404 NoSuchKey');
    expect(await world.outcome('DELETE', `${key}?versionId=null`)).toBe('204');
  });

  test(rule('delete.nothing-else', 'keys that begin alike'), async () => {
    const others = [`${key}/`, `${key}/below`, `${key}2`, `/${bucket}/ke`];
    for (const other of others) await world.put(other, other);
    const upload = await world.upload(key);
    await world.must('DELETE', key);
    for (const other of others) expect((await world.must('GET', other)).body).toBe(other);
    expect(await world.outcome('GET', upload)).toBe('200');
  });

  test.each<[string, (etag: string) => Headers, string, string]>([
    [rule('delete.if-match', 'its ETag'), (etag) => ({ 'if-match': etag }), '204', '404 NoSuchKey'],
    [
      rule('delete.if-match', 'without quotes'),
      (etag) => ({ 'if-match': etag.replaceAll('"', '') }),
      '204',
      '404 NoSuchKey',
    ],
    [rule('delete.if-match', 'any'), () => ({ 'if-match': '*' }), '204', '404 NoSuchKey'],
    [rule('delete.if-match', 'another'), () => ({ 'if-match': '"other"' }), '412 PreconditionFailed', '200'],
    [
      rule('delete.directory-conditions', 'its size'),
      () => ({ 'x-amz-if-match-size': '5' }),
      '501 NotImplemented',
      '200',
    ],
    [
      rule('delete.directory-conditions', 'its time'),
      () => ({ 'x-amz-if-match-last-modified-time': new Date().toUTCString() }),
      '501 NotImplemented',
      '200',
    ],
  ])('%s', async (_title, headersFor, expected, after) => {
    const headers = headersFor((await world.must('HEAD', key)).headers['etag'] ?? '');
    expect(await world.outcome('DELETE', key, { headers })).toBe(expected);
    expect(await world.outcome('GET', key)).toBe(after);
  });

  test.each(['*', '"other"'])(`${rule('delete.if-match', 'of a missing object')}: %s`, async (etag) => {
    expect(await world.outcome('DELETE', `/${bucket}/none`, { headers: { 'if-match': etag } })).toBe('204');
  });
});
