import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { Prepared } from './packages.ts';

/** A program that takes longer has failed. */
const LIMIT_MS = 600_000;
/** Lines of output that tell what went wrong. */
const TOLD_LINES = 40;

/**
 * Runs the program of an application in a folder of its own. Each line `* text` of its output is a step that went well;
 * it ends with 0 if all did.
 */
export async function runProgram(
  { command, args, environment }: Prepared,
  folder: string,
  place: Readonly<Record<string, string>>,
): Promise<{ steps: string[]; failure?: string }> {
  const child = spawn(command, args, {
    cwd: folder,
    // A group of its own, so that what it starts ends with it.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    // A private CA of the machine has no part in this, and some clients fail with one.
    env: { ...process.env, AWS_CA_BUNDLE: undefined, HOME: folder, ...environment, ...place },
  });
  const endGroup = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  };
  const timer = setTimeout(endGroup, LIMIT_MS);
  const lines: string[] = [];
  const read = [child.stdout, child.stderr].map(async (output) => {
    for await (const line of createInterface({ input: Readable.from(output) })) lines.push(line);
  });
  try {
    const code = await new Promise<number | null>((done, fail) => {
      child.once('error', fail);
      child.once('exit', done);
    });
    endGroup();
    await Promise.all(read);
    const steps = lines.filter((line) => line.startsWith('* ')).map((line) => line.slice(2));
    if (code === 0 && steps.length > 0) return { steps };
    process.stderr.write(`${lines.slice(-TOLD_LINES).join('\n')}\n`);
    return { steps, failure: `failed after "${steps.at(-1) ?? 'nothing'}"` };
  } finally {
    clearTimeout(timer);
    endGroup();
  }
}
