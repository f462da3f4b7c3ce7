import { expect } from 'vitest';
import type { Define } from '../conformance/suite.ts';
import { winners } from './raw-gcs.ts';
import type { Subject } from './subject.ts';

export function preconditionTests(subject: Subject, test: Define): void {
  uploadTests(subject, test);
  changeTests(subject, test);
  readTests(subject, test);
}

function uploadTests(subject: Subject, test: Define): void {
  test('ifGenerationMatch=0 creates once, by media and by multipart', async () => {
    const { gcs, bucket } = subject;
    const query = { ifGenerationMatch: 0 };
    expect((await gcs.media(bucket, 'zero', '1', { query })).status).toBe(200);
    expect((await gcs.media(bucket, 'zero', '2', { query })).status).toBe(412);
    expect((await gcs.multipart(bucket, { name: 'zero' }, '3', query)).status).toBe(412);
    expect((await gcs.read(bucket, 'zero')).text).toBe('1');
  });

  test('ifGenerationMatch=N replaces that generation only, by media and by multipart', async () => {
    const { gcs, bucket } = subject;
    const first = String((await gcs.media(bucket, 'n', '1')).json['generation']);
    const second = await gcs.media(bucket, 'n', '2', { query: { ifGenerationMatch: first } });
    expect(second.status).toBe(200);
    expect((await gcs.media(bucket, 'n', '3', { query: { ifGenerationMatch: first } })).status).toBe(412);
    expect((await gcs.multipart(bucket, { name: 'n' }, '4', { ifGenerationMatch: first })).status).toBe(412);
    expect(
      (await gcs.multipart(bucket, { name: 'n' }, '5', { ifGenerationMatch: String(second.json['generation']) }))
        .status,
    ).toBe(200);
  });

  test('ifMetagenerationMatch on an upload', async () => {
    const { gcs, bucket } = subject;
    await gcs.media(bucket, 'meta', '1');
    expect((await gcs.media(bucket, 'meta', '2', { query: { ifMetagenerationMatch: 9 } })).status).toBe(412);
    expect((await gcs.media(bucket, 'meta', '3', { query: { ifMetagenerationMatch: 1 } })).status).toBe(200);
  });

  test('20 creations at once with ifGenerationMatch=0: one wins', async () => {
    const { gcs, bucket } = subject;
    expect(await winners((i) => gcs.media(bucket, 'race-media', `${i}`, { query: { ifGenerationMatch: 0 } }))).toBe(1);
    expect(await winners((i) => gcs.multipart(bucket, { name: 'race-multi' }, `${i}`, { ifGenerationMatch: 0 }))).toBe(
      1,
    );
  });

  test('20 updates at once with ifGenerationMatch=N: one wins', async () => {
    const { gcs, bucket } = subject;
    const generation = String((await gcs.media(bucket, 'race-n', '0')).json['generation']);
    expect(
      await winners((i) => gcs.media(bucket, 'race-n', `${i}`, { query: { ifGenerationMatch: generation } })),
    ).toBe(1);
  });
}

function changeTests(subject: Subject, test: Define): void {
  test('delete on a generation and on a metageneration', async () => {
    const { gcs, bucket } = subject;
    const generation = String((await gcs.media(bucket, 'delete', '1')).json['generation']);
    expect((await gcs.delete(bucket, 'delete', { ifGenerationMatch: '1' })).status).toBe(412);
    expect(
      (await gcs.delete(bucket, 'delete', { ifGenerationMatch: generation, ifMetagenerationMatch: 9 })).status,
    ).toBe(412);
    expect(
      (await gcs.delete(bucket, 'delete', { ifGenerationMatch: generation, ifMetagenerationMatch: 1 })).status,
    ).toBeLessThan(300);
    expect((await gcs.get(bucket, 'delete')).status).toBe(404);
  });

  test('patch on a generation and on a metageneration', async () => {
    const { gcs, bucket } = subject;
    const generation = String((await gcs.media(bucket, 'patch', '1')).json['generation']);
    const body = { metadata: { a: '1' } };
    expect((await gcs.patch(bucket, 'patch', body, { ifGenerationMatch: '1' })).status).toBe(412);
    expect((await gcs.patch(bucket, 'patch', body, { ifMetagenerationMatch: 9 })).status).toBe(412);
    const patched = await gcs.patch(bucket, 'patch', body, { ifGenerationMatch: generation, ifMetagenerationMatch: 1 });
    expect([patched.status, patched.json['generation'], patched.json['metageneration']]).toEqual([
      200,
      generation,
      '2',
    ]);
  });

  test('20 deletes at once of one generation: one wins', async () => {
    const { gcs, bucket } = subject;
    const generation = String((await gcs.media(bucket, 'race-delete', '0')).json['generation']);
    expect(await winners(() => gcs.delete(bucket, 'race-delete', { ifGenerationMatch: generation }))).toBe(1);
  });

  test('20 patches at once of one metageneration: one wins', async () => {
    const { gcs, bucket } = subject;
    await gcs.media(bucket, 'race-patch', '0');
    expect(
      await winners((i) => gcs.patch(bucket, 'race-patch', { metadata: { i: `${i}` } }, { ifMetagenerationMatch: 1 })),
    ).toBe(1);
  });

  test('what does not exist: 404 for delete and patch', async () => {
    const { gcs, bucket } = subject;
    expect((await gcs.delete(bucket, 'never')).status).toBe(404);
    expect((await gcs.patch(bucket, 'never', { metadata: {} })).status).toBe(404);
  });
}

function readTests(subject: Subject, test: Define): void {
  test('reads on a generation and on a metageneration: 412, or 304 for the opposite', async () => {
    const { gcs, bucket } = subject;
    const generation = String((await gcs.media(bucket, 'read', '1')).json['generation']);
    for (const query of [{ ifGenerationMatch: '1' }, { ifMetagenerationMatch: 9 }]) {
      expect((await gcs.get(bucket, 'read', { query })).status).toBe(412);
      expect((await gcs.read(bucket, 'read', { query })).status).toBe(412);
    }
    expect((await gcs.get(bucket, 'read', { query: { ifGenerationNotMatch: generation } })).status).toBe(304);
    expect(
      (await gcs.read(bucket, 'read', { query: { ifGenerationMatch: generation, ifMetagenerationMatch: 1 } })).text,
    ).toBe('1');
  });

  test('XML reads on a generation and on a metageneration: 412', async () => {
    const { gcs, bucket } = subject;
    const generation = String((await gcs.media(bucket, 'xml-read', '1')).json['generation']);
    const read = (conditions: Record<string, string>): Promise<{ status: number }> =>
      gcs.send('GET', gcs.xml(bucket, 'xml-read'), { headers: conditions });
    expect((await read({ 'x-goog-if-generation-match': '1' })).status).toBe(412);
    expect(
      (await read({ 'x-goog-if-generation-match': generation, 'x-goog-if-metageneration-match': '9' })).status,
    ).toBe(412);
    expect(
      (await read({ 'x-goog-if-generation-match': generation, 'x-goog-if-metageneration-match': '1' })).status,
    ).toBe(200);
  });
}
