import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ALLOCATOR } from '../../src/main/workers/node-flags.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const STOP_MS = 15_000;
/** A process that is starting on a machine whose cores are all busy gets its time, as long as it lives. */
const READY_MS = 600_000;

/** Those of `npm start`. */
export const NODE_FLAGS = ['--max-semi-space-size=16'];

/** What a gateway process says when it serves. */
interface Serving {
  readonly pid: number;
  /** In the order of its listeners. */
  readonly endpoints: readonly string[];
  /** Of the admin port, if there is one. */
  readonly admin?: string;
}

/** One replica: a gateway process, or several that share their ports. */
export interface Replica {
  readonly endpoints: readonly string[];
  /** Base URL of the admin port of the first process, if it has one. */
  readonly admin: string | undefined;
  /** Processes that serve requests. */
  readonly pids: readonly number[];
  /** Resolves when the replica ends by itself or by `stop`. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

/**
 * @param settings environment variables that override `config/testbed.yaml`
 * @param root another checkout, to run its gateway
 */
export async function startReplica(
  settings: Readonly<Record<string, string>>,
  workers: number,
  root = ROOT,
): Promise<Replica> {
  const args = ['--config', resolve(root, 'config/testbed.yaml')];
  const child = spawn(process.execPath, [...NODE_FLAGS, 'src/start.mjs', ...args], {
    cwd: root,
    // A start without a channel sees to that by itself.
    env: { ...ALLOCATOR, ...process.env, ...settings, ...(workers > 1 && { S3GW_WORKERS: String(workers) }) },
    stdio: ['ignore', process.stderr, process.stderr, 'ipc'],
  });
  const ended = once(child, 'exit').then(() => undefined);
  const stop = (): Promise<void> => stopChild(child, ended);
  try {
    const serving = await whenServing(child, workers, ended);
    return {
      endpoints: serving[0]?.endpoints ?? [],
      admin: serving[0]?.admin,
      pids: serving.map(({ pid }) => pid),
      ended,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function whenServing(child: ChildProcess, workers: number, ended: Promise<void>): Promise<Serving[]> {
  const serving: Serving[] = [];
  const all = new Promise<void>((done) => {
    child.on('message', (message: { endpoints: string[]; pid: number }) => {
      serving.push(message);
      if (serving.length === workers) done();
    });
  });
  const died = ended.then(() => {
    throw new Error('a gateway process ended before it served');
  });
  const late = sleep(READY_MS, undefined, { ref: false }).then(() => {
    throw new Error(`a gateway does not serve after ${READY_MS} ms`);
  });
  died.catch(() => undefined);
  late.catch(() => undefined);
  await Promise.race([all, died, late]);
  return serving;
}

async function stopChild(child: ChildProcess, ended: Promise<void>): Promise<void> {
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  if (hasEnded()) return;
  child.kill('SIGTERM');
  await Promise.race([ended, sleep(STOP_MS, undefined, { ref: false })]);
  if (!hasEnded()) child.kill('SIGKILL');
}
