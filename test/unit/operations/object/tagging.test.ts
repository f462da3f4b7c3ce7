import { describe, expect, it } from 'vitest';
import type { OperationName } from '../../../../src/protocol/operation-table.ts';
import { type Answer, Gateway, element, elements } from '../multipart/gateway.ts';

const KEY = 'a/key';

function tagging(...pairs: [key: string, value: string][]): string {
  const tags = pairs.map(([key, value]) => `<Tag><Key>${key}</Key><Value>${value}</Value></Tag>`).join('');
  return `<Tagging xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><TagSet>${tags}</TagSet></Tagging>`;
}

/** A gateway with one object, put with these headers. */
async function gatewayWith(headers: Readonly<Record<string, string>> = {}): Promise<Gateway> {
  const gateway = await Gateway.open();
  expect((await gateway.send('PutObject', { key: KEY, body: 'text', headers })).status).toBe(200);
  return gateway;
}

function send(
  gateway: Gateway,
  name: OperationName,
  more: Partial<Parameters<Gateway['send']>[1]> = {},
): Promise<Answer> {
  return gateway.send(name, { key: KEY, query: 'tagging', ...more });
}

async function tagsOf(gateway: Gateway, key = KEY): Promise<string> {
  const { status, xml } = await send(gateway, 'GetObjectTagging', { key });
  expect(status).toBe(200);
  const values = elements(xml, 'Value');
  return elements(xml, 'Key')
    .map((name, i) => `${name}=${values[i] ?? '?'}`)
    .join('&');
}

describe('tags of an object', () => {
  it('are replaced as a whole, read by key, and deleted', async () => {
    const gateway = await gatewayWith();
    expect(await send(gateway, 'GetObjectTagging')).toMatchObject({
      status: 200,
      xml: expect.stringContaining('<TagSet/>') as string,
    });
    expect((await send(gateway, 'PutObjectTagging', { body: tagging(['b', '2'], ['a', '']) })).status).toBe(200);
    expect(await tagsOf(gateway)).toBe('a=&b=2');
    expect((await send(gateway, 'PutObjectTagging', { body: tagging(['c', 'x y']) })).status).toBe(200);
    expect(await tagsOf(gateway)).toBe('c=x y');
    expect((await send(gateway, 'DeleteObjectTagging')).status).toBe(204);
    expect(await tagsOf(gateway)).toBe('');
    expect((await send(gateway, 'DeleteObjectTagging')).status).toBe(204);
  });

  it('are counted by GET and HEAD, if there are any', async () => {
    const gateway = await gatewayWith({ 'x-amz-tagging': 'a=1&b' });
    for (const name of ['GetObject', 'HeadObject'] as const) {
      expect((await gateway.send(name, { key: KEY })).headers['x-amz-tagging-count']).toBe('2');
    }
    await send(gateway, 'DeleteObjectTagging');
    expect((await gateway.send('HeadObject', { key: KEY })).headers['x-amz-tagging-count']).toBeUndefined();
  });

  it('leave ETag and Last-Modified alone', async () => {
    const gateway = await gatewayWith();
    const before = (await gateway.send('HeadObject', { key: KEY })).headers;
    await send(gateway, 'PutObjectTagging', { body: tagging(['a', '1']) });
    expect((await gateway.send('HeadObject', { key: KEY })).headers).toEqual({ ...before, 'x-amz-tagging-count': '1' });
  });

  it.each(['GetObjectTagging', 'PutObjectTagging', 'DeleteObjectTagging'] as const)('%s: refusals', async (name) => {
    const gateway = await gatewayWith({ 'x-amz-tagging': 'kept=1' });
    const body = name === 'PutObjectTagging' ? tagging(['a', '1']) : '';
    expect((await send(gateway, name, { body, key: 'none' })).status).toBe('NoSuchKey');
    expect((await send(gateway, name, { body, anonymous: true })).status).toBe('AccessDenied');
    expect((await send(gateway, name, { body, query: 'tagging&versionId=x' })).status).toBe('InvalidArgument');
    expect(
      (await send(gateway, name, { body, headers: { 'x-amz-expected-bucket-owner': '000000000000' } })).status,
    ).toBe('AccessDenied');
    expect(await tagsOf(gateway)).toBe('kept=1');
    expect((await send(gateway, name, { body, query: 'tagging&versionId=null' })).status).toBe(
      name === 'DeleteObjectTagging' ? 204 : 200,
    );
  });

  it.each([
    ['', 'MalformedXML'],
    ['<Tags/>', 'MalformedXML'],
    [tagging(['a', '1'], ['a', '2']), 'InvalidTag'],
    [tagging(['aws:a', '1']), 'InvalidTag'],
    ['x'.repeat(300_000), 'MaxMessageLengthExceeded'],
  ])('bad documents change nothing (%#)', async (body, code) => {
    const gateway = await gatewayWith({ 'x-amz-tagging': 'kept=1' });
    expect((await send(gateway, 'PutObjectTagging', { body })).status).toBe(code);
    expect(await tagsOf(gateway)).toBe('kept=1');
  });

  it('that came with the object are those of the last write', async () => {
    const gateway = await gatewayWith({ 'x-amz-tagging': 'a=1' });
    expect(await tagsOf(gateway)).toBe('a=1');
    await gateway.send('PutObject', { key: KEY, body: 'text' });
    expect(await tagsOf(gateway)).toBe('');
  });

  it.each([
    ['a=1&a=2', 'InvalidArgument'],
    ['a=%', 'InvalidArgument'],
    ['a=%23', 'InvalidTag'],
  ])('%s: no object is made', async (header, code) => {
    const gateway = await Gateway.open();
    const headers = { 'x-amz-tagging': header };
    expect(await gateway.send('PutObject', { key: KEY, body: 'text', headers })).toMatchObject({
      status: code,
      bodyRead: false,
    });
    expect((await gateway.send('CreateMultipartUpload', { key: KEY, query: 'uploads', headers })).status).toBe(code);
    expect(await gateway.fixture.openUploads()).toEqual([]);
    expect(await gateway.fixture.text(KEY)).toBeUndefined();
  });

  it('of an upload are those of its beginning, before and after the bytes are moved', async () => {
    const gateway = await Gateway.open();
    const uploadId = await gateway.create(KEY, { 'x-amz-tagging': 'Hello=World&foo=bar' });
    const etag = await gateway.part(KEY, uploadId, 1, 'text');
    expect((await gateway.complete(KEY, uploadId, [etag])).status).toBe(200);
    expect(await tagsOf(gateway)).toBe('Hello=World&foo=bar');
    await gateway.fixture.idle();
    expect(await tagsOf(gateway)).toBe('Hello=World&foo=bar');
    expect((await gateway.send('HeadObject', { key: KEY })).headers['x-amz-tagging-count']).toBe('2');
  });
});

describe('CopyObject', () => {
  it.each<[string, Record<string, string>, string]>([
    ['copies tags', {}, 'a=1'],
    ['copies them with metadata replaced', { 'x-amz-metadata-directive': 'REPLACE' }, 'a=1'],
    [
      'does not look at the header when it copies',
      { 'x-amz-tagging': 'b=%', 'x-amz-tagging-directive': 'COPY' },
      'a=1',
    ],
    ['replaces tags', { 'x-amz-tagging': 'b=2', 'x-amz-tagging-directive': 'REPLACE' }, 'b=2'],
    ['replaces them by none', { 'x-amz-tagging-directive': 'REPLACE' }, ''],
    ['takes the bytes through the gateway', { 'x-amz-checksum-algorithm': 'SHA256' }, 'a=1'],
  ])('%s', async (_, headers, expected) => {
    const gateway = await gatewayWith({ 'x-amz-tagging': 'a=1', 'x-amz-meta-m': 'v' });
    const answer = await gateway.send('CopyObject', {
      key: 'copy',
      headers: { 'x-amz-copy-source': `bucket/${KEY}`, ...headers },
    });
    expect(answer.status).toBe(200);
    expect(element(answer.xml, 'ETag')).toBeDefined();
    expect(await tagsOf(gateway, 'copy')).toBe(expected);
    expect(await tagsOf(gateway)).toBe('a=1');
  });

  it.each<[Record<string, string>, string]>([
    [{ 'x-amz-tagging-directive': 'MERGE' }, 'InvalidArgument'],
    [{ 'x-amz-tagging-directive': 'REPLACE', 'x-amz-tagging': 'a=1&a=2' }, 'InvalidArgument'],
  ])('with %j is refused', async (headers, code) => {
    const gateway = await gatewayWith();
    expect(
      (await gateway.send('CopyObject', { key: 'copy', headers: { 'x-amz-copy-source': `bucket/${KEY}`, ...headers } }))
        .status,
    ).toBe(code);
    expect(await gateway.fixture.text('copy')).toBeUndefined();
  });

  it('onto itself needs more than other tags', async () => {
    const gateway = await gatewayWith({ 'x-amz-tagging': 'a=1' });
    const headers = {
      'x-amz-copy-source': `bucket/${KEY}`,
      'x-amz-tagging-directive': 'REPLACE',
      'x-amz-tagging': 'b=2',
    };
    expect((await gateway.send('CopyObject', { key: KEY, headers })).status).toBe('InvalidRequest');
    expect(await tagsOf(gateway)).toBe('a=1');
    expect(
      (await gateway.send('CopyObject', { key: KEY, headers: { ...headers, 'x-amz-metadata-directive': 'REPLACE' } }))
        .status,
    ).toBe(200);
    expect(await tagsOf(gateway)).toBe('b=2');
  });
});
