import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createGcsStore } from '../../../../adapters/gcs/index.ts';
import { type DoubleServerOptions, type GcsDouble, startGcsDouble } from '../../../../adapters/doubles/index.ts';
import { intermediateComposes } from '../../../../adapters/gcs/compose-plan.ts';
import { ABSENT, type BlobStore } from '../../../../src/store/blob-store.ts';
import { testCall } from '../../../support/test-call.ts';
import { failure } from '../scripted-peer.ts';

const CONTAINER = 'bucket';
const call = testCall();
let double: GcsDouble;
let store: BlobStore;
let made = 0;

async function open(options: DoubleServerOptions = {}): Promise<void> {
  double = await startGcsDouble({ record: true, ...options });
  store = createGcsStore({ endpoint: double.endpoint, credential: { kind: 'anonymous' } });
  await store.createContainer(CONTAINER, {}, call);
}

beforeAll(() => open());

afterAll(async () => {
  await store.close();
  await double.stop();
});

let seen = 0;
beforeEach(() => void (seen = double.requests.length));

const sent = (pattern: RegExp): number => double.requests.slice(seen).filter((request) => pattern.test(request)).length;
const composes = (): number => sent(/^POST .*\/compose\?/);
const privateNames = (): string[] =>
  (double.state.buckets.get(CONTAINER)?.names ?? []).filter((name) => name.startsWith('~parts/'));
const newRef = (): { container: string; name: string } => ({
  container: CONTAINER,
  name: `p/upload-${(made += 1)}/data`,
});

async function stageMany(ref: { container: string; name: string }, bodies: readonly Uint8Array[]): Promise<string[]> {
  const tokens: string[] = [];
  for (let at = 0; at < bodies.length; at += 50) {
    const staged = await Promise.all(bodies.slice(at, at + 50).map((body) => store.stagePart(ref, body, {}, call)));
    tokens.push(...staged.flatMap((part) => part.tokens));
  }
  return tokens;
}

describe('assembling', () => {
  test.each([1, 2, 32, 33, 65, 1000])(
    '%i parts: the calls of the tree, the bytes in order, and nothing left over',
    async (count) => {
      const ref = newRef();
      const bodies = Array.from({ length: count }, (_, i) =>
        i % 7 === 3 ? randomBytes(2000) : Buffer.from(`part ${i};`),
      );
      const tokens = await stageMany(ref, bodies);
      const request = { tokens, metadata: { a: '1' }, headers: { contentType: 'a/b' }, condition: ABSENT };
      const { revision } = await store.assemble(ref, request, call);
      expect(composes()).toBe(intermediateComposes(count).reduce((sum, level) => sum + level, 1));
      const { properties, body } = await store.read(ref, {}, call);
      expect(properties).toMatchObject({ revision, contentType: 'a/b', metadata: { a: '1' } });
      expect((await buffer(body.stream())).equals(Buffer.concat(bodies))).toBe(true);
      await expect.poll(privateNames, { timeout: 30_000 }).toEqual([]);
    },
  );

  test('only the last compose carries metadata and the condition of the caller; the others must make something new', async () => {
    const ref = newRef();
    const tokens = await stageMany(
      ref,
      Array.from({ length: 40 }, () => Buffer.from('x')),
    );
    await store.assemble(ref, { tokens, metadata: {}, condition: ABSENT }, call);
    expect([sent(/\/compose\?ifGenerationMatch=0&/), composes()]).toEqual([3, 3]);
  });

  test('a condition that cannot hold is seen before anything is composed, when many parts would be', async () => {
    const ref = newRef();
    await store.assemble(ref, { tokens: [], metadata: { claim: '1' } }, call);
    const tokens = await stageMany(
      ref,
      Array.from({ length: 33 }, () => Buffer.from('x')),
    );
    expect((await failure(store.assemble(ref, { tokens, metadata: {}, condition: ABSENT }, call))).kind).toBe(
      'conditionFailed',
    );
    expect(composes()).toBe(0);
    expect(privateNames()).toHaveLength(33);
    await store.discardParts(ref, call);
    expect(privateNames()).toEqual([]);
  });

  test('a missing part among many: partsGone, intermediates removed, parts kept', async () => {
    const ref = newRef();
    const tokens = await stageMany(
      ref,
      Array.from({ length: 40 }, () => Buffer.from('x')),
    );
    const error = await failure(
      store.assemble(ref, { tokens: [...tokens, 'never-staged'], metadata: {}, condition: ABSENT }, call),
    );
    expect(error.kind).toBe('partsGone');
    await expect.poll(privateNames).toHaveLength(40);
    expect(privateNames().every((name) => !name.includes('/~'))).toBe(true);
    await store.discardParts(ref, call);
  });

  test('parts that are gone because the blob is there: conditionFailed, not partsGone', async () => {
    const ref = newRef();
    const tokens = await stageMany(ref, [Buffer.from('x')]);
    await store.assemble(ref, { tokens, metadata: {}, condition: ABSENT }, call);
    await expect.poll(privateNames, { timeout: 30_000 }).toEqual([]);
    expect((await failure(store.assemble(ref, { tokens, metadata: {}, condition: ABSENT }, call))).kind).toBe(
      'conditionFailed',
    );
  });

  test('discardParts removes what more than one page lists', async () => {
    const paged = await startGcsDouble({ maxListRows: 2 });
    const small = createGcsStore({ endpoint: paged.endpoint, credential: { kind: 'anonymous' } });
    await small.createContainer(CONTAINER, {}, call);
    const ref = newRef();
    for (const text of ['a', 'b', 'c', 'd', 'e']) await small.stagePart(ref, Buffer.from(text), {}, call);
    expect(paged.state.buckets.get(CONTAINER)?.names).toHaveLength(5);
    await small.discardParts(ref, call);
    expect(paged.state.buckets.get(CONTAINER)?.names).toEqual([]);
    await small.close();
    await paged.stop();
  });

  test('tokens that no part has are partsGone, whatever they look like', async () => {
    for (const token of ['../../other', '~x', '', 'a/b', 'x'.repeat(500)]) {
      expect((await failure(store.assemble(newRef(), { tokens: [token], metadata: {} }, call))).kind).toBe('partsGone');
    }
    expect(composes()).toBe(0);
  });
});

describe('parts from other blobs', () => {
  const source = async (
    size: number,
  ): Promise<{ ref: { container: string; name: string; revision: string }; bytes: Buffer }> => {
    const ref = newRef();
    const bytes = randomBytes(size);
    const { revision } = await store.write(ref, bytes, { metadata: { own: '1' } }, call);
    return { ref: { ...ref, revision }, bytes };
  };

  test('all of a blob is rewritten, a range passes through', async () => {
    const { ref, bytes } = await source(100_000);
    const staging = newRef();
    const copySource = { ...ref, revision: ref.revision as Awaited<ReturnType<BlobStore['write']>>['revision'] };
    const noted = [testCall(), testCall()] as const;
    const whole = await store.stagePartFrom(staging, copySource, { first: 0, last: 99_999 }, noted[0]);
    expect([sent(/rewriteTo/), sent(/^GET \/bucket\//)]).toEqual([1, 0]);
    const start = await store.stagePartFrom(staging, copySource, { first: 0, last: 9 }, call);
    const end = await store.stagePartFrom(staging, copySource, { first: 99_990, last: 99_999 }, noted[1]);
    expect(noted.map(({ facts }) => facts.notes)).toEqual([
      { 'backend.part_copy': 'rewrite' },
      { 'backend.part_copy': 'stream' },
    ]);
    expect([sent(/rewriteTo/), sent(/^GET \/bucket\//)]).toEqual([1, 2]);
    await store.assemble(staging, { tokens: [...end.tokens, ...whole.tokens, ...start.tokens], metadata: {} }, call);
    const { properties, body } = await store.read(staging, {}, call);
    expect(properties.metadata).toEqual({});
    expect(
      (await buffer(body.stream())).equals(Buffer.concat([bytes.subarray(-10), bytes, bytes.subarray(0, 10)])),
    ).toBe(true);
  });
});

describe('buckets', () => {
  test('what the gateway makes has no soft delete; names get the prefix; others are not listed', async () => {
    const prefixed = createGcsStore({
      endpoint: double.endpoint,
      credential: { kind: 'anonymous' },
      bucketPrefix: 'acme-',
      location: 'EU',
      storageClass: 'NEARLINE',
    });
    await prefixed.createContainer('photos', {}, call);
    expect(double.state.buckets.get('acme-photos')?.fields).toMatchObject({
      softDeleteSeconds: '0',
      location: 'EU',
      storageClass: 'NEARLINE',
    });
    expect((await prefixed.listContainers(undefined, call)).containers.map(({ name }) => name)).toEqual(['photos']);
    expect((await store.listContainers(undefined, call)).containers.map(({ name }) => name)).toContain('acme-photos');
    await prefixed.removeContainer('photos', call);
    await prefixed.close();
  });

  test('a bucket with a hierarchical namespace is refused, with a reason, and not listed', async () => {
    const body = JSON.stringify({ name: 'folders', hierarchicalNamespace: { enabled: true } });
    await fetch(`${double.endpoint}/storage/v1/b?project=p`, { method: 'POST', body });
    const error = await failure(store.headContainer('folders', call));
    expect(error).toMatchObject({ kind: 'unexpected', detail: { code: 'HierarchicalNamespace' } });
    expect(String(error.cause)).toContain('bucket folders has a hierarchical namespace');
    expect((await failure(store.createContainer('folders', {}, call))).detail.code).toBe('HierarchicalNamespace');
    expect((await store.listContainers(undefined, call)).containers.map(({ name }) => name)).not.toContain('folders');
  });
});
