import { describe, expect, it } from 'vitest';
import { ACCESS_KEY, EMPTY_SHA256 } from './signed-requests.ts';
import {
  type Case,
  withHeader,
  later,
  edit,
  editTarget,
  SHA,
  MINUTE,
  QUERY_ERROR,
  refusal,
  expectAnswer,
} from './altered-requests.ts';

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
