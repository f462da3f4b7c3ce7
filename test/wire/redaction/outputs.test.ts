import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startAzurite, startGcsDouble } from '../../../adapters/doubles/index.ts';
import { fingerprint } from '../../../src/observe/redact.ts';
import { disguises, shownBy, sink } from '../../support/observe/all-outputs.ts';
import { roundTrip } from '../../support/clients/raw-http.ts';
import { ACCESS_KEY, SECRET_KEY, signedHead } from '../../support/clients/sign-raw.ts';
import { startCommand, testAccount } from '../../support/gateway/start-command.ts';
import { secrets, secret, noted, CASES } from './credentials.ts';

/**
 * Every kind of credential, in requests that succeed and that fail, against a gateway whose every output is on: traces
 * to a receiver, log, access log, metrics, and all that the admin port shows. None of them may hold one.
 */
const ADMIN_TOKEN = secret('token of the admin port');
const CLOUD_SAS = `sv=2024-11-04&ss=b&srt=sco&sp=rwdlac&sig=${encodeURIComponent(secret('SAS of a backend', 'base64'))}`;
const CLOUD_KEY = secret('account key of a backend', 'base64');
secrets.set('secret access key', SECRET_KEY);

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
