import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, expect, vi } from 'vitest';
import { stringify } from 'yaml';
import { ACCESS_KEY, SECRET_KEY } from '../clients/sign-raw.ts';

/** For a machine that is busy with other tests. */
const START_MS = 120_000;
const START = resolve(import.meta.dirname, '../../../src/start.mjs');

/** `npm start` as a process of its own. */
export interface Started {
  readonly child: ChildProcess;
  /** Both its outputs. */
  output(): string;
  /** Resolves with what matched, once it is printed. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  /** Resolves with the exit code. */
  ended(): Promise<number | null>;
}

interface StartCommand {
  start(args: readonly string[], environment?: Readonly<Record<string, string>>): Started;
  /**
   * Writes a file of settings: any ports, no admin port, one account, memory behind it, and what is changed in that.
   * Returns its path.
   */
  configFile(name: string, changes?: object): string;
  /** Folder of these files. */
  readonly folder: string;
}

export function testAccount(secretAccessKey = SECRET_KEY): object {
  return {
    name: 'main',
    canonicalId: 'a'.repeat(64),
    displayName: 'Main',
    email: 'main@example.com',
    accountNumber: '123456789012',
    keys: [{ accessKeyId: ACCESS_KEY, secretAccessKey }],
  };
}

/** Of a gateway that runs from a file of settings: port of its first listener. */
export async function portOf(started: Started): Promise<number> {
  const [, port] = await started.printed(/"endpoints":\["http:\/\/127\.0\.0\.1:(\d+)"/);
  return Number(port);
}

/**
 * Starts gateways for the tests of one file; those that still run are killed after each (`keep`: after all), the folder
 * is removed in the end.
 */
export function startCommand({ keep = false } = {}): StartCommand {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-'));
  const running: ChildProcess[] = [];
  const killAll = async (): Promise<void> => {
    await Promise.all(running.splice(0).map(kill));
  };
  if (!keep) afterEach(killAll);
  afterAll(async () => {
    await killAll();
    rmSync(folder, { recursive: true });
  });
  return {
    folder,
    start(args, environment = {}) {
      const child = spawn(process.execPath, [START, ...args], {
        env: { PATH: process.env['PATH'], ...environment },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      running.push(child);
      return follow(child);
    },
    configFile(name, changes = {}) {
      const file = join(folder, name);
      const settings = {
        workers: 1,
        listeners: [{ port: 0 }],
        admin: { port: 0, enabled: false },
        accounts: [testAccount()],
        backends: { store: { kind: 'memory', owner: 'main' } },
        ...changes,
      };
      writeFileSync(file, stringify(settings));
      return file;
    },
  };
}

function follow(child: ChildProcess): Started {
  let output = '';
  const collect = (chunk: Buffer): void => {
    output += chunk.toString();
  };
  child.stdout?.on('data', collect);
  child.stderr?.on('data', collect);
  const exit = once(child, 'close').then(([code]) => code as number | null);
  return {
    child,
    output: () => output,
    async printed(pattern) {
      await vi.waitFor(() => expect(output).toMatch(pattern), { timeout: START_MS });
      return pattern.exec(output) as RegExpExecArray;
    },
    ended: () => exit,
  };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
