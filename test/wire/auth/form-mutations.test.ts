import { createHmac, hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { exactly, type Fields, formRequest, signedV2, signedV4 } from '../../support/clients/post-form.ts';
import { RawConnection, roundTrip } from '../../support/clients/raw-http.ts';
import { ACCESS_KEY, REGION, SECRET_KEY, signedHead } from '../../support/clients/sign-raw.ts';

/*
 * What is signed inside of a body, or for another service: forms of pages and calls of the token service. Each signed
 * element is altered, at each of its characters or at some, left out, doubled; one is added. Nothing of it may be
 * taken.
 */
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway({ presignedV2: true });
  const head = signedHead({ method: 'PUT', target: '/forms', headers: { 'content-length': '0' } });
  expect((await roundTrip(gateway.port, head)).status).toBe(200);
});
afterAll(() => gateway.close());

async function statusOf(bytes: string | Buffer): Promise<number> {
  const connection = await RawConnection.open(gateway.port);
  connection.send(bytes);
  try {
    return (await connection.answer()).status;
  } finally {
    connection.close();
  }
}

/** Characters at which a text is altered: all of a short one, some of a long one. */
const MOST_PLACES = 24;

function places(text: string): number[] {
  const step = Math.max(1, Math.floor(text.length / MOST_PLACES));
  return Array.from({ length: Math.ceil(text.length / step) }, (_, index) => index * step);
}

/** Another letter of the same alphabet: what is altered stays well formed. */
function other(char: string): string {
  if (/[0-8]/.test(char)) return String(Number(char) + 1);
  return char === 'A' ? 'B' : char === 'a' ? 'b' : char === '9' ? '8' : /[A-Z]/.test(char) ? 'A' : 'a';
}

const altered = (text: string, at: number): string => text.slice(0, at) + other(text[at] ?? '') + text.slice(at + 1);

const PLAIN: Fields = [
  ['key', 'folder/key'],
  ['acl', 'private'],
  ['Content-Type', 'text/plain'],
  ['x-amz-meta-a', 'one'],
  ['success_action_status', '201'],
];
const SIGNERS = { 'version 4': signedV4, 'version 2': signedV2 };

function mutationsOf(fields: Fields): [string, Fields][] {
  return [
    ...fields.flatMap(([name, value], index) =>
      places(value).map((at): [string, Fields] => [
        `${name} at ${String(at)}`,
        fields.with(index, [name, altered(value, at)]),
      ]),
    ),
    ...fields.map(([name], index): [string, Fields] => [`without ${name}`, fields.toSpliced(index, 1)]),
    ...fields.map(([name, value], index): [string, Fields] => [
      `${name} twice`,
      fields.toSpliced(index, 0, [name, value]),
    ]),
    ...fields.map(([name], index): [string, Fields] => [
      `${name.toUpperCase()} once more`,
      [...fields, [index % 2 === 0 ? name.toUpperCase() : name, 'x']],
    ]),
    ['a header more', [...fields, ['x-amz-meta-b', 'x']]],
    ['a storage class', [...fields, ['x-amz-storage-class', 'STANDARD']]],
    ['an ACL', [...fields, ['x-amz-acl', 'public-read']]],
    ['tags', [...fields, ['tagging', '<Tagging><TagSet/></Tagging>']]],
    ['a redirect', [...fields, ['success_action_redirect', 'http://example.com/']]],
    ['a token', [...fields, ['x-amz-security-token', 'x']]],
  ];
}

describe.each(Object.entries(SIGNERS))('a form signed by %s', (_version, sign) => {
  const signed = sign(PLAIN, exactly(PLAIN, 'forms'));

  test('is taken as it is', async () => {
    expect(await statusOf(formRequest('forms', { fields: signed, file: 'x' }))).toBe(201);
  });

  test('is refused when anything about it is altered, and stores nothing', async () => {
    const mutations = mutationsOf(signed);
    const taken: string[] = [];
    for (const [name, fields] of mutations) {
      const status = await statusOf(formRequest('forms', { fields, file: 'y' }));
      if (status < 400 || status >= 500) taken.push(`${name}: ${String(status)}`);
    }
    expect(taken).toEqual([]);
    expect(mutations.length).toBeGreaterThan(80);
    const read = await roundTrip(gateway.port, signedHead({ target: '/forms/folder/key' }));
    expect(read.body).toBe('x');
  });

  test('is refused by another bucket', async () => {
    await statusOf(signedHead({ method: 'PUT', target: '/other-forms', headers: { 'content-length': '0' } }));
    expect(await statusOf(formRequest('other-forms', { fields: signed, file: 'x' }))).toBe(403);
  });
});

interface StsRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

const BODY = 'Action=GetCallerIdentity&Version=2011-06-15';
const TYPE = 'application/x-www-form-urlencoded';

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function signedCall(service: string): StsRequest {
  const date = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const scope = `${date.slice(0, 8)}/${REGION}/${service}/aws4_request`;
  const lines = [`content-type:${TYPE}`, 'host:localhost', `x-amz-date:${date}`, ''];
  const names = 'content-type;host;x-amz-date';
  const canonical = ['POST', '/', '', ...lines, names, hash('sha256', BODY)].join('\n');
  const toSign = ['AWS4-HMAC-SHA256', date, scope, hash('sha256', canonical)].join('\n');
  const key = scope
    .split('/')
    .reduce<Buffer>((previous, part) => hmac(previous, part), Buffer.from(`AWS4${SECRET_KEY}`));
  const signature = hmac(key, toSign).toString('hex');
  const authorization = `AWS4-HMAC-SHA256 Credential=${ACCESS_KEY}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
  const headers = Object.entries({ host: 'localhost', 'content-type': TYPE, 'x-amz-date': date, authorization });
  return { method: 'POST', target: '/', headers, body: BODY };
}

function bytesOf({ method, target, headers, body }: StsRequest): string {
  const lines = [...headers, ['content-length', String(body.length)]].map(
    ([name = '', value = '']) => `${name}: ${value}\r\n`,
  );
  return `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

describe('a call of the token service', () => {
  test('is answered as it is, and not with a signature for S3', async () => {
    expect(await statusOf(bytesOf(signedCall('sts')))).toBe(200);
    expect(await statusOf(bytesOf(signedCall('s3')))).toBeGreaterThanOrEqual(400);
  });

  test('is refused when anything about it is altered', async () => {
    const call = signedCall('sts');
    const { headers, body } = call;
    const mutations: [string, StsRequest][] = [
      ...places(body).map((at): [string, StsRequest] => [
        `body at ${String(at)}`,
        { ...call, body: altered(body, at) },
      ]),
      ['a parameter more', { ...call, body: `${body}&DurationSeconds=900` }],
      ['a query', { ...call, target: '/?Action=GetSessionToken&Version=2011-06-15' }],
      ['another path', { ...call, target: '/x' }],
      ['another method', { ...call, method: 'PUT' }],
      ...headers.flatMap(([name, value], index) => [
        ...places(value).map((at): [string, StsRequest] => [
          `${name} at ${String(at)}`,
          { ...call, headers: headers.with(index, [name, altered(value, at)]) },
        ]),
        [`without ${name}`, { ...call, headers: headers.toSpliced(index, 1) }] as [string, StsRequest],
        [`${name} twice`, { ...call, headers: [...headers, [name.toUpperCase(), value]] }] as [string, StsRequest],
      ]),
      ['a token', { ...call, headers: [...headers, ['x-amz-security-token', 'x']] }],
    ];
    const taken: string[] = [];
    for (const [name, mutation] of mutations) {
      const status = await statusOf(bytesOf(mutation));
      if (status < 400) taken.push(`${name}: ${String(status)}`);
    }
    expect(taken).toEqual([]);
    expect(mutations.length).toBeGreaterThan(80);
  });
});
