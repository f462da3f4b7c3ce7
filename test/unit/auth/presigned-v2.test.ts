import { describe, expect, it } from 'vitest';
import { authenticate } from '../../../src/auth/authenticate.ts';
import { signableRequest } from '../../../src/auth/raw-request.ts';
import { ACCESS_KEY, type Headers, NOW, authOptions, judge, rawRequest } from './signed-requests.ts';

const EXPIRES = 1_369_357_200; // one hour after NOW
const URL_OF_SDK =
  '/bucket/photos/pu%20ppy.jpg?AWSAccessKeyId=AKIAIOSFODNN7EXAMPLE&Signature=U4RnC3vFj51VN568dlpuZLyMVZs%3D&Expires=1369357200';

/** Made with botocore's HmacV1QueryAuth and the credentials of AWS's public examples. */
const SIGNED: readonly [method: string, target: string, headers: Headers][] = [
  ['GET', URL_OF_SDK, {}],
  [
    'GET',
    '/bucket/key?response-content-type=text%2Fplain&versionId=null&x-id=GetObject&AWSAccessKeyId=AKIAIOSFODNN7EXAMPLE&Signature=1Eck7oCx%2BxAY%2BmvXF0gtHzwk16Y%3D&Expires=1369357200',
    {},
  ],
  [
    'PUT',
    '/bucket/key?AWSAccessKeyId=AKIAIOSFODNN7EXAMPLE&Signature=F4vN8Xvhv8SwbCSKTtmLv9dZdu0%3D&content-type=text%2Fplain&x-amz-meta-a=b&x-amz-acl=private&Expires=1369357200',
    {},
  ],
  [
    'PUT',
    '/bucket/key?AWSAccessKeyId=AKIAIOSFODNN7EXAMPLE&Signature=F4vN8Xvhv8SwbCSKTtmLv9dZdu0%3D&Expires=1369357200',
    { 'Content-Type': 'text/plain', 'X-Amz-Meta-A': 'b', 'x-amz-acl': 'private' },
  ],
];

const headers = { host: 'localhost:9000' };

describe('presigned URLs of version 2', () => {
  it.each(SIGNED)('are accepted where the configuration says so: %s %s', (method, target, more) => {
    expect(judge(rawRequest(method, target, { ...headers, ...more }), { presignedV2: true })).toMatchObject({
      kind: 'signed',
      method: 'query',
      accessKeyId: ACCESS_KEY,
    });
  });

  it('name the bucket of a virtual host in the resource', () => {
    const raw = rawRequest('GET', URL_OF_SDK.replace('/bucket/', '/'), { host: 'bucket.localhost:9000' });
    const request = { ...signableRequest(raw), virtualBucket: 'bucket' };
    expect(authenticate(request, authOptions({ presignedV2: true }))).toMatchObject({ kind: 'signed' });
    expect(() => judge(raw, { presignedV2: true })).toThrow(expect.objectContaining({ code: 'SignatureDoesNotMatch' }));
  });

  it('are refused by default, and in headers always', () => {
    const refused: unknown = expect.objectContaining({ code: 'InvalidRequest', status: 400 });
    expect(() => judge(rawRequest('GET', URL_OF_SDK, headers))).toThrow(refused);
    const authorization = 'AWS AKIAIOSFODNN7EXAMPLE:qgk2+6Sv9/oM7G3qLEjTH1a1l1g=';
    expect(() => judge(rawRequest('GET', '/bucket/key', { ...headers, authorization }), { presignedV2: true })).toThrow(
      refused,
    );
  });

  it.each([
    ['another key', URL_OF_SDK.replace('puppy', 'kitty').replace('pu%20ppy', 'kitty'), 'SignatureDoesNotMatch'],
    ['another expiry', URL_OF_SDK.replace('1369357200', '1369357201'), 'SignatureDoesNotMatch'],
    ['a sub-resource added', `${URL_OF_SDK}&acl`, 'SignatureDoesNotMatch'],
    ['no signature', URL_OF_SDK.replace(/&Signature=[^&]*/, ''), 'AccessDenied'],
    ['an empty signature', URL_OF_SDK.replace(/&Signature=[^&]*/, '&Signature='), 'SignatureDoesNotMatch'],
    ['no expiry', URL_OF_SDK.replace(/&Expires=.*/, ''), 'AccessDenied'],
    ['an expiry that is no time', URL_OF_SDK.replace('1369357200', 'never'), 'AccessDenied'],
    ['an unknown access key', URL_OF_SDK.replace('AKIAIOSFODNN7EXAMPLE', 'NOBODY'), 'InvalidAccessKeyId'],
    ['two signatures', `${URL_OF_SDK}&Signature=x`, 'AccessDenied'],
  ])('are refused with %s', (_, target, code) => {
    expect(() => judge(rawRequest('GET', target, headers), { presignedV2: true })).toThrow(
      expect.objectContaining({ code }),
    );
  });

  it('are refused for another method, with a header added, and after their time', () => {
    const refusal = (code: string): unknown => expect.objectContaining({ code });
    expect(() => judge(rawRequest('DELETE', URL_OF_SDK, headers), { presignedV2: true })).toThrow(
      refusal('SignatureDoesNotMatch'),
    );
    expect(() =>
      judge(rawRequest('GET', URL_OF_SDK, { ...headers, 'x-amz-acl': 'public-read' }), { presignedV2: true }),
    ).toThrow(refusal('SignatureDoesNotMatch'));
    const late = rawRequest('GET', URL_OF_SDK, headers, EXPIRES * 1000 + 1);
    expect(() => judge(late, { presignedV2: true })).toThrow(refusal('AccessDenied'));
    expect(EXPIRES * 1000 - NOW).toBe(3_600_000);
  });
});
