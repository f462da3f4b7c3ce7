import { describe, expect, it } from 'vitest';
import { uploadRef } from '../../../../src/manifest/records/upload-names.ts';
import { encodePart } from '../../../../src/manifest/records/upload-part-record.ts';
import { createClock } from '../../../../src/manifest/records/clock.ts';
import { createSettler } from '../../../../src/manifest/versions/settle.ts';
import { type Uploads, createUploads } from '../../../../src/manifest/uploads/uploads.ts';
import type { ListedPart } from '../../../../src/manifest/uploads/upload-plan.ts';
import type { UploadTarget } from '../../../../src/manifest/records/upload-names.ts';
import { at } from '../../../../src/store/blob-store.ts';
import { testCall } from '../../../support/test-call.ts';
import { UploadFixture, codeOf, md5Of } from '../upload-fixture.ts';

/** Another process over the same store. */
function another({ objects }: UploadFixture): Uploads {
  const settler = createSettler({ concurrency: 1, maxQueue: 10, newCall: () => testCall(), onError: () => undefined });
  return createUploads({ clock: createClock(), settler, objects, minPartSize: 1 });
}

/** As UploadPart does it. */
async function part(uploads: Uploads, target: UploadTarget, number: number, text: string): Promise<unknown> {
  const body = Buffer.from(text);
  return uploads.putPart(
    await uploads.recall(target, testCall()),
    { number, body, facts: { md5: md5Of(body) } },
    testCall(),
  );
}

/** Port methods that the work called, in order. */
async function callsOf(fixture: UploadFixture, work: () => Promise<unknown>): Promise<readonly string[]> {
  fixture.calls.length = 0;
  await work();
  return fixture.calls.map(({ method }) => method);
}

describe('a part', () => {
  it('costs two calls, in the process that created the upload and in others that had a part of it', async () => {
    const fixture = await UploadFixture.open();
    const target = await fixture.create('k');
    expect(await callsOf(fixture, () => part(fixture.uploads, target, 1, 'one,'))).toEqual(['stagePart', 'copy']);
    const other = another(fixture);
    expect(await callsOf(fixture, () => part(other, target, 2, 'two,'))).toEqual(['head', 'stagePart', 'copy']);
    expect(await callsOf(fixture, () => part(other, target, 3, 'three'))).toEqual(['stagePart', 'copy']);
    const parts = ['one,', 'two,', 'three'].map((text, n) => ({ number: n + 1, etag: md5Of(text), checksums: {} }));
    await fixture.complete(target, parts);
    expect(await fixture.text('k')).toBe('one,two,three');
  });

  it.each(['complete', 'abort'] as const)(
    'of an upload that another process ended by %s is refused, and nothing of it stays',
    async (end) => {
      const fixture = await UploadFixture.open();
      const { target, parts } = await fixture.started('k', 'one,');
      const other = another(fixture);
      await part(other, target, 2, 'two,');
      await (end === 'abort' ? fixture.uploads.abort(target, testCall()) : fixture.complete(target, parts));
      await fixture.idle();
      expect(await codeOf(part(other, target, 3, 'late'))).toBe('NoSuchUpload');
      expect(await fixture.names('u/', 'p/')).toEqual([]);
      // It is not sent a second time.
      expect(await callsOf(fixture, () => codeOf(part(other, target, 3, 'late')))).toEqual(['head']);
      expect(await fixture.text('k')).toBe(end === 'abort' ? undefined : 'one,');
    },
  );

  it('is not put by whoever names the upload with another key or bucket', async () => {
    const fixture = await UploadFixture.open();
    const target = await fixture.create('k');
    expect(await codeOf(part(fixture.uploads, { ...target, key: 'other' }, 1, 'one,'))).toBe('NoSuchUpload');
    const bucket = await fixture.addBucket('other');
    expect(await codeOf(part(fixture.uploads, { ...target, bucket }, 1, 'one,'))).toBe('NoSuchUpload');
    expect(await codeOf(part(fixture.uploads, target, 1, 'one,'))).toBe('ok');
  });

  it('is put though something of the cloud touched the record of the upload', async () => {
    const fixture = await UploadFixture.open();
    const target = await fixture.create('k');
    const ref = uploadRef(target);
    const touch = async (): Promise<void> => {
      const { metadata, revision } = await fixture.memory.head(ref, testCall());
      await fixture.memory.setMetadata(ref, metadata, at(revision), testCall());
    };
    await touch();
    expect(await callsOf(fixture, () => part(fixture.uploads, target, 1, 'one,'))).toEqual([
      'stagePart',
      'copy',
      'head',
      'copy',
    ]);
    const parts = [{ number: 1, etag: md5Of('one,'), checksums: {} }];
    await fixture.complete(target, parts);
    expect(await fixture.text('k')).toBe('one,');
  });

  it('is not refused as if the upload were over when its record is there and cannot be copied', async () => {
    const fixture = await UploadFixture.open();
    const target = await fixture.create('k');
    fixture.plan = ({ method }) => (method === 'copy' ? { kind: 'fail', error: 'sourceNotFound' } : undefined);
    expect(await codeOf(part(fixture.uploads, target, 1, 'one,'))).toBe('unavailable');
    fixture.plan = () => undefined;
    expect(await codeOf(part(fixture.uploads, target, 1, 'one,'))).toBe('ok');
  });

  it('that the release before this one recorded is listed and completed', async () => {
    const fixture = await UploadFixture.open();
    const target = await fixture.create('k');
    const { tokens } = await fixture.memory.stagePart(
      (await import('../../../../src/manifest/records/upload-names.ts')).stagingRef(target),
      Buffer.from('one,'),
      {},
      testCall(),
    );
    const record = { number: 1, etag: md5Of('one,'), size: 4, mtime: 1_700_000_000_000, tokens };
    const ref = { container: 'system', name: `p/${target.uploadId}/n/00001` };
    await fixture.memory.write(ref, new Uint8Array(0), { metadata: encodePart(record) }, testCall());
    await part(fixture.uploads, target, 2, 'end');
    const upload = await fixture.uploads.find(target, testCall());
    const { parts } = await fixture.uploads.listParts(upload, { after: 0, limit: 10 }, testCall());
    expect(parts.map(({ number, size }) => [number, size])).toEqual([
      [1, 4],
      [2, 3],
    ]);
    await fixture.complete(
      target,
      parts.map(({ number, etag }) => ({ number, etag, checksums: {} })),
    );
    expect(await fixture.text('k')).toBe('one,end');
  });
});

describe('Complete', () => {
  it.each(['nothing', 'an object that was put', 'an object made of parts'])(
    'over %s: six calls before the answer, in four rounds',
    async (before) => {
      const fixture = await UploadFixture.open();
      if (before === 'an object that was put') await fixture.put('k', 'old');
      if (before === 'an object made of parts') {
        const { target, parts } = await fixture.started('k', 'old,', 'end');
        await fixture.complete(target, parts);
        await fixture.idle();
      }
      const { target, parts } = await fixture.started('k', 'one,', 'end');
      const call = testCall();
      const calls = await callsOf(fixture, () => fixture.complete(target, parts, {}, call));
      expect(calls.slice(0, 3).sort()).toEqual(['head', 'list', 'read']);
      expect(calls.slice(3, 6)).toEqual(['assemble', 'write', 'remove']);
      expect(call.facts.backendCalls).toBe(6);
      await fixture.idle();
    },
  );

  it('is settled by two more calls and one removal of what is left', async () => {
    const fixture = await UploadFixture.open();
    const { target, parts } = await fixture.started('k', 'one,', 'end');
    const calls = await callsOf(fixture, async () => {
      await fixture.complete(target, parts);
      await fixture.idle();
    });
    expect(calls.length).toBeLessThanOrEqual(7 + 2 + 1);
    expect(calls.filter((method) => method === 'removeMany')).toHaveLength(1);
    expect(await fixture.names('u/', 'p/', 'v/')).toEqual([]);
  });

  it('asks for all pages of part records at once', async () => {
    const fixture = await UploadFixture.open({ minPartSize: 1, capabilities: { maxListPage: 3 } });
    const target = await fixture.create('k');
    const parts: ListedPart[] = [];
    for (let number = 1; number <= 8; number += 1) {
      await part(fixture.uploads, target, number * 3, `${number}`);
      parts.push({ number: number * 3, etag: md5Of(`${number}`), checksums: {} });
    }
    const calls = await callsOf(fixture, () => fixture.complete(target, parts));
    const before = calls.slice(0, calls.indexOf('assemble'));
    expect(before.sort()).toEqual(['head', 'list', 'list', 'list', 'read']);
    expect(await fixture.text('k')).toBe('12345678');
  });
});
