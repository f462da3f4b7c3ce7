import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DEVELOPMENT_ACCOUNT, DEVELOPMENT_KEY } from '../../testbed/backend.ts';
import { freePort } from '../../support/free-port.ts';
import { type BenchBackend, startGateway } from '../backend.ts';
import type { TransferOptions } from './options.ts';

/** An S3 server under test. */
export interface Server {
  readonly name: string;
  readonly endpoint: string;
  readonly accessKey: string;
  readonly secretKey: string;
  stop(): Promise<void>;
}

const READY_MS = 60_000;
const KEYS = { accessKey: 'PEERPEERPEERPEER0001', secretKey: 'peer-secret-for-benchmarks-only-00000001' };

/** The gateway, and those of the others that were named; who was not is told of loudly. */
export async function startServers(backend: BenchBackend, options: TransferOptions, folder: string): Promise<Server[]> {
  const started: Server[] = [];
  try {
    started.push(await gateway(backend));
    const place = { backend: `${backend.origin}/${DEVELOPMENT_ACCOUNT}`, folder };
    if (options.s3proxy === undefined) missing('S3Proxy', '--s3proxy');
    else started.push(await s3proxy(options.s3proxy, place));
    if (options.versitygw === undefined) missing('versitygw', '--versitygw');
    else started.push(await versitygw(options.versitygw, place));
    return started;
  } catch (error) {
    for (const server of started) await server.stop();
    throw error;
  }
}

function missing(name: string, option: string): void {
  process.stderr.write(`!!! ${name} is not measured: no ${option} !!!\n`);
}

async function gateway(backend: BenchBackend): Promise<Server> {
  const testbed = await startGateway(backend);
  const { endpoints, accounts } = testbed.bed;
  const { accessKey = '', secretKey = '' } = accounts[0] ?? {};
  return { name: 'gateway', endpoint: endpoints[0] ?? '', accessKey, secretKey, stop: () => testbed.stop() };
}

interface Place {
  /** With the account. */
  readonly backend: string;
  /** For files of the run. */
  readonly folder: string;
}

async function s3proxy(jars: string, { backend, folder }: Place): Promise<Server> {
  const endpoint = `http://127.0.0.1:${await freePort()}`;
  const file = join(folder, 's3proxy.conf');
  const settings = {
    's3proxy.endpoint': endpoint,
    's3proxy.authorization': 'aws-v2-or-v4',
    's3proxy.identity': KEYS.accessKey,
    's3proxy.credential': KEYS.secretKey,
    'jclouds.provider': 'azureblob',
    'jclouds.identity': DEVELOPMENT_ACCOUNT,
    'jclouds.credential': DEVELOPMENT_KEY,
    'jclouds.endpoint': backend,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(file, lines.join(''), { mode: 0o600 });
  // Without it, it prints each step of each request.
  const log = join(folder, 'logback.xml');
  writeFileSync(log, '<configuration><root level="OFF"/></configuration>');
  const args = [
    `-Dlogback.configurationFile=${log}`,
    '-Xmx2g',
    '-cp',
    join(jars, '*'),
    'org.gaul.s3proxy.Main',
    '--properties',
    file,
  ];
  return peer('S3Proxy', endpoint, spawn('java', args, QUIET));
}

async function versitygw(program: string, { backend }: Place): Promise<Server> {
  const address = `127.0.0.1:${await freePort()}`;
  const own = ['--port', address, '--keep-alive', '--quiet'];
  const args = [...own, 'azure', '--url', backend, '--account', DEVELOPMENT_ACCOUNT];
  const env = {
    ...process.env,
    ROOT_ACCESS_KEY: KEYS.accessKey,
    ROOT_SECRET_KEY: KEYS.secretKey,
    AZ_ACCESS_KEY: DEVELOPMENT_KEY,
  };
  return peer('versitygw', `http://${address}`, spawn(program, args, { ...QUIET, env }));
}

const QUIET = { stdio: ['ignore', 'ignore', 'inherit'] } satisfies Parameters<typeof spawn>[2];

/** Waits until it answers anything. It ends with this process, however that ends by itself. */
async function peer(name: string, endpoint: string, child: ChildProcess): Promise<Server> {
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  const state: { failure?: Error } = {};
  child.once('error', (error) => (state.failure = error));
  const stop = async (): Promise<void> => {
    process.off('exit', kill);
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    kill();
    await ended;
  };
  const until = performance.now() + READY_MS;
  for (;;) {
    try {
      await fetch(endpoint, { signal: AbortSignal.timeout(5000) });
      return { name, endpoint, ...KEYS, stop };
    } catch (cause) {
      if (state.failure !== undefined || child.exitCode !== null || performance.now() > until) {
        await stop();
        throw new Error(`${name} does not start: ${state.failure?.message ?? String(child.exitCode)}`, { cause });
      }
      await sleep(200);
    }
  }
}
