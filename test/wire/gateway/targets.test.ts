import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { roundTrip } from '../../support/clients/raw-http.ts';
import { signedHead } from '../../support/clients/sign-raw.ts';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
  for (const bucket of ['bucket', 'other']) {
    const made = await roundTrip(
      gateway.port,
      signedHead({ method: 'PUT', target: `/${bucket}`, headers: { 'content-length': '0' } }),
    );
    expect(made.status).toBe(200);
  }
});

afterAll(() => gateway.close());

async function put(target: string, body: string, host?: string): Promise<number> {
  const head = signedHead({
    method: 'PUT',
    target,
    headers: { 'content-length': String(Buffer.byteLength(body)) },
    ...(host !== undefined && { host }),
  });
  return (await roundTrip(gateway.port, head + body)).status;
}

async function get(target: string, host?: string): Promise<string> {
  const answer = await roundTrip(gateway.port, signedHead({ target, ...(host !== undefined && { host }) }));
  return answer.status === 200 ? answer.body : `${answer.status} ${/<Code>(.*)<\/Code>/.exec(answer.body)?.[1] ?? ''}`;
}

async function listedKeys(): Promise<string[]> {
  const body = await get('/bucket?list-type=2');
  return [...body.matchAll(/<Key>([^<]*)<\/Key>/g)].map((match) => match[1] ?? '');
}

describe('keys are never normalised', () => {
  test.each([
    ['/bucket//twice//', '/twice//'],
    ['/bucket/a/../../other/x', 'a/../../other/x'],
    ['/bucket/../other/x', '../other/x'],
    ['/bucket/./dot', './dot'],
    ['/bucket/a%2Fb%2f', 'a/b/'],
    ['/bucket/%2e%2e/up', '../up'],
    ['/bucket/plus+plus%2B', 'plus+plus+'],
    ['/bucket/%C3%A9%E2%82%AC%F0%9F%98%80', 'é€😀'],
    ['/bucket/back%5Cslash', 'back\\slash'],
    ['/bucket/twice%252F', 'twice%2F'],
    ['/bucket/semi;colon:and@at', 'semi;colon:and@at'],
  ])('%s', async (target, key) => {
    expect(await put(target, key)).toBe(200);
    expect(await get(target)).toBe(key);
    expect(await listedKeys()).toContain(key);
    expect(await get('/other?list-type=2')).not.toContain('<Key>');
  });

  test('keys that differ only in slashes or escapes are different keys', async () => {
    await put('/bucket/s/1', 'one');
    await put('/bucket/s//1', 'two');
    expect(await get('/bucket/s/1')).toBe('one');
    expect(await get('/bucket/s//1')).toBe('two');
    expect(await get('/bucket/s/%31')).toBe('one');
  });
});

describe('virtual hosts', () => {
  test.each([
    'bucket.localhost',
    'bucket.localhost:9000',
    'BUCKET.LocalHost',
    'bucket.s3.localhost',
    'bucket.s3.us-east-1.localhost',
    'bucket.s3-us-east-1.localhost',
  ])('%s', async (host) => {
    expect(await put('/hosted//key', host, host)).toBe(200);
    expect(await get('/bucket/hosted//key')).toBe(host);
  });

  test('an unknown host is path style', async () => {
    expect(await put('/bucket/unknown-host', 'x', 's3.example.net')).toBe(200);
  });
});

describe('targets that are refused', () => {
  test.each([
    ['/bucket/%', '400 InvalidURI'],
    ['/bucket/%zz', '400 InvalidURI'],
    ['/bucket/%C3%28', '400 InvalidURI'],
    ['/bucket/%ED%A0%80', '400 InvalidURI'],
    ['/bucket?prefix=%FF', '400 InvalidURI'],
    ['//bucket/key', '400 InvalidBucketName'],
    ['/../bucket/key', '400 InvalidBucketName'],
    ['/BUCKET/key', '400 InvalidBucketName'],
    ['/bucket%2Fkey', '400 InvalidBucketName'],
    ['/ab', '400 InvalidBucketName'],
    ['/192.168.1.1/key', '400 InvalidBucketName'],
    [`/bucket/${'a'.repeat(1025)}`, '400 KeyTooLongError'],
    [`/bucket/${'%C3%A9'.repeat(513)}`, '400 KeyTooLongError'],
  ])('%s', async (target, expected) => {
    expect(await get(target)).toBe(expected);
  });

  test('1,024 bytes are a key', async () => {
    expect(await put(`/bucket/${'%C3%A9'.repeat(512)}`, 'longest')).toBe(200);
  });

  test('KeyTooLongError says by how much', async () => {
    const answer = await roundTrip(gateway.port, signedHead({ target: `/bucket/${'a'.repeat(1025)}` }));
    expect(answer.body).toContain('<Size>1025</Size><MaxSizeAllowed>1024</MaxSizeAllowed>');
  });

  test('a target without slash', async () => {
    const answer = await roundTrip(gateway.port, 'OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n');
    expect([answer.status, answer.body]).toEqual([400, expect.stringContaining('<Code>InvalidURI</Code>')]);
  });

  test('the absolute form is taken when it names the host of the Host header', async () => {
    const plain = signedHead({ target: '/bucket?location' });
    const absolute = await roundTrip(gateway.port, plain.replace('GET /', 'GET http://localhost/'));
    expect(absolute.status).toBe(200);
    const elsewhere = await roundTrip(gateway.port, plain.replace('GET /', 'GET http://elsewhere/'));
    expect(elsewhere.body).toContain('<Code>InvalidURI</Code>');
  });
});
