import { describe, expect, it } from 'vitest';
import { createClock } from '../../../../src/manifest/records/clock.ts';
import type { Bucket } from '../../../../src/manifest/records/bucket.ts';
import { type Objects, createObjects } from '../../../../src/manifest/objects/objects.ts';
import type { BlobStore } from '../../../../src/store/blob-store.ts';
import { StoreError } from '../../../../src/store/store-error.ts';
import { type PortCall, wrapStore } from '../../../../src/store/wrap-store.ts';
import { putOf } from '../../../support/manifest/manifest.ts';
import { testCall } from '../../../support/test-call.ts';
import { VersionedBucket } from '../../../support/manifest/versioned.ts';

/** A bucket with versioning that another process changes (`key`), and a process that reads it. */
class Reader {
  readonly key: VersionedBucket;
  readonly #objects: Objects;
  readonly #bucket: Bucket;
  /** What happens around the reader's calls. */
  around: (({ ref }: PortCall, run: () => Promise<unknown>) => Promise<unknown>) | undefined;
  discarded = 0;

  constructor(key: VersionedBucket) {
    this.key = key;
    const { home } = key.bucket;
    this.#bucket = { ...key.bucket, home: { ...home, store: this.#watched(home.store) } };
    this.#objects = createObjects({ clock: createClock(), settler: key.manifest.settler });
  }

  static async create(): Promise<Reader> {
    return new Reader(await VersionedBucket.create());
  }

  #watched(store: BlobStore): BlobStore {
    const around = async <T>(portCall: PortCall, run: () => Promise<T>): Promise<T> => {
      return this.around === undefined ? run() : ((await this.around(portCall, run)) as T);
    };
    const wrapped = wrapStore(store, around);
    return {
      ...wrapped,
      read: async (ref, request, call) => {
        const result = await wrapped.read(ref, request, call);
        const { body } = result;
        const discard = (): void => {
          this.discarded += 1;
          body.discard();
        };
        return {
          ...result,
          body: {
            size: body.size,
            discard,
            stream: () => body.stream(),
            pipeTo: (...to: Parameters<typeof body.pipeTo>) => body.pipeTo(...to),
          },
        };
      },
    };
  }

  async text(range?: { first: number; last: number }): Promise<string> {
    const target = { bucket: this.#bucket, key: 'k' };
    const { body } = await this.#objects.open(target, range === undefined ? {} : { range }, testCall());
    let text = '';
    for await (const chunk of body.stream()) text += String(chunk);
    return text;
  }

  async tags(): Promise<unknown> {
    return (await this.#objects.find({ bucket: this.#bucket, key: 'k' }, testCall())).tags;
  }

  put(text: string): Promise<unknown> {
    return this.#objects.put({ bucket: this.#bucket, key: 'k' }, putOf(text), testCall());
  }
}

const isHead = ({ ref }: PortCall): boolean => ref.container === 'bucket';

/** Whether two calls were on their way at a time. */
async function begunTogether(reader: Reader, work: () => Promise<unknown>): Promise<boolean> {
  let waiting = 0;
  let together = false;
  reader.around = async (_, run) => {
    waiting += 1;
    await new Promise((resolve) => setImmediate(resolve));
    together ||= waiting > 1;
    waiting -= 1;
    return run();
  };
  await work();
  reader.around = undefined;
  return together;
}

describe('a current version that this process knows', () => {
  it('is asked for beside its head, once the head was seen', async () => {
    const reader = await Reader.create();
    await reader.key.put('one');
    expect(await begunTogether(reader, () => reader.text())).toBe(false);
    for (const read of [() => reader.text(), () => reader.tags(), () => reader.text({ first: 0, last: 1 })]) {
      expect(await begunTogether(reader, read)).toBe(true);
    }
  });

  it('is known to the process that wrote it', async () => {
    const reader = await Reader.create();
    await reader.put('mine');
    expect(await begunTogether(reader, () => reader.text())).toBe(true);
    expect(reader.discarded).toBe(1); // the head's own blob, which is empty
  });

  it.each([
    ['put', (key: VersionedBucket) => key.put('two'), 'two'],
    ['marker', (key: VersionedBucket) => key.remove(), 'NoSuchKey'],
    ['deletion by id', (key: VersionedBucket, id: string) => key.remove(id), 'NoSuchKey'],
  ])('is not what is answered after a %s elsewhere', async (_, change, expected) => {
    const reader = await Reader.create();
    const one = await reader.key.put('one');
    expect(await reader.text()).toBe('one');
    await change(reader.key, one);
    const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code;
    expect(await reader.text().catch(codeOf)).toBe(expected);
    expect(await reader.text({ first: 0, last: 0 }).catch(codeOf)).toBe(expected === 'two' ? 't' : expected);
    expect(await reader.tags().catch(codeOf)).toBe(expected === 'two' ? undefined : expected);
  });

  it('gives up the bytes that it read in vain', async () => {
    const reader = await Reader.create();
    await reader.key.put('one');
    await reader.text();
    await reader.key.put('two');
    reader.discarded = 0;
    expect(await reader.text()).toBe('two');
    expect(reader.discarded).toBe(2); // the head's own blob, and version one
  });

  it('is given up when the head cannot be read', async () => {
    const reader = await Reader.create();
    await reader.key.put('one');
    await reader.text();
    reader.discarded = 0;
    reader.around = async (portCall, run) => {
      if (isHead(portCall)) throw new StoreError('unavailable', { call: 'read' });
      return run();
    };
    await expect(reader.text()).rejects.toThrow();
    await new Promise((resolve) => setImmediate(resolve));
    expect(reader.discarded).toBe(1);
  });

  it('counts for nothing when it was displaced, changed and brought back meanwhile', async () => {
    const reader = await Reader.create();
    const { key } = reader;
    const one = await key.put('one');
    expect(await reader.tags()).toBeUndefined();
    const two = await key.put('two');
    let readEarly!: () => void;
    const early = new Promise<void>((resolve) => (readEarly = resolve));
    reader.around = async (portCall, run) => {
      if (!isHead(portCall)) {
        const result = await run();
        readEarly();
        return result;
      }
      await early;
      reader.around = undefined;
      // While version two is current, and thus never while version one is: the old tags were not to be seen any more.
      const { objects } = key.manifest;
      const tags = [{ key: 'a', value: 'b' }];
      await objects.amend({ bucket: key.bucket, key: 'k', versionId: one }, () => ({ tags }), testCall());
      await key.remove(two);
      return run();
    };
    expect(await reader.tags()).toEqual([{ key: 'a', value: 'b' }]);
  });
});
