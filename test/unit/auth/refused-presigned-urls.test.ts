import { describe, expect, it } from 'vitest';
import { EMPTY_SHA256, judge, rawRequest } from './signed-requests.ts';
import {
  type Case,
  withHeader,
  later,
  editTarget,
  MINUTE,
  QUERY_ERROR,
  SHA,
  refusal,
  expectAnswer,
} from './altered-requests.ts';

const PRESIGNED = { expiresIn: 60 };
const PARAMETERS = [
  'X-Amz-Algorithm',
  'X-Amz-Credential',
  'X-Amz-Date',
  'X-Amz-Expires',
  'X-Amz-SignedHeaders',
  'X-Amz-Signature',
];
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
    name: 'other x-amz-content-sha256, not signed',
    change: withHeader(SHA, EMPTY_SHA256),
    expected: { code: 'AccessDenied', status: 403, extra: { HeadersNotSigned: SHA } },
  },
  {
    name: 'x-amz-content-sha256 beside the hash that was signed in the query',
    sign: { query: { 'X-Amz-Content-Sha256': EMPTY_SHA256 } },
    change: withHeader(SHA, '0'.repeat(64)),
    expected: { code: 'AccessDenied', status: 403, extra: { HeadersNotSigned: SHA } },
  },
  {
    name: 'signed header that did not come',
    sign: { headers: { 'if-match': '"etag"' } },
    change: withHeader('if-match', undefined),
    expected: {
      code: 'SignatureDoesNotMatch',
      status: 403,
      extra: { CanonicalRequest: expect.stringContaining('\nif-match:\n') as string },
    },
  },
  {
    name: 'header signed as empty that did not come',
    sign: { headers: { 'if-match': '' } },
    change: withHeader('if-match', undefined),
    expected: { code: 'SignatureDoesNotMatch', status: 403 },
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
