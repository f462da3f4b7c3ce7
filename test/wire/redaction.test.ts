import { createHash, createHmac, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startAzurite } from '../../adapters/azure/index.ts';
import { startGcsDouble } from '../../adapters/gcs/index.ts';
import { fingerprint } from '../../src/observe/redact.ts';
import { disguises, shownBy, sink } from '../support/all-outputs.ts';
import { roundTrip } from '../support/raw-http.ts';
import { ACCESS_KEY, presignedHead, SECRET_KEY, signedHead } from '../support/sign-raw.ts';
import { startCommand, testAccount } from '../support/start-command.ts';

/**
 * Every kind of credential, in requests that succeed and that fail, against a gateway whose every output is on: traces
 * to a receiver, log, access log, metrics, and all that the admin port shows. None of them may hold one.
 */
const secrets = new Map<string, string>();

/** A credential of its own, in the letters that such have. */
function secret(what: string, form: 'hex' | 'base64' | 'base64url' = 'base64url'): string {
  const value = randomBytes(30).toString(form);
  secrets.set(`${what}: ${value}`, value);
  return value;
}

/** Takes the signatures out of what is sent: they are credentials, too. */
function noted(request: string): string {
  for (const [, value = ''] of request.matchAll(/(?:Signature=|signature=|AWS [A-Z0-9]+:)([\w+/%=-]{16,})/g)) {
    secrets.set(`signature: ${value}`, decodeURIComponent(value));
  }
  return request;
}

const ADMIN_TOKEN = secret('token of the admin port');
const CLOUD_SAS = `sv=2024-11-04&ss=b&srt=sco&sp=rwdlac&sig=${encodeURIComponent(secret('SAS of a backend', 'base64'))}`;
const CLOUD_KEY = secret('account key of a backend', 'base64');
secrets.set('secret access key', SECRET_KEY);

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

const CASES: Readonly<Record<string, Made>> = {
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

/** Keys that objects are really encrypted with, and all that one could tell them by. */
const CUSTOMER_KEYS = ['key of an object', 'key of another'].map((what) => {
  const key = randomBytes(32);
  const digest = (algorithm: string): Buffer => createHash(algorithm).update(key).digest();
  for (const [of, bytes] of Object.entries({ key, md5: digest('md5'), sha256: digest('sha256') })) {
    for (const form of ['base64', 'base64url', 'hex', 'latin1'] as const) {
      const said = bytes.toString(form).replace(/=+$/, '');
      secrets.set(`${of} of ${what} in ${form}: ${said}`, said);
    }
  }
  return { key: key.toString('base64'), md5: digest('md5').toString('base64') };
});

/** Shows the n-th of them. */
function shown(index: number, prefix = 'x-amz-'): Record<string, string> {
  const { key = '', md5 = '' } = CUSTOMER_KEYS[index] ?? {};
  const said = `${prefix}server-side-encryption-customer`;
  return { [`${said}-algorithm`]: 'AES256', [`${said}-key`]: key, [`${said}-key-md5`]: md5 };
}

/** Writes, reads, copies and puts together what is under keys, and fails at it; over one backend. */
async function useKeys(port: number, bucket: string): Promise<void> {
  const ask = async (
    method: string,
    target: string,
    headers: Record<string, string> = {},
    body = '',
  ): Promise<string> => {
    const length = { 'content-length': String(Buffer.byteLength(body)) };
    const request = noted(signedHead({ method, target, headers: { ...headers, ...length } }));
    const answer = await roundTrip(port, request + body);
    answers.set(`${method} ${target}`, `${answer.status} ${answer.body}`);
    return answer.headers['etag'] ?? answer.body;
  };
  await ask('PUT', `/${bucket}`);
  await ask('PUT', `/${bucket}/used`, shown(0), 'bytes');
  await ask('PUT', `/${bucket}/used-large`, shown(0), 'bytes'.repeat(300_000));
  await ask('GET', `/${bucket}/used`, shown(0));
  await ask('GET', `/${bucket}/used?range`, { ...shown(0), range: 'bytes=1-2' });
  await ask('GET', `/${bucket}/used?wrong`, shown(1));
  await ask('PUT', `/${bucket}/copied`, {
    'x-amz-copy-source': `/${bucket}/used`,
    ...shown(0, 'x-amz-copy-source-'),
    ...shown(1),
  });
  const upload = /<UploadId>([^<]+)/.exec(await ask('POST', `/${bucket}/parts?uploads`, shown(1)))?.[1] ?? '';
  const etag = await ask('PUT', `/${bucket}/parts?partNumber=1&uploadId=${upload}`, shown(1), 'part');
  await ask('PUT', `/${bucket}/parts?partNumber=2&uploadId=${upload}`, {
    'x-amz-copy-source': `/${bucket}/used`,
    ...shown(0, 'x-amz-copy-source-'),
    ...shown(1),
  });
  const document = `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${etag}</ETag></Part></CompleteMultipartUpload>`;
  await ask('POST', `/${bucket}/parts?uploadId=${upload}`, {}, document);
  await ask('GET', `/${bucket}/parts`, shown(1));
}

/** One on each backend. */
const KEYED_BUCKETS = ['memory-keyed', 'azure-keyed', 'gcs-keyed'];
let clouds: { readonly azure: string; readonly azureKey: string; readonly gcs: string; stop(): Promise<void> };

async function startClouds(): Promise<typeof clouds> {
  const [azurite, double] = await Promise.all([startAzurite({ customerKeys: true }), startGcsDouble()]);
  const { endpoint, credential } = azurite.storeOptions;
  if (endpoint === undefined || credential.kind !== 'accountKey') throw new Error('the emulator has a key');
  return {
    azure: endpoint,
    azureKey: credential.key,
    gcs: double.endpoint,
    stop: async () => {
      await Promise.all([azurite.stop(), double.stop()]);
    },
  };
}

const { start, configFile } = startCommand();
const outputs = new Map<string, string>();
/** Of each case: what it was called in the path, and what the client was answered. */
const answers = new Map<string, string>();

function keyOf(name: string): string {
  return `/bucket/${name.replaceAll(/\W/g, '-')}`;
}

async function run(format: 'json' | 's3'): Promise<void> {
  const spans = await sink();
  const dead = { owner: 'main', endpoint: 'http://127.0.0.1:1/account', retries: { attempts: 1 } };
  const config = configFile(`${format}.yaml`, {
    accounts: [testAccount()],
    presignedV2: true,
    accessLog: { format },
    logLevel: 'trace',
    customerKeysOverHttp: true,
    admin: { port: 0, tokenEnv: 'ADMIN_TOKEN' },
    buckets: {
      default: 'store',
      rules: [
        { pattern: 'dead-*', backend: 'dead' },
        { pattern: 'gone-*', backend: 'gone' },
        { pattern: 'azure-*', backend: 'azure' },
        { pattern: 'gcs-*', backend: 'gcs' },
      ],
    },
    backends: {
      store: { kind: 'memory', owner: 'main' },
      azure: {
        kind: 'azure',
        owner: 'main',
        endpoint: clouds.azure,
        systemContainer: `${format}-system`,
        credential: { kind: 'accountKey', keyEnv: 'AZURE_KEY' },
      },
      gcs: {
        kind: 'gcs',
        owner: 'main',
        endpoint: clouds.gcs,
        projectId: 'p',
        bucketPrefix: `${format}-`,
        credential: { kind: 'anonymous' },
      },
      dead: { kind: 'azure', ...dead, systemContainer: 'dead-system', credential: { kind: 'sas', tokenEnv: 'SAS' } },
      gone: {
        kind: 'azure',
        ...dead,
        endpoint: 'http://127.0.0.1:1/gone',
        systemContainer: 'gone-system',
        credential: { kind: 'accountKey', keyEnv: 'KEY' },
      },
    },
  });
  const started = start(['--config', config], {
    ADMIN_TOKEN,
    SAS: CLOUD_SAS,
    KEY: CLOUD_KEY,
    AZURE_KEY: clouds.azureKey,
    OTEL_EXPORTER_OTLP_ENDPOINT: spans.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
    OTEL_TRACES_SAMPLER: 'always_on',
  });
  const [, port] = await started.printed(/"endpoints":\["http:\/\/127\.0\.0\.1:(\d+)"/);
  const [, admin = ''] = await started.printed(/"admin":"([^"]+)"/);
  await roundTrip(Number(port), signedHead({ method: 'PUT', target: '/bucket', headers: { 'content-length': '0' } }));
  for (const [name, make] of Object.entries(CASES)) {
    const answer = await roundTrip(Number(port), noted(make(keyOf(name))));
    answers.set(name, `${answer.status} ${answer.body}`);
  }
  for (const bucket of KEYED_BUCKETS) await useKeys(Number(port), bucket);
  for (const [path, text] of await shownBy({
    admin,
    token: ADMIN_TOKEN,
    accessKey: ACCESS_KEY,
    secret,
    streamed: Object.keys(CASES).length - 2,
  })) {
    outputs.set(`${format}: ${path}`, text);
  }
  started.child.kill('SIGTERM');
  await started.ended();
  outputs.set(`${format}: log and access log`, started.output());
  outputs.set(`${format}: spans`, spans.text());
  spans.close();
}

describe('credentials', () => {
  beforeAll(async () => {
    clouds = await startClouds();
    await run('json');
    await run('s3');
  }, 300_000);

  afterAll(() => clouds.stop());

  test.each(KEYED_BUCKETS)('keys of customers were really used in %s', (bucket) => {
    const [refused, done] = [[...answers].filter(([name]) => name.includes(`/${bucket}/used?wrong`)), answers];
    expect(refused[0]?.[1]).toMatch(/^4/);
    expect(done.get(`GET /${bucket}/used`)).toBe('200 bytes');
    expect(done.get(`PUT /${bucket}/copied`)).toMatch(/^200 .*<CopyObjectResult/s);
    expect(done.get(`GET /${bucket}/parts`)).toBe('200 part');
  });

  test('the requests were what they were meant to be', () => {
    expect(answers.get('put')).toMatch(/^200/);
    expect(answers.get('get presigned')).toContain('<Code>NoSuchKey</Code>');
    expect(answers.get('version 2 presigned')).toContain('<Code>NoSuchKey</Code>');
    for (const name of [
      'wrong secret',
      'wrong secret presigned',
      'altered host',
      'version 2 presigned, wrong secret',
      'signed chunks',
      'signed chunks, one of them wrong',
    ]) {
      expect(answers.get(name), name).toContain('<Code>SignatureDoesNotMatch</Code>');
    }
    expect(answers.get('session token')).toContain('<Code>InvalidToken</Code>');
    expect(answers.get('session token, wrong secret')).toContain('<Code>InvalidToken</Code>');
    expect(answers.get('backend that fails')).toMatch(/^50[03]/);
    expect(secrets.size).toBeGreaterThan(2 * Object.keys(CASES).length);
  });

  test.each(['json', 's3'])('every output of a gateway with %s lines shows the requests', (format) => {
    const path = keyOf('session token, wrong secret');
    for (const output of ['/api/requests?limit=1000', '/api/requests.har', 'stream', 'log and access log', 'spans']) {
      expect(outputs.get(`${format}: ${output}`), output).toContain(path.slice('/bucket/'.length));
    }
    expect(outputs.get(`${format}: /metrics`)).toContain('PutObject');
    expect(outputs.get(`${format}: /api/requests?limit=1000`)).not.toContain('"requests":[]');
    expect(
      [...outputs.keys()].filter((name) => name.startsWith(`${format}: `) && name.endsWith('/bundle')).length,
    ).toBeGreaterThan(Object.keys(CASES).length - 3);
  });

  test('marks stand where credentials were', () => {
    const all = [...outputs.values()].join('\n');
    for (const [name, value] of secrets) {
      if (name.startsWith('session token:')) expect(all, name).toContain(fingerprint(value));
    }
    expect(all).toMatch(/proved/);
  });

  test('are in none of the outputs', () => {
    const found: string[] = [];
    for (const [output, text] of outputs) {
      for (const [name, value] of secrets) {
        if (disguises(value).some((shown) => text.includes(shown))) found.push(`${output} shows ${name}`);
      }
    }
    expect(found).toEqual([]);
  });
});
