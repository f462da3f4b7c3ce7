import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RequestDetail, RequestList, ShownHint } from '../../../src/admin/inspector/contract.ts';
import {
  altersHeader,
  altersTarget,
  startAlteringProxy,
  type Alter,
  type AlteringProxy,
} from '../../support/backends/altering-proxy.ts';
import { roundTrip } from '../../support/clients/raw-http.ts';
import { presignedHead, SECRET_KEY, signedHead, type RawRequestOptions } from '../../support/clients/sign-raw.ts';
import { portOf, startCommand, type Started } from '../../support/gateway/start-command.ts';

const HOUR = 3_600_000;
const { start, configFile } = startCommand({ keep: true });

let started: Started;
let proxy: AlteringProxy;
let admin = '';

beforeAll(async () => {
  started = start([
    '--config',
    configFile('hints.yaml', { admin: { port: 0 }, baseHosts: ['localhost', 's3.example.com'] }),
  ]);
  const port = await portOf(started);
  [, admin = ''] = await started.printed(/"admin":"([^"]+)"/);
  proxy = await startAlteringProxy(port);
});

afterAll(async () => {
  await proxy.close();
  started.child.kill('SIGTERM');
  await started.ended();
});

/** What the journal says of the one request that came for a key. */
async function kept(key: string): Promise<RequestDetail['authentication']> {
  const get = async <T>(path: string): Promise<T> => (await (await fetch(`${admin}${path}`)).json()) as T;
  const {
    requests: [summary],
  } = await get<RequestList>(`/api/requests?errors=true&bucket=bucket&prefix=${key}`);
  expect(summary, 'the journal has it').toBeDefined();
  return (await get<RequestDetail>(summary?.href ?? '')).authentication;
}

interface Way {
  readonly way: string;
  readonly cause: string;
  readonly certainty?: ShownHint['certainty'];
  readonly request?: Partial<RawRequestOptions>;
  readonly query?: string;
  readonly alter?: Alter;
}

const WAYS: readonly Way[] = [
  {
    way: 'altered header',
    cause: 'altered-header',
    request: { headers: { 'x-amz-meta-list': 'a,b' } },
    alter: altersHeader('x-amz-meta-list', 'a, b'),
  },
  { way: 're-encoded path', cause: 're-encoded-path', alter: altersTarget((target) => target.replace('%20', '%2520')) },
  {
    way: 'changed host',
    cause: 'changed-host',
    request: { host: 's3.example.com' },
    alter: altersHeader('host', 'gateway.internal:9000'),
  },
  {
    way: 'trimmed space',
    cause: 'trimmed-space',
    request: { headers: { 'x-amz-meta-note': 'two  spaces' } },
    alter: altersHeader('x-amz-meta-note', 'two spaces'),
  },
  {
    way: 'lost query',
    cause: 'lost-query',
    query: '?acl',
    alter: altersTarget((target) => target.replace(/\?acl&?/, (lost) => (lost.endsWith('&') ? '?' : ''))),
  },
  { way: 'wrong region', cause: 'wrong-region', request: { region: 'eu-central-1' } },
  { way: 'wrong secret', cause: 'wrong-secret', certainty: 'likely', request: { secretKey: 'guessed' } },
  { way: 'wrong secret by a line break', cause: 'wrong-secret', request: { secretKey: `${SECRET_KEY}\n` } },
  { way: 'shifted clock', cause: 'shifted-clock', request: { now: new Date(Date.now() + HOUR) } },
];

describe.each([
  ['by header', signedHead],
  ['presigned', presignedHead],
])('a signature broken on purpose, %s', (how, make) => {
  test.each(WAYS)('$way', async ({ way, cause, certainty = 'proved', request = {}, query = '', alter }) => {
    const key = `${how}-${way}`.replaceAll(' ', '-');
    proxy.alter = alter ?? ((head) => head);
    const answer = await roundTrip(proxy.port, make({ target: `/bucket/${key}%20x${query}`, ...request }));
    expect([400, 403]).toContain(answer.status);
    expect(answer.body, 'clients are told nothing of it').not.toMatch(/proved|likely/);

    const { verdict, failure } = await kept(key);
    expect(verdict).toBe('refused');
    expect(failure?.hints[0]).toMatchObject({ cause, certainty });
    expect(failure?.canonicalRequest).toMatch(/^GET\n\/bucket\//);
    expect(failure?.stringToSign).toMatch(/^AWS4-HMAC-SHA256\n/);
  });
});

test('a chunk whose signature is wrong: the request itself was signed rightly', async () => {
  proxy.alter = (head) => head;
  await roundTrip(proxy.port, signedHead({ method: 'PUT', target: '/bucket', headers: { 'content-length': '0' } }));
  const chunks = `4;chunk-signature=${'0'.repeat(64)}\r\nbody\r\n0;chunk-signature=${'0'.repeat(64)}\r\n\r\n`;
  const headers = {
    'content-length': String(chunks.length),
    'x-amz-decoded-content-length': '4',
    'content-encoding': 'aws-chunked',
  };
  const head = signedHead({
    method: 'PUT',
    target: '/bucket/chunks',
    payloadHash: 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
    headers,
  });
  expect((await roundTrip(proxy.port, head + chunks)).body).toContain('SignatureDoesNotMatch');
  expect((await kept('chunks')).failure?.hints).toMatchObject([{ cause: 'changed-body', certainty: 'proved' }]);
});
