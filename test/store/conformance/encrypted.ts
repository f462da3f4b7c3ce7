import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { CustomerKey } from '../../../src/store/customer-key.ts';
import type { BlobRef } from '../../../src/store/blob-store.ts';
import { readAll } from '../../../src/streams/bytes.ts';
import { type Define, type Subject, brokenStream, failsWith, streamOf } from './suite.ts';

const KEY = new CustomerKey(randomBytes(32));
const OTHER = new CustomerKey(randomBytes(32));
const BYTES = Buffer.from('nobody reads this without the key');

/** Blobs under a key of a customer's. */
export function encryptedTests(subject: Subject, test: Define): void {
  const written = async (): Promise<BlobRef> => {
    const ref = subject.ref();
    await subject.store.write(ref, BYTES, { metadata: {}, encryption: { kind: 'customer', key: KEY } }, subject.call);
    return ref;
  };
  const text = async (ref: BlobRef, range?: { first: number; last?: number }): Promise<string> => {
    const { body } = await subject.store.read(ref, { key: KEY, ...(range && { range }) }, subject.call);
    return String(await readAll(body));
  };

  test('a blob under a key is read with that key, whole and in part', async () => {
    const ref = await written();
    expect(await text(ref)).toBe(String(BYTES));
    expect(await text(ref, { first: 7, last: 11 })).toBe('reads');
    expect(await text(ref, { first: 30 })).toBe('key');
  });

  test('a blob under a key is read with no other, and not without', async () => {
    const ref = await written();
    await failsWith(subject.store.read(ref, {}, subject.call), 'keyRefused');
    await failsWith(subject.store.read(ref, { key: OTHER }, subject.call), 'keyRefused');
  });

  test('a blob under no key is not read with one', async () => {
    const ref = subject.ref();
    await subject.write(ref, 'plain');
    await failsWith(subject.store.read(ref, { key: KEY }, subject.call), 'keyRefused');
  });

  test('a stream is stored under a key, and one that breaks off is not', async () => {
    const ref = subject.ref();
    const encryption = { kind: 'customer', key: KEY } as const;
    await subject.store.write(ref, streamOf(BYTES.length, [BYTES]), { metadata: {}, encryption }, subject.call);
    expect(await text(ref)).toBe(String(BYTES));
    const broken = subject.ref();
    const body = brokenStream(BYTES.length + 1, BYTES);
    await expect(subject.store.write(broken, body, { metadata: {}, encryption }, subject.call)).rejects.toThrow();
    await failsWith(subject.store.read(broken, { key: KEY }, subject.call), 'notFound');
  });

  test('what is under a key is listed and removed without', async () => {
    const ref = await written();
    const page = await subject.store.list(ref.container, { prefix: ref.name, limit: 10 }, subject.call);
    expect(page.entries).toMatchObject([{ kind: 'blob', name: ref.name, size: BYTES.length, metadata: {} }]);
    expect(await subject.store.removeMany(ref.container, [{ name: ref.name }], subject.call)).toEqual(['removed']);
    await failsWith(subject.store.read(ref, { key: KEY }, subject.call), 'notFound');
  });
}
