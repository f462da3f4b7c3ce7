import { afterEach, expect, test } from 'vitest';
import { type CopyScene, closeScenes, scene } from '../copies/scene.ts';
import type { Headers } from '../spec/world.ts';

afterEach(closeScenes);

/** The upload was begun by `here`, which remembers it, and ended by `there`. */
async function ended(on: CopyScene): Promise<string> {
  const upload = await on.here.upload(on.to);
  await on.there.must('DELETE', upload);
  return upload;
}

const NOBODYS = '"00000000000000000000000000000000"';

test.each<[string, (on: CopyScene) => string, Headers]>([
  ['there is no source', (on) => `${on.from}-missing`, {}],
  ['there is no bucket of the source', () => '/no-such-bucket/key', {}],
  ['the source is another', (on) => on.from, { 'x-amz-copy-source-if-match': NOBODYS }],
  ['the source is smaller', (on) => on.from, { 'x-amz-copy-source-range': 'bytes=5000-6000' }],
  ['nothing else is wrong', (on) => on.from, {}],
])('a part for an upload that ended at another replica: NoSuchUpload, also where %s', async (_what, from, headers) => {
  const on = await scene();
  const upload = await ended(on);
  expect((await on.here.copyPart(upload, from(on), headers)).outcome).toBe('404 NoSuchUpload');
});

const WRONG_DIGEST = { 'content-md5': 'AAAAAAAAAAAAAAAAAAAAAA==' };
const BODIES: [string, string][] = [
  ['held', 'bytes of a part'],
  ['streamed', 'x'.repeat(2 * 1024 * 1024)],
];

test.each(BODIES)(
  'a wrong digest of a part that is %s is not looked at when the upload is over',
  async (_how, body) => {
    const on = await scene();
    const part = `${await ended(on)}&partNumber=1`;
    expect(await on.here.outcome('PUT', part, { headers: WRONG_DIGEST, body })).toBe('404 NoSuchUpload');
  },
);

test.each(BODIES)('a wrong digest of a part that is %s is told while the upload is open', async (_how, body) => {
  const on = await scene();
  const part = `${await on.here.upload(on.to)}&partNumber=1`;
  expect(await on.here.outcome('PUT', part, { headers: WRONG_DIGEST, body })).toBe('400 BadDigest');
});

test('an upload that is open is told what is wrong with the source', async () => {
  const on = await scene();
  const upload = await on.here.upload(on.to);
  expect((await on.here.copyPart(upload, `${on.from}-missing`)).outcome).toBe('404 NoSuchKey');
});
