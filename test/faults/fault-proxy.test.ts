import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ABSENT, type BlobRef, type BlobStore, type ListEntry } from '../../src/store/blob-store.ts';
import { isStoreError } from '../../src/store/store-error.ts';
import type { Fault, FaultPlan, ProxiedCall } from '../support/backends/fault-proxy/fault.ts';
import { firstOf, onNth, oneChangeOfAName } from '../support/backends/fault-proxy/plans.ts';
import { testCall } from '../support/test-call.ts';
import { type FaultyBackend, SERVICES, startFaultyBackend } from './backends.ts';

const BODY = randomBytes(300_000);

describe.each(SERVICES)('%s', (service) => {
  let backend: FaultyBackend;
  let store: BlobStore;
  let made = 0;
  let ref: BlobRef;

  beforeAll(async () => {
    backend = await startFaultyBackend(service);
    store = backend.open();
  });
  afterAll(async () => {
    await store.close();
    await backend.stop();
  });
  beforeEach(async () => {
    backend.proxy.follow();
    const container = `proxy-${++made}`;
    await store.createContainer(container, {}, testCall());
    ref = { container, name: 'folder/a b?ü' };
    backend.proxy.follow();
  });

  const write = (body: Buffer | Readable = BODY, condition?: typeof ABSENT): Promise<unknown> =>
    store.write(
      ref,
      body instanceof Readable ? { size: BODY.length, stream: body } : body,
      { metadata: {}, ...(condition && { condition }) },
      testCall(),
    );
  const read = async (): Promise<Buffer> => buffer((await store.read(ref, {}, testCall())).body.stream());
  const is =
    (kind: ProxiedCall['kind']) =>
    (call: ProxiedCall): boolean =>
      call.kind === kind;
  const always =
    (kind: ProxiedCall['kind'], fault: Fault): FaultPlan =>
    (call) =>
      call.kind === kind ? fault : undefined;

  /** Kind of the error, and `lost` where it says so. */
  async function failure(work: Promise<unknown>): Promise<string> {
    try {
      await work;
      return 'none';
    } catch (error) {
      if (!isStoreError(error)) throw error;
      return error.lost ? `${error.kind} lost` : error.kind;
    }
  }

  test('passes everything on, and knows what it was about', async () => {
    await write(BODY, ABSENT);
    await write(Readable.from([BODY]));
    const { revision } = await store.head(ref, testCall());
    await store.setMetadata(ref, { k: 'v' }, { kind: 'match', revision }, testCall());
    expect((await read()).equals(BODY)).toBe(true);
    const source = { ...ref, revision: (await store.head(ref, testCall())).revision };
    await store.copy(
      { ...ref, name: 'copy' },
      { source, size: BODY.length, headers: {}, sameHeaders: true, metadata: { c: 'd' } },
      testCall(),
    );
    expect((await store.list(ref.container, { limit: 10 }, testCall())).entries.map(({ name }) => name)).toEqual([
      'copy',
      ref.name,
    ]);
    await store.remove(ref, source.revision, testCall());
    const items = [{ name: ref.name }, { name: 'copy' }];
    expect(await store.removeMany(ref.container, items, testCall())).toEqual(['notFound', 'removed']);
    const { calls } = backend.proxy;
    const of = (kind: ProxiedCall['kind']): Pick<ProxiedCall, 'name' | 'changes' | 'conditional' | 'count'>[] =>
      calls.filter(is(kind)).map(({ name, changes, conditional, count }) => ({
        ...(name !== undefined && { name }),
        changes,
        conditional,
        count,
      }));
    expect(of('write')).toEqual([
      { name: ref.name, changes: true, conditional: true, count: 1 },
      { name: ref.name, changes: true, conditional: false, count: 2 },
    ]);
    expect(of('setMetadata')).toEqual([{ name: ref.name, changes: true, conditional: true, count: 1 }]);
    expect(of('remove')).toEqual([{ name: ref.name, changes: true, conditional: true, count: 1 }]);
    expect(of('removeMany')).toEqual([{ changes: true, conditional: false, count: 1 }]);
    expect(of('copy')[0]).toMatchObject({ name: 'copy', changes: true });
    expect(of('list')).toEqual([{ changes: false, conditional: false, count: 1 }]);
  });

  test('delays', async () => {
    backend.proxy.follow(always('write', { kind: 'delay', ms: 150 }));
    const begun = performance.now();
    await write();
    expect(performance.now() - begun).toBeGreaterThan(145);
  });

  test.each([
    [429, 'throttled'],
    [500, 'unavailable lost'],
    [503, 'throttled lost'],
  ] as const)('refuses with %d', async (status, expected) => {
    backend.proxy.follow(always('write', { kind: 'refuse', status, retryAfter: 7 }));
    const refused = write(Readable.from([BODY]));
    await expect(refused).rejects.toMatchObject({ detail: { retryAfter: 7 } });
    expect(await failure(refused)).toBe(expected);
    backend.proxy.follow();
    expect(await failure(read())).toBe('notFound');
  });

  test.each([
    ['after the body came', {}],
    ['before any of it', { after: 0 }],
    ['in its midst', { after: 100_000 }],
  ])('a request is lost: %s', async (_name, more) => {
    backend.proxy.follow(always('write', { kind: 'loseRequest', ...more }));
    expect(await failure(write())).toBe('unavailable lost');
    backend.proxy.follow();
    expect(await failure(read())).toBe('notFound');
  });

  test.each([
    ['reset', {}, 'unavailable lost'],
    ['500', { status: 500 }, 'unavailable lost'],
  ] as const)('an answer is lost: %s', async (_name, more, expected) => {
    backend.proxy.follow(always('write', { kind: 'loseAnswer', ...more }));
    expect(await failure(write())).toBe(expected);
    backend.proxy.follow();
    expect((await read()).equals(BODY)).toBe(true);
  });

  test('a call arrives long after its client gave up', async () => {
    backend.proxy.follow(always('write', { kind: 'loseAnswer', lateBy: 200 }));
    expect(await failure(write())).toBe('unavailable lost');
    expect(await failure(read())).toBe('notFound');
    await backend.proxy.quiet(50);
    expect((await read()).equals(BODY)).toBe(true);
  });

  test.each([
    ['a reset', { kind: 'breakBody', after: 1000, how: 'reset' }],
    ['an end', { kind: 'breakBody', after: 1000, how: 'end' }],
    ['an end at once', { kind: 'breakBody', after: 0, how: 'end' }],
    ['silence', { kind: 'stallBody', after: 1000 }],
  ] as const)('a body ends early: %s', async (_name, fault) => {
    await write();
    backend.proxy.follow(always('read', fault));
    expect(await failure(read())).toBe('unavailable');
  });

  test('listings come in pages without rows, at first and in between', async () => {
    const names = ['a', 'b/1', 'b/2', 'c&<', 'd'];
    for (const name of names) await store.write({ ...ref, name }, Buffer.from(name), { metadata: {} }, testCall());
    backend.proxy.follow((call) => (call.kind === 'list' && call.count % 2 === 1 ? { kind: 'emptyPage' } : undefined));
    const found: ListEntry[] = [];
    let empty = 0;
    for (let token: string | undefined, first = true; first || token !== undefined; first = false) {
      const page = await store.list(
        ref.container,
        { limit: 2, delimiter: '/', ...(token !== undefined && { token }) },
        testCall(),
      );
      if (page.entries.length === 0) empty += 1;
      found.push(...page.entries);
      token = page.nextToken;
    }
    expect(found.map(({ name }) => name)).toEqual(['a', 'b/', 'c&<', 'd']);
    expect(empty).toBe(2);
  });

  test('changes of one name that come too soon are refused, of other names they are not', async () => {
    backend.proxy.follow(oneChangeOfAName(60_000));
    await write();
    expect(await failure(write(Readable.from([BODY])))).toMatch(/^throttled/);
    await store.write({ ...ref, name: 'other' }, BODY, { metadata: {} }, testCall());
  });

  test('plans are put together; one fault at the n-th call', async () => {
    const second = onNth(2, { kind: 'loseRequest' }, is('write'));
    backend.proxy.follow(firstOf(second, always('head', { kind: 'refuse', status: 429 })));
    await write();
    expect(second.met()).toBeUndefined();
    expect(await failure(write())).toBe('unavailable lost');
    expect(second.met()).toMatchObject({ kind: 'write', count: 2 });
    await write();
    expect(await failure(store.head(ref, testCall()))).toBe('throttled');
  });
});
