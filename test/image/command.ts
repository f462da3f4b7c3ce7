import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const WITHIN_MS = 15 * 60_000;

/** Standard output of a command. @throws Error with what it said on standard error */
export async function run(
  command: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  const options = { env: { ...process.env, ...environment }, timeout: WITHIN_MS, maxBuffer: 64 * 1024 * 1024 };
  const { stdout } = await promisify(execFile)(command, args, options);
  return stdout.trim();
}

export async function has(command: string, ...args: string[]): Promise<boolean> {
  try {
    await run(command, args.length === 0 ? ['--version'] : args);
    return true;
  } catch {
    return false;
  }
}
