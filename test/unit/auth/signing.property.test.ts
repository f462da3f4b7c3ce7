import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { authenticate } from '../../../src/auth/authenticate.ts';
import { type RawRequest, signableRequest } from '../../../src/auth/raw-request.ts';
import { sign, stringToSign } from '../../../src/auth/signature.ts';
import { deriveSigningKey, SigningKeys } from '../../../src/auth/signing-key.ts';
import {
  ACCESS_KEY,
  AMZ_DATE,
  authOptions,
  authorization,
  EMPTY_SHA256,
  judge,
  rawRequest,
  sdkSigned,
  SECRET_KEY,
} from './signed-requests.ts';

const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }).filter((value) => value.isWellFormed());
const path = text.map((key) => `/bucket/${key}`);
/** The SDK's signer keeps parameters in a plain object, which loses one of this name. */
const LOST_BY_THE_SIGNER = '__proto__';
const parameter = text.filter(
  (name) => !/^x-amz-/i.test(name) && !['Signature', 'AWSAccessKeyId', LOST_BY_THE_SIGNER].includes(name),
);
const query = fc.dictionary(parameter, text, { maxKeys: 4, noNullPrototype: true });
/** Bytes as Node hands them over: latin1 text. The signer hashes UTF-8, so values here stay ASCII. */
const headerValue = fc.stringMatching(/^[!-~]([ -~]{0,15}[!-~])?$/);
const headers = fc.dictionary(fc.stringMatching(/^x-amz-meta-[a-z0-9]{1,8}$/), headerValue, {
  maxKeys: 4,
  noNullPrototype: true,
});

describe('what the SDK signs', () => {
  it('verifies, by header', () =>
    fc.assert(
      fc.asyncProperty(path, query, headers, async (path, query, headers) => {
        expect(judge(await sdkSigned({ method: 'PUT', path, query, headers }))).toMatchObject({
          kind: 'signed',
          method: 'header',
        });
      }),
      { numRuns: 150 },
    ));

  it('verifies, presigned', () =>
    fc.assert(
      fc.asyncProperty(path, query, async (path, query) => {
        expect(judge(await sdkSigned({ path, query, expiresIn: 300 }))).toMatchObject({
          kind: 'signed',
          method: 'query',
        });
      }),
      { numRuns: 150 },
    ));
});

describe('paths that clients encode in different ways', () => {
  const HEADERS = { host: 'localhost', 'x-amz-content-sha256': EMPTY_SHA256, 'x-amz-date': AMZ_DATE };
  const SCOPE = {
    accessKeyId: ACCESS_KEY,
    date: '20130524',
    region: 'us-east-1',
    service: 's3',
    terminator: 'aws4_request',
    text: '20130524/us-east-1/s3/aws4_request',
  };

  /** Signs a canonical path of the test's choice, whatever the request target looks like. */
  function signedAs(target: string, signedPath: string): RawRequest {
    const names = Object.keys(HEADERS);
    const lines = Object.entries(HEADERS)
      .map(([name, value]) => `${name}:${value}\n`)
      .join('');
    const canonical = `GET\n${signedPath}\n\n${lines}\n${names.join(';')}\n${EMPTY_SHA256}`;
    const signature = sign(deriveSigningKey(SECRET_KEY, SCOPE), stringToSign(AMZ_DATE, SCOPE.text, canonical));
    return rawRequest('GET', target, { ...HEADERS, authorization: authorization(HEADERS, signature) });
  }

  it.each([
    ["/b/a!'()*", '/b/a%21%27%28%29%2A'],
    ["/b/a!'()*", "/b/a!'()*"],
    ['/b/%7euser%2a', '/b/~user%2A'],
    ['/b/%7euser%2a', '/b/%7euser%2a'],
    ['/b/a%2Fb', '/b/a/b'],
    ['/b/a%2Fb', '/b/a%2Fb'],
    ['/b//x/../y/', '/b//x/../y/'],
    ['/b/caf\u00c3\u00a9', '/b/caf%C3%A9'],
    ['/b/100%', '/b/100%25'],
    ['/b/a+b', '/b/a%2Bb'],
  ])('%s signed as %s', (target, signedPath) => {
    expect(judge(signedAs(target, signedPath)).kind).toBe('signed');
  });

  it.each([
    ['/b//x', '/b/x'],
    ['/b/x/../y', '/b/y'],
    ['/b/./x', '/b/x'],
    ['/b/a+b', '/b/a%20b'],
  ])('%s is not %s', (target, signedPath) => {
    expect(() => judge(signedAs(target, signedPath))).toThrow(
      expect.objectContaining({ code: 'SignatureDoesNotMatch' }),
    );
  });
});

describe('signing keys', () => {
  const raw = () => sdkSigned({});

  it('follow a changed secret at once', async () => {
    const signingKeys = new SigningKeys();
    const request = await raw();
    expect(authenticate(signableRequest(request), authOptions({ signingKeys })).kind).toBe('signed');
    const other = authOptions({ signingKeys, credentialFor: () => ({ secretAccessKey: 'other', owner: 'main' }) });
    expect(() => authenticate(signableRequest(request), other)).toThrow(
      expect.objectContaining({ code: 'SignatureDoesNotMatch' }),
    );
    expect(authenticate(signableRequest(request), authOptions({ signingKeys })).kind).toBe('signed');
  });

  it('stay within their bound', () => {
    const keys = new SigningKeys(3);
    for (let day = 10; day < 30; day += 1) {
      const date = `201305${day}`;
      keys.keyFor(ACCESS_KEY, 's', {
        accessKeyId: ACCESS_KEY,
        date,
        region: 'r',
        service: 's3',
        terminator: 'aws4_request',
        text: `${date}/r/s3/aws4_request`,
      });
    }
    expect(keys.size).toBe(3);
  });

  it('of unknown access keys share one entry', async () => {
    const signingKeys = new SigningKeys();
    for (const accessKeyId of ['AKIA1', 'AKIA2', 'AKIA3']) {
      const request = await sdkSigned({ accessKeyId });
      expect(() => authenticate(signableRequest(request), authOptions({ signingKeys }))).toThrow(
        expect.objectContaining({ code: 'InvalidAccessKeyId' }),
      );
    }
    expect(signingKeys.size).toBe(1);
  });
});
