import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');

/** Carries lifecycle rules out for as long as the test bed runs. */
export interface Sweeper {
  stop(): Promise<void>;
}

/**
 * Begins a run five times a day.
 * @param settings environment variables that override `config/testbed.yaml` @param daySeconds how long a day is
 */
export function startSweeper(settings: Readonly<Record<string, string>>, daySeconds: number): Sweeper {
  const every = Math.max(1, Math.floor(daySeconds / 5));
  const args = ['--lifecycle', '--every', String(every), '--unsafe-day-seconds', String(daySeconds)];
  const child = spawn(process.execPath, ['src/sweep.mjs', '--config', 'config/testbed.yaml', ...args], {
    cwd: ROOT,
    env: { ...process.env, ...settings, UNSAFE_TESTS: '1' },
    stdio: ['ignore', process.stderr, process.stderr],
  });
  const ended = once(child, 'exit');
  return {
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
