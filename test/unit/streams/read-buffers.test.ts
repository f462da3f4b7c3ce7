import { PerformanceObserver, constants } from 'node:perf_hooks';
import { describe, expect, it, vi } from 'vitest';
import { ReadBuffers, youngCollector } from '../../../src/streams/read-buffers.ts';

const MEBIBYTE = 1024 * 1024;

const PATIENCE = { timeout: 30_000, interval: 10 };

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

describe('a chunk that is lent', () => {
  const lend = (size = 64 * 1024) => {
    const buffers = new ReadBuffers(() => undefined, MEBIBYTE);
    const chunk = Buffer.allocUnsafeSlow(size);
    buffers.note(size);
    buffers.lend(chunk);
    return { buffers, chunk };
  };

  it('is given back when all that was passed on of it is sent', () => {
    const { buffers, chunk } = lend();
    const views = [chunk.subarray(10, 30_000), chunk.subarray(30_010)];
    for (const view of views) buffers.passOn(view);
    buffers.lentAll(chunk);
    buffers.sent(views[0] as Buffer);
    expect(chunk.length).toBe(64 * 1024);
    // Cut once more on the way.
    buffers.sent((views[1] as Buffer).subarray(0, 5));
    buffers.sent((views[1] as Buffer).subarray(5));
    expect(chunk.length).toBe(0);
  });

  it('is not given back while more of it may be passed on', () => {
    const { buffers, chunk } = lend();
    buffers.passOn(chunk.subarray(0, 100));
    buffers.sent(chunk.subarray(0, 100));
    expect(chunk.length).toBe(64 * 1024);
    buffers.lentAll(chunk);
    expect(chunk.length).toBe(0);
  });

  it('is given back when nothing of it was payload', () => {
    const { buffers, chunk } = lend();
    buffers.lentAll(chunk);
    expect(chunk.length).toBe(0);
  });

  it('stays where somebody keeps a part of it', () => {
    const { buffers, chunk } = lend();
    buffers.passOn(chunk);
    buffers.lentAll(chunk);
    buffers.sent(chunk.subarray(1));
    expect(chunk.length).toBe(64 * 1024);
  });

  it('is none when it shares its memory, or is small', () => {
    const buffers = new ReadBuffers(() => undefined);
    const shared = Buffer.allocUnsafeSlow(64 * 1024).subarray(0, 32 * 1024);
    const { chunk: small } = lend(1024);
    for (const chunk of [shared, small]) {
      buffers.lend(chunk);
      buffers.passOn(chunk);
      buffers.lentAll(chunk);
      buffers.sent(chunk);
      expect(chunk.length).toBeGreaterThan(0);
    }
  });

  it('brings no collection nearer', () => {
    let collections = 0;
    const buffers = new ReadBuffers(() => (collections += 1), 100_000);
    for (let turn = 0; turn < 100; turn += 1) {
      const chunk = Buffer.allocUnsafeSlow(64 * 1024);
      buffers.note(chunk.length);
      buffers.lend(chunk);
      buffers.passOn(chunk);
      buffers.lentAll(chunk);
      buffers.sent(chunk);
    }
    expect(collections).toBe(0);
  });
});
