import { PerformanceObserver, constants } from 'node:perf_hooks';
import { expect, it, vi } from 'vitest';
import { ReadBuffers, youngCollector } from '../../../src/streams/read-buffers.ts';

const MEBIBYTE = 1024 * 1024;

const PATIENCE = { timeout: 4000, interval: 10 };

it('asks for a collection each time the stride is full, and not before', () => {
  let collections = 0;
  const buffers = new ReadBuffers(() => (collections += 1), 1000);
  for (let i = 0; i < 9; i++) buffers.note(100);
  expect(collections).toBe(0);
  buffers.note(100);
  expect(collections).toBe(1);
  buffers.note(5000);
  expect(collections).toBe(2);
  buffers.note(999);
  expect(collections).toBe(2);
});

it('collects the young generation, and frees the buffers in it', async () => {
  const kinds: unknown[] = [];
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) kinds.push((entry as unknown as { detail: { kind: number } }).detail.kind);
  });
  observer.observe({ entryTypes: ['gc'] });
  const collect = youngCollector();
  const before = fillUndisturbed(collect);
  // Twice: what survives the first is freed by the second. V8 gives the memory back on a thread of its own.
  collect();
  collect();
  await vi.waitFor(() => expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(4 * MEBIBYTE), PATIENCE);
  // How many of them Node tells of is not ours; none would be collections of another kind.
  await vi.waitFor(() => expect(kinds).toContain(constants.NODE_PERFORMANCE_GC_MINOR), PATIENCE);
  observer.disconnect();
});

/**
 * Leaves 16 MiB of buffers to be collected; answers what array buffers held before. Any allocation may bring on a
 * collection by V8 itself, and what that one moved to the old generation is not this test's: then once more.
 */
function fillUndisturbed(collect: () => void): number {
  for (let turn = 0; turn < 20; turn++) {
    collect();
    const before = process.memoryUsage().arrayBuffers;
    for (let i = 0; i < 16 * 16; i++) Buffer.allocUnsafeSlow(64 * 1024).fill(1);
    if (process.memoryUsage().arrayBuffers - before > 15 * MEBIBYTE) return before;
  }
  throw new Error('V8 collected during each of 20 fillings');
}
