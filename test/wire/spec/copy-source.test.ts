import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OTHER_CANONICAL_ID } from '../../support/gateway/gateway.ts';
import { rule } from './rule.ts';
import { type Headers, World, element } from './world.ts';

let world: World;
let bucket: string;
let upload: string;

beforeAll(async () => {
  world = await World.open();
  bucket = await world.bucket();
  upload = await world.upload(`/${bucket}/parts`);
});
afterAll(() => world.close());

/** Outcomes of CopyObject and UploadPartCopy. */
async function outcomes(source: string, headers: Headers = {}): Promise<[string, string]> {
  const copy = await world.copy(`/${bucket}/copy`, source, headers);
  const part = await world.copyPart(upload, source, headers);
  return [copy.outcome, part.outcome];
}

const both = (outcome: string): [string, string] => [outcome, outcome];

describe('forms', () => {
  test.each<[string, string, string, (bucket: string) => string]>([
    [rule('source.form', 'bucket and key'), 'plain', 'plain', (b) => `${b}/plain`],
    [rule('source.form', 'with a slash in front'), 'slash', 'slash', (b) => `/${b}/slash`],
    [rule('source.encoded', 'escapes'), 'a%20b', 'a%20b', (b) => `/${b}/a%20b`],
    [rule('source.encoded', 'slashes encoded'), 'x/y', 'x/y', (b) => `${b}%2Fx%2Fy`],
    [rule('source.encoded', 'everything encoded, the first slash as well'), 'x/z', 'x/z', (b) => `%2F${b}%2Fx%2Fz`],
    [rule('source.encoded', 'a plus sign is a space'), 'sp%20ace', 'sp%20ace', (b) => `/${b}/sp+ace`],
    [rule('source.encoded', 'an encoded plus sign is one'), 'pl%2Bus', 'pl%2Bus', (b) => `/${b}/pl%2Bus`],
    [rule('source.encoded', 'decoded once only'), 'tw%252Fice', 'tw%252Fice', (b) => `/${b}/tw%252Fice`],
    [rule('source.encoded', 'UTF-8 in escapes'), '%C3%A9%E2%82%AC', '%C3%A9%E2%82%AC', (b) => `/${b}/%C3%A9%E2%82%AC`],
    [rule('source.encoded', 'a question mark in the key'), 'what%3F', 'what%3F', (b) => `/${b}/what%3F`],
    [
      rule('source.version', 'an encoded ?versionId= is part of the key'),
      'k%3FversionId=null',
      'k%3FversionId%3Dnull',
      (b) => `/${b}/k%3FversionId=null`,
    ],
    [rule('source.version', 'null, in a bucket that never had versioning'), 'v', 'v', (b) => `/${b}/v?versionId=null`],
    [
      rule('source.version', 'the last one counts'),
      'w%3FversionId=null',
      'w%3FversionId%3Dnull',
      (b) => `/${b}/w?versionId=null?versionId=null`,
    ],
    [rule('source.raw', 'double slashes'), '/double//', '/double//', (b) => `/${b}//double//`],
    [rule('source.raw', 'dot segments'), 'a/../b/./c', 'a/../b/./c', (b) => `/${b}/a/../b/./c`],
  ])('%s', async (_title, key, text, source) => {
    await world.put(`/${bucket}/${key}`, text);
    for (const answer of [
      await world.copy(`/${bucket}/copy`, source(bucket)),
      await world.copyPart(upload, source(bucket)),
    ]) {
      expect(answer.outcome, answer.body).toBe('200');
    }
    expect((await world.ask('GET', `/${bucket}/copy`)).body).toBe(text);
  });

  test(rule('source.version', 'without a version the latest is copied'), async () => {
    const versioned = await world.bucket();
    const body = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';
    await world.must('PUT', `/${versioned}?versioning`, { body });
    await world.put(`/${versioned}/key`, 'first');
    await world.put(`/${versioned}/key`, 'second');
    expect((await world.copy(`/${bucket}/copy`, `/${versioned}/key`)).outcome).toBe('200');
    expect((await world.ask('GET', `/${bucket}/copy`)).body).toBe('second');
  });
});

describe('sources that are none', () => {
  test.each<[string, string, string]>([
    [rule('source.empty', 'nothing'), '', '400 InvalidArgument'],
    [rule('source.empty', 'a slash'), '/', '400 InvalidArgument'],
    [rule('source.empty', 'no slash'), 'source-bucket', '400 InvalidArgument'],
    [rule('source.empty', 'no key'), '/source-bucket/', '400 InvalidArgument'],
    [rule('source.empty', 'no bucket'), '//key', '400 InvalidArgument'],
    [rule('source.bucket-name', 'capital letters'), '/Source/key', '400 InvalidArgument'],
    [rule('source.bucket-name', 'two characters'), '/ab/key', '400 InvalidArgument'],
    [rule('source.encoding', 'half an escape'), '/source-bucket/%e', '400 InvalidArgument'],
    [rule('source.encoding', 'no UTF-8'), '/source-bucket/%ff', '400 InvalidArgument'],
  ])('%s', async (_title, source, expected) => {
    expect(await outcomes(source)).toEqual(both(expected));
    const { body } = await world.copy(`/${bucket}/copy`, source);
    expect([element(body, 'ArgumentName'), element(body, 'ArgumentValue')]).toEqual(['x-amz-copy-source', source]);
  });

  test.each<[string, (bucket: string) => string, string]>([
    [rule('source.version.odd', 'an empty version id'), (b) => `/${b}/key?versionId=`, '400 InvalidArgument'],
    [rule('source.version.odd', 'one that cannot be'), (b) => `/${b}/key?versionId=no%20such`, '400 InvalidArgument'],
    [
      rule('source.version.odd', 'one where there never was versioning'),
      (b) => `/${b}/key?versionId=${'0'.repeat(32)}`,
      '400 InvalidArgument',
    ],
    [
      rule('source.access-point', 'an ARN'),
      () => 'arn:aws:s3:us-east-1:444444444444:accesspoint/point/object/key',
      '501 NotImplemented',
    ],
    [
      rule('source.access-point', 'an encoded ARN'),
      () => 'arn%3Aaws%3As3%3Aus-east-1%3A444444444444%3Aaccesspoint%2Fpoint%2Fobject%2Fkey',
      '501 NotImplemented',
    ],
    [rule('source.no-bucket', 'no such bucket'), () => '/no-such-bucket/key', '404 NoSuchBucket'],
    [rule('source.no-key', 'no such key'), (b) => `/${b}/none`, '404 NoSuchKey'],
  ])('%s', async (_title, source, expected) => {
    await world.put(`/${bucket}/key`);
    expect(await outcomes(source(bucket))).toEqual(both(expected));
  });
});

describe('access', () => {
  test(rule(['source.permission', 'common.hidden'], 'a source of another account, until it grants READ'), async () => {
    const theirs = await world.bucket({}, 'other');
    await world.must('PUT', `/${theirs}/key`, { body: 'theirs', as: 'other' });
    expect(await outcomes(`/${theirs}/key`)).toEqual(both('403 AccessDenied'));
    expect(await outcomes(`/${theirs}/none`)).toEqual(both('403 AccessDenied'));
    const grant = { 'x-amz-grant-read-acp': 'emailAddress=wire@example.com' };
    await world.must('PUT', `/${theirs}/key?acl`, { headers: grant, as: 'other' });
    expect(await outcomes(`/${theirs}/key`)).toEqual(both('403 AccessDenied'));
    await world.must('PUT', `/${theirs}/key?acl`, {
      headers: { 'x-amz-grant-read': 'emailAddress=wire@example.com' },
      as: 'other',
    });
    expect(await outcomes(`/${theirs}/key`)).toEqual(both('200'));
  });

  test.each([
    [rule('common.source-owner', 'its account'), '555555555555', '200'],
    [rule('common.source-owner', 'another account'), '444444444444', '403 AccessDenied'],
    [rule('common.source-owner', 'no account id'), 'other', '403 AccessDenied'],
    [rule('common.source-owner', 'a canonical id'), OTHER_CANONICAL_ID, '403 AccessDenied'],
    [rule('common.source-owner', 'nothing'), '', '403 AccessDenied'],
  ])('%s', async (_title, expected, outcome) => {
    const theirs = await world.bucket({}, 'other');
    await world.must('PUT', `/${theirs}/key`, { body: 'theirs', headers: { 'x-amz-acl': 'public-read' }, as: 'other' });
    expect(await outcomes(`/${theirs}/key`, { 'x-amz-source-expected-bucket-owner': expected })).toEqual(both(outcome));
  });
});

describe('storage classes', () => {
  const outcomesOf = async (storageClass: string): Promise<[string, string]> => {
    await world.put(`/${bucket}/classed`, 'x', { 'x-amz-storage-class': storageClass });
    return outcomes(`/${bucket}/classed`);
  };

  test.each([
    [rule('source.archived', 'GLACIER'), 'GLACIER'],
    [rule('source.archived', 'DEEP_ARCHIVE'), 'DEEP_ARCHIVE'],
  ])('%s', async (_title, storageClass) => {
    expect(await outcomesOf(storageClass)).toEqual(both('403 InvalidObjectState'));
    expect(element((await world.copy(`/${bucket}/copy`, `/${bucket}/classed`)).body, 'StorageClass')).toBe(
      storageClass,
    );
  });

  describe(rule('source.instant', 'all others'), () => {
    test.each([
      'STANDARD',
      'REDUCED_REDUNDANCY',
      'STANDARD_IA',
      'ONEZONE_IA',
      'INTELLIGENT_TIERING',
      'OUTPOSTS',
      'GLACIER_IR',
    ])('%s', async (name) => {
      expect(await outcomesOf(name)).toEqual(both('200'));
    });
  });
});

describe(rule('source.misplaced', 'the header on another operation'), () => {
  test.each([
    ['GET', ''],
    ['HEAD', ''],
    ['DELETE', ''],
    ['GET', '?acl'],
    ['PUT', '?acl'],
    ['GET', '?tagging'],
    ['PUT', '?tagging'],
    ['DELETE', '?tagging'],
    ['GET', '?uploadId=x'],
    ['DELETE', '?uploadId=x'],
    ['POST', '?uploadId=x'],
    ['POST', '?uploads'],
  ])('%s %s', async (method, query) => {
    await world.put(`/${bucket}/key`);
    const answer = await world.ask(method, `/${bucket}/key${query}`, {
      headers: { 'x-amz-copy-source': `/${bucket}/plain` },
    });
    expect(answer.outcome).toBe(method === 'HEAD' ? '400' : '400 InvalidArgument');
    expect(await world.outcome('GET', `/${bucket}/key`)).toBe('200');
  });
});
