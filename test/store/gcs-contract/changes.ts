import { expect } from 'vitest';
import type { Define } from '../conformance/suite.ts';
import { winners } from './raw-gcs.ts';
import type { Subject } from './subject.ts';

export function changeTests(subject: Subject, test: Define): void {
  patchTests(subject, test);
  composeTests(subject, test);
  rewriteTests(subject, test);
}

function patchTests(subject: Subject, test: Define): void {
  test('a patch merges metadata; null removes a key; the generation stays', async () => {
    const { gcs, bucket } = subject;
    const { json } = await gcs.multipart(
      bucket,
      { name: 'merge', cacheControl: 'no-store', metadata: { a: '1', b: '2' } },
      'x',
    );
    await gcs.patch(bucket, 'merge', { metadata: { a: null, c: '3' } });
    const after = (await gcs.get(bucket, 'merge')).json;
    expect(after['metadata']).toEqual({ b: '2', c: '3' });
    expect([after['generation'], after['cacheControl'], after['md5Hash']]).toEqual([
      json['generation'],
      'no-store',
      json['md5Hash'],
    ]);
  });

  test('a patch answers the new metageneration', async () => {
    const { gcs, bucket } = subject;
    await gcs.media(bucket, 'metagen', 'x');
    expect((await gcs.patch(bucket, 'metagen', { metadata: { a: '1' } })).json['metageneration']).toBe('2');
    expect((await gcs.patch(bucket, 'metagen', { metadata: { a: '2' } })).json['metageneration']).toBe('3');
  });
}

function composeTests(subject: Subject, test: Define): void {
  const parts = async (prefix: string, count: number): Promise<{ name: string }[]> => {
    const names = Array.from({ length: count }, (_, i) => `${prefix}-${i}`);
    for (const [i, name] of names.entries()) await subject.gcs.media(subject.bucket, name, `${i},`);
    return names.map((name) => ({ name }));
  };

  test('compose puts sources together in order, with metadata of its own', async () => {
    const { gcs, bucket } = subject;
    const destination = { contentType: 'a/b', metadata: { k: 'v' } };
    const { status, json } = await gcs.compose(bucket, 'composed', await parts('c', 3), { destination });
    expect(status).toBe(200);
    expect(json).toMatchObject({ size: '6', ...destination });
    expect((await gcs.read(bucket, 'composed')).text).toBe('0,1,2,');
  });

  test('a composed object has a componentCount and no md5Hash', async () => {
    const { gcs, bucket } = subject;
    const { json } = await gcs.compose(bucket, 'counted', await parts('counted', 3));
    expect([json['componentCount'], json['md5Hash'] ?? '']).toEqual([3, '']);
  });

  test('compose takes 32 sources, not 33, and one', async () => {
    const { gcs, bucket } = subject;
    const sources = await parts('many', 33);
    expect((await gcs.compose(bucket, 'many', sources)).status).toBe(400);
    expect((await gcs.compose(bucket, 'many', sources.slice(0, 32))).status).toBe(200);
    expect((await gcs.compose(bucket, 'one', sources.slice(5, 6))).status).toBe(200);
    expect((await gcs.read(bucket, 'one')).text).toBe('5,');
  });

  test('compose of composed objects', async () => {
    const { gcs, bucket } = subject;
    const sources = await parts('twice', 2);
    await gcs.compose(bucket, 'twice', sources);
    await gcs.compose(bucket, 'thrice', [{ name: 'twice' }, ...sources]);
    expect((await gcs.read(bucket, 'thrice')).text).toBe('0,1,0,1,');
  });

  test('compose of a source that is missing: 404, nothing made', async () => {
    const { gcs, bucket } = subject;
    expect((await gcs.compose(bucket, 'half', [...(await parts('half', 1)), { name: 'half-missing' }])).status).toBe(
      404,
    );
    expect((await gcs.get(bucket, 'half')).status).toBe(404);
  });

  test('compose on a generation of the destination, and of a source', async () => {
    const { gcs, bucket } = subject;
    const [source] = await parts('cond', 1);
    const made = await gcs.compose(bucket, 'cond', [source ?? {}], { query: { ifGenerationMatch: 0 } });
    expect(made.status).toBe(200);
    expect((await gcs.compose(bucket, 'cond', [source ?? {}], { query: { ifGenerationMatch: 0 } })).status).toBe(412);
    expect(
      (
        await gcs.compose(bucket, 'cond', [source ?? {}], {
          query: { ifGenerationMatch: String(made.json['generation']) },
        })
      ).status,
    ).toBe(200);
    const stale = { ...source, objectPreconditions: { ifGenerationMatch: '1' } };
    expect((await gcs.compose(bucket, 'cond-source', [stale])).status).toBe(412);
  });

  test('20 composes at once with ifGenerationMatch=0: one wins', async () => {
    const { gcs, bucket } = subject;
    const sources = await parts('race-compose', 1);
    expect(
      await winners(() => gcs.compose(bucket, 'race-composed', sources, { query: { ifGenerationMatch: 0 } })),
    ).toBe(1);
  });
}

function rewriteTests(subject: Subject, test: Define): void {
  test('rewrite across buckets, with a resource that replaces all fields', async () => {
    const { gcs, bucket } = subject;
    const other = await gcs.newBucket();
    await gcs.multipart(bucket, { name: 'rw', cacheControl: 'no-store', metadata: { a: '1' } }, 'bytes');
    const { json } = await gcs.rewrite([bucket, 'rw'], [other, 'to/rw'], {
      body: { contentType: 'b/b', metadata: { b: '2' } },
    });
    expect(json).toMatchObject({ done: true, objectSize: '5', totalBytesRewritten: '5' });
    const target = (await gcs.get(other, 'to/rw')).json;
    expect(target).toMatchObject({ contentType: 'b/b', metadata: { b: '2' } });
    expect(target['metadata']).not.toHaveProperty('a');
    expect(target['cacheControl'] ?? '').toBe('');
    expect((await gcs.read(other, 'to/rw')).text).toBe('bytes');
  });

  test('rewrite on conditions of source and destination', async () => {
    const { gcs, bucket } = subject;
    const source = String((await gcs.media(bucket, 'rw-source', '1')).json['generation']);
    const rewrite = (query: Record<string, string | number>): Promise<{ status: number }> =>
      gcs.rewrite([bucket, 'rw-source'], [bucket, 'rw-target'], { query });
    expect((await rewrite({ ifSourceGenerationMatch: '1' })).status).toBe(412);
    expect((await rewrite({ ifSourceMetagenerationMatch: 9 })).status).toBe(412);
    expect(
      (await rewrite({ ifSourceGenerationMatch: source, ifSourceMetagenerationMatch: 1, ifGenerationMatch: 0 })).status,
    ).toBe(200);
    expect((await rewrite({ ifGenerationMatch: 0 })).status).toBe(412);
  });

  test('20 rewrites at once with ifGenerationMatch=0: one wins', async () => {
    const { gcs, bucket } = subject;
    await gcs.media(bucket, 'race-source', '1');
    const query = { ifGenerationMatch: 0 };
    expect(await winners(() => gcs.rewrite([bucket, 'race-source'], [bucket, 'race-target'], { query }))).toBe(1);
  });

  test('rewrite in several calls, each with the token of the one before', async () => {
    const { gcs, bucket } = subject;
    const mib = 1024 * 1024;
    await gcs.media(bucket, 'long', Buffer.alloc(3 * mib, 'x'));
    const call = (rewriteToken?: string): ReturnType<typeof gcs.rewrite> =>
      gcs.rewrite([bucket, 'long'], [bucket, 'long-copy'], { query: { maxBytesRewrittenPerCall: mib, rewriteToken } });
    const first = (await call()).json;
    expect([first['done'], first['totalBytesRewritten']]).toEqual([false, String(mib)]);
    expect((await gcs.get(bucket, 'long-copy')).status).toBe(404);
    expect((await call('wrong')).status).toBe(400);
    const second = (await call(String(first['rewriteToken']))).json;
    expect((await call(String(second['rewriteToken']))).json).toMatchObject({
      done: true,
      totalBytesRewritten: String(3 * mib),
    });
  });

  test('rewrite of a source that is missing: 404', async () => {
    expect((await subject.gcs.rewrite([subject.bucket, 'never'], [subject.bucket, 'x'])).status).toBe(404);
  });
}
