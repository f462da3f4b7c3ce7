import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Only one process may have it open for writing; it has no content. */
export const LOCK_FILE = 's3gw-lock.sqlite';
/** Who has the folder, as JSON. */
export const HOLDER_FILE = 's3gw-holder.json';
/** How the process of Azurite ends where another one has the folder. Azurite itself ends with 1. */
export const FOLDER_HELD_EXIT = 73;

/** Another Azurite works in the folder. */
export class FolderHeldError extends Error {
  constructor(folder: string) {
    super(`${holderOf(folder)} keeps its data in ${folder}, and only one at a time can`);
    this.name = 'FolderHeldError';
  }
}

/** The process that started the Azurite which has the folder, in words. */
function holderOf(folder: string): string {
  try {
    const { pid, host, since } = JSON.parse(readFileSync(join(folder, HOLDER_FILE), 'utf8')) as Record<string, unknown>;
    return `process ${String(pid)} on ${String(host)}, since ${String(since)},`;
  } catch {
    return 'another process';
  }
}
