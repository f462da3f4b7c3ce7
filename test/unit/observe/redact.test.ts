import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  fingerprint,
  redactCanonicalRequest,
  redactError,
  redactFields,
  redactHeader,
  redactQuery,
  redactTarget,
  redactText,
} from '../../../src/observe/redact.ts';
import '../../support/property-seed.ts';
import { expectGone } from './expect-gone.ts';

const MARK = /<\d+ chars, sha256 [0-9a-f]{8}>/;

/** A credential as it could be: base64, hex, base64url; long enough that it does not turn up by chance. */
const secret = fc.stringMatching(/^[A-Za-z0-9+/_-]{16,80}={0,2}$/);
const SECRET_HEADERS = [
  'x-amz-security-token',
  'x-amz-server-side-encryption-customer-key',
  'x-amz-server-side-encryption-customer-key-md5',
  'x-amz-copy-source-server-side-encryption-customer-key',
  'x-amz-copy-source-server-side-encryption-customer-key-md5',
  'cookie',
  'set-cookie',
  'proxy-authorization',
  'x-ms-encryption-key',
  'x-ms-encryption-key-sha256',
  'x-goog-encryption-key',
  'x-amz-s3session-token',
];
const SECRET_PARAMETERS = [
  'X-Amz-Signature',
  'Signature',
  'X-Amz-Security-Token',
  'sig',
  'X-Goog-Signature',
  'access_token',
  'x-amz-server-side-encryption-customer-key',
  'x-amz-copy-source-server-side-encryption-customer-key-md5',
];
const IN_CONNECTION_STRINGS = ['AccountKey', 'SharedAccessSignature', 'SharedAccessKey'];

/** The same text in other cases. */
function anyCase(text: string): fc.Arbitrary<string> {
  return fc.array(fc.boolean(), { minLength: text.length, maxLength: text.length }).map((upper) =>
    text
      .split('')
      .map((char, index) => (upper[index] === true ? char.toUpperCase() : char.toLowerCase()))
      .join(''),
  );
}

function escaped(char: string): string {
  return `%${char.charCodeAt(0).toString(16).padStart(2, '0')}`;
}

/** The same text with some of its characters escaped, up to two times over. */
function anyEscape(text: string): fc.Arbitrary<string> {
  return fc.array(fc.nat({ max: 5 }), { minLength: text.length, maxLength: text.length }).chain((choices) =>
    fc.boolean().map((upper) => {
      const escapes = text.split('').map((char, index) => {
        const times = Math.max(0, (choices[index] ?? 0) - 3);
        const once = times === 0 ? char : upper ? escaped(char).toUpperCase() : escaped(char);
        return times === 2 ? once.replace('%', '%25') : once;
      });
      return escapes.join('');
    }),
  );
}

const name = (names: readonly string[]): fc.Arbitrary<string> => fc.constantFrom(...names).chain(anyCase);

describe('no credential survives', () => {
  it('in headers, whatever their case', () => {
    fc.assert(
      fc.property(name(SECRET_HEADERS), secret, (header, value) => {
        expectGone(redactHeader(header, value), value);
        expectGone(redactText(`sent ${header}: ${value}`), value);
        expectGone(redactText(JSON.stringify({ headers: { [header]: value } })), value);
        expectGone(redactText(JSON.stringify(JSON.stringify({ [header]: value }))), value);
        expectGone(JSON.stringify(redactFields({ request: { headers: { [header]: [value] } } })), value);
      }),
    );
  });

  const SCHEMES = [
    'AWS4-HMAC-SHA256',
    'AWS4-HMAC-SHA256 Credential=AK/20260101/r/s3/aws4_request, SignedHeaders=host, Signature=',
    'AWS AK:',
    'Bearer ',
    'Basic ',
    'SharedKey account:',
    'SharedKeyLite account:',
    'AWS4-HMAC-SHA256 Signature=',
    'AWS4-HMAC-SHA256 Credential=AK/x,Signature= ',
    'Digest ',
    'token ',
    '',
  ];

  it('in Authorization, whatever its scheme and form', () => {
    fc.assert(
      fc.property(
        name(['authorization']),
        name(SCHEMES),
        secret,
        fc.constantFrom('', ', x=y', ' trailing'),
        (header, scheme, value, tail) => {
          expectGone(redactHeader(header, `${scheme}${value}${tail}`), value);
          expectGone(redactText(`${header}: ${scheme}${value}${tail}`), value);
          expectGone(redactText(`the request had ${header}: ${scheme}${value}${tail}`), value);
          expectGone(redactText(JSON.stringify({ [header]: `${scheme}${value}${tail}` })), value);
        },
      ),
    );
  });

  it('in queries, whatever the case and the escapes of names and values, however often they come', () => {
    const parameter = name(SECRET_PARAMETERS).chain(anyEscape);
    fc.assert(
      fc.property(
        parameter,
        secret,
        secret.chain((value) => anyEscape(value).map((shown) => ({ value, shown }))),
        (raw, first, { value, shown }) => {
          const query = `list-type=2&${raw}=${first}&prefix=a%2Fb&${raw}=${shown}`;
          const redacted = redactQuery(query);
          expectGone(redacted, first);
          expectGone(redacted, value);
          expect(redacted).toMatch(new RegExp(`^list-type=2&[^&]+=${MARK.source}&prefix=a%2Fb&[^&]+=${MARK.source}$`));
          expectGone(redactTarget(`/bucket/key?${query}`), value);
          expectGone(redactText(`GET https://host/bucket/key?${query} failed`), value);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('in a URL within a URL, and in headers that hold one', () => {
    fc.assert(
      fc.property(name(SECRET_PARAMETERS), secret, fc.integer({ min: 0, max: 3 }), (parameter, value, depth) => {
        let url = `https://host/b/k?a=b&${parameter}=${encodeURIComponent(value)}&c=d`;
        for (let level = 0; level < depth; level += 1) url = `https://host/?redirect=${encodeURIComponent(url)}`;
        for (const output of [
          redactTarget(url),
          redactText(`failed: ${url}`),
          redactHeader('referer', url),
          redactHeader('X-Original-Url', url),
        ]) {
          expectGone(output, value);
        }
      }),
    );
  });

  it('in canonical requests', () => {
    fc.assert(
      fc.property(name(SECRET_PARAMETERS), fc.constantFrom(...SECRET_HEADERS), secret, (parameter, header, value) => {
        const canonical = `PUT\n/b/k\na=&${parameter}=${encodeURIComponent(value)}\nhost:localhost\n${header}:${value}\n\nhost;${header}\nUNSIGNED-PAYLOAD`;
        expectGone(redactCanonicalRequest(canonical), value);
        expectGone(redactText(canonical), value);
      }),
    );
  });

  it('in errors, their causes and their stacks', () => {
    fc.assert(
      fc.property(name([...IN_CONNECTION_STRINGS, ...SECRET_PARAMETERS]), secret, (parameter, value) => {
        const inner = Object.assign(
          new Error(
            `DefaultEndpointsProtocol=https;AccountName=a;${parameter}=${value};EndpointSuffix=core.windows.net`,
          ),
          {
            request: { headers: { authorization: `Bearer ${value}` } },
          },
        );
        const error = new Error('outer', {
          cause: new AggregateError([inner, `password=${value}`], `Bearer ${value}`, { cause: inner }),
        });
        expectGone(JSON.stringify(redactError(error)), value);
        expectGone(JSON.stringify(redactFields({ err: error, list: [error] })), value);
      }),
    );
  });

  test.each([
    ['a private key', '{"private_key":"-----BEGIN PRIVATE KEY-----\\nSECRETSECRET\\n-----END PRIVATE KEY-----\\n"}'],
    ['a private key cut off', '-----BEGIN RSA PRIVATE KEY-----\nSECRETSECRET\nSECRET'],
    ['a JSON web token', 'rejected eyJhbGciOiJSUzI1NiIsSECRET.eyJzdWIiOiJzeXN0ZSECRET.SECRETabcdef'],
    ['an access token of Google', 'got ya29.a0SECRETSECRET'],
    [
      'what a service says of a wrong signature',
      "The MAC signature found in the HTTP request 'SECRETSECRETSECRETSECRETSECRET=' is not the same as any computed signature.",
    ],
    ['the password of a proxy', 'connect to http://user:SECRET@proxy:3128 refused'],
    ['a raw header list', "[ 'Host', 'localhost', 'X-Amz-Security-Token', 'SECRET' ]"],
    ['an inspected object', "{ authorization: 'Bearer SECRET' }"],
  ])('%s', (_, text) => {
    expect(redactText(text)).not.toContain('SECRET');
  });
});

describe('what is no credential stays', () => {
  it('names, order, encoding and repeats of a query', () => {
    fc.assert(
      fc.property(
        fc.array(fc.stringMatching(/^(list-type|prefix|acl|X-Amz-Date|x-id)(=[a-zA-Z0-9%2F.-]{0,12})?$/), {
          maxLength: 8,
        }),
        (pairs) => {
          expect(redactQuery(pairs.join('&'))).toBe(pairs.join('&'));
        },
      ),
    );
  });

  test.each([
    [
      'Authorization',
      'AWS4-HMAC-SHA256 Credential=AK/20260101/us-east-1/s3/aws4_request, SignedHeaders=host;x-amz-date, Signature=0123456789abcdef',
      'AWS4-HMAC-SHA256 Credential=AK/20260101/us-east-1/s3/aws4_request, SignedHeaders=host;x-amz-date, Signature=<16 chars, sha256 9f9f5111>',
    ],
    ['host', 'localhost:9000', 'localhost:9000'],
    [
      'User-Agent',
      'aws-cli/2.1 md/Botocore#1.40 ua/2.1 os/linux#6 md/arch#x86_64',
      'aws-cli/2.1 md/Botocore#1.40 ua/2.1 os/linux#6 md/arch#x86_64',
    ],
    ['x-amz-copy-source', '/bucket/a%20key?versionId=3', '/bucket/a%20key?versionId=3'],
    ['x-amz-meta-note', 'the secret of the sea', 'the secret of the sea'],
    ['x-amz-server-side-encryption-customer-algorithm', 'AES256', 'AES256'],
  ])('%s: %s', (header, value, expected) => {
    expect(redactHeader(header, value)).toBe(expected);
  });

  test.each([
    "The authorization header is malformed; the region 'eu' is wrong; expecting 'us-east-1'",
    'Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, Signature query string parameter or the Authorization header should be specified',
    'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
    'no usable answer from http://127.0.0.1:10000/devstoreaccount1 (connect ECONNREFUSED)',
    'Bearer token missing',
    'Basic authentication is not supported',
    '/bucket/100%25/a%20b/sig.txt',
  ])('%s', (text) => {
    expect(redactText(text)).toBe(text);
  });

  it('redacting twice changes nothing more', () => {
    fc.assert(
      fc.property(secret, (value) => {
        const once = redactTarget(`/b/k?X-Amz-Signature=${value}&x=${encodeURIComponent(`u?sig=${value}`)}`);
        expect(redactTarget(once)).toBe(once);
        const header = redactHeader('authorization', `AWS4-HMAC-SHA256 Credential=AK/x, Signature=${value}`);
        expect(redactText(redactText(`sig=${value}; authorization: Bearer ${value}`))).toBe(
          redactText(`sig=${value}; authorization: Bearer ${value}`),
        );
        expect(redactCanonicalRequest(redactCanonicalRequest(`GET\n/\n\nx-amz-security-token:${value}\n\nh\nU`))).toBe(
          redactCanonicalRequest(`GET\n/\n\nx-amz-security-token:${value}\n\nh\nU`),
        );
        expect(redactHeader('authorization', header)).toBe(header);
        expect(header).toContain('Credential=AK/x');
      }),
    );
  });

  it('one secret has one mark, wherever it stood', () => {
    const token = 'FwoGZXIvYXdzEBYaDH+/abc==';
    const mark = fingerprint(token);
    expect(redactHeader('X-Amz-Security-Token', token)).toBe(mark);
    expect(redactQuery(`X-Amz-Security-Token=${encodeURIComponent(token)}`)).toBe(`X-Amz-Security-Token=${mark}`);
  });
});

describe('what is too long is cut off first', () => {
  const filler = 'x'.repeat(100);
  const SECRET = 'SECRETSECRETSECRETSECRETSECRET';
  const FORMS = [
    `token=${SECRET}`,
    `"token":"${SECRET}"`,
    `'token': '${SECRET}'`,
    `\\"token\\":\\"${SECRET}\\"`,
    `authorization: Bearer ${SECRET}`,
    `Bearer ${SECRET}`,
    `https://user:${SECRET}@host/`,
    `eyJhbGciOiJI${SECRET}.${SECRET}.${SECRET}`,
    `ya29.abcdefgh${SECRET}`,
    `signature '${SECRET}'`,
    `-----BEGIN PRIVATE KEY-----\n${SECRET}\n-----END PRIVATE KEY-----`,
    `?next=${encodeURIComponent(`https://h/?sig=${SECRET}`)}`,
    `AWS AK:${SECRET}`,
  ];

  test.each(FORMS)('no cut shows the beginning of %s', (form) => {
    const begin = form.indexOf('SECRET');
    for (let at = begin + 6; at <= form.length; at += 1) {
      const text = `${filler} ${form} ${filler}`;
      expect(redactText(text, filler.length + 1 + at)).not.toContain('SECRET');
      expect(redactTarget(`/b/${form}/${filler}`, 3 + at)).not.toContain('SECRET');
      expect(redactTarget(`/b?a=${form}&x=${filler}`, 5 + at)).not.toContain('SECRET');
      expect(redactHeader('x-any', `${form} ${filler}`, at)).not.toContain('SECRET');
    }
  });

  it('a text of any length costs no more than its beginning', () => {
    expect(redactText('a=b&'.repeat(1_000_000)).length).toBeLessThan(10_000);
    expect(redactTarget(`/b?${'sig=a&'.repeat(100_000)}`).length).toBeLessThan(20_000);
    expect(redactHeader('authorization', `AWS4-HMAC-SHA256 ${'Signature=a,'.repeat(100_000)}`).length).toBeLessThan(
      2_000,
    );
  });
});
