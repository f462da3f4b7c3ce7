import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { belongsTo } from '../../../../src/manifest/records/upload-id.ts';
import { testCall } from '../../../support/test-call.ts';
import { OWNER, UploadFixture, codeOf, md5Of, multipartEtag } from '../upload-fixture.ts';

function crc32Of(text: string): string {
  const digest = Buffer.alloc(4);
  digest.writeUInt32BE(crc32(text));
  return digest.toString('base64');
}

describe('an upload', () => {
  it('becomes the object of its key with ETag, parts and attributes, before and after settling', async () => {
    const fixture = await UploadFixture.open({ settling: false });
    const { target, parts } = await fixture.started('k', 'one,', 'two,', 'end');
    expect(await fixture.text('k')).toBeUndefined();
    const result = await fixture.complete(target, parts);
    const etag = multipartEtag('one,', 'two,', 'end');
    expect(result.etag).toBe(etag);

    const expected = {
      etag,
      size: 11,
      headers: { contentType: 'text/plain' },
      userMetadata: { colour: 'blue' },
      ownerId: OWNER,
      parts: [
        { number: 1, size: 4 },
        { number: 2, size: 4 },
        { number: 3, size: 3 },
      ],
    };
    const before = await fixture.objects.find({ bucket: fixture.bucket, key: 'k' }, testCall());
    expect(before).toMatchObject(expected);
    expect(before.head.kind).toBe('assembled');
    expect(await fixture.text('k')).toBe('one,two,end');

    const { settle } = await import('../../../../src/manifest/versions/settle.ts');
    await settle({ bucket: fixture.bucket, key: 'k' }, testCall());
    const after = await fixture.objects.find({ bucket: fixture.bucket, key: 'k' }, testCall());
    expect(after).toMatchObject({ ...expected, mtime: before.mtime });
    expect(after.head.kind).toBe('inline');
    expect(await fixture.text('k')).toBe('one,two,end');
    await fixture.idle();
    expect(await fixture.names('u/', 'p/')).toEqual([]);
    expect(await fixture.names('c/')).toEqual([`c/${target.uploadId}`]);
    expect(fixture.backgroundErrors).toEqual([]);
  });

  it('keeps a checksum of the whole object and those of its parts through settling', async () => {
    const fixture = await UploadFixture.open();
    const checksum = { algorithm: 'CRC32', type: 'FULL_OBJECT' } as const;
    const target = await fixture.create('k', { checksum });
    const upload = await fixture.uploads.find(target, testCall());
    expect(upload.checksum).toEqual(checksum);
    const values = ['12345', '6789'].map((text) => crc32Of(text));
    const parts = [];
    for (const [index, text] of ['12345', '6789'].entries()) {
      const facts = { md5: md5Of(text), checksum: { algorithm: 'CRC32' as const, value: values[index] ?? '' } };
      const part = await fixture.uploads.putPart(
        upload,
        { number: index + 1, body: Buffer.from(text), facts },
        testCall(),
      );
      parts.push({ number: part.number, etag: part.etag, checksums: {} });
    }
    const expected = { algorithm: 'CRC32', value: crc32Of('123456789'), type: 'FULL_OBJECT' };
    expect((await fixture.complete(target, parts)).checksum).toEqual(expected);
    await fixture.idle();
    const view = await fixture.objects.find({ bucket: fixture.bucket, key: 'k' }, testCall());
    expect(view.head.kind).toBe('inline');
    expect(view.checksum).toEqual(expected);
    expect(view.parts).toEqual([
      { number: 1, size: 5, checksum: values[0] },
      { number: 2, size: 4, checksum: values[1] },
    ]);
    expect((await fixture.complete(target, parts)).checksum).toEqual(expected);
  });

  it('takes parts in any order, with gaps, and leaves out those that are not listed', async () => {
    const fixture = await UploadFixture.open();
    const target = await fixture.create('k');
    const last = await fixture.part(target, 10_000, 'last');
    await fixture.part(target, 500, 'left out');
    const first = await fixture.part(target, 7, 'first');
    await fixture.complete(target, [first, last]);
    await fixture.idle();
    expect(await fixture.text('k')).toBe('firstlast');
    expect(await fixture.names('p/')).toEqual([]);
  });

  it('lets the last writer of a part number win', async () => {
    const fixture = await UploadFixture.open();
    const { target, parts } = await fixture.started('k', 'old one', 'two');
    const again = await fixture.part(target, 1, 'new one');
    expect(await codeOf(fixture.complete(target, parts))).toBe('InvalidPart');
    await fixture.complete(target, [again, ...parts.slice(1)]);
    expect(await fixture.text('k')).toBe('new onetwo');
  });

  it('keeps the good part when a later one of that number is refused', async () => {
    const fixture = await UploadFixture.open();
    const { target, parts } = await fixture.started('k', 'good');
    const upload = await fixture.uploads.find(target, testCall());
    const broken = new Readable({ read: () => broken.destroy(new Error('digest mismatch')) });
    const facts = Promise.reject(new Error('digest mismatch'));
    facts.catch(() => undefined);
    expect(
      await codeOf(
        fixture.uploads.putPart(upload, { number: 1, body: { size: 3, stream: broken }, facts }, testCall()),
      ),
    ).toBe('aborted');
    // All bytes came, and only then the verification failed.
    const late = { number: 1, body: { size: 3, stream: Readable.from([Buffer.from('bad')]) }, facts };
    await expect(fixture.uploads.putPart(upload, late, testCall())).rejects.toThrow('digest mismatch');
    await fixture.complete(target, parts);
    expect(await fixture.text('k')).toBe('good');
  });

  it('is apart from others of the same key and from PUTs meanwhile', async () => {
    const fixture = await UploadFixture.open();
    const a = await fixture.create('k');
    const b = await fixture.create('k');
    const a1 = await fixture.part(a, 1, 'a-one ');
    const b1 = await fixture.part(b, 1, 'b-one ');
    await fixture.put('k', 'put');
    const a2 = await fixture.part(a, 2, 'a-two');
    const b2 = await fixture.part(b, 2, 'b-two');
    expect(await fixture.text('k')).toBe('put');
    await fixture.complete(a, [a1, a2]);
    expect(await fixture.text('k')).toBe('a-one a-two');
    await fixture.complete(b, [b1, b2]);
    expect(await fixture.text('k')).toBe('b-one b-two');
    await fixture.idle();
    expect(await fixture.text('k')).toBe('b-one b-two');
    expect(await fixture.names('u/', 'p/')).toEqual([]);
  });

  it('belongs to one key of one bucket', async () => {
    const fixture = await UploadFixture.open();
    const other = await fixture.addBucket('other');
    const { target, parts } = await fixture.started('k', 'part');
    const foreign = [
      { ...target, key: 'other key' },
      { ...target, bucket: other },
      { ...target, uploadId: 'abc1234def' },
      { ...target, uploadId: '' },
    ];
    for (const wrong of [
      ...foreign,
      { ...target, uploadId: `${target.uploadId.slice(0, -1)}!` },
      { ...target, uploadId: '../k' },
    ]) {
      expect(await codeOf(fixture.uploads.find(wrong, testCall()))).toBe('NoSuchUpload');
      expect(await codeOf(fixture.complete(wrong, parts))).toBe('NoSuchUpload');
      expect(await codeOf(fixture.uploads.abort(wrong, testCall()))).toBe('NoSuchUpload');
    }
    await fixture.complete(target, parts);
    for (const wrong of foreign) expect(await codeOf(fixture.complete(wrong, parts))).toBe('NoSuchUpload');
  });

  it('has an id that sorts by initiation and fits into names and URLs', async () => {
    const fixture = await UploadFixture.open();
    const ids: string[] = [];
    for (let i = 0; i < 50; i++) ids.push((await fixture.create('k')).uploadId);
    expect([...ids].sort()).toEqual(ids);
    for (const id of ids) {
      expect(id).toMatch(/^[A-Za-z0-9._-]{46}$/);
      expect(belongsTo(id, { bucket: fixture.bucket, key: 'k' })).toBe(true);
    }
  });

  it('takes keys that are hazardous or too long for a name', async () => {
    const fixture = await UploadFixture.open();
    const keys = [
      'a\\b',
      '../x',
      'dir/.',
      'm\u00fcll/\u{1f600}',
      '\u0001',
      'x'.repeat(1024),
      '\u4e2d'.repeat(341),
      '/'.repeat(1024),
      '!!',
    ];
    for (const key of keys) {
      const { target, parts } = await fixture.started(key, key);
      const { entries } = await fixture.uploads.list(fixture.bucket, { prefix: '', limit: 10 }, testCall());
      expect(entries).toMatchObject([{ key, uploadId: target.uploadId }]);
      await fixture.complete(target, parts);
      await fixture.idle();
      expect(await fixture.text(key)).toBe(key);
      expect(await codeOf(fixture.complete(target, parts))).toBe('ok');
    }
    expect(fixture.backgroundErrors).toEqual([]);
  });

  it('holds attributes beyond what metadata of a blob can', async () => {
    const fixture = await UploadFixture.open();
    const attributes = {
      headers: { contentType: 'a/b' },
      userMetadata: { 'big-one': '\u00e9'.repeat(2000) },
      websiteRedirect: `/${'r'.repeat(5000)}`,
    };
    const target = await fixture.create('k', { attributes });
    await fixture.complete(target, [await fixture.part(target, 1, 'x')]);
    await fixture.idle();
    expect(await fixture.objects.find({ bucket: fixture.bucket, key: 'k' }, testCall())).toMatchObject(attributes);
  });

  it.each([
    ['the configuration allows', { maxObjectSize: 9 }],
    ['the service takes', { capabilities: { maxBlob: 9 } }],
  ])('is not completed when the object were larger than %s', async (_what, limits) => {
    const small = await UploadFixture.open(limits);
    const { target, parts } = await small.started('key', 'aaaa', 'bbbb', 'cc');
    expect(await codeOf(small.complete(target, parts))).toBe('EntityTooLarge');
    expect(await small.openUploads()).toEqual([target.uploadId]);
    await small.complete(target, parts.slice(0, 2));
    expect(await small.text('key')).toBe('aaaabbbb');
  });
});
