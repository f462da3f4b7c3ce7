import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Part } from './parts.ts';

const SCRIPTS = { 'npm run bench': 'run.mjs', 'npm run bench:transfers': 'transfers/main.ts' } as const;
/** For a row that was begun in time, and to stop all servers. */
const GRACE_MINUTES = 2;

interface Bounds {
  readonly minutes: number;
  /** Gets standard error. */
  readonly log: string;
  /** For temporary files. */
  readonly folder: string;
}

/** What a part printed, and what was wrong with it. */
interface Ran {
  readonly text: string;
  readonly problem: string | undefined;
  readonly seconds: number;
}

/** Runs it in a process group of its own, which is ended as a whole when the part takes too long. */
export async function runPart({ script, args }: Part, { minutes, log, folder }: Bounds): Promise<Ran> {
  const began = performance.now();
  const file = resolve(import.meta.dirname, SCRIPTS[script]);
  const bounded =
    script === 'npm run bench' ? ['--within', String(Math.max(1, minutes))] : ['--minutes', String(minutes)];
  const child = spawn(process.execPath, [file, ...args, ...bounded], {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    env: { ...process.env, TMPDIR: folder },
  });
  const kill = (): void => endGroup(child);
  process.once('exit', kill);
  const ended = once(child, 'exit') as Promise<[number | null]>;
  child.stderr.pipe(createWriteStream(log));
  const over = new AbortController();
  const late = sleep((minutes + GRACE_MINUTES) * 60_000, undefined, { signal: over.signal }).then(
    () => kill(),
    () => undefined,
  );
  const printed = await text(child.stdout);
  const [code] = await ended;
  over.abort();
  await late;
  process.off('exit', kill);
  const seconds = (performance.now() - began) / 1000;
  return { text: printed, seconds, problem: problemOf(code) };
}

function problemOf(code: number | null): string | undefined {
  if (code === null) return 'Ended: it took too long.';
  return code === 0 ? undefined : 'Something is missing: see the log.';
}

/** Also what it has started. */
function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}
