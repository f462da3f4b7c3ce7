import { expect, test } from 'vitest';
import { WriteLedger, writtenSince } from '../../../../src/manifest/usage/write-ledger.ts';

test('what a process has written is told by time, more coarsely the longer ago, and never less than it was', () => {
  const ledger = new WriteLedger();
  const minute = 60_000;
  for (let at = 0; at < 10_000; at += 1) ledger.add(at * minute, { bytes: 1, objects: 1 });
  expect(ledger.spans.length).toBeLessThanOrEqual(32);
  for (const since of [0, 1, 5000, 9000, 9999]) {
    const { bytes } = writtenSince(ledger.spans, since * minute);
    expect(bytes).toBeGreaterThanOrEqual(10_000 - since);
    expect(bytes).toBeLessThanOrEqual(10_000 - since + 1024);
  }
  ledger.forgetBefore(9990 * minute);
  const left = writtenSince(ledger.spans, 0).bytes;
  for (let at = 10_000; at < 10_010; at += 1) ledger.add(at * minute, { bytes: 1, objects: 1 });
  expect(writtenSince(ledger.spans, 10_005 * minute).bytes).toBe(5);
  expect(writtenSince(ledger.spans, 0).bytes).toBe(left + 10);
});
