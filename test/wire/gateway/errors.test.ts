import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { S3Error } from '../../../src/errors/s3-error.ts';
import { StoreError } from '../../../src/store/store-error.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { type RawAnswer, RawConnection, roundTrip } from '../../support/clients/raw-http.ts';
import { signedHead } from '../../support/clients/sign-raw.ts';

let gateway: TestGateway;
let thrown: unknown;

beforeAll(async () => {
  gateway = await startTestGateway({
    // Stands in for whatever an operation may run into.
    operations: {
      GetBucketCors: async () => {
        throw thrown;
      },
    },
  });
  await request('PUT', '/bucket', { 'content-length': '0' });
});

afterAll(() => gateway.close());

function request(method: string, target: string, headers: Record<string, string> = {}, body = ''): Promise<RawAnswer> {
  return roundTrip(gateway.port, signedHead({ method, target, headers }) + body, method);
}

function codeOf(answer: RawAnswer): string {
  return `${answer.status} ${/<Code>(.*?)<\/Code>/.exec(answer.body)?.[1] ?? ''}`;
}

describe('error bodies', () => {
  test('form, ids, extras and the very end', async () => {
    const answer = await request('GET', '/bucket/no%26such<key>');
    const { headers, body } = answer;
    expect(headers['x-amz-request-id']).toMatch(/^[0-9A-Z]{16}$/);
    expect(headers['content-type']).toBe('application/xml');
    expect(headers['server']).toBeDefined();
    expect(headers['date']).toBeDefined();
    expect(body).toBe(
      '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>NoSuchKey</Code><Message>The specified key does not exist.</Message>' +
        '<Key>no&amp;such&lt;key&gt;</Key><Resource>/bucket/no%26such&lt;key&gt;</Resource>' +
        `<RequestId>${headers['x-amz-request-id'] ?? ''}</RequestId><HostId>${headers['x-amz-id-2'] ?? ''}</HostId></Error>`,
    );
  });

  test.each([
    ['PUT', '/bucket/key?partNumber=1', 'This operation does not accept partNumber without uploadId'],
    [
      'GET',
      '/bucket/key?attributes',
      'The x-amz-object-attributes header specifying the attributes to be retrieved is either missing or empty',
    ],
  ])('%s %s says what S3 says', async (method, target, message) => {
    const { status, body } = await request(method, target, method === 'PUT' ? { 'content-length': '0' } : {});
    expect([status, /<Message>(.*?)<\/Message>/.exec(body)?.[1]]).toEqual([400, message]);
  });

  test('every request has an id of its own', async () => {
    const ids = await Promise.all(
      Array.from({ length: 20 }, async () => (await request('GET', '/bucket/none')).headers['x-amz-request-id']),
    );
    expect(new Set(ids).size).toBe(20);
  });

  test('HEAD: status and headers only, and the connection goes on', async () => {
    const connection = await RawConnection.open(gateway.port);
    connection.send(signedHead({ method: 'HEAD', target: '/bucket/none' }));
    expect((await connection.answer('HEAD')).status).toBe(404);
    connection.send(signedHead({ target: '/bucket?location' }));
    expect((await connection.answer()).status).toBe(200);
    connection.close();
  });
});

describe('what operations throw', () => {
  test.each<[string, unknown, string]>([
    ['an S3 error', new S3Error('NoSuchCORSConfiguration'), '404 NoSuchCORSConfiguration'],
    ['throttled', new StoreError('throttled'), '503 SlowDown'],
    ['unavailable', new StoreError('unavailable'), '503 ServiceUnavailable'],
    ['denied', new StoreError('denied'), '403 AccessDenied'],
    ['unexpected', new StoreError('unexpected', { cause: new S3Error('BadDigest') }), '500 InternalError'],
    [
      'an upload broken off by a failed check',
      new StoreError('aborted', { cause: new Error('stream', { cause: new S3Error('BadDigest') }) }),
      '400 BadDigest',
    ],
    ['a fault of the program', new TypeError('secret detail'), '500 InternalError'],
  ])('%s', async (_name, error, expected) => {
    thrown = error;
    const answer = await request('GET', '/bucket?cors');
    expect(codeOf(answer)).toBe(expected);
    expect(answer.body).not.toContain('secret detail');
  });

  test('a throttled backend says when to come back', async () => {
    thrown = new StoreError('throttled', { retryAfter: 7.2 });
    expect((await request('GET', '/bucket?cors')).headers['retry-after']).toBe('8');
  });

  test('what nobody expected is logged with the ids of the answer', async () => {
    thrown = new TypeError('logged');
    const { headers } = await request('GET', '/bucket?cors');
    expect(gateway.logged.at(-1)).toMatchObject({
      level: 'error',
      fields: { requestId: headers['x-amz-request-id'], err: thrown },
    });
  });
});

describe('routing', () => {
  test.each([
    ['GET', '/bucket?lifecycle', '404 NoSuchLifecycleConfiguration'],
    ['PUT', '/bucket?lifecycle', '400 InvalidRequest'],
    ['PUT', '/bucket/key?torrent', '501 NotImplemented'],
    ['DELETE', '/bucket?intelligent-tiering&id=1', '404 NoSuchConfiguration'],
    ['DELETE', '/bucket?session', '501 NotImplemented'],
    ['DELETE', '/bucket/key?acl', '405 MethodNotAllowed'],
    ['DELETE', '/bucket/key?retention', '405 MethodNotAllowed'],
    ['PUT', '/bucket/key?attributes', '405 MethodNotAllowed'],
    ['DELETE', '/bucket?versioning', '405 MethodNotAllowed'],
    ['POST', '/bucket/key', '405 MethodNotAllowed'],
    ['PATCH', '/bucket/key', '405 MethodNotAllowed'],
    ['PROPFIND', '/bucket', '405 MethodNotAllowed'],
    ['QUERY', '/bucket', '405 MethodNotAllowed'],
    ['PUT', '/', '405 MethodNotAllowed'],
    ['GET', '/bucket?acl&policy', '400 InvalidArgument'],
    ['PUT', '/bucket/key?partNumber=1', '400 InvalidArgument'],
    ['GET', '/bucket/key?uploads', '400 InvalidRequest'],
    ['GET', '/bucket/key?versions', '400 InvalidRequest'],
    ['DELETE', '/bucket?uploadId=x', '400 InvalidRequest'],
    ['DELETE', '/bucket/key?cors', '400 InvalidRequest'],
    ['POST', '/bucket', '412 PreconditionFailed'],
  ])('%s %s', async (method, target, expected) => {
    expect(codeOf(await request(method, target))).toBe(expected);
    expect((await request('GET', '/bucket?location')).status).toBe(200);
  });

  test('405 says what would be allowed', async () => {
    const answer = await request('PUT', '/bucket/key?uploadId=x', { 'content-length': '0' });
    expect(answer.headers['allow']).toBe('DELETE, POST, GET');
    expect(answer.body).toContain('<Method>PUT</Method><ResourceType>UPLOAD</ResourceType>');
  });

  test('a copy source on anything but a copy', async () => {
    const answer = await request('GET', '/bucket/key', { 'x-amz-copy-source': '/bucket/x' });
    expect(codeOf(answer)).toBe('400 InvalidArgument');
    expect(answer.body).toContain('<ArgumentName>x-amz-copy-source</ArgumentName>');
  });

  test('unknown query keys change nothing', async () => {
    expect((await request('GET', '/bucket?x-id=ListObjectsV2&list-type=2&foo')).body).toContain('<KeyCount>');
  });

  test('a streamed payload where none belongs', async () => {
    const head = signedHead({
      method: 'POST',
      target: '/bucket?delete',
      payloadHash: 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
      headers: { 'content-length': '0' },
    });
    expect(codeOf(await roundTrip(gateway.port, head))).toBe('400 InvalidRequest');
  });
});

describe('XML bodies', () => {
  const remove = (xml: string): Promise<RawAnswer> =>
    request(
      'POST',
      '/bucket?delete',
      {
        'content-length': String(Buffer.byteLength(xml)),
        'content-md5': createHash('md5').update(xml).digest('base64'),
      },
      xml,
    );

  test('a bomb of entities, and any other DTD', async () => {
    const entities = Array.from({ length: 9 }, (_, i) => `<!ENTITY a${i + 1} "${`&a${i};`.repeat(10)}">`).join('');
    expect(
      codeOf(
        await remove(`<!DOCTYPE x [<!ENTITY a0 "ha">${entities}]><Delete><Object><Key>&a9;</Key></Object></Delete>`),
      ),
    ).toBe('400 MalformedXML');
    expect(
      codeOf(await remove('<!DOCTYPE x SYSTEM "file:///etc/passwd"><Delete><Object><Key>a</Key></Object></Delete>')),
    ).toBe('400 MalformedXML');
  });

  test.each([
    '',
    'no xml',
    '<Delete>',
    '<Delete><Object><Key>a</Object></Delete>',
    '<Other/>',
    '<Delete><Object><Key>&nbsp;</Key></Object></Delete>',
  ])('%j', async (xml) => {
    expect(codeOf(await remove(xml))).toBe('400 MalformedXML');
  });

  test('1,000 keys with entities in them', async () => {
    const keys = Array.from({ length: 1000 }, (_, i) => `<Object><Key>a&amp;b&lt;${i}&#10;</Key></Object>`).join('');
    const answer = await remove(`<Delete>${keys}</Delete>`);
    expect([answer.status, answer.body.match(/<Deleted>/g)?.length]).toEqual([200, 1000]);
  });
});

describe('framing that no request may have', () => {
  test.each([
    ['two lengths', 'Content-Length: 5\r\nContent-Length: 6\r\n'],
    ['a length beside a transfer coding', 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n'],
    ['a transfer coding that does not end in chunked', 'Transfer-Encoding: chunked, identity\r\n'],
    ['a folded header', 'X-Odd: a\r\n b\r\nContent-Length: 0\r\n'],
    ['a space before the colon', 'Content-Length : 5\r\n'],
    ['a bare CR', 'X-Odd: a\rb\r\n'],
  ])('%s', async (_name, lines) => {
    const connection = await RawConnection.open(gateway.port);
    connection.send(`PUT /bucket/smuggled HTTP/1.1\r\nHost: localhost\r\n${lines}\r\nhello`);
    const answer = await connection.answer();
    expect(answer.status).toBe(400);
    await connection.closed();
    expect(codeOf(await request('GET', '/bucket/smuggled'))).toBe('404 NoSuchKey');
  });

  test('a method nobody knows', async () => {
    expect(codeOf(await roundTrip(gateway.port, 'FROBNICATE /bucket HTTP/1.1\r\nHost: localhost\r\n\r\n'))).toBe(
      '405 MethodNotAllowed',
    );
  });

  test('a header block that is too long', async () => {
    const answer = await roundTrip(
      gateway.port,
      `GET /bucket HTTP/1.1\r\nHost: localhost\r\nX-Long: ${'a'.repeat(20_000)}\r\n\r\n`,
    );
    expect(codeOf(answer)).toBe('400 RequestHeaderSectionTooLarge');
  });

  test('no Host', async () => {
    expect((await roundTrip(gateway.port, 'GET / HTTP/1.1\r\n\r\n')).status).toBe(400);
  });
});

describe('a preflight', () => {
  test.each([
    ['without an origin', {}, 400, 'BadRequest'],
    ['without a method', { origin: 'http://a.example' }, 400, 'BadRequest'],
    [
      'of a bucket that allows none',
      { origin: 'http://a.example', 'access-control-request-method': 'PUT' },
      403,
      'AccessForbidden',
    ],
  ])('%s', async (_, headers, status, code) => {
    const lines = Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('');
    const presigned = 'X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Signature=of-another-method';
    const answer = await roundTrip(
      gateway.port,
      `OPTIONS /bucket/key?${presigned} HTTP/1.1\r\nHost: localhost\r\n${lines}\r\n`,
    );
    expect([answer.status, /<Code>(.*)<\/Code>/.exec(answer.body)?.[1]]).toEqual([status, code]);
  });
});
