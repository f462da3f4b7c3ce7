import { PerformanceObserver } from 'node:perf_hooks';
import process from 'node:process';

/*
 * Loaded before a gateway (`node --import`): counts what it copies and allocates, and says so when its parent asks.
 * A copy is counted where our code asks for one, as bytes or as Latin-1, which is bytes as a text; what Node does by
 * itself and what decodes other text is not.
 */

/** All since the process began. Bytes. */
export interface Counts {
  readonly copied: number;
  readonly heap: number;
  /** Collections: `heap` has gone down with each. */
  readonly collections: number;
}

let copied = 0;
let collections = 0;

type Method = (this: unknown, ...args: never[]) => unknown;

/** Has `size` look at each call of a method, its arguments and its result. */
function watch(owner: object, name: string, size: (args: readonly unknown[], result: unknown) => number): void {
  const found = Object.getOwnPropertyDescriptor(owner, name);
  const method = found?.value as Method | undefined;
  if (found === undefined || method === undefined) throw new Error(`no method ${name}`);
  function counting(this: unknown, ...args: never[]): unknown {
    const result = Reflect.apply(method as Method, this, args);
    copied += size(args, result);
    return result;
  }
  Object.defineProperty(owner, name, { ...found, value: counting });
}

const lengthOf = (value: unknown): number =>
  value instanceof Uint8Array || value instanceof ArrayBuffer ? value.byteLength : 0;
const TYPED = Object.getPrototypeOf(Uint8Array.prototype) as object;
const ofSource = (args: readonly unknown[]): number => lengthOf(args[0]);
const ofResult = (_: readonly unknown[], result: unknown): number => lengthOf(result);

watch(Buffer, 'concat', ofResult);
watch(Buffer, 'copyBytesFrom', ofResult);
watch(Buffer, 'from', ([source]) => (source instanceof Uint8Array ? source.byteLength : 0));
watch(Buffer.prototype as object, 'copy', (_, result) => Number(result));
watch(Buffer.prototype as object, 'toString', ([encoding], result) =>
  encoding === 'latin1' ? String(result).length : 0,
);
watch(TYPED, 'set', ofSource);
watch(TYPED, 'slice', ofResult);
watch(ArrayBuffer.prototype, 'slice', ofResult);

new PerformanceObserver((list) => {
  collections += list.getEntries().length;
}).observe({ entryTypes: ['gc'] });

process.on('message', (message) => {
  if (message !== 'counts') return;
  // After entries of the collector, which come in a turn of their own.
  setTimeout(() => {
    const counts: Counts = { copied, heap: process.memoryUsage().heapUsed, collections };
    process.send?.(counts);
  }, 5);
});
// The channel alone does not keep a gateway alive that was told to stop.
process.channel?.unref();
