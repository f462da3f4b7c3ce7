import {
  AccountSASPermissions,
  AccountSASResourceTypes,
  AccountSASServices,
  StorageSharedKeyCredential,
  generateAccountSASQueryParameters,
} from '@azure/storage-blob';
import { createServer, request, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEVELOPMENT_ACCOUNT, DEVELOPMENT_KEY } from '../../adapters/azure/credentials.ts';
import { createAzureStore } from '../../adapters/azure/index.ts';
import { startAzurite, startGcsDouble } from '../../adapters/doubles/index.ts';
import { startCommand } from '../support/gateway/start-command.ts';
import { testCall } from '../support/test-call.ts';

const { start, configFile } = startCommand();
const WRONG_KEY = Buffer.alloc(64, 7).toString('base64');
const TWENTY_MINUTES = 20 * 60_000;

interface Run {
  readonly code: number | null;
  /** Without their columns of spaces. */
  readonly lines: readonly string[];
}

async function preflight(backend: object, environment: Record<string, string> = {}): Promise<Run> {
  const started = start(
    ['--preflight', configFile('preflight.yaml', { backends: { main: { owner: 'main', ...backend } } })],
    environment,
  );
  const code = await started.ended();
  return {
    code,
    lines: started
      .output()
      .trimEnd()
      .split('\n')
      .map((line) => line.replaceAll(/ {2,}/g, ' ')),
  };
}

function problems({ lines }: Run): string[] {
  return lines.filter((line) => line.startsWith('fail ') || line.startsWith('warn '));
}

describe('Azure', { timeout: 90_000 }, () => {
  let azurite: Awaited<ReturnType<typeof startAzurite>>;

  beforeAll(async () => {
    azurite = await startAzurite();
  });
  afterAll(() => azurite.stop());

  const withKey = (endpoint: string) => ({
    kind: 'azure',
    endpoint,
    credential: { kind: 'accountKey', keyEnv: 'KEY' },
    retries: { attempts: 1 },
  });

  test('a good account: a line for each thing, and nothing stays behind', async () => {
    const run = await preflight(withKey(azurite.endpoint), { KEY: DEVELOPMENT_KEY });
    expect([run.code, problems(run)]).toEqual([0, []]);
    expect(run.lines).toContain('ok main system container: s3gw-system was made');
    expect(run.lines).toContain('ok main copy blobs: allowed');
    expect(run.lines).toContain('ok main conditions of copies: kept');
    expect(run.lines).toContain('ok main soft delete: off');
    expect(run.lines).toContain('ok main versioning of the cloud: off');
    expect(run.lines.some((line) => line.startsWith('note main lifecycle rules: '))).toBe(true);
    expect(run.lines.at(-1)).toBe('preflight: good');

    const store = createAzureStore(azurite.storeOptions);
    expect((await store.list('s3gw-system', { limit: 10 }, testCall())).entries).toEqual([]);
    await store.close();

    const again = await preflight(withKey(azurite.endpoint), { KEY: DEVELOPMENT_KEY });
    expect(again.lines).toContain('ok main system container: s3gw-system is there');
  });

  test('a wrong key', async () => {
    const run = await preflight(withKey(azurite.endpoint), { KEY: WRONG_KEY });
    expect(run.code).toBe(1);
    expect(problems(run)).toEqual([
      'fail main identity: AuthorizationFailure; the storage firewall lets this network not in, or the SAS lacks a permission',
    ]);
  });

  test('nobody there', async () => {
    const run = await preflight(withKey('http://127.0.0.1:1/devstoreaccount1'), { KEY: DEVELOPMENT_KEY });
    expect([run.code, problems(run)]).toEqual([
      1,
      [
        'fail main reachable: http://127.0.0.1:1/devstoreaccount1: ECONNREFUSED; nothing listens there: check endpoint and port',
      ],
    ]);
  });

  test('a shared access signature that may not write', async () => {
    const shared = new StorageSharedKeyCredential(DEVELOPMENT_ACCOUNT, DEVELOPMENT_KEY);
    const token = generateAccountSASQueryParameters(
      {
        services: AccountSASServices.parse('b').toString(),
        resourceTypes: AccountSASResourceTypes.parse('sco').toString(),
        permissions: AccountSASPermissions.parse('rl'),
        startsOn: new Date(Date.now() - 60_000),
        expiresOn: new Date(Date.now() + 3_600_000),
      },
      shared,
    ).toString();
    const sas = { kind: 'azure', endpoint: azurite.endpoint, credential: { kind: 'sas', tokenEnv: 'SAS' } };
    const run = await preflight(sas, { SAS: token });
    expect(run.code).toBe(1);
    expect(problems(run).map((line) => line.replace(/: .*/, ''))).toEqual(
      expect.arrayContaining(['warn main create containers', 'warn main remove containers', 'fail main write blobs']),
    );
    expect(run.lines.join('\n')).not.toContain(new URLSearchParams(token).get('sig'));
  });

  test('a clock that is wrong', async () => {
    const proxy = await startLateProxy(azurite.endpoint);
    try {
      const run = await preflight(
        withKey(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}/devstoreaccount1`),
        { KEY: DEVELOPMENT_KEY },
      );
      expect(run.code).toBe(1);
      expect(problems(run)).toEqual([
        expect.stringMatching(
          /^fail main clock: the service is 1(?:199|20[01]) s ahead; let this machine keep time with NTP/,
        ),
      ]);
    } finally {
      proxy.close();
    }
  });
});

describe('Google Cloud Storage', { timeout: 90_000 }, () => {
  let double: Awaited<ReturnType<typeof startGcsDouble>>;

  beforeAll(async () => {
    double = await startGcsDouble();
  });
  afterAll(() => double.stop());

  const backend = (prefix: string) => ({
    kind: 'gcs',
    endpoint: double.endpoint,
    bucketPrefix: prefix,
    credential: { kind: 'anonymous' },
  });

  async function systemBucket(prefix: string, settings: object): Promise<void> {
    const body = JSON.stringify({
      name: `${prefix}s3gw-system`,
      softDeletePolicy: { retentionDurationSeconds: '0' },
      ...settings,
    });
    const answer = await fetch(`${double.endpoint}/storage/v1/b?project=any`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    expect(answer.status).toBe(200);
  }

  test('a project without a system container: one is made as it should be', async () => {
    const run = await preflight(backend('new-'));
    expect([run.code, problems(run)]).toEqual([0, []]);
    expect(run.lines).toContain('ok main region and redundancy: multi-region in US');
  });

  test('a bucket made by somebody with other things in mind', async () => {
    const rule = { action: { type: 'Delete' }, condition: { age: 30 } };
    await systemBucket('odd-', {
      softDeletePolicy: { retentionDurationSeconds: '604800' },
      retentionPolicy: { retentionPeriod: '60' },
      lifecycle: { rule: [rule] },
    });
    const run = await preflight(backend('odd-'));
    expect(run.code).toBe(1);
    expect(problems(run).map((line) => line.replace(/;.*/, ''))).toEqual([
      'fail main stage and assemble parts: denied: retentionPolicyNotMet',
      'fail main remove blobs: denied: retentionPolicyNotMet',
      'warn main soft delete: 7 days',
      'fail main lifecycle rules: one deletes everything in the system container after 30 days',
      'fail main retention policy: nothing can be replaced for 60 s',
    ]);
  });

  test('a bucket with folders of its own', async () => {
    await systemBucket('dirs-', { hierarchicalNamespace: { enabled: true } });
    const run = await preflight(backend('dirs-'));
    expect(run.code).toBe(1);
    expect(problems(run).join('\n')).toMatch(/system container: .*hierarchical/i);
  });
});

/** Passes everything on, and says a time that is twenty minutes ahead. */
async function startLateProxy(endpoint: string): Promise<Server> {
  const { port } = new URL(endpoint);
  const server = createServer((incoming, outgoing) => {
    const onward = request(
      { host: '127.0.0.1', port, method: incoming.method, path: incoming.url, headers: incoming.headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, {
          ...answer.headers,
          date: new Date(Date.now() + TWENTY_MINUTES).toUTCString(),
        });
        answer.pipe(outgoing);
      },
    );
    incoming.pipe(onward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
