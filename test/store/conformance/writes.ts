import { randomBytes } from 'node:crypto';
import { PassThrough, Readable } from 'node:stream';
import { expect } from 'vitest';
import type { StreamBody } from '../../../src/streams/bytes.ts';
import { testCall } from '../../support/test-call.ts';
import { brokenStream, type Define, failsWith, md5, streamOf, type Subject } from './suite.ts';

export function writeTests(subject: Subject, test: Define): void {
  bodyTests(subject, test);
  failingBodyTests(subject, test);
  digestTests(subject, test);
  metadataTests(subject, test);
}

function bodyTests(subject: Subject, test: Define): void {
  test('write from memory, then from a stream, replaces the blob whole', async () => {
    const ref = subject.ref();
    await subject.write(ref, 'a longer first body', { headers: { cacheControl: 'no-store' }, metadata: { old: '1' } });
    await subject.write(ref, streamOf(6, [Buffer.from('sec'), Buffer.from('ond')]), { metadata: { new: '1' } });
    expect(await subject.text(ref)).toBe('second');
    const properties = await subject.store.head(ref, subject.call);
    expect(properties.metadata).toEqual({ new: '1' });
    expect(properties.cacheControl).toBeUndefined();
  });

  test('write of no bytes, from memory and from a stream', async () => {
    for (const body of [Buffer.alloc(0), streamOf(0, [])]) {
      const ref = subject.ref();
      await subject.write(ref, body);
      expect((await subject.store.head(ref, subject.call)).size).toBe(0);
      expect(await subject.text(ref)).toBe('');
    }
  });

  test('write of several megabytes as a stream of uneven pieces', async () => {
    const ref = subject.ref();
    const bytes = randomBytes(5_000_001);
    const pieces = function* (): Generator<Uint8Array> {
      for (let at = 0, size = 1; at < bytes.byteLength; at += size, size = (size * 7) % 100_003) {
        yield bytes.subarray(at, at + size);
      }
    };
    await subject.write(ref, streamOf(bytes.byteLength, pieces()));
    expect((await subject.read(ref)).equals(bytes)).toBe(true);
  });

  test('write keeps no hold on the buffer it was given', async () => {
    const ref = subject.ref();
    const bytes = Buffer.from('before');
    await subject.write(ref, bytes);
    bytes.fill('x');
    expect(await subject.text(ref)).toBe('before');
  });

  test('write of a view into a larger buffer stores only the view', async () => {
    const ref = subject.ref();
    await subject.write(ref, Buffer.from('0123456789').subarray(3, 6));
    expect(await subject.text(ref)).toBe('345');
  });
}

function failingBodyTests(subject: Subject, test: Define): void {
  const leavesOldState = async (body: StreamBody): Promise<void> => {
    const kept = subject.ref();
    const before = await subject.write(kept, 'the old state', { metadata: { a: '1' } });
    await failsWith(subject.write(kept, body), 'aborted');
    expect(await subject.text(kept)).toBe('the old state');
    expect(await subject.store.head(kept, subject.call)).toMatchObject({
      revision: before.revision,
      metadata: { a: '1' },
    });
  };

  test('a stream that errors leaves the old state', async () => {
    await leavesOldState(brokenStream(100_000, Buffer.alloc(50_000)));
  });

  test('a stream that errors before its first byte leaves the old state', async () => {
    const refused = new Readable({
      read(): void {
        this.destroy(new Error('refused'));
      },
    });
    await leavesOldState({ size: 10, stream: refused });
  });

  test('a stream that ends early leaves the old state', async () => {
    await leavesOldState(streamOf(100_000, [Buffer.alloc(99_999)]));
  });

  test('a stream that ends without any byte leaves the old state', async () => {
    await leavesOldState(streamOf(10, []));
  });

  test('a stream that brings too much leaves the old state', async () => {
    await leavesOldState(streamOf(10, [Buffer.alloc(10), Buffer.alloc(1)]));
  });

  test('a broken stream does not make a blob', async () => {
    const ref = subject.ref();
    await failsWith(subject.write(ref, brokenStream(10, Buffer.alloc(9))), 'aborted');
    await failsWith(subject.store.head(ref, subject.call), 'notFound');
  });

  test('an aborted signal stops a write under way and leaves the old state', async () => {
    const ref = subject.ref();
    await subject.write(ref, 'the old state');
    const stop = new AbortController();
    const stalled = new PassThrough();
    stalled.write(Buffer.alloc(1000));
    const write = subject.store.write(ref, { size: 2000, stream: stalled }, { metadata: {} }, testCall(stop.signal));
    const timer = setTimeout(() => stop.abort(new Error('the client hung up')), 50);
    await failsWith(write, 'aborted');
    clearTimeout(timer);
    expect(await subject.text(ref)).toBe('the old state');
  });

  test('after failed bodies the store still works', async () => {
    const ref = subject.ref();
    for (let i = 0; i < 10; i += 1) {
      await failsWith(subject.write(ref, brokenStream(100_000, Buffer.alloc(70_000))), 'aborted');
    }
    await subject.write(ref, 'fine');
    expect(await subject.text(ref)).toBe('fine');
  });
}

function digestTests(subject: Subject, test: Define): void {
  test('a right md5 is accepted and comes back', async () => {
    for (const body of [Buffer.from('hello'), streamOf(5, [Buffer.from('hello')])]) {
      const ref = subject.ref();
      const result = await subject.write(ref, body, { md5: md5('hello') });
      expect(result.md5).toBe(md5('hello'));
      expect((await subject.store.head(ref, subject.call)).md5).toBe(md5('hello'));
    }
  });

  test('a wrong md5 is refused and leaves the old state', async () => {
    const ref = subject.ref();
    await subject.write(ref, 'old');
    await failsWith(subject.write(ref, 'hello', { md5: md5('other') }), 'digestMismatch');
    await failsWith(subject.write(ref, streamOf(5, [Buffer.from('hello')]), { md5: md5('other') }), 'digestMismatch');
    expect(await subject.text(ref)).toBe('old');
  });

  test('write answers the md5 of what it stored, if the capabilities say so', async () => {
    if (!subject.store.capabilities.writeReturnsMd5) return;
    for (const body of [Buffer.from('hello'), Buffer.alloc(0), streamOf(3, [Buffer.from('abc')])]) {
      const ref = subject.ref();
      const result = await subject.write(ref, body);
      expect(result.md5).toBe(md5(await subject.read(ref)));
      expect((await subject.store.head(ref, subject.call)).md5).toBe(result.md5);
    }
  });
}

function metadataTests(subject: Subject, test: Define): void {
  test('metadata: names of every allowed shape, values of every printable character', async () => {
    const ref = subject.ref();
    const printable = Array.from({ length: 94 }, (_, i) => String.fromCharCode(0x21 + i)).join('');
    const metadata = { a: '1', z9: 'two  spaces', with_under_score: printable, long: 'v'.repeat(4000) };
    await subject.write(ref, 'x', { metadata });
    expect((await subject.store.head(ref, subject.call)).metadata).toEqual(metadata);
  });

  test('metadata: close to the limit of the capabilities', async () => {
    const ref = subject.ref();
    const metadata = { m: 'v'.repeat(subject.store.capabilities.maxMetadataBytes - 200) };
    await subject.write(ref, 'x', { metadata });
    expect((await subject.store.head(ref, subject.call)).metadata).toEqual(metadata);
  });

  test('setMetadata replaces all metadata and changes the revision; bytes, headers and md5 stay', async () => {
    const ref = subject.ref();
    const headers = {
      contentType: 'text/css',
      contentEncoding: 'br',
      contentLanguage: 'en',
      contentDisposition: 'inline',
      cacheControl: 'max-age=1',
    };
    const written = await subject.write(ref, 'body', { headers, metadata: { a: '1', b: '2' }, md5: md5('body') });
    const match = { kind: 'match', revision: written.revision } as const;
    const changed = await subject.store.setMetadata(ref, { b: '3', c: '4' }, match, subject.call);
    expect(changed.revision).not.toBe(written.revision);
    const expected = {
      ...headers,
      size: 4,
      revision: changed.revision,
      lastModified: changed.lastModified,
      md5: md5('body'),
      metadata: { b: '3', c: '4' },
    };
    expect(await subject.store.head(ref, subject.call)).toMatchObject(expected);
    expect((await subject.store.head(ref, subject.call)).metadata).toEqual({ b: '3', c: '4' });
    expect(await subject.text(ref)).toBe('body');
  });

  test('setMetadata can remove all metadata', async () => {
    const ref = subject.ref();
    const { revision } = await subject.write(ref, 'body', { metadata: { a: '1' } });
    await subject.store.setMetadata(ref, {}, { kind: 'match', revision }, subject.call);
    expect((await subject.store.head(ref, subject.call)).metadata).toEqual({});
  });
}
