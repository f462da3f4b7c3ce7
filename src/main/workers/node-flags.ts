import process from 'node:process';
import { totalmem } from 'node:os';
import { setFlagsFromString } from 'node:v8';

const MIB = 1024 * 1024;
/** The process that only watches over workers. */
export const SUPERVISOR_MIB = 64;
/** Beyond this V8's old space helps nobody: what the gateway keeps is small, and bodies lie outside of the heap. */
const LARGEST_OLD_SPACE_MIB = 4096;
const SMALLEST_OLD_SPACE_MIB = 64;
/**
 * Settings of glibc's allocator (mallopt(3)) that keep resident memory near what is in use; others ignore them. By
 * default it takes buffers of up to 32 MiB from one area once it has seen some of that size, and what is freed between
 * two that live stays resident. Here each of 32 KiB or more for which that area has no room gets pages of its own,
 * which go back at once, and threads share two areas (docs/decisions/0020-one-memory-budget.md). 16 MiB at the end of
 * an area stay for whatever comes next: taken from the kernel and given back with each burst, they cost page faults.
 */
export const ALLOCATOR: Readonly<Record<string, string>> = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '32768',
  MALLOC_TOP_PAD_: '16777216',
};
/** How much V8's old space grows, in per cent of what lives in it, before V8 makes a full collection. */
const HEAP_GROWTH = 50;
/** Flags by which somebody has chosen a heap already. */
const CHOSEN = /^--max[-_](?:old[-_]space|heap)[-_]size/;
const GROWTH = /^--heap[-_]growing[-_]percent/;
const PARALLEL = /^--(?:no[-_]?)?parallel[-_]scavenge/;

/** The memory that this process may use, where a cgroup (version 1 or 2) sets a limit. Bytes. */
export function memoryLimit(): number | undefined {
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
 * Starts Node over, in the same process and under the same id, with a heap that fits the memory limit, if there is one,
 * and an allocator that gives memory back: both take their settings on no other occasion, and workers inherit the
 * allocator's. Returns when there is nothing to change, which it is the second time; on other systems than Linux; for
 * a debugger, which would be left behind; and with a channel to a parent, which would be lost (who opens one passes
 * flags and variables, too).
 */
export function fitHeap(): void {
  const isDebugged = allFlags().some((flag) => flag.startsWith('--inspect'));
  if (process.platform !== 'linux' || process.channel != null || isDebugged) return;
  const again = restart({ limit: memoryLimit(), flags: process.execArgv, environment: process.env });
  if (again === undefined) return;
  process.execve?.(process.execPath, [process.execPath, ...again.flags, ...process.argv.slice(1)], again.environment);
}

interface Start {
  /** Of Node. */
  readonly flags: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * The flags and variables to start Node again with. Those that somebody has set already stay.
 *
 * @param limit bytes; absent: no limit
 * @returns undefined when nothing has to change
 */
export function restart({
  limit,
  flags,
  environment,
}: Start & { readonly limit: number | undefined }): Start | undefined {
  const options = environment['NODE_OPTIONS'];
  const missing = limit === undefined || isChosen(flags, options) ? [] : nodeFlags(limit);
  if (missing.length === 0 && Object.keys(ALLOCATOR).every((name) => environment[name] !== undefined)) return undefined;
  return { flags: [...missing, ...flags], environment: { ...ALLOCATOR, ...environment } };
}

/**
 * Has V8 collect its old space when that has grown by half. Left to itself, it lets it grow to four times what lives
 * there while the machine has memory, and keeps the pages: a hundred megabytes of garbage. Holds from the next
 * collection on.
 */
export function boundHeapGrowth(): void {
  if (!allFlags().some((flag) => GROWTH.test(flag))) setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH}`);
}

/**
 * Has V8's own thread alone collect its young space: a collection every few hundred requests, of which a megabyte
 * lives. To wake other threads for it and wait for them takes longer, the more so where all cores have work.
 */
export function collectYoungAlone(): void {
  if (!allFlags().some((flag) => PARALLEL.test(flag))) setFlagsFromString('--no-parallel-scavenge');
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

function isChosen(flags: readonly string[], options = process.env['NODE_OPTIONS']): boolean {
  return [...flags, ...words(options)].some((flag) => CHOSEN.test(flag));
}

function allFlags(): string[] {
  return [...process.execArgv, ...words(process.env['NODE_OPTIONS'])];
}

function words(options = ''): string[] {
  return options.split(' ');
}
