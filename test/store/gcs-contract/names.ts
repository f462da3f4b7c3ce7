import { expect } from 'vitest';
import type { Define } from '../conformance/suite.ts';
import type { Subject } from './subject.ts';

const LEGAL = [
  'a//b',
  'a%2Fb',
  'a%252Fb',
  '中/é/\u{1f600}',
  "!!*'()",
  ' ',
  '/lead',
  'tail/',
  'a?b#c&d=e+f',
  'back\\slash',
  '~s3~/-2e',
  'k'.repeat(1024),
  'é'.repeat(512),
];
const ILLEGAL = [
  '.',
  '..',
  'k'.repeat(1025),
  'é'.repeat(513),
  'line\nbreak',
  'carriage\rreturn',
  '.well-known/acme-challenge/x',
];

export function nameTests(subject: Subject, test: Define): void {
  test('odd names are kept as they are: written, read by both APIs, patched, listed, deleted', async () => {
    const { gcs } = subject;
    for (const name of LEGAL) {
      const bucket = await gcs.newBucket();
      expect((await gcs.multipart(bucket, { name }, name)).status, name).toBe(200);
      expect((await gcs.read(bucket, name)).text, name).toBe(name);
      expect((await gcs.send('GET', gcs.xml(bucket, name))).text, name).toBe(name);
      expect((await gcs.patch(bucket, name, { metadata: { a: 'b' } })).status, name).toBe(200);
      expect(await gcs.names(bucket), name).toEqual([name]);
      expect((await gcs.delete(bucket, name)).status, name).toBeLessThan(300);
      expect((await gcs.send('GET', gcs.bucket(bucket))).status, name).toBe(200);
    }
  });

  test('names that the service refuses: 400', async () => {
    const { gcs, bucket } = subject;
    for (const name of ILLEGAL) {
      expect((await gcs.multipart(bucket, { name }, 'x')).status, JSON.stringify(name.slice(0, 30))).toBe(400);
    }
  });
}
