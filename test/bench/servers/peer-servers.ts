import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../support/free-port.ts';
import { DEVELOPMENT_ACCOUNT, DEVELOPMENT_KEY } from '../../testbed/backend.ts';

/** Where the programs of other S3 servers are; one that is absent is not started. */
export interface PeerPrograms {
  /** Folder with the jar of S3Proxy and those that it needs. */
  readonly s3proxy: string | undefined;
  readonly versitygw: string | undefined;
  readonly rclone: string | undefined;
}

/** Their options, as `parseArgs` takes them. */
export const PEER_OPTIONS = {
  s3proxy: { type: 'string' },
  versitygw: { type: 'string' },
  rclone: { type: 'string' },
} as const;

/** Where they are looked for when nobody names them: `s3proxy`, a folder, and the other two programs. */
export const PEERS_FOLDER = join(
  process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'),
  's3-cloud-gateway',
  'peers',
);

/** Those that were named, and of the others those that are there. */
export function peerPrograms(named: { readonly [Name in keyof PeerPrograms]?: string | undefined }): PeerPrograms {
  const programOf = (name: keyof PeerPrograms): string | undefined => {
    const usual = join(PEERS_FOLDER, name);
    return named[name] ?? (existsSync(usual) ? usual : undefined);
  };
  return { s3proxy: programOf('s3proxy'), versitygw: programOf('versitygw'), rclone: programOf('rclone') };
}

/** A process of another S3 server, over the null backend of the run. */
export interface PeerServer {
  readonly name: string;
  readonly endpoint: string;
  readonly accessKey: string;
  readonly secretKey: string;
  readonly pids: readonly number[];
  stop(): Promise<void>;
}

interface Place {
  /** Origin of the null backend. */
  readonly origin: string;
  /** For files of the run. */
  readonly folder: string;
  /** The backend is the null backend: it makes up the MD5 of what it is sent, and knows old API versions only. */
  readonly isNull: boolean;
}

const READY_MS = 60_000;
const KEYS = { accessKey: 'PEERPEERPEERPEER0001', secretKey: 'peer-secret-for-benchmarks-only-00000001' };
const QUIET = { stdio: ['ignore', 'ignore', 'inherit'] } satisfies Parameters<typeof spawn>[2];

const STARTERS = { s3proxy, versitygw, rclone } satisfies Record<
  keyof PeerPrograms,
  (program: string, place: Place) => Promise<PeerServer>
>;
export const PEERS = Object.keys(STARTERS) as (keyof PeerPrograms)[];

/** Starts those that are there, and tells of the others loudly. They end with `stop`, or with this process. */
export async function startPeers(programs: PeerPrograms, place: Place): Promise<PeerServer[]> {
  const started: PeerServer[] = [];
  try {
    for (const name of PEERS) {
      const program = programs[name];
      if (program === undefined) {
        process.stderr.write(`!!! ${name} is not measured: no --${name}, and none in ${PEERS_FOLDER} !!!\n`);
      } else {
        started.push(await startPeer(name, program, place));
      }
    }
    return started;
  } catch (error) {
    for (const server of started) await server.stop();
    throw error;
  }
}

/** One of them. It ends with `stop`, or with this process. */
export function startPeer(name: keyof PeerPrograms, program: string, place: Place): Promise<PeerServer> {
  return STARTERS[name](program, place);
}

async function s3proxy(jars: string, { origin, folder, isNull }: Place): Promise<PeerServer> {
  const endpoint = `http://127.0.0.1:${await freePort()}`;
  const file = join(folder, `s3proxy-${new URL(endpoint).port}.conf`);
  const settings = {
    's3proxy.endpoint': endpoint,
    's3proxy.authorization': 'aws-v2-or-v4',
    's3proxy.identity': KEYS.accessKey,
    's3proxy.credential': KEYS.secretKey,
    's3proxy.ignore-unknown-headers': 'true',
    'jclouds.provider': isNull ? 'azureblob' : 'azureblob-sdk',
    'jclouds.identity': DEVELOPMENT_ACCOUNT,
    'jclouds.credential': DEVELOPMENT_KEY,
    'jclouds.endpoint': `${origin}/${DEVELOPMENT_ACCOUNT}`,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(file, lines.join(''), { mode: 0o600 });
  // Without it, it prints each step of each request.
  const log = join(folder, 'logback.xml');
  writeFileSync(log, '<configuration><root level="OFF"/></configuration>');
  const java = [`-Dlogback.configurationFile=${log}`, '-Xmx2g', '-cp', join(jars, '*')];
  return peer('s3proxy', endpoint, spawn('java', [...java, 'org.gaul.s3proxy.Main', '--properties', file], QUIET));
}

async function versitygw(program: string, { origin }: Place): Promise<PeerServer> {
  const address = `127.0.0.1:${await freePort()}`;
  const own = ['--port', address, '--keep-alive', '--quiet'];
  const url = `${origin}/${DEVELOPMENT_ACCOUNT}`;
  const env = {
    ...process.env,
    ROOT_ACCESS_KEY: KEYS.accessKey,
    ROOT_SECRET_KEY: KEYS.secretKey,
    AZ_ACCESS_KEY: DEVELOPMENT_KEY,
  };
  const args = [...own, 'azure', '--url', url, '--account', DEVELOPMENT_ACCOUNT];
  return peer('versitygw', `http://${address}`, spawn(program, args, { ...QUIET, env }));
}

async function rclone(program: string, { origin, folder, isNull }: Place): Promise<PeerServer> {
  const address = `127.0.0.1:${await freePort()}`;
  const env = {
    ...process.env,
    RCLONE_AZUREBLOB_ACCOUNT: DEVELOPMENT_ACCOUNT,
    RCLONE_AZUREBLOB_KEY: DEVELOPMENT_KEY,
    RCLONE_AZUREBLOB_ENDPOINT: `${origin}/${DEVELOPMENT_ACCOUNT}`,
    ...(isNull && { RCLONE_IGNORE_CHECKSUM: 'true' }),
    RCLONE_CONFIG: join(folder, 'rclone.conf'),
    RCLONE_CACHE_DIR: join(folder, 'rclone'),
    RCLONE_LOG_LEVEL: 'EMERGENCY',
  };
  const args = ['serve', 's3', '--addr', address, '--auth-key', `${KEYS.accessKey},${KEYS.secretKey}`, ':azureblob:'];
  return peer('rclone', `http://${address}`, spawn(program, args, { ...QUIET, env }));
}

/** Waits until it answers anything. It ends with this process, however that ends by itself. */
async function peer(name: string, endpoint: string, child: ChildProcess): Promise<PeerServer> {
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
      return { name, endpoint, ...KEYS, pids: [child.pid ?? 0], stop };
    } catch (cause) {
      if (state.failure !== undefined || child.exitCode !== null || performance.now() > until) {
        await stop();
        throw new Error(`${name} does not start: ${state.failure?.message ?? String(child.exitCode)}`, { cause });
      }
      await sleep(200);
    }
  }
}
