import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { RawRequest } from '../../../src/auth/raw-request.ts';
import { refuseStreamingPayload } from '../../../src/auth/payload-mode.ts';
import { S3Error } from '../../../src/errors/s3-error.ts';
import { deriveSigningKey } from '../../../src/auth/signing-key.ts';
import {
  ACCESS_KEY,
  AMZ_DATE,
  authorization,
  EMPTY_SHA256,
  judge,
  rawRequest,
  sdkSigned,
  SECRET_KEY,
  type Headers,
  type ToSign,
} from './signed-requests.ts';

interface Expected {
  readonly code: string;
  readonly status: number;
  readonly message?: string | RegExp;
  readonly extra?: Readonly<Record<string, unknown>>;
  readonly headers?: Headers;
}

interface Case {
  readonly name: string;
  readonly sign?: ToSign;
  /** Changes the signed request on its way. */
  readonly change?: (raw: RawRequest) => RawRequest;
  readonly expected: Expected;
}

function withHeader(name: string, value: string | undefined, add = false): (raw: RawRequest) => RawRequest {
  return (raw) => {
    const rawHeaders: string[] = [];
    for (let i = 0; i < raw.rawHeaders.length; i += 2) {
      if (add || raw.rawHeaders[i]?.toLowerCase() !== name) {
        rawHeaders.push(raw.rawHeaders[i] ?? '', raw.rawHeaders[i + 1] ?? '');
      }
    }
    return { ...raw, rawHeaders: value === undefined ? rawHeaders : [...rawHeaders, name, value] };
  };
}

function editHeader(name: string, edit: (value: string) => string): (raw: RawRequest) => RawRequest {
  return (raw) => {
    const at = raw.rawHeaders.findIndex((text, i) => i % 2 === 0 && text.toLowerCase() === name);
    return withHeader(name, edit(raw.rawHeaders[at + 1] ?? ''))(raw);
  };
}

const later =
  (ms: number) =>
  (raw: RawRequest): RawRequest => ({ ...raw, now: raw.now + ms });
const edit = (from: string | RegExp, to: string) => editHeader('authorization', (value) => value.replace(from, to));
const editTarget =
  (from: string | RegExp, to: string) =>
  (raw: RawRequest): RawRequest => ({ ...raw, rawTarget: raw.rawTarget.replace(from, to) });
const SHA = 'x-amz-content-sha256';
const MINUTE = 60_000;

const HEADER_CASES: readonly Case[] = [
  {
    name: 'unknown access key',
    sign: { accessKeyId: 'AKIAOTHER' },
    expected: { code: 'InvalidAccessKeyId', status: 403, extra: { AWSAccessKeyId: 'AKIAOTHER' } },
  },
  {
    name: 'no date at all',
    change: withHeader('x-amz-date', undefined),
    expected: { code: 'AccessDenied', status: 403, message: /valid Date or x-amz-date/ },
  },
  {
    name: 'unparsable date',
    change: withHeader('x-amz-date', '2013-05-24'),
    expected: { code: 'AccessDenied', status: 403 },
  },
  {
    name: 'a 13th month',
    change: withHeader('x-amz-date', '20131324T000000Z'),
    expected: { code: 'AccessDenied', status: 403 },
  },
  {
    name: 'clock 15 minutes and a second behind',
    change: later(15 * MINUTE + 1000),
    expected: {
      code: 'RequestTimeTooSkewed',
      status: 403,
      extra: {
        RequestTime: '20130524T000000Z',
        ServerTime: '2013-05-24T00:15:01Z',
        MaxAllowedSkewMilliseconds: 900_000,
      },
    },
  },
  { name: 'clock ahead', change: later(-16 * MINUTE), expected: { code: 'RequestTimeTooSkewed', status: 403 } },
  {
    name: 'skew before syntax',
    change: (raw) => later(16 * MINUTE)(edit(/Signature=.*/, '')(raw)),
    expected: { code: 'RequestTimeTooSkewed', status: 403 },
  },
  {
    name: 'no Signature',
    change: edit(/, *Signature=.*/, ''),
    expected: { code: 'AuthorizationHeaderMalformed', status: 400, message: /three components/ },
  },
  {
    name: 'no SignedHeaders',
    change: edit(/SignedHeaders=[^,]*,/, ''),
    expected: { code: 'AuthorizationHeaderMalformed', status: 400 },
  },
  {
    name: 'no Credential',
    change: edit(/Credential=[^,]*,/, ''),
    expected: { code: 'AuthorizationHeaderMalformed', status: 400 },
  },
  {
    name: 'scope too short',
    change: edit('/s3/aws4_request', '/s3'),
    expected: { code: 'AuthorizationHeaderMalformed', status: 400, message: /mal-formed; expecting/ },
  },
  {
    name: 'scope date no date',
    change: edit('/20130524/', '/today/'),
    expected: { code: 'AuthorizationHeaderMalformed', status: 400 },
  },
  {
    name: 'other scope date',
    change: edit('/20130524/', '/20130525/'),
    expected: { code: 'AuthorizationHeaderMalformed', status: 400, message: /Invalid credential date/ },
  },
  {
    name: 'other terminator',
    change: edit('aws4_request', 'aws5_request'),
    expected: { code: 'AuthorizationHeaderMalformed', status: 400 },
  },
  {
    name: 'other service',
    sign: { service: 'ec2' },
    expected: { code: 'AuthorizationHeaderMalformed', status: 400, message: /incorrect service "ec2"/ },
  },
  {
    name: 'other region',
    sign: { region: 'eu-west-1' },
    expected: {
      code: 'AuthorizationHeaderMalformed',
      status: 400,
      message: "The authorization header is malformed; the region 'eu-west-1' is wrong; expecting 'us-east-1'",
      extra: { Region: 'us-east-1' },
      headers: { 'x-amz-bucket-region': 'us-east-1' },
    },
  },
  {
    name: 'region before access key',
    sign: { region: 'eu-west-1', accessKeyId: 'AKIAOTHER' },
    expected: { code: 'AuthorizationHeaderMalformed', status: 400 },
  },
  {
    name: 'scheme without space',
    change: withHeader('authorization', 'AWS4-HMAC-SHA256'),
    expected: { code: 'InvalidArgument', status: 400, extra: { ArgumentName: 'Authorization' } },
  },
  {
    name: 'Basic',
    change: withHeader('authorization', 'Basic dTpw'),
    expected: { code: 'InvalidArgument', status: 400, extra: { ArgumentName: 'Authorization' } },
  },
  {
    name: 'empty Authorization',
    change: withHeader('authorization', ''),
    expected: { code: 'InvalidArgument', status: 400 },
  },
  {
    name: 'SigV2',
    change: withHeader('authorization', `AWS ${ACCESS_KEY}:qgk2+6Sv9/oM7G3qLEjTH1a1l1g=`),
    expected: { code: 'InvalidRequest', status: 400, message: /not supported. Please use AWS4-HMAC-SHA256/ },
  },
  {
    name: 'SigV4A',
    change: edit('AWS4-HMAC-SHA256', 'AWS4-ECDSA-P256-SHA256'),
    expected: { code: 'NotImplemented', status: 501 },
  },
  {
    name: 'no payload hash',
    change: withHeader(SHA, undefined),
    expected: { code: 'InvalidRequest', status: 400, message: `Missing required header for this request: ${SHA}` },
  },
  {
    name: 'payload hash is no hash',
    sign: { headers: { [SHA]: 'abc' } },
    expected: { code: 'InvalidArgument', status: 400, extra: { ArgumentName: SHA, ArgumentValue: 'abc' } },
  },
  {
    name: 'SigV4A chunks',
    sign: { headers: { [SHA]: 'STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD-TRAILER' } },
    expected: { code: 'NotImplemented', status: 501 },
  },
  {
    name: 'session token',
    sign: { headers: { 'x-amz-security-token': 'token' } },
    expected: { code: 'InvalidToken', status: 400 },
  },
  {
    name: 'x-amz header added on the way',
    change: (raw) => withHeader('x-amz-meta-b', '2')(withHeader('x-amz-acl', 'public-read')(raw)),
    expected: {
      code: 'AccessDenied',
      status: 403,
      message: /headers present in the request which were not signed/,
      extra: { HeadersNotSigned: 'x-amz-acl, x-amz-meta-b' },
    },
  },
  {
    name: 'host not signed',
    change: edit('SignedHeaders=host;', 'SignedHeaders='),
    expected: { code: 'AccessDenied', status: 403, extra: { HeadersNotSigned: 'host' } },
  },
  {
    name: 'Authorization twice',
    change: withHeader('authorization', 'Basic dTpw', true),
    expected: { code: 'InvalidArgument', status: 400, extra: { ArgumentName: 'authorization' } },
  },
  {
    name: 'x-amz-date twice',
    change: withHeader('x-amz-date', '20130524T000000Z', true),
    expected: { code: 'InvalidArgument', status: 400 },
  },
  {
    name: 'payload hash twice',
    change: withHeader(SHA, EMPTY_SHA256, true),
    expected: { code: 'InvalidArgument', status: 400 },
  },
  {
    name: 'query credentials as well',
    change: editTarget(/$/, '?X-Amz-Signature=00'),
    expected: { code: 'InvalidArgument', status: 400, message: /^Only one auth mechanism allowed/ },
  },
  {
    name: 'SigV2 query as well',
    change: editTarget(/$/, '?AWSAccessKeyId=A&Signature=b&Expires=1'),
    expected: { code: 'InvalidArgument', status: 400, message: /^Only one auth mechanism allowed/ },
  },
  { name: 'other key', change: editTarget('key', 'kez'), expected: { code: 'SignatureDoesNotMatch', status: 403 } },
  {
    name: 'other method',
    change: (raw) => ({ ...raw, method: 'DELETE' }),
    expected: { code: 'SignatureDoesNotMatch', status: 403 },
  },
  {
    name: 'query parameter added',
    change: editTarget(/$/, '?acl'),
    expected: { code: 'SignatureDoesNotMatch', status: 403 },
  },
  {
    name: 'signed header changed',
    sign: { headers: { 'x-amz-acl': 'private' } },
    change: withHeader('x-amz-acl', 'public-read'),
    expected: { code: 'SignatureDoesNotMatch', status: 403 },
  },
  {
    name: 'host changed',
    change: withHeader('host', 'other:8014'),
    expected: { code: 'SignatureDoesNotMatch', status: 403 },
  },
  {
    name: 'signature is no hex',
    change: edit(/Signature=.*/, 'Signature=zz'),
    expected: { code: 'SignatureDoesNotMatch', status: 403, extra: { SignatureProvided: 'zz' } },
  },
  {
    name: 'signature of zeros',
    change: edit(/Signature=.*/, `Signature=${'0'.repeat(64)}`),
    expected: { code: 'SignatureDoesNotMatch', status: 403 },
  },
];

const PRESIGNED = { expiresIn: 60 };
const PARAMETERS = [
  'X-Amz-Algorithm',
  'X-Amz-Credential',
  'X-Amz-Date',
  'X-Amz-Expires',
  'X-Amz-SignedHeaders',
  'X-Amz-Signature',
];
const QUERY_ERROR = { code: 'AuthorizationQueryParametersError', status: 400 };

const QUERY_CASES: readonly Case[] = [
  ...PARAMETERS.map((name) => ({
    name: `without ${name}`,
    change: editTarget(new RegExp(`${name}=[^&]*&?`), ''),
    expected: QUERY_ERROR,
  })),
  { name: 'X-Amz-Signature twice', change: editTarget(/$/, '&X-Amz-Signature=00'), expected: QUERY_ERROR },
  { name: 'other algorithm', change: editTarget('AWS4-HMAC-SHA256', 'AWS4-HMAC-SHA512'), expected: QUERY_ERROR },
  {
    name: 'SigV4A',
    change: editTarget('AWS4-HMAC-SHA256', 'AWS4-ECDSA-P256-SHA256'),
    expected: { code: 'NotImplemented', status: 501 },
  },
  { name: 'scope too short', change: editTarget('%2Faws4_request', ''), expected: QUERY_ERROR },
  {
    name: 'date of another form',
    change: editTarget(/X-Amz-Date=[^&]*/, 'X-Amz-Date=2013-05-24'),
    expected: QUERY_ERROR,
  },
  {
    name: 'date unlike the scope',
    change: editTarget(/X-Amz-Date=[^&]*/, 'X-Amz-Date=20130525T000000Z'),
    expected: { ...QUERY_ERROR, message: /Invalid credential date/ },
  },
  { name: 'other region', sign: { region: 'eu-west-1' }, expected: { ...QUERY_ERROR, extra: { Region: 'us-east-1' } } },
  { name: 'other service', sign: { service: 'ec2' }, expected: QUERY_ERROR },
  { name: 'expiry no number', change: editTarget('X-Amz-Expires=60', 'X-Amz-Expires=soon'), expected: QUERY_ERROR },
  ...['0', '-7', '604801'].map((expires) => ({
    name: `expiry ${expires}`,
    change: editTarget('X-Amz-Expires=60', `X-Amz-Expires=${expires}`),
    expected: { code: 'AccessDenied', status: 403 },
  })),
  {
    name: 'expired',
    change: later(61_000),
    expected: {
      code: 'AccessDenied',
      status: 403,
      message: 'Request has expired',
      extra: { 'X-Amz-Expires': 60, Expires: '2013-05-24T00:01:00Z', ServerTime: '2013-05-24T00:01:01Z' },
    },
  },
  {
    name: 'not valid yet',
    change: later(-16 * MINUTE),
    expected: { code: 'AccessDenied', status: 403, message: 'Request is not valid yet' },
  },
  {
    name: 'unknown access key',
    sign: { accessKeyId: 'AKIAOTHER' },
    expected: { code: 'InvalidAccessKeyId', status: 403 },
  },
  {
    name: 'session token',
    sign: { query: { 'X-Amz-Security-Token': 't' } },
    expected: { code: 'InvalidToken', status: 400 },
  },
  {
    name: 'session token as a header',
    change: withHeader('x-amz-security-token', 't'),
    expected: { code: 'InvalidToken', status: 400 },
  },
  {
    name: 'x-amz header not signed',
    change: withHeader('x-amz-acl', 'public-read'),
    expected: { code: 'AccessDenied', status: 403, extra: { HeadersNotSigned: 'x-amz-acl' } },
  },
  {
    name: 'x-amz header unlike the one in the query',
    sign: { query: { 'x-amz-acl': 'private' } },
    change: withHeader('x-amz-acl', 'public-read'),
    expected: { code: 'AccessDenied', status: 403, extra: { HeadersNotSigned: 'x-amz-acl' } },
  },
  {
    name: 'query parameter added',
    change: editTarget(/$/, '&response-content-type=text%2Fhtml'),
    expected: { code: 'SignatureDoesNotMatch', status: 403 },
  },
  { name: 'other key', change: editTarget('key', 'kez'), expected: { code: 'SignatureDoesNotMatch', status: 403 } },
  {
    name: 'payload hash no hash',
    sign: { query: { 'X-Amz-Content-Sha256': 'abc' } },
    expected: { code: 'InvalidArgument', status: 400 },
  },
];

async function refusal(entry: Case, presigned: ToSign): Promise<S3Error> {
  const signed = await sdkSigned({ ...presigned, ...entry.sign });
  const raw = entry.change?.(signed) ?? signed;
  if (entry.sign === undefined) {
    expect(judge(signed).kind, 'unchanged, the request is good').toBe('signed');
  }
  try {
    judge(raw);
  } catch (error) {
    if (error instanceof S3Error) {
      return error;
    }
    throw error;
  }
  throw new Error('the request was accepted');
}

function expectAnswer(error: S3Error, expected: Expected): void {
  expect({ code: error.code, status: error.status }).toEqual({ code: expected.code, status: expected.status });
  if (expected.message !== undefined) {
    expect(error.message).toMatch(expected.message);
  }
  expect(error.extra).toMatchObject(expected.extra ?? {});
  expect(error.headers).toMatchObject(expected.headers ?? {});
}

describe('refused header signatures', () => {
  it.each(HEADER_CASES)('$name: $expected.code', async (entry) => {
    expectAnswer(await refusal(entry, {}), entry.expected);
  });

  it('shows the client what was signed', async () => {
    const error = await refusal({ name: '', change: editTarget('key', 'kez'), expected: QUERY_ERROR }, {});
    expect(Object.keys(error.extra)).toEqual([
      'AWSAccessKeyId',
      'StringToSign',
      'SignatureProvided',
      'StringToSignBytes',
      'CanonicalRequest',
      'CanonicalRequestBytes',
    ]);
    expect(error.extra['StringToSign']).toMatch(
      /^AWS4-HMAC-SHA256\n20130524T000000Z\n20130524\/us-east-1\/s3\/aws4_request\n[0-9a-f]{64}$/,
    );
    expect(error.extra['CanonicalRequest']).toMatch(/^GET\n\/bucket\/kez\n\nhost:localhost:8014\n/);
    expect(error.extra['StringToSignBytes']).toMatch(/^41 57 53 34 2d /);
  });
});

describe('refused presigned URLs', () => {
  it.each(QUERY_CASES)('$name: $expected.code', async (entry) => {
    expectAnswer(await refusal(entry, PRESIGNED), entry.expected);
  });

  it.each(['AWSAccessKeyId=A&Signature=b&Expires=1', 'AWSAccessKeyId=A'])('SigV2 ?%s', (query) => {
    expect(() => judge(rawRequest('GET', `/b/k?${query}`, { host: 'h' }))).toThrow(
      expect.objectContaining({ code: 'InvalidRequest', status: 400 }),
    );
  });
});

describe('anonymous requests', () => {
  it.each([
    { name: 'plain', target: '/b/k', headers: {}, kind: 'unsigned' },
    { name: 'ordinary parameters', target: '/b/k?x-id=GetObject&versionId=null', headers: {}, kind: 'unsigned' },
    { name: 'payload hash', target: '/b/k', headers: { [SHA]: EMPTY_SHA256 }, kind: 'hash' },
    {
      name: 'unsigned trailer',
      target: '/b/k',
      headers: { [SHA]: 'STREAMING-UNSIGNED-PAYLOAD-TRAILER' },
      kind: 'streaming-unsigned-trailer',
    },
    {
      name: 'trailer of botocore without a signer',
      target: '/b/k',
      headers: { 'x-amz-trailer': 'x-amz-checksum-crc32', 'x-amz-decoded-content-length': '3' },
      kind: 'streaming-unsigned-trailer',
    },
  ])('$name', ({ target, headers, kind }) => {
    expect(judge(rawRequest('PUT', target, { host: 'h', ...headers }))).toMatchObject({
      kind: 'anonymous',
      payload: { kind },
    });
  });

  it('have no signed chunks', () => {
    const raw = rawRequest('PUT', '/b/k', { host: 'h', [SHA]: 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD' });
    expect(() => judge(raw)).toThrow(expect.objectContaining({ code: 'InvalidRequest', status: 400 }));
  });
});

describe('what else is accepted', () => {
  it('the Date header in place of x-amz-date', () => {
    const headers = { host: 'localhost', date: 'Fri, 24 May 2013 00:00:00 GMT', [SHA]: EMPTY_SHA256 };
    const raw = rawRequest('GET', '/b', { ...headers, authorization: authorization(headers, '0'.repeat(64)) });
    expect(() => judge(raw)).toThrow(
      expect.objectContaining({
        extra: expect.objectContaining({
          StringToSign: expect.stringContaining('\n20130524T000000Z\n') as string,
        }) as object,
      }),
    );
  });

  it('blanks inside header values, as one', async () => {
    const raw = await sdkSigned({ headers: { 'x-amz-meta-note': 'a   b\tc' } });
    expect(judge(raw).kind).toBe('signed');
  });

  it('header bytes beyond ASCII as they are, a trailing A0 included', () => {
    const utf8 = Buffer.from('caf\u00e9 \u00e0').toString('latin1');
    const headers = { host: 'localhost', 'x-amz-meta-name': utf8, 'x-amz-date': AMZ_DATE, [SHA]: EMPTY_SHA256 };
    const canonical = `GET\n/b\n\nhost:localhost\n${SHA}:${EMPTY_SHA256}\nx-amz-date:${AMZ_DATE}\nx-amz-meta-name:caf\u00e9 \u00e0\n\nhost;${SHA};x-amz-date;x-amz-meta-name\n${EMPTY_SHA256}`;
    const digest = createHash('sha256').update(canonical, 'utf8').digest('hex');
    const scope = { date: '20130524', region: 'us-east-1', service: 's3', terminator: 'aws4_request' };
    const text = `AWS4-HMAC-SHA256\n${AMZ_DATE}\n20130524/us-east-1/s3/aws4_request\n${digest}`;
    const signature = createHmac('sha256', deriveSigningKey(SECRET_KEY, scope)).update(text).digest('hex');
    expect(judge(rawRequest('GET', '/b', { ...headers, authorization: authorization(headers, signature) })).kind).toBe(
      'signed',
    );
  });

  it('a header that the presigned query repeats with the same value', async () => {
    const signed = await sdkSigned({ expiresIn: 60, query: { 'x-amz-acl': 'public-read' } });
    expect(judge(withHeader('x-amz-acl', 'public-read')(signed))).toMatchObject({ kind: 'signed', method: 'query' });
  });

  it('clocks 15 minutes apart', async () => {
    const signed = await sdkSigned({});
    expect(judge(later(15 * MINUTE)(signed)).kind).toBe('signed');
    expect(judge(later(-15 * MINUTE)(signed)).kind).toBe('signed');
  });

  it('a presigned URL up to its last second, for a week', async () => {
    const signed = await sdkSigned({ expiresIn: 604_800 });
    expect(judge(later(604_800_000)(signed)).kind).toBe('signed');
  });
});

describe('streaming payloads', () => {
  it.each(['streaming-signed', 'streaming-signed-trailer', 'streaming-unsigned-trailer'] as const)(
    '%s is refused outside of uploads',
    (kind) => {
      expect(() => refuseStreamingPayload({ kind })).toThrow(
        expect.objectContaining({ code: 'InvalidRequest', status: 400 }),
      );
    },
  );

  it('others pass', () => {
    expect(() => refuseStreamingPayload({ kind: 'unsigned' })).not.toThrow();
    expect(() => refuseStreamingPayload({ kind: 'hash', sha256: EMPTY_SHA256 })).not.toThrow();
  });
});
