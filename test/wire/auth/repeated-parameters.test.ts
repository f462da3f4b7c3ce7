import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HEADER_KEYS } from '../../../src/access/heeded-headers.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { type RawAnswer, roundTrip } from '../../support/clients/raw-http.ts';
import { presignedHead, signedHead } from '../../support/clients/sign-raw.ts';
import { directoryOf, keysOf, sessionsOf } from '../../support/clients/sts-client.ts';

/**
 * What a condition of a policy judges, what was signed and what is done is one value: whatever comes twice is refused,
 * or is one value for all of them.
 */

const DENIED = {
  's3:ListBucket': { 's3:prefix': 'bad', 's3:delimiter': 'bad', 's3:max-keys': '7' },
  's3:GetObjectVersion': { 's3:VersionId': 'null' },
  's3:PutObject': { 's3:x-amz-website-redirect-location': '/good,/bad', 's3:x-amz-copy-source': 'data/good,/data/bad' },
} as const;
const statements = Object.entries(DENIED).flatMap(([Action, keys]) =>
  Object.entries(keys).map(([key, value]) => ({
    Effect: 'Deny',
    Principal: '*',
    Action,
    Resource: ['arn:aws:s3:::data', 'arn:aws:s3:::data/*'],
    Condition: { StringEquals: { [key]: value } },
  })),
);
let gateway: TestGateway;

beforeAll(async () => {
  const accounts = directoryOf({ users: [{ name: 'u', buckets: ['data'] }] });
  gateway = await startTestGateway({ accounts, sessions: sessionsOf(accounts) });
  const policy = JSON.stringify({ Version: '2012-10-17', Statement: statements });
  const lock = { 'x-amz-bucket-object-lock-enabled': 'true', 'x-amz-object-ownership': 'ObjectWriter' };
  expect((await send({ method: 'PUT', target: '/data', headers: lock })).status).toBe(200);
  for (const key of ['good', 'bad', 'good,/data/bad', 'good,/data/good']) {
    expect((await send({ method: 'PUT', target: `/data/${encodeURIComponent(key)}`, body: key })).status).toBe(200);
  }
  expect((await send({ by: 'main', method: 'PUT', target: '/data?policy', body: policy })).status).toBe(204);
});
afterAll(() => gateway.close());

interface Sent {
  readonly by?: 'main' | 'u';
  readonly method?: string;
  readonly target: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A header that is sent in two lines, signed as the rules have it: joined. */
  readonly twice?: readonly [name: string, first: string, second: string];
}

function send({ by = 'main', method = 'GET', target, body = '', headers, twice }: Sent): Promise<RawAnswer> {
  const { accessKeyId: accessKey, secretAccessKey: secretKey } = keysOf(by);
  const [name = '', first = '', second = ''] = twice ?? [];
  const head = signedHead({
    method,
    target,
    accessKey,
    secretKey,
    headers: {
      ...(method !== 'GET' && { 'content-length': String(body.length) }),
      ...headers,
      ...(twice !== undefined && { [name]: `${first},${second}` }),
    },
  });
  const lines = twice === undefined ? head : head.replace(`${name}: ${first},`, `${name}: ${first}\r\n${name}: `);
  return roundTrip(gateway.port, lines + body, method);
}
const outcome = ({ status, body }: RawAnswer): string =>
  [status, /<Code>(\w+)<\/Code>/.exec(body)?.[1]].filter((part) => part !== undefined).join(' ');
const by = async (sent: Sent): Promise<string> => outcome(await send({ by: 'u', ...sent }));

/** Path, name, a value that is let be, one that is denied, and what the first is answered. */
const QUERIES = [
  { path: '/data?', name: 'prefix', good: 'good', bad: 'bad', answer: '200' },
  { path: '/data?list-type=2&', name: 'prefix', good: 'good', bad: 'bad', answer: '200' },
  { path: '/data?', name: 'delimiter', good: 'good', bad: 'bad', answer: '200' },
  { path: '/data?', name: 'max-keys', good: '3', bad: '7', answer: '200' },
  { path: '/data/good?', name: 'versionId', good: 'x', bad: 'null', answer: '400 InvalidArgument' },
];

describe('a parameter of a query that a condition asks for', () => {
  it.each(QUERIES)('$path$name: two values are refused, one value twice is that value', async (row) => {
    const { path, name, good, bad, answer } = row;
    const told = (...values: string[]): Promise<string> =>
      by({ target: path + values.map((value) => `${name}=${value}`).join('&') });
    expect([await told(good), await told(bad)]).toEqual([answer, '403 AccessDenied']);
    expect([await told(good, good), await told(bad, bad)]).toEqual([answer, '403 AccessDenied']);
    const escaped = `%${(name.codePointAt(0) ?? 0).toString(16)}${name.slice(1)}`;
    const twice = ['', ...(name === 'max-keys' ? [] : [good])].flatMap((other) => [
      `${name}=${other}&${name}=${bad}`,
      `${name}=${bad}&${name}=${other}`,
    ]);
    for (const query of [...twice, `${name}&${name}=${bad}`]) {
      expect(await by({ target: path + query }), query).toBe('400 InvalidArgument');
    }
    // Spelled with an escape it is the same name; the signature of the client may or may not be.
    expect(await by({ target: `${path}${escaped}=${good}&${name}=${bad}` })).toBe('400 InvalidArgument');
    // In other letters it is another name, which says nothing.
    expect(await by({ target: `${path}${name.toUpperCase()}=${good}&${name}=${bad}` })).toBe('403 AccessDenied');
  });

  it.each(['acl&policy', 'policy&acl', 'policy=&acl=', 'acl&tagging', 'versions&uploads', 'delete&acl'])(
    '?%s names two operations, and is neither',
    async (query) => {
      expect(await by({ target: `/data?${query}` })).toBe('400 InvalidArgument');
      expect(await by({ method: 'PUT', target: `/data?${query}` })).toBe('400 InvalidArgument');
    },
  );
});

describe('a parameter of a presigned URL', () => {
  const { accessKeyId: accessKey, secretAccessKey: secretKey } = keysOf('u');
  const signed = (target: string, method = 'GET'): string =>
    presignedHead({
      target,
      method,
      accessKey,
      secretKey,
      ...(method === 'PUT' && { headers: { 'content-length': '0' } }),
    });
  const answered = async (head: string, method = 'GET'): Promise<string> =>
    outcome(await roundTrip(gateway.port, head, method));

  it.each(['Algorithm', 'Credential', 'Date', 'Expires', 'SignedHeaders', 'Signature', 'Security-Token'])(
    'X-Amz-%s comes once',
    async (part) => {
      const name = `X-Amz-${part}`;
      const head = signed('/data/good');
      expect(await answered(head)).toBe('200');
      const own = new RegExp(`${name}=([^& ]+)`).exec(head)?.[1] ?? 'x';
      const tries = [own, 'x', ''].flatMap((value) => [
        head.replace('?', `?${name}=${value}&`),
        head.replace(' HTTP', `&${name}=${value} HTTP`),
        head.replace(' HTTP', `&${name.toLowerCase()}=${value} HTTP`),
        signed(`/data/good?${name}=${value}`),
      ]);
      for (const one of tries) expect(await answered(one), one).toMatch(/^40[03] /);
    },
  );

  it.each<[string, string, string]>([
    ['x-amz-acl', 'private', 'public-read'],
    ['x-amz-tagging', 'a=b', 'a=c'],
    ['x-amz-website-redirect-location', '/a', '/b'],
    ['x-amz-storage-class', 'STANDARD', 'GLACIER'],
    ['x-amz-object-lock-legal-hold', 'OFF', 'ON'],
  ])('that stands for the header %s has one value, whatever letters it has', async (name, one, other) => {
    const upper = name.replaceAll(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
    for (const [first, second] of [
      [name, name],
      [name, upper],
      [upper, name],
    ] as const) {
      const target = `/data/new?${first}=${encodeURIComponent(one)}&${second}=${encodeURIComponent(other)}`;
      expect(await answered(signed(target, 'PUT'), 'PUT')).toBe('400 InvalidArgument');
    }
  });
});

const DATE = '2040-01-01T00:00:00Z';
/** Each twice: both orders, where the values differ. Answered with 400 where nothing else stands. */
const HEADERS: Readonly<Record<string, readonly [first: string, second: string, answer?: RegExp]>> = {
  'x-amz-acl': ['private', 'public-read'],
  'x-amz-grant-read': ['id="a"', 'uri="http://acs.amazonaws.com/groups/global/AllUsers"'],
  'x-amz-grant-write': ['id="a"', 'id="b"'],
  'x-amz-grant-read-acp': ['id="a"', 'id="b"'],
  'x-amz-grant-write-acp': ['id="a"', 'id="b"'],
  'x-amz-grant-full-control': ['id="a"', 'id="b"'],
  'x-amz-storage-class': ['STANDARD', 'STANDARD_IA'],
  'x-amz-server-side-encryption': ['AES256', 'aws:kms', /^(?:400|501) /],
  'x-amz-server-side-encryption-aws-kms-key-id': ['a', 'b', /^(?:400|501) /],
  'x-amz-server-side-encryption-customer-algorithm': ['AES256', 'AES256'],
  'x-amz-object-lock-mode': ['GOVERNANCE', 'COMPLIANCE'],
  'x-amz-object-lock-retain-until-date': [DATE, DATE],
  'x-amz-object-lock-legal-hold': ['OFF', 'ON'],
  'x-amz-tagging': ['a=b', 'c=d'],
  'x-amz-object-ownership': ['ObjectWriter', 'BucketOwnerEnforced'],
  'x-amz-metadata-directive': ['COPY', 'REPLACE'],
  'if-match': ['"a"', '"b"', /^412 /],
  'if-none-match': ['*', '"b"', /^412 /],
  'x-amz-security-token': ['a', 'b'],
  'x-amz-date': ['20200101T000000Z', '20200101T000000Z'],
  'x-amz-content-sha256': ['UNSIGNED-PAYLOAD', 'UNSIGNED-PAYLOAD'],
  date: ['Mon, 01 Jan 2040 00:00:00 GMT', 'Mon, 01 Jan 2040 00:00:00 GMT'],
};

describe('a header that comes twice', () => {
  it('is in the table if a condition asks for it', () => {
    const judged = ['x-amz-website-redirect-location', 'x-amz-copy-source'];
    expect(HEADER_KEYS.filter((name) => !(name in HEADERS) && !judged.includes(name))).toEqual([]);
  });

  it.each(Object.entries(HEADERS))('%s is refused', async (name, [first, second, answer = /^400 /]) => {
    const target = name === 'x-amz-object-ownership' ? '/another' : '/data/good';
    const headers = {
      ...(name === 'x-amz-metadata-directive' && { 'x-amz-copy-source': '/data/good' }),
      ...(name.startsWith('x-amz-object-lock-mode') && { 'x-amz-object-lock-retain-until-date': DATE }),
      ...(name === 'x-amz-object-lock-retain-until-date' && { 'x-amz-object-lock-mode': 'GOVERNANCE' }),
    };
    for (const twice of [
      [name, first, second],
      [name, second, first],
    ] as const) {
      expect(outcome(await send({ method: 'PUT', target, body: 'changed', headers, twice }))).toMatch(answer);
    }
    expect((await send({ target: '/data/good' })).body).toBe('good');
  });

  it('is one value, with a comma, for conditions and for what is done', async () => {
    const put = (name: string, first: string, second: string): Promise<string> =>
      by({ method: 'PUT', target: '/data/new', twice: [name, first, second] });
    const redirect = 'x-amz-website-redirect-location';
    expect([await put(redirect, '/good', '/bad'), await put(redirect, '/bad', '/good')]).toEqual([
      '403 AccessDenied',
      '200',
    ]);
    expect((await send({ target: '/data/new' })).headers[redirect]).toBe('/bad,/good');
    const source = 'x-amz-copy-source';
    expect([await put(source, '/data/good', '/data/bad'), await put(source, '/data/good', '/data/good')]).toEqual([
      '403 AccessDenied',
      '200',
    ]);
    expect((await send({ target: '/data/new' })).body).toBe('good,/data/good');
  });
});
