import { PerformanceObserver, constants } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { ReadBuffers, youngCollector } from '../../../src/streams/read-buffers.ts';

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
  collect();
  const before = process.memoryUsage().arrayBuffers;
  fill(16);
  expect(process.memoryUsage().arrayBuffers - before).toBeGreaterThan(15 * 1024 * 1024);
  // Twice: what survives the first is freed by the second.
  collect();
  collect();
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(4 * 1024 * 1024);
  await sleep(20);
  observer.disconnect();
  expect(kinds.filter((kind) => kind === constants.NODE_PERFORMANCE_GC_MINOR).length).toBeGreaterThanOrEqual(2);
});

function fill(mebibytes: number): void {
  for (let i = 0; i < mebibytes * 16; i++) Buffer.allocUnsafeSlow(64 * 1024).fill(1);
}
