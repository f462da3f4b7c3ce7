import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '../free-port.ts';

/** Cloud Storage emulators by other people, written in Go: they judge the adapter independently of our own double. */
interface GoServer {
  readonly module: string;
  readonly version: string;
  readonly arguments: (port: number) => string[];
}

const GO_SERVERS = {
  'fake-gcs-server': {
    module: 'github.com/fsouza/fake-gcs-server',
    version: 'v1.56.1',
    arguments: (port) => [
      '-backend',
      'memory',
      '-scheme',
      'http',
      '-host',
      '127.0.0.1',
      '-port',
      String(port),
      '-public-host',
      `127.0.0.1:${port}`,
      '-external-url',
      `http://127.0.0.1:${port}`,
      '-log-level',
      'error',
    ],
  },
  gcsemulator: {
    module: 'github.com/fullstorydev/emulators/storage/cmd/gcsemulator',
    version: 'v1.0.0',
    arguments: (port) => ['-host', '127.0.0.1', '-port', String(port), '-verbose=false'],
  },
} satisfies Readonly<Record<string, GoServer>>;

type GoServerName = keyof typeof GO_SERVERS;

export interface RunningServer {
  /** `http://127.0.0.1:<port>` */
  readonly endpoint: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Milliseconds. */
const INSTALL_WITHIN = 15 * 60_000;
const READY_WITHIN = 12_000;
const STOP_WITHIN = 3_000;
const START_TRIES = 3;

/**
 * Path of a server's binary, built once into the user's cache folder.
 * @returns undefined when there is no Go to build it with, which is said loudly; in CI that is an error
 */
export async function findGoServer(name: GoServerName): Promise<string | undefined> {
  const { module, version } = GO_SERVERS[name];
  const folder = join(
    process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'),
    's3-cloud-gateway',
    `${name}-${version}`,
  );
  const binary = join(folder, name);
  if (existsSync(binary)) return binary;
  if (!(await hasGo())) {
    if (process.env['CI'] !== undefined) throw new Error(`${name} must be built in CI, and there is no Go`);
    process.stderr.write(
      `\n!!! SKIPPED: no Go on this machine, so nothing is tested against ${name} ${version} !!!\n\n`,
    );
    return undefined;
  }
  // Built beside its place and moved there whole: others may be building it at the same time.
  const workplace = join(folder, `build-${process.pid}`);
  mkdirSync(workplace, { recursive: true });
  try {
    const environment = { ...process.env, GOBIN: workplace, GOFLAGS: '-mod=mod' };
    await promisify(execFile)('go', ['install', `${module}@${version}`], { env: environment, timeout: INSTALL_WITHIN });
    renameSync(join(workplace, name), binary);
  } finally {
    rmSync(workplace, { recursive: true, force: true });
  }
  return binary;
}

async function hasGo(): Promise<boolean> {
  try {
    await promisify(execFile)('go', ['version']);
    return true;
  } catch {
    return false;
  }
}

/**
 * Starts a server on a free port and waits until it answers. It ends with this process.
 * @throws Error when it does not come up
 */
export async function startGoServer(name: GoServerName, binary: string): Promise<RunningServer> {
  for (let tries = 1; ; tries += 1) {
    const port = await freePort();
    const server = launch(binary, GO_SERVERS[name].arguments(port), port);
    try {
      await untilReady(server);
      return { endpoint: server.endpoint, pid: server.child.pid ?? 0, stop: () => stop(server) };
    } catch (error) {
      await stop(server);
      // Somebody may have taken the port in between.
      if (tries === START_TRIES) throw new Error(`${name} does not start: ${String(error)}`, { cause: error });
    }
  }
}

interface Launched {
  readonly child: ChildProcess;
  readonly endpoint: string;
  readonly killOnExit: () => void;
}

/**
 * Runs a command and ends it when told to, or when the pipe that is its standard input closes: when we die, however
 * that happens.
 */
const WATCHED = `
  const [binary, ...args] = process.argv.slice(1);
  const child = require('node:child_process').spawn(binary, args, { stdio: 'ignore' });
  child.on('error', () => process.exit(1)).on('exit', (code) => process.exit(code ?? 1));
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  process.stdin.resume().on('end', () => child.kill('SIGKILL'));
`;

function launch(binary: string, args: readonly string[], port: number): Launched {
  const child = spawn(process.execPath, ['-e', WATCHED, '--', binary, ...args], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const killOnExit = (): void => void child.kill('SIGKILL');
  process.once('exit', killOnExit);
  return { child, endpoint: `http://127.0.0.1:${port}`, killOnExit };
}

/** Any answer will do: one of the servers knows no list of buckets. */
async function untilReady({ child, endpoint }: Launched): Promise<void> {
  const until = Date.now() + READY_WITHIN;
  while (Date.now() < until) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`ended with ${child.exitCode ?? child.signalCode ?? ''}`);
    }
    try {
      await fetch(`${endpoint}/storage/v1/b?project=x`, { signal: AbortSignal.timeout(1000) });
      return;
    } catch {
      await sleep(20);
    }
  }
  throw new Error(`no answer after ${READY_WITHIN} ms`);
}

async function stop({ child, killOnExit }: Launched): Promise<void> {
  process.off('exit', killOnExit);
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const insist = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN);
  await exited;
  clearTimeout(insist);
}
