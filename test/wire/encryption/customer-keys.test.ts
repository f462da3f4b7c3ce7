import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { BlobStore } from '../../../src/store/blob-store.ts';
import { blobsOf, pagesOf } from '../../../src/store/pages.ts';
import { BACKENDS, type Cloud, startCloud } from '../../support/backends/clouds.ts';
import { testCall } from '../../support/test-call.ts';
import { type Headers, World, element } from '../spec/world.ts';

const PREFIX = 'x-amz-server-side-encryption-customer-';
const SOURCE = 'x-amz-copy-source-server-side-encryption-customer-';
const MIB = 1024 * 1024;

/** Headers of SSE-C for a key. */
function shown(key: Buffer, prefix = PREFIX): Headers {
  return {
    [`${prefix}algorithm`]: 'AES256',
    [`${prefix}key`]: key.toString('base64'),
    [`${prefix}key-md5`]: md5(key),
  };
}

const md5 = (bytes: Buffer): string => createHash('md5').update(bytes).digest('base64');
const KEY = randomBytes(32);
const OTHER = randomBytes(32);
const SSE = shown(KEY);
const SSE_OTHER = shown(OTHER);
const CREATE = { ...SSE, 'content-type': 'text/plain', 'x-amz-meta-who': 'me' };

describe.each(BACKENDS)('keys of customers on %s', (name) => {
  let cloud: Cloud;
  let world: World;
  let store: BlobStore;
  let bucket: string;

  beforeAll(async () => {
    cloud = await startCloud(name, { customerKeys: true });
    store = cloud.open();
    world = await World.open({ customerKeysOverHttp: true, systemContainer: 'keys-system' }, store);
  });

  afterAll(async () => {
    await world.close();
    await cloud.stop();
  });

  beforeEach(async () => {
    bucket = await world.bucket();
  });

  /** Names in the system container that are encrypted bytes. */
  async function pieces(): Promise<string[]> {
    const names: string[] = [];
    for await (const page of pagesOf(store, 'keys-system', { prefix: 'e/' }, testCall())) {
      names.push(...[...blobsOf(page)].map((blob) => blob.name));
    }
    return names;
  }

  it('an object is read with its key, whole, in ranges, by HEAD, and its attributes', async () => {
    const put = await world.put(`/${bucket}/o`, 'hello world', CREATE);
    expect(put.headers).toMatchObject({ [`${PREFIX}algorithm`]: 'AES256', [`${PREFIX}key-md5`]: md5(KEY) });
    expect(put.headers['x-amz-server-side-encryption']).toBeUndefined();
    expect(put.headers['etag']).not.toBe(`"${createHash('md5').update('hello world').digest('hex')}"`);

    const got = await world.ask('GET', `/${bucket}/o`, { headers: SSE });
    expect([got.outcome, got.body, got.headers['content-type'], got.headers['x-amz-meta-who']]).toEqual([
      ...['200', 'hello world', 'text/plain', 'me'],
    ]);
    expect(got.headers).toMatchObject({ [`${PREFIX}algorithm`]: 'AES256', [`${PREFIX}key-md5`]: md5(KEY) });
    for (const [range, part, span] of [
      ['bytes=0-4', 'hello', '0-4/11'],
      ['bytes=6-', 'world', '6-10/11'],
      ['bytes=-3', 'rld', '8-10/11'],
      ['bytes=4-99', 'o world', '4-10/11'],
    ] as const) {
      const some = await world.ask('GET', `/${bucket}/o`, { headers: { ...SSE, range } });
      expect([some.outcome, some.body, some.headers['content-range']]).toEqual(['206', part, `bytes ${span}`]);
    }
    const beyond = await world.ask('GET', `/${bucket}/o`, { headers: { ...SSE, range: 'bytes=11-' } });
    expect(beyond.outcome).toBe('416 InvalidRange');
    const head = await world.ask('HEAD', `/${bucket}/o`, { headers: SSE });
    expect([head.outcome, head.headers['content-length'], head.headers['etag']]).toEqual([
      ...['200', '11', put.headers['etag']],
    ]);
    const attributes = { headers: { ...SSE, 'x-amz-object-attributes': 'ObjectSize,ETag' } };
    expect(element((await world.must('GET', `/${bucket}/o?attributes`, attributes)).body, 'ObjectSize')).toBe('11');
    const listed = (await world.must('GET', `/${bucket}`)).body;
    expect([element(listed, 'Key'), element(listed, 'Size')]).toEqual(['o', '11']);
  });

  it('without the key, with another, or with parts of the headers nothing is read', async () => {
    await world.put(`/${bucket}/o`, 'hello', SSE);
    const ask = (headers: Headers, method = 'GET'): Promise<string> =>
      world.outcome(method, `/${bucket}/o`, { headers });
    expect(await ask({})).toBe('400 InvalidRequest');
    expect(await ask(SSE_OTHER)).toBe('400 InvalidRequest');
    expect(await ask({ range: 'bytes=0-1' })).toBe('400 InvalidRequest');
    expect(await ask({ ...SSE_OTHER, range: 'bytes=0-1' })).toBe('400 InvalidRequest');
    expect(await ask({ 'if-none-match': '"x"' })).toBe('400 InvalidRequest');
    expect(await ask({}, 'HEAD')).toBe('400');
    expect(await ask(SSE_OTHER, 'HEAD')).toBe('400');
    const attributes = { headers: { 'x-amz-object-attributes': 'ETag' } };
    expect(await world.outcome('GET', `/${bucket}/o?attributes`, attributes)).toBe('400 InvalidRequest');
    expect(await world.outcome('GET', `/${bucket}/o`, { as: 'other' })).toBe('403 AccessDenied');
  });

  it.each([
    ['no algorithm', { [`${PREFIX}key`]: KEY.toString('base64'), [`${PREFIX}key-md5`]: md5(KEY) }, 'InvalidArgument'],
    ['no key', { [`${PREFIX}algorithm`]: 'AES256' }, 'InvalidArgument'],
    ['no MD5', { [`${PREFIX}algorithm`]: 'AES256', [`${PREFIX}key`]: KEY.toString('base64') }, 'InvalidArgument'],
    ['the MD5 of another', { ...SSE, [`${PREFIX}key-md5`]: md5(OTHER) }, 'InvalidArgument'],
    ['another algorithm', { ...SSE, [`${PREFIX}algorithm`]: 'AES128' }, 'InvalidEncryptionAlgorithmError'],
    ['a short key', shown(KEY.subarray(16)), 'InvalidArgument'],
    ['no base64', { ...SSE, [`${PREFIX}key`]: '!'.repeat(44) }, 'InvalidArgument'],
    ['another method beside it', { ...SSE, 'x-amz-server-side-encryption': 'AES256' }, 'InvalidArgument'],
  ] as const)('a PUT with %s stores nothing', async (_what, headers, code) => {
    const before = await pieces();
    const answer = await world.ask('PUT', `/${bucket}/o`, { body: 'x', headers });
    expect(answer.outcome).toBe(`400 ${code}`);
    expect(answer.body).not.toContain(KEY.toString('base64'));
    expect(await world.outcome('GET', `/${bucket}/o`, { headers: SSE })).toBe('404 NoSuchKey');
    expect(await pieces()).toEqual(before);
  });

  it('a key opens no object that is under none', async () => {
    await world.put(`/${bucket}/o`, 'hello');
    expect(await world.outcome('GET', `/${bucket}/o`, { headers: SSE })).toBe('400 InvalidRequest');
    expect(await world.outcome('HEAD', `/${bucket}/o`, { headers: SSE })).toBe('400');
    expect(await world.outcome('GET', `/${bucket}/o`)).toBe('200');
  });

  it('what says nothing of the bytes needs no key: tags, ACL, DELETE', async () => {
    await world.put(`/${bucket}/o`, 'hello', SSE);
    expect(await world.putTags(`/${bucket}/o`, [['a', 'b']])).toBe('200');
    expect(await world.tags(`/${bucket}/o`)).toEqual(['a=b']);
    expect(await world.outcome('PUT', `/${bucket}/o?acl`, { headers: { 'x-amz-acl': 'public-read' } })).toBe('200');
    expect((await world.ask('GET', `/${bucket}/o`, { headers: SSE })).body).toBe('hello');
    const before = await pieces();
    expect(before.length).toBeGreaterThan(0);
    await world.must('DELETE', `/${bucket}/o`);
    await world.gateway.idle();
    expect(await world.outcome('GET', `/${bucket}/o`, { headers: SSE })).toBe('404 NoSuchKey');
    expect((await pieces()).length).toBe(before.length - 1);
  });

  it('an empty object and one that is streamed', async () => {
    await world.put(`/${bucket}/empty`, '', SSE);
    const empty = await world.ask('GET', `/${bucket}/empty`, { headers: SSE });
    expect([empty.outcome, empty.body, empty.headers['content-length']]).toEqual(['200', '', '0']);
    expect(await world.outcome('GET', `/${bucket}/empty`)).toBe('400 InvalidRequest');
    const large = randomBytes(150_000).toString('hex');
    await world.put(`/${bucket}/large`, large, SSE);
    const got = await world.ask('GET', `/${bucket}/large`, { headers: SSE });
    expect(got.body === large).toBe(true);
    const range = { ...SSE, range: 'bytes=100000-199999' };
    expect(
      (await world.ask('GET', `/${bucket}/large`, { headers: range })).body === large.slice(100_000, 200_000),
    ).toBe(true);
  });

  it('a condition that does not hold stores nothing', async () => {
    await world.put(`/${bucket}/o`, 'first', SSE);
    const before = await pieces();
    const headers = { ...SSE, 'if-none-match': '*' };
    expect(await world.outcome('PUT', `/${bucket}/o`, { body: 'second', headers })).toBe('412 PreconditionFailed');
    await world.gateway.idle();
    expect(await pieces()).toEqual(before);
    expect((await world.ask('GET', `/${bucket}/o`, { headers: SSE })).body).toBe('first');
    expect(await world.outcome('PUT', `/${bucket}/new`, { body: 'x', headers })).toBe('200');
  });

  it('versions have keys of their own', async () => {
    const enable = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';
    await world.put(`/${bucket}/o`, 'null', SSE);
    await world.must('PUT', `/${bucket}?versioning`, { body: enable });
    const first = (await world.put(`/${bucket}/o`, 'first', SSE)).headers['x-amz-version-id'];
    const second = (await world.put(`/${bucket}/o`, 'second', SSE_OTHER)).headers['x-amz-version-id'];
    const plain = (await world.put(`/${bucket}/o`, 'plain')).headers['x-amz-version-id'];
    const get = async (id: string | undefined, headers: Headers = {}): Promise<string> => {
      const answer = await world.ask('GET', `/${bucket}/o?versionId=${String(id)}`, { headers });
      return answer.outcome === '200' ? answer.body : answer.outcome;
    };
    expect(await get('null', SSE)).toBe('null');
    expect(await get(first, SSE)).toBe('first');
    expect(await get(first, SSE_OTHER)).toBe('400 InvalidRequest');
    expect(await get(second, SSE_OTHER)).toBe('second');
    expect(await get(second)).toBe('400 InvalidRequest');
    expect(await get(plain)).toBe('plain');
    expect(await get(first, { ...SSE, range: 'bytes=1-2' })).toBe('206');
    await world.must('DELETE', `/${bucket}/o?versionId=${String(plain)}`);
    expect((await world.ask('GET', `/${bucket}/o`, { headers: SSE_OTHER })).body).toBe('second');
    expect(await world.outcome('GET', `/${bucket}/o`, { headers: { ...SSE_OTHER, range: 'bytes=1-' } })).toBe('206');
    const before = (await pieces()).length;
    await world.must('DELETE', `/${bucket}/o?versionId=${String(second)}`);
    await world.must('DELETE', `/${bucket}/o?versionId=${String(first)}`);
    await world.gateway.idle();
    expect((await pieces()).length).toBe(before - 2);
    expect((await world.ask('GET', `/${bucket}/o`, { headers: SSE })).body).toBe('null');
  });

  it.each([
    ['plain to a key', {}, SSE],
    ['a key to plain', SSE, {}],
    ['a key to another', SSE, SSE_OTHER],
  ] as const)('copies %s', async (_what, from, to) => {
    const body = 'x'.repeat(200_000);
    await world.put(`/${bucket}/from`, body, from);
    const isKeyed = Object.keys(from).length > 0;
    const source = isKeyed ? shown(KEY, SOURCE) : {};
    expect((await world.copy(`/${bucket}/to`, `/${bucket}/from`, { ...to, ...source })).outcome).toBe('200');
    const got = await world.ask('GET', `/${bucket}/to`, { headers: to });
    expect([got.outcome, got.body === body]).toEqual(['200', true]);
    if (isKeyed) {
      expect((await world.copy(`/${bucket}/no`, `/${bucket}/from`, to)).outcome).toBe('400 InvalidRequest');
      const wrong = { ...to, ...shown(OTHER, SOURCE) };
      expect((await world.copy(`/${bucket}/no`, `/${bucket}/from`, wrong)).outcome).toBe('400 InvalidRequest');
    } else {
      const wrong = { ...to, ...shown(OTHER, SOURCE) };
      expect((await world.copy(`/${bucket}/no`, `/${bucket}/from`, wrong)).outcome).toBe('400 InvalidRequest');
    }
    expect(await world.outcome('GET', `/${bucket}/no`)).toBe('404 NoSuchKey');
  });

  it('a copy to plain has the MD5 of its bytes, and a key is rotated by a copy onto itself', async () => {
    await world.put(`/${bucket}/o`, 'hello', SSE);
    const rotated = await world.copy(`/${bucket}/o`, `/${bucket}/o`, { ...SSE_OTHER, ...shown(KEY, SOURCE) });
    expect([rotated.outcome, rotated.headers[`${PREFIX}key-md5`]]).toEqual(['200', md5(OTHER)]);
    expect(await world.outcome('GET', `/${bucket}/o`, { headers: SSE })).toBe('400 InvalidRequest');
    expect((await world.ask('GET', `/${bucket}/o`, { headers: SSE_OTHER })).body).toBe('hello');
    await world.copy(`/${bucket}/plain`, `/${bucket}/o`, shown(OTHER, SOURCE));
    const { headers } = await world.must('HEAD', `/${bucket}/plain`);
    expect(headers['etag']).toBe(`"${createHash('md5').update('hello').digest('hex')}"`);
  });

  it('parts are taken with the key of their upload, and completed without', async () => {
    const first = 'a'.repeat(5 * MIB);
    const upload = await world.upload(`/${bucket}/o`, CREATE);
    const part = (number: number, body: string, headers: Headers): Promise<string> =>
      world.outcome('PUT', `${upload}&partNumber=${String(number)}`, { body, headers });
    expect(await part(1, 'x', {})).toBe('400 InvalidRequest');
    expect(await part(1, 'x', SSE_OTHER)).toBe('400 InvalidRequest');
    const etags: string[] = [];
    for (const [index, body] of [first, 'b'.repeat(1000)].entries()) {
      const answer = await world.must('PUT', `${upload}&partNumber=${String(index + 1)}`, { body, headers: SSE });
      expect(answer.headers[`${PREFIX}key-md5`]).toBe(md5(KEY));
      etags.push(answer.headers['etag'] ?? '');
    }
    const again = await world.must('PUT', `${upload}&partNumber=2`, { body: 'b'.repeat(1000), headers: SSE });
    expect(again.headers['etag']).toBe(etags[1]);
    const completed = await world.complete(upload, etags);
    expect(completed.outcome).toBe('200');
    await world.gateway.idle();
    const got = await world.ask('GET', `/${bucket}/o`, { headers: SSE });
    expect([got.outcome, got.body === first + 'b'.repeat(1000), got.headers['x-amz-meta-who']]).toEqual([
      ...['200', true, 'me'],
    ]);
    const across = { ...SSE, range: `bytes=${String(5 * MIB - 2)}-${String(5 * MIB + 1)}` };
    expect((await world.ask('GET', `/${bucket}/o`, { headers: across })).body).toBe('aabb');
    const second = await world.ask('GET', `/${bucket}/o?partNumber=2`, { headers: SSE });
    expect([second.outcome, second.body]).toEqual(['206', 'b'.repeat(1000)]);
    expect(await world.outcome('GET', `/${bucket}/o?partNumber=5`)).toBe('400 InvalidPart');
    expect(await world.outcome('GET', `/${bucket}/o`)).toBe('400 InvalidRequest');
    expect(element((await world.must('GET', `/${bucket}`)).body, 'Size')).toBe(String(5 * MIB + 1000));
    expect((await world.complete(upload, etags)).outcome).toBe('200');
  });

  it('parts are copied from a source with a key of its own; a key for an upload without is refused', async () => {
    await world.put(`/${bucket}/from`, 'x'.repeat(1000), SSE_OTHER);
    const upload = await world.upload(`/${bucket}/o`, SSE);
    expect((await world.copyPart(upload, `/${bucket}/from`, SSE)).outcome).toBe('400 InvalidRequest');
    const copied = await world.copyPart(upload, `/${bucket}/from`, { ...SSE, ...shown(OTHER, SOURCE) });
    expect(copied.outcome).toBe('200');
    expect((await world.complete(upload, [element(copied.body, 'ETag').replaceAll('&quot;', '')])).outcome).toBe('200');
    expect((await world.ask('GET', `/${bucket}/o`, { headers: SSE })).body).toBe('x'.repeat(1000));
    const plain = await world.upload(`/${bucket}/p`);
    const refused = await world.outcome('PUT', `${plain}&partNumber=1`, { body: 'x', headers: SSE });
    expect(refused).toBe('400 InvalidRequest');
  });

  it('an upload that is aborted leaves no bytes', async () => {
    const before = await pieces();
    const upload = await world.upload(`/${bucket}/o`, SSE);
    await world.must('PUT', `${upload}&partNumber=1`, { body: 'x', headers: SSE });
    expect((await pieces()).length).toBe(before.length + 1);
    await world.must('DELETE', upload);
    expect(await pieces()).toEqual(before);
  });
});

describe('keys of customers over http', () => {
  it('are refused unless that is allowed', async () => {
    const world = await World.open();
    try {
      const bucket = await world.bucket();
      const answer = await world.ask('PUT', `/${bucket}/o`, { body: 'x', headers: SSE });
      expect([answer.outcome, element(answer.body, 'Message')]).toEqual([
        '400 InvalidRequest',
        'Requests specifying Server Side Encryption with Customer provided keys must be made over a secure connection.',
      ]);
      expect(await world.outcome('GET', `/${bucket}/o`, { headers: SSE })).toBe('400 InvalidRequest');
    } finally {
      await world.close();
    }
  });

  it('count as https behind a proxy that is trusted and says so', async () => {
    const world = await World.open({ trustedProxies: ['127.0.0.1'] });
    try {
      const bucket = await world.bucket();
      const headers = { ...SSE, 'x-forwarded-proto': 'https' };
      expect(await world.outcome('PUT', `/${bucket}/o`, { body: 'x', headers })).toBe('200');
    } finally {
      await world.close();
    }
  });
});
