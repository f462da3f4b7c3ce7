import { randomBytes } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect } from 'vitest';
import { at, type BlobRef } from '../../../src/store/blob-store.ts';
import { type Define, failsWith, type Subject } from './suite.ts';

export function readTests(subject: Subject, test: Define): void {
  headTests(subject, test);
  rangeTests(subject, test);
  bodyTests(subject, test);
}

function headTests(subject: Subject, test: Define): void {
  test('head and read of a blob that does not exist: notFound', async () => {
    await failsWith(subject.store.head(subject.ref(), subject.call), 'notFound');
    await failsWith(subject.store.read(subject.ref(), {}, subject.call), 'notFound');
  });

  test('head and read give the properties that were written', async () => {
    const ref = subject.ref();
    const headers = {
      contentType: 'text/plain; charset=utf-8',
      contentEncoding: 'gzip',
      contentLanguage: 'de',
      contentDisposition: 'attachment; filename="a b.txt"',
      cacheControl: 'no-cache',
    };
    const metadata = { s3_etag: 'abc', other: 'with space, "quotes" & signs %20' };
    const written = await subject.write(ref, 'hello', { headers, metadata });
    const expected = { ...headers, size: 5, revision: written.revision, lastModified: written.lastModified, metadata };
    expect(await subject.store.head(ref, subject.call)).toMatchObject(expected);
    const { properties, body } = await subject.store.read(ref, {}, subject.call);
    body.discard();
    expect(properties).toMatchObject(expected);
    expect(Math.abs(Date.now() - properties.lastModified)).toBeLessThan(60_000);
  });

  test('head and read without headers and metadata', async () => {
    const ref = subject.ref();
    await subject.write(ref, 'hello');
    const properties = await subject.store.head(ref, subject.call);
    expect(properties.metadata).toEqual({});
    expect(properties.cacheControl).toBeUndefined();
    expect(properties.contentEncoding).toBeUndefined();
  });

  test('a read pinned to a revision gives that revision or fails', async () => {
    const ref = subject.ref();
    const first = await subject.write(ref, 'first');
    expect(await subject.read(ref, undefined, first.revision)).toEqual(Buffer.from('first'));
    const second = await subject.write(ref, 'second');
    expect(second.revision).not.toBe(first.revision);
    await failsWith(subject.store.read(ref, { revision: first.revision }, subject.call), 'conditionFailed');
    await failsWith(
      subject.store.read(ref, { revision: first.revision, range: { first: 0, last: 1 } }, subject.call),
      'conditionFailed',
    );
    expect(await subject.read(ref, { first: 0, last: 2 }, second.revision)).toEqual(Buffer.from('sec'));
    // A change of metadata is another state, too.
    const third = await subject.store.setMetadata(ref, { a: '1' }, at(second.revision), subject.call);
    await failsWith(subject.store.read(ref, { revision: second.revision }, subject.call), 'conditionFailed');
    expect(await subject.read(ref, undefined, third.revision)).toEqual(Buffer.from('second'));
  });

  test('a Cache-Control like the default of a service is told where it was set', async () => {
    for (const cacheControl of ['private, max-age=0', 'public, max-age=3600', 'no-cache, no-store, max-age=0']) {
      const ref = subject.ref();
      await subject.write(ref, 'x', { headers: { cacheControl } });
      expect((await subject.store.head(ref, subject.call)).cacheControl).toBe(cacheControl);
      const { properties, body } = await subject.store.read(ref, {}, subject.call);
      body.discard();
      expect(properties.cacheControl).toBe(cacheControl);
    }
  });

  test('an archived blob has properties but no bytes', async () => {
    const { setArchived } = subject.options;
    if (setArchived === undefined) {
      console.warn(`[${subject.store.kind}] archived blobs not tested: the suite was given no way to archive one`);
      return;
    }
    const ref = subject.ref();
    await subject.write(ref, 'cold');
    await setArchived(subject.store, ref, true);
    const properties = await subject.store.head(ref, subject.call);
    expect(properties).toMatchObject({ archived: true, size: 4 });
    expect(await subject.list(ref.container, { prefix: ref.name })).toMatchObject([{ archived: true, size: 4 }]);
    await failsWith(subject.store.read(ref, {}, subject.call), 'archived');
    await setArchived(subject.store, ref, false);
    expect(await subject.text(ref)).toBe('cold');
  });
}

function rangeTests(subject: Subject, test: Define): void {
  const bytes = randomBytes(300_000);
  const written = async (): Promise<BlobRef> => {
    const ref = subject.ref('ranges');
    await subject.write(ref, bytes);
    return ref;
  };

  test('ranges: first, middle, last, open end, whole', async () => {
    const ref = await written();
    const size = bytes.byteLength;
    const ranges = [
      [0, 0],
      [0, 9],
      [100, 199],
      [65_535, 65_536],
      [100_000, 299_999],
      [size - 1, size - 1],
      [0, size - 1],
    ] as const;
    for (const [first, last] of ranges) {
      expect(
        (await subject.read(ref, { first, last })).equals(bytes.subarray(first, last + 1)),
        `${first}-${last}`,
      ).toBe(true);
    }
    expect((await subject.read(ref, { first: 299_000 })).equals(bytes.subarray(299_000))).toBe(true);
    expect((await subject.read(ref, { first: 0 })).equals(bytes)).toBe(true);
  });

  test('ranges: an end beyond the blob is clipped', async () => {
    const ref = await written();
    expect((await subject.read(ref, { first: 299_990, last: 5_000_000 })).equals(bytes.subarray(299_990))).toBe(true);
    expect((await subject.read(ref, { first: 0, last: 300_000 })).equals(bytes)).toBe(true);
  });

  test('ranges: the properties are of the whole blob', async () => {
    const ref = await written();
    const { properties, body } = await subject.store.read(ref, { range: { first: 5, last: 9 } }, subject.call);
    body.discard();
    expect(properties.size).toBe(300_000);
    expect(body.size).toBe(5);
  });

  test('ranges: a start at or beyond the end: rangeNotSatisfiable', async () => {
    const ref = await written();
    for (const range of [{ first: 300_000 }, { first: 300_000, last: 300_001 }, { first: 400_000, last: 500_000 }]) {
      await failsWith(subject.store.read(ref, { range }, subject.call), 'rangeNotSatisfiable');
    }
  });

  test('ranges: any range on an empty blob: rangeNotSatisfiable', async () => {
    const ref = subject.ref();
    await subject.write(ref, '');
    await failsWith(subject.store.read(ref, { range: { first: 0 } }, subject.call), 'rangeNotSatisfiable');
    await failsWith(subject.store.read(ref, { range: { first: 0, last: 0 } }, subject.call), 'rangeNotSatisfiable');
  });

  test('ranges: on a blob that does not exist: notFound', async () => {
    await failsWith(subject.store.read(subject.ref(), { range: { first: 0 } }, subject.call), 'notFound');
  });
}

function bodyTests(subject: Subject, test: Define): void {
  test('pipeTo writes all bytes and ends the sink', async () => {
    const ref = subject.ref();
    const bytes = randomBytes(1_000_000);
    await subject.write(ref, bytes);
    const sink = new PassThrough();
    const received = buffer(sink);
    const { body } = await subject.store.read(ref, {}, subject.call);
    expect(body.size).toBe(bytes.byteLength);
    await body.pipeTo(sink, subject.call.signal);
    expect((await received).equals(bytes)).toBe(true);
  });

  test('pipeTo of an empty blob ends the sink', async () => {
    const ref = subject.ref();
    await subject.write(ref, '');
    const sink = new PassThrough();
    const received = buffer(sink);
    const { body } = await subject.store.read(ref, {}, subject.call);
    await body.pipeTo(sink, subject.call.signal);
    expect((await received).byteLength).toBe(0);
  });

  test('pipeTo ends with an error when its signal is aborted, and destroys the sink', async () => {
    const ref = subject.ref();
    await subject.write(ref, randomBytes(4_000_000));
    const stop = new AbortController();
    const sink = new PassThrough();
    sink.once('data', () => {
      sink.pause();
      stop.abort();
    });
    const { body } = await subject.store.read(ref, {}, subject.call);
    await expect(body.pipeTo(sink, stop.signal)).rejects.toThrow();
    expect(sink.destroyed).toBe(true);
  });

  test('a body given up frees its connection', async () => {
    const ref = subject.ref();
    await subject.write(ref, randomBytes(2_000_000));
    for (let i = 0; i < 40; i += 1) {
      const { body } = await subject.store.read(ref, {}, subject.call);
      body.discard();
    }
    expect((await subject.read(ref)).byteLength).toBe(2_000_000);
  });

  test('a body under way keeps its bytes when the blob is replaced, or fails', async () => {
    const ref = subject.ref();
    const bytes = Buffer.alloc(2_000_000, 'a');
    await subject.write(ref, bytes);
    const { body } = await subject.store.read(ref, {}, subject.call);
    await subject.write(ref, Buffer.alloc(2_000_000, 'b'));
    const received = await buffer(body.stream()).catch(() => bytes);
    expect(received.equals(bytes)).toBe(true);
  });

  test('a blob made again does not have the revision that it had before', async () => {
    const ref = subject.ref();
    const { revision } = await subject.write(ref, 'x');
    await subject.store.remove(ref, revision, subject.call);
    await subject.write(ref, 'x');
    await failsWith(subject.store.read(ref, { revision }, subject.call), 'conditionFailed');
  });
}
