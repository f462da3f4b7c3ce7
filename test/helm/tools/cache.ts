import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const FETCH_WITHIN = 5 * 60_000;

/**
 * A folder of the user's cache, filled once. It is filled beside its place and moved there whole: others may be doing
 * the same.
 * @param name with the version in it
 */
export async function cached(name: string, fill: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 's3-cloud-gateway', name);
  if (existsSync(folder)) return folder;
  mkdirSync(dirname(folder), { recursive: true });
  const workplace = mkdtempSync(join(dirname(folder), `.${basename(folder)}-`));
  try {
    await fill(workplace);
    renameSync(workplace, folder);
  } catch (error) {
    // Somebody else may have been faster.
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(workplace, { recursive: true, force: true });
  }
  return folder;
}

/** What `find` finds. When it fails: an error in CI, elsewhere a loud line and undefined. */
export async function orSkip<T>(what: string, find: () => Promise<T>): Promise<T | undefined> {
  try {
    return await find();
  } catch (error) {
    const reason = error instanceof Error ? error.message.trim().split('\n').slice(0, 2).join('; ') : String(error);
    if (process.env['CI'] !== undefined) throw new Error(`${what} must be there in CI: ${reason}`, { cause: error });
    process.stderr.write(`\n!!! SKIPPED: nothing is tested with ${what}: ${reason} !!!\n\n`);
    return undefined;
  }
}

/** Runs a command of a package manager. @returns its standard output @throws Error with what it printed */
export async function fetchWith(command: string, args: readonly string[], folder: string): Promise<string> {
  const { stdout } = await run(command, args, { cwd: folder, timeout: FETCH_WITHIN, maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}

/** Unpacks a zip archive with what the machine has. */
export async function unzip(archive: string, folder: string): Promise<void> {
  await run('unzip', ['-q', '-o', archive, '-d', folder]).catch(() =>
    run('python3', ['-m', 'zipfile', '-e', archive, folder]),
  );
}
