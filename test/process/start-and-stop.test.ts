import { once } from 'node:events';
import { chmodSync, copyFileSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:tls';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startGcsDouble } from '../../adapters/doubles/index.ts';
import { certificateFiles } from '../support/certificates.ts';
import { roundTrip } from '../support/clients/raw-http.ts';
import { SECRET_KEY, signedHead } from '../support/clients/sign-raw.ts';
import { portOf, startCommand, testAccount } from '../support/gateway/start-command.ts';

/** Fingerprint of the certificate that a port serves right now. */
async function servedCertificate(port: number): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { fingerprint256 } = socket.getPeerCertificate();
  socket.destroy();
  return fingerprint256;
}

const { start, configFile, folder } = startCommand();

describe('the embedded default', () => {
  test.each(['memory', 'gcs'])(
    'with %s: prints endpoint, keys and one line to paste; stops on SIGINT',
    async (backend) => {
      const started = start(['--backend', backend, '--port', '0'], { S3GW_ADMIN__PORT: '0' });
      const [line, endpoint] = await started.printed(
        /^AWS_ACCESS_KEY_ID=\S+ AWS_SECRET_ACCESS_KEY=\S+ AWS_DEFAULT_REGION=us-east-1 aws --endpoint-url (http:\/\/127\.0\.0\.1:\d+) s3 ls$/m,
      );
      expect(started.output()).not.toContain('\u001b');
      expect(line).not.toContain('\n');
      const answer = await fetch(endpoint ?? '');
      expect(answer.status).toBe(403);
      started.child.kill('SIGINT');
      expect(await started.ended()).toBe(0);
    },
  );

  test('keeps its keys on loopback', async () => {
    const started = start(['--backend', 'memory'], { S3GW_LISTENERS__0__HOST: '0.0.0.0' });
    expect(await started.ended()).toBe(1);
    expect(started.output()).toBe(
      'listeners.0.host: expected a loopback address (127.0.0.1) while the demo keys are in use ' +
        '(from S3GW_LISTENERS__0__HOST)\n',
    );
  });
});

test.runIf(process.platform === 'linux')(
  'has its allocator give memory back, and keeps what the environment says',
  async () => {
    const started = start(['--backend', 'memory', '--port', '0'], { S3GW_ADMIN__PORT: '0', MALLOC_ARENA_MAX: '3' });
    await started.printed(/aws --endpoint-url/);
    const variables = readFileSync(`/proc/${started.child.pid}/environ`, 'utf8').split('\0');
    expect(variables).toEqual(expect.arrayContaining(['MALLOC_ARENA_MAX=3', 'MALLOC_MMAP_THRESHOLD_=32768']));
    expect(started.output()).not.toContain('Warning');
    started.child.kill('SIGTERM');
    expect(await started.ended()).toBe(0);
  },
);

describe('what is wrong is said in one line, never with a stack', () => {
  test('a port that is taken', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const started = start(['--backend', 'memory', '--port', String(port)], { S3GW_ADMIN__ENABLED: 'false' });
    expect(await started.ended()).toBe(1);
    expect(started.output()).toBe(
      `gateway: cannot listen on 127.0.0.1:${port}: the port is taken by another process\n`,
    );
    taken.close();
  });

  test('two backends on one account, which only a connection string names', async () => {
    const text =
      'DefaultEndpointsProtocol=http;AccountName=account;AccountKey=c2VjcmV0;BlobEndpoint=http://127.0.0.1:1/account';
    const backend = {
      kind: 'azure',
      owner: 'main',
      credential: { kind: 'connectionString', connectionStringEnv: 'TEXT' },
    };
    const backends = { one: backend, two: { ...backend, systemContainer: 'another' } };
    const started = start(['--config', configFile('overlap.yaml', { backends, buckets: { default: 'one' } })], {
      TEXT: text,
    });
    expect(await started.ended()).toBe(1);
    expect(started.output()).toMatch(/^backends\.two: its containers would be those of backends\.one.*\n$/);
  });

  test('a configuration with keys in it that everybody can read, where that is refused', async () => {
    const file = configFile('open.yaml', { exposedSecrets: 'refuse' });
    chmodSync(file, 0o644);
    const started = start(['--check-config', '--config', file]);
    expect(await started.ended()).toBe(1);
    expect(started.output()).toMatch(
      /^every user of this machine can read .*open\.yaml, which accounts\.keys\.secretAccessKey names or holds: chmod o-r/,
    );
    chmodSync(file, 0o640);
    expect(await start(['--check-config', '--config', file]).ended()).toBe(0);
  });

  test('a dead backend', async () => {
    const store = {
      kind: 'azure',
      owner: 'main',
      endpoint: 'http://127.0.0.1:1/account',
      credential: { kind: 'accountKey', keyEnv: 'KEY' },
      retries: { attempts: 1 },
    };
    const started = start(['--config', configFile('dead.yaml', { backends: { store } })], { KEY: 'c2VjcmV0' });
    expect(await started.ended()).toBe(1);
    expect(started.output()).toMatch(
      /^backends\.store: no usable answer from http:\/\/127\.0\.0\.1:1\/account \(.*ECONNREFUSED.*\)\n$/,
    );
  });

  test("a system container that is somebody else's", async () => {
    const double = await startGcsDouble({ foreignBuckets: { 'acme-s3gw-system': 'open' } });
    const store = {
      kind: 'gcs',
      owner: 'main',
      endpoint: double.endpoint,
      bucketPrefix: 'acme-',
      credential: { kind: 'anonymous' },
    };
    const started = start(['--config', configFile('foreign.yaml', { backends: { store } })]);
    expect(await started.ended()).toBe(1);
    expect(started.output()).toMatch(
      /^backends\.store\.systemContainer: .*bucket acme-s3gw-system belongs to another project: choose .* bucketPrefix.*\n$/,
    );
    await double.stop();
  });

  test.each<[string, () => string[], string]>([
    [
      'a secret that is not there',
      () => [
        '--config',
        configFile('secret.yaml', {
          accounts: [{ ...testAccount('x'), keys: [{ accessKeyId: 'KEY', secretEnv: 'NO_SUCH' }] }],
        }),
      ],
      'accounts.0.keys.0.secretEnv: expected the environment variable NO_SUCH to be set\n',
    ],
    [
      'a certificate that is none',
      () => [
        '--config',
        configFile('tls.yaml', { listeners: [{ port: 0, tls: { certFile: 'tls.yaml', keyFile: 'tls.yaml' } }] }),
      ],
      'listeners: certificate and key for 127.0.0.1:0 are not usable',
    ],
    [
      'a file that is not there',
      () => ['--config', join(folder, 'none.yaml')],
      '/none.yaml: cannot be read (ENOENT)\n',
    ],
    [
      'two settings',
      () => ['--check-config', configFile('two.yaml', { colour: 1, region: 2 })],
      'region: expected string, received number\ncolour: there is no such setting\n',
    ],
    ['an odd argument', () => ['--frobnicate'], 'usage: npm start'],
    [
      'a backend beside a file',
      () => ['--config', 'x', '--backend', 'memory'],
      '--backend: only without a configuration file, which names its backends itself\n',
    ],
  ])('%s', async (_name, args, expected) => {
    const started = start(args());
    expect(await started.ended()).toBe(1);
    expect(started.output()).toContain(expected);
    expect(started.output()).not.toMatch(/^ +at /m);
  });

  test('a good file is called good', async () => {
    const started = start(['--check-config', configFile('good.yaml')]);
    expect(await started.ended()).toBe(0);
    expect(started.output()).toMatch(/good\.yaml: good\n$/);
  });
});

describe('a running gateway', () => {
  const list = (port: number, secretKey: string) => roundTrip(port, signedHead({ target: '/', secretKey }));

  test('takes accounts from the changed file, and keeps the old ones when it is wrong', async () => {
    const file = configFile('reload.yaml');
    const started = start(['--config', file]);
    const port = await portOf(started);
    expect((await list(port, SECRET_KEY)).status).toBe(200);

    configFile('reload.yaml', { accounts: [testAccount('another-secret')] });
    await started.printed(/accounts reloaded/);
    expect([(await list(port, SECRET_KEY)).status, (await list(port, 'another-secret')).status]).toEqual([403, 200]);

    configFile('reload.yaml', { accounts: [] });
    await started.printed(/the accounts stay as they were/);
    expect((await list(port, 'another-secret')).status).toBe(200);
    started.child.kill('SIGTERM');
    expect(await started.ended()).toBe(0);
  });

  test('serves a renewed certificate', async () => {
    const [first, second] = await Promise.all([certificateFiles(), certificateFiles()]);
    const started = start([
      '--config',
      configFile('tls.yaml', { listeners: [{ port: 0, tls: { certFile: first.certFile, keyFile: first.keyFile } }] }),
    ]);
    const [, port] = await started.printed(/"https:\/\/127\.0\.0\.1:(\d+)"/);
    const before = await servedCertificate(Number(port));
    copyFileSync(second.keyFile, first.keyFile);
    copyFileSync(second.certFile, first.certFile);
    await started.printed(/certificate renewed/);
    expect(await servedCertificate(Number(port))).not.toBe(before);
    for (const { folder: made } of [first, second]) rmSync(made, { recursive: true });
  });

  test('health endpoints: ready, then draining', async () => {
    const started = start([
      '--config',
      configFile('health.yaml', { admin: { port: 0 }, timeouts: { drainDelayMs: 1500 } }),
    ]);
    const [, base = ''] = await started.printed(/"admin":"([^"]+)"/);
    const ask = async (path: string): Promise<string> => {
      const answer = await fetch(`${base}${path}`);
      return `${answer.status} ${(await answer.text()).trim()}`;
    };
    expect([await ask('/healthz'), await ask('/startupz'), await ask('/readyz')]).toEqual([
      '200 alive',
      '200 started',
      '200 ready',
    ]);
    started.child.kill('SIGTERM');
    await started.printed(/draining/);
    expect([await ask('/healthz'), await ask('/readyz')]).toEqual(['200 alive', '503 draining']);
    expect(await started.ended()).toBe(0);
  });
});
