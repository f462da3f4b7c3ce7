import { createHmac, randomBytes } from 'node:crypto';
import { ACCESS_KEY, presignedHead, SECRET_KEY, signedHead } from '../../support/clients/sign-raw.ts';

/** All that no output may hold, by what it is. */
export const secrets = new Map<string, string>();

/** A credential of its own, in the letters that such have. */
export function secret(what: string, form: 'hex' | 'base64' | 'base64url' = 'base64url'): string {
  const value = randomBytes(30).toString(form);
  secrets.set(`${what}: ${value}`, value);
  return value;
}

/** Takes the signatures out of what is sent: they are credentials, too. */
export function noted(request: string): string {
  for (const [, value = ''] of request.matchAll(/(?:Signature=|signature=|AWS [A-Z0-9]+:)([\w+/%=-]{16,})/g)) {
    secrets.set(`signature: ${value}`, decodeURIComponent(value));
  }
  return request;
}

type Made = (key: string) => string;

const sse = (prefix: string): Record<string, string> => ({
  [`${prefix}server-side-encryption-customer-algorithm`]: 'AES256',
  [`${prefix}server-side-encryption-customer-key`]: secret(`${prefix}customer key`, 'base64'),
  [`${prefix}server-side-encryption-customer-key-md5`]: secret(`MD5 of ${prefix}customer key`, 'base64'),
});

/** Unsigned requests with credentials somewhere in them. */
const plain = (key: string, headers: Readonly<Record<string, string>>, query = ''): string =>
  `GET ${key}${query} HTTP/1.1\r\nHost: localhost\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`;

export const CASES: Readonly<Record<string, Made>> = {
  put: (key) => signedHead({ method: 'PUT', target: key, headers: { 'content-length': '0' } }),
  'get presigned': (key) => presignedHead({ target: key }),
  'wrong secret': (key) => signedHead({ target: key, secretKey: 'guessed' }),
  'wrong secret presigned': (key) => presignedHead({ target: key, secretKey: 'guessed' }),
  'altered host': (key) => signedHead({ target: key }).replace('host: localhost', 'host: elsewhere'),
  'shifted clock': (key) => signedHead({ target: key, now: new Date(Date.now() - 3_600_000) }),
  'unknown key': (key) => signedHead({ target: key, accessKey: 'NOSUCHKEYNOSUCHKEY00' }),
  'header in another case': (key) =>
    signedHead({ target: key, secretKey: 'guessed' })
      .replace('authorization:', 'AUTHORIZATION:')
      .replace(', Signature=', ',signature='),
  'presigned in another case': (key) => presignedHead({ target: key }).replace('X-Amz-Signature', 'x-amz-SIGNATURE'),
  'presigned, name escaped': (key) =>
    presignedHead({ target: key }).replace('X-Amz-Signature', 'X%2DAmz%2dSign%61ture'),
  'presigned twice': (key) =>
    presignedHead({ target: key }).replace(
      /(&X-Amz-Signature=[0-9a-f]+)/,
      `$1&X-Amz-Signature=${secret('second signature', 'hex')}`,
    ),
  'session token': (key) =>
    signedHead({ target: key, headers: { 'x-amz-security-token': secret('session token', 'base64') } }),
  'session token, wrong secret': (key) =>
    signedHead({
      target: key,
      secretKey: 'guessed',
      headers: { 'X-Amz-Security-Token': secret('session token', 'base64') },
    }),
  'session token presigned': (key) =>
    presignedHead({ target: `${key}?X-Amz-Security-Token=${encodeURIComponent(secret('session token', 'base64'))}` }),
  'session token in an altered query': (key) =>
    presignedHead({ target: `${key}?x-amz-security-token=${secret('session token')}` }).replace('?', '?added=1&'),
  'customer key': (key) =>
    signedHead({ method: 'PUT', target: key, headers: { ...sse('x-amz-'), 'content-length': '0' } }),
  'customer key, wrong secret': (key) => signedHead({ target: key, secretKey: 'guessed', headers: sse('x-amz-') }),
  'customer key of a source': (key) =>
    signedHead({
      method: 'PUT',
      target: key,
      headers: { 'x-amz-copy-source': '/bucket/put', ...sse('x-amz-copy-source-') },
    }),
  'customer key hoisted': (key) =>
    presignedHead({
      target: `${key}?x-amz-server-side-encryption-customer-key=${encodeURIComponent(secret('hoisted key', 'base64'))}`,
    }),
  'version 2 in a header': (key) =>
    plain(key, { Authorization: `AWS ${ACCESS_KEY}:${secret('V2 signature', 'base64')}` }),
  'version 2 presigned': (key) => presignedV2(key, SECRET_KEY),
  'version 2 presigned, wrong secret': (key) => presignedV2(key, 'guessed'),
  'signed chunks': (key) => signedChunks(key, undefined),
  'signed chunks, one of them wrong': (key) => signedChunks(key, secret('chunk signature', 'hex')),
  basic: (key) =>
    plain(key, { Authorization: `Basic ${Buffer.from(`user:${secret('password')}`).toString('base64')}` }),
  bearer: (key) => plain(key, { Authorization: `Bearer ${secret('bearer token')}` }),
  'no scheme': (key) => plain(key, { Authorization: secret('bare token') }),
  'other credentials': (key) =>
    signedHead({
      target: key,
      headers: {
        cookie: `session=${secret('cookie')}; b=${secret('cookie')}`,
        'proxy-authorization': `Basic ${secret('proxy password')}`,
        'x-api-key': secret('API key'),
        'x-ms-encryption-key': secret('Azure customer key', 'base64'),
        'x-goog-encryption-key': secret('Google customer key', 'base64'),
        referer: `https://account.blob.core.windows.net/c/b?sv=2024-11-04&sig=${encodeURIComponent(secret('SAS in a referer', 'base64'))}`,
        'x-original-url': `/b/k?redirect=${encodeURIComponent(`https://h/?access_token=${secret('OAuth token')}`)}`,
        'user-agent': `tool/1 (token=${secret('token in a user agent')})`,
        'x-forwarded-uri': `/b/k?X-Amz-Signature=${secret('forwarded signature', 'hex')}`,
      },
    }),
  'SAS in a query': (key) =>
    plain(key, {}, `?SV=1&SIG=${encodeURIComponent(secret('SAS in a query', 'base64'))}&se=2030`),
  'copy from a presigned URL': (key) =>
    signedHead({
      method: 'PUT',
      target: key,
      headers: { 'x-amz-copy-source': `/bucket/put?X-Amz-Signature=${secret('signature of a source', 'hex')}` },
    }),
  'a presigned URL as key': (key) =>
    signedHead({
      method: 'PUT',
      target: `${key}/https%3A//h/b/k%3FX-Amz-Signature%3D${secret('signature in a key', 'hex')}`,
      headers: { 'content-length': '0' },
    }),
  'whole URL as target': (key) =>
    plain(`http://localhost${key}`, {}, `?X-Amz-Security-Token=${secret('token in a whole URL')}`),
  'backend that fails': () => signedHead({ target: '/dead-bucket/k' }),
  'by names nobody listed': (key) =>
    plain(
      key,
      {
        'x-vault-token': secret('vault token'),
        'x-functions-key': secret('function key'),
        'x-my-password': secret('password header'),
      },
      `?pwd=${secret('pwd')}&pass=${secret('pass')}&key=${secret('key')}&auth=${secret('auth')}&session=${secret('session')}&jwt=${secret('jwt')}`,
    ),
  'names spelled as lists, and beside the known ones': (key) =>
    plain(
      key,
      {
        'authorization-x': `Bearer ${secret('misspelled authorization')}`,
        'x-authorization': secret('another authorization'),
        'authorization%5B%5D': secret('escaped authorization'),
        cookie2: `a=${secret('cookie of RFC 2965')}`,
        referer: `http://h/?X-Amz-Signature[]=${secret('signature of a list in a referer', 'hex')}`,
      },
      `?X-Amz-Signature[]=${secret('signature of a list', 'hex')}&x-amz-signature%5B0%5D=${secret('escaped list', 'hex')}` +
        `&login[pwd]=${secret('password of a form')}&X-Amz-Security-Token.1=${secret('numbered token')}`,
    ),
  'a long query': (key) =>
    plain(
      key,
      {},
      `?${'a=b&'.repeat(1200)}sig=${secret('late SAS')}&token=${secret('late token')}&${'c=d&'.repeat(900)}pass=${secret('last')}`,
    ),
  'two lengths': (key) =>
    plain(key, {
      'Content-Length': '1',
      'Transfer-Encoding': 'chunked',
      'X-Amz-Security-Token': secret('token in a broken request'),
    }),
};

function presignedV2(key: string, secretKey: string): string {
  const expires = String(Math.floor(Date.now() / 1000) + 600);
  const signature = createHmac('sha1', secretKey).update(`GET\n\n\n${expires}\n${key}`).digest('base64');
  secrets.set(`V2 signature: ${signature}`, signature);
  return plain(key, {}, `?AWSAccessKeyId=${ACCESS_KEY}&Expires=${expires}&Signature=${encodeURIComponent(signature)}`);
}

/** One chunk; its signature is not right, as nothing but its journey is of interest. */
function signedChunks(key: string, signature: string | undefined): string {
  const head = signedHead({
    method: 'PUT',
    target: key,
    payloadHash: 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
    headers: { 'content-length': '180', 'x-amz-decoded-content-length': '4', 'content-encoding': 'aws-chunked' },
  });
  const chunk = `4;chunk-signature=${signature ?? '0'.repeat(64)}\r\nbody\r\n0;chunk-signature=${'0'.repeat(64)}\r\n\r\n`;
  return head.replace('content-length: 180', `content-length: ${chunk.length}`) + chunk;
}
