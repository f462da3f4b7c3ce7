import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { NewPart } from '../../../../src/manifest/uploads/upload-parts.ts';
import { testCall } from '../../../support/test-call.ts';
import { UploadFixture, codeOf, md5Of } from '../upload-fixture.ts';

const TEXT = 'bytes of a part';
const OTHER = md5Of('other bytes');

/** What the store answers: the truth, nothing, or this MD5. */
type Said = string;
const NOTHING: Said = 'nothing';
const TRUTH: Said = 'truth';

async function put(part: Partial<NewPart>, said: Said = TRUTH): Promise<string> {
  const fixture = await UploadFixture.open();
  const { stagePart } = fixture.memory;
  if (said !== TRUTH) {
    fixture.memory.stagePart = async (...args) => {
      const { tokens } = await stagePart.apply(fixture.memory, args);
      return { tokens, ...(said !== NOTHING && { md5: said }) };
    };
  }
  const upload = await fixture.uploads.find(await fixture.create('k'), testCall());
  const body = Buffer.from(TEXT);
  const { etag } = await fixture.uploads.putPart(upload, { number: 1, body, facts: {}, ...part }, testCall());
  const { parts } = await fixture.uploads.listParts(upload, { after: 0, limit: 10 }, testCall());
  expect(parts.map((listed) => listed.etag)).toEqual([etag]);
  return etag;
}

function stream(): { body: NewPart['body']; facts: NewPart['facts'] } {
  const body = { size: TEXT.length, stream: Readable.from([Buffer.from(TEXT)], { objectMode: false }) };
  return { body, facts: Promise.resolve({}) };
}

describe('the ETag of a part', () => {
  it('is the MD5 that the backend says', async () => {
    expect([await put({}), await put(stream())]).toEqual([md5Of(TEXT), md5Of(TEXT)]);
  });

  it('is computed from bytes in memory where the backend does not say it after all', async () => {
    expect(await put({}, NOTHING)).toBe(md5Of(TEXT));
  });

  it('is never made up: a streamed part of which nobody knows it is refused', async () => {
    expect(await codeOf(put(stream(), NOTHING))).toBe('unavailable');
    expect(await codeOf(put({ ...stream(), md5: md5Of(TEXT) }, NOTHING))).toBe('unavailable');
  });

  it('is not what a client declares: the backend refuses other bytes, and what it says is compared', async () => {
    expect(await codeOf(put({ ...stream(), md5: OTHER }))).toBe('digestMismatch');
    expect(await codeOf(put({ ...stream(), md5: md5Of(TEXT) }, OTHER))).toBe('digestMismatch');
    expect(await put({ ...stream(), md5: md5Of(TEXT) })).toBe(md5Of(TEXT));
  });

  it('is refused where the backend stored other bytes than were verified here', async () => {
    expect(await codeOf(put({ facts: { md5: md5Of(TEXT) } }, OTHER))).toBe('unavailable');
    expect(await codeOf(put({ ...stream(), facts: Promise.resolve({ md5: md5Of(TEXT) }) }, OTHER))).toBe('unavailable');
  });
});
