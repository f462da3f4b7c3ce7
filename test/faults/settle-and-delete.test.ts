import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Service } from '../support/backends/fault-proxy/fault.ts';
import { World } from '../wire/spec/world.ts';
import { type FaultyBackend, SERVICES, startFaultyBackend } from './backends.ts';
import { stagedInTheOpen } from './scene.ts';

const SYSTEM = 'settle-system';
const MB = 1_000_000;
const PARTS = ['a'.repeat(10 * MB), 'b'.repeat(5 * MB)] as const;
/**
 * What moves bytes inside the service waits so long: everything that a client does at once comes before it.
 * Milliseconds.
 */
const SLOW_COPY = 150;

describe.each(SERVICES)('over %s', (service: Service) => {
  let backend: FaultyBackend;
  let world: World;
  let bucket: string;

  beforeAll(async () => {
    backend = await startFaultyBackend(service);
    world = await World.open({ systemContainer: SYSTEM }, backend.open());
  });
  afterAll(async () => {
    await world.close();
    await backend.stop();
  });
  beforeEach(async () => {
    bucket = await world.bucket();
    backend.proxy.follow((call) => (call.kind === 'copy' ? { kind: 'delay', ms: SLOW_COPY } : undefined));
  });

  async function completed(key: string): Promise<string> {
    const upload = await world.upload(`/${bucket}/${key}`, { 'content-type': 'text/x', 'x-amz-meta-colour': 'blue' });
    const etags: string[] = [];
    for (const [index, part] of PARTS.entries()) {
      etags.push((await world.put(`${upload}&partNumber=${index + 1}`, part)).headers['etag'] ?? '');
    }
    return (await world.complete(upload, etags)).outcome;
  }

  test('Complete, DELETE at once: the name is free, for whoever writes it next', async () => {
    for (let round = 0; round < 2; round++) {
      expect(await completed('k')).toBe('200');
      await world.must('DELETE', `/${bucket}/k`);
      await backend.proxy.quiet(2 * SLOW_COPY);
      expect(await world.outcome('HEAD', `/${bucket}/k`)).toBe('404');
    }
    expect(await world.outcome('PUT', `/${bucket}/k`, { headers: { 'if-none-match': '*' }, body: 'new' })).toBe('200');
    expect(stagedInTheOpen(backend.proxy.calls, SYSTEM)).toEqual([]);
    await world.must('DELETE', `/${bucket}/k`);
    expect(await world.outcome('DELETE', `/${bucket}`)).toBe('204');
  });

  test('Complete, PUT at once: the PUT stays', async () => {
    expect(await completed('k')).toBe('200');
    await world.put(`/${bucket}/k`, 'new');
    await backend.proxy.quiet(2 * SLOW_COPY);
    expect((await world.must('GET', `/${bucket}/k`)).body).toBe('new');
    expect(stagedInTheOpen(backend.proxy.calls, SYSTEM)).toEqual([]);
  });

  test('what is settled keeps ETag, headers and metadata', async () => {
    expect(await completed('k')).toBe('200');
    const before = await world.must('HEAD', `/${bucket}/k`);
    await backend.proxy.quiet(2 * SLOW_COPY);
    expect(
      backend.proxy.calls.filter(
        ({ kind, container, name }) => kind === 'copy' && container !== SYSTEM && name === 'k',
      ),
    ).not.toEqual([]);
    const after = await world.must('HEAD', `/${bucket}/k`);
    for (const name of ['etag', 'content-type', 'content-length', 'last-modified', 'x-amz-meta-colour']) {
      expect(after.headers[name]).toBe(before.headers[name]);
    }
    expect(
      (await world.must('GET', `/${bucket}/k`, { headers: { range: `bytes=${10 * MB - 2}-${10 * MB + 1}` } })).body,
    ).toBe('aabb');
  });

  test('CopyObject with other headers, of a small object and of one of parts', async () => {
    await world.put(`/${bucket}/small`, 'small', { 'content-type': 'text/x' });
    expect(await completed('parts')).toBe('200');
    for (const key of ['small', 'parts']) {
      for (const target of [key, `${key}-copy`]) {
        const headers = { 'x-amz-metadata-directive': 'REPLACE', 'content-type': 'text/y', 'x-amz-meta-colour': 'red' };
        expect((await world.copy(`/${bucket}/${target}`, `/${bucket}/${key}`, headers)).outcome).toBe('200');
        await backend.proxy.quiet(2 * SLOW_COPY);
        const { headers: now } = await world.must('HEAD', `/${bucket}/${target}`);
        expect([now['content-type'], now['x-amz-meta-colour']]).toEqual(['text/y', 'red']);
      }
    }
    expect((await world.must('GET', `/${bucket}/small-copy`)).body).toBe('small');
    expect(stagedInTheOpen(backend.proxy.calls, SYSTEM)).toEqual([]);
  });
});
