import { mkdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { DatabaseSync } from 'node:sqlite';
import { FOLDER_HELD_EXIT, HOLDER_FILE, LOCK_FILE } from './folder-lock.ts';

/**
 * Loaded into Azurite's process before Azurite itself: takes the folder for this process alone, or ends it.
 *
 * Azurite keeps what it knows in memory and overwrites its files with that. Of two over one folder, the one that saves
 * last takes away what the other has acknowledged.
 *
 * The lock is SQLite's, which is one of the kernel on an open file. It ends with the process, however that dies, and
 * does not go by process ids, which a container gives out anew. Azurite's own process has it and not the gateway's,
 * because Azurite saves once more after a gateway was killed.
 */

/** An Azurite whose gateway was killed is given so long to save and end. */
const WAIT_MS = 3000;

const at = process.argv.indexOf('--location');
const folder = at === -1 ? undefined : process.argv[at + 1];
if (folder !== undefined) {
  mkdirSync(folder, { recursive: true });
  const lock = new DatabaseSync(join(folder, LOCK_FILE), { timeout: WAIT_MS });
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    if (!isBusy(error)) throw error;
    process.exit(FOLDER_HELD_EXIT);
  }
  // Collected as garbage, it would let go of the lock.
  process.once('exit', () => lock.close());
  // For people only. What it says after its process has died does no harm: the lock decides.
  writeFileSync(
    join(folder, HOLDER_FILE),
    JSON.stringify({ pid: process.ppid, host: hostname(), since: new Date().toISOString() }),
  );
}

function isBusy(error: unknown): boolean {
  const SQLITE_BUSY = 5;
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;
}
