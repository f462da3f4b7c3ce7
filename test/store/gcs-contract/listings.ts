import { expect } from 'vitest';
import type { Define } from '../conformance/suite.ts';
import type { Subject } from './subject.ts';

const NAMES = ['a', 'a/', 'a/b', 'a/b/c', 'a0', 'b/1', 'b/2', 'c', 'x\u{1f600}', 'x\uffe5'];
const BYTE_ORDER = [...NAMES].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));

export function listingTests(subject: Subject, test: Define): void {
  let filled: Promise<string> | undefined;
  const fill = async (): Promise<string> => {
    const bucket = await subject.gcs.newBucket();
    for (const name of NAMES) await subject.gcs.media(bucket, name, name);
    return bucket;
  };
  const bucket = (): Promise<string> => (filled ??= fill());

  test('names in the order of their UTF-8 bytes', async () => {
    expect(await subject.gcs.names(await bucket())).toEqual(BYTE_ORDER);
  });

  test('prefix and delimiter: what is rolled up is named once, an object that ends in the delimiter too', async () => {
    const { json } = await subject.gcs.list(await bucket(), { delimiter: '/' });
    expect(json['prefixes']).toEqual(['a/', 'b/']);
    expect(await subject.gcs.names(await bucket(), { delimiter: '/' })).toEqual([
      'a',
      'a0',
      'c',
      'x\uffe5',
      'x\u{1f600}',
    ]);
    expect(await subject.gcs.names(await bucket(), { prefix: 'a/', delimiter: '/' })).toEqual(['a/', 'a/b']);
  });

  test('startOffset is inclusive, endOffset is not', async () => {
    expect(await subject.gcs.names(await bucket(), { startOffset: 'a/b', endOffset: 'b/2' })).toEqual([
      'a/b',
      'a/b/c',
      'a0',
      'b/1',
    ]);
  });

  test('pages: objects and tokens', async () => {
    const seen: string[] = [];
    let pageToken: string | undefined;
    do {
      const { json } = await subject.gcs.list(await bucket(), {
        maxResults: 3,
        ...(pageToken !== undefined && { pageToken }),
      });
      const page = (json['items'] ?? []) as { name: string }[];
      expect(page.length).toBeLessThanOrEqual(3);
      seen.push(...page.map(({ name }) => name));
      pageToken = json['nextPageToken'] as string | undefined;
    } while (pageToken !== undefined && pageToken !== '' && seen.length < 50);
    expect(seen).toEqual(BYTE_ORDER);
  });

  test('pages: prefixes count', async () => {
    const { json } = await subject.gcs.list(await bucket(), { maxResults: 2, delimiter: '/' });
    expect([(json['items'] as unknown[]).length, json['prefixes'], typeof json['nextPageToken']]).toEqual([
      1,
      ['a/'],
      'string',
    ]);
  });

  test('an empty listing has no items', async () => {
    const { json } = await subject.gcs.list(await bucket(), { prefix: 'nothing' });
    expect(json['items'] ?? []).toEqual([]);
    expect((await subject.gcs.list('contract-missing-bucket')).status).toBe(404);
  });
}
