import process from 'node:process';
import { totalmem } from 'node:os';

const MIB = 1024 * 1024;
/** The process that only watches over workers. */
const SUPERVISOR_MIB = 64;
/** Beyond this V8's old space helps nobody: what the gateway keeps is small, and bodies lie outside of the heap. */
const LARGEST_OLD_SPACE_MIB = 4096;
const SMALLEST_OLD_SPACE_MIB = 64;
/**
 * Settings of glibc's allocator (mallopt(3)) that keep resident memory near what is in use; others ignore them. By
 * default it takes buffers of up to 32 MiB from one area once it has seen some of that size, and what is freed between
 * two that live stays resident: some 80 MiB after documents and bodies of many clients. Here each of 128 KiB or more
 * has pages of its own, which go back at once, and threads share two areas.
 */
export const ALLOCATOR: Readonly<Record<string, string>> = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072' };
/** Flags by which somebody has chosen a heap already. */
const CHOSEN = /^--max[-_](?:old[-_]space|heap)[-_]size/;

/** The memory that this process may use, where a cgroup (version 1 or 2) sets a limit. Bytes. */
function memoryLimit(): number | undefined {
  // Without a limit, version 1 says an enormous number and version 2 nothing.
  const limit = process.constrainedMemory();
  return limit > 0 && limit < totalmem() ? limit : undefined;
}

/**
 * Flags of Node for a process that serves. Half of the memory is for V8's old space. The other half holds what it does
 * not count: Node itself (about 60 MiB), three young semi-spaces, and buffers: held bodies, sockets, slabs of bulk
 * reads.
 *
 * @param limit bytes; absent: no limit, and V8 chooses by the machine
 * @param workers processes that share them
 */
export function nodeFlags(limit: number | undefined, workers = 1): string[] {
  if (limit === undefined) return ['--max-semi-space-size=16'];
  const available = limit / MIB - (workers > 1 ? SUPERVISOR_MIB : 0);
  const share = available / workers;
  const oldSpace = Math.min(LARGEST_OLD_SPACE_MIB, Math.max(SMALLEST_OLD_SPACE_MIB, Math.floor(share / 2)));
  return [`--max-old-space-size=${oldSpace}`, `--max-semi-space-size=${semiSpace(share)}`];
}

/**
 * Half of the young generation, MiB. 16 is what large bodies want (docs/decisions/0006-byte-path.md); three of them
 * must fit.
 */
function semiSpace(share: number): number {
  if (share >= 320) return 16;
  return share >= 160 ? 8 : 4;
}

/**
 * Starts Node over, in the same process and under the same id, with a heap and an allocator that fit the memory limit:
 * both take their settings on no other occasion, and workers inherit the allocator's. Returns when there is nothing to
 * change: no limit, flags of somebody's own, or a channel to a parent, which would be lost (and who opens one passes
 * flags, too).
 */
export function fitHeap(): void {
  const limit = memoryLimit();
  if (limit === undefined || process.channel != null || process.platform === 'win32' || isChosen(process.execArgv)) {
    return;
  }
  process.execve?.(
    process.execPath,
    [process.execPath, ...nodeFlags(limit), ...process.execArgv, ...process.argv.slice(1)],
    { ...ALLOCATOR, ...process.env },
  );
}

/**
 * Flags of one of several workers: ours in place of those that `fitHeap` gave to this process; somebody's own win over
 * both.
 */
export function workerFlags(workers: number): string[] {
  const limit = memoryLimit();
  const fitted = limit === undefined ? [] : nodeFlags(limit);
  const own = process.execArgv.filter((flag) => !fitted.includes(flag));
  return isChosen(own) ? own : [...nodeFlags(limit, workers), ...own];
}

function isChosen(flags: readonly string[]): boolean {
  return [...flags, ...(process.env['NODE_OPTIONS'] ?? '').split(' ')].some((flag) => CHOSEN.test(flag));
}
