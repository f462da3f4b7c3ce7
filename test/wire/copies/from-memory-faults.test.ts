import { afterEach, describe, expect, test } from 'vitest';
import { StoreError } from '../../../src/store/store-error.ts';
import { closeScenes, scene } from './scene.ts';
import type { Answer, Headers } from '../spec/world.ts';

const lost = (call: string): StoreError => new StoreError('unavailable', { call, lost: true });

afterEach(closeScenes);

describe('a copy from memory whose answer is lost', () => {
  const CONDITIONS: readonly [string, Headers][] = [
    ['unconditional', {}],
    ['if there is none', { 'if-none-match': '*' }],
  ];

  describe.each(CONDITIONS)('%s', (_name, headers) => {
    test.each([true, false])(
      'and the call after it fails; made: %s. Nobody knows, and nothing is sent again',
      async (isMade) => {
        const on = await scene();
        on.wire.around = async ({ method }, run) => {
          if (method !== 'copy') throw new StoreError('unavailable', { call: method });
          if (isMade) await run();
          throw lost('copy');
        };
        expect((await on.copy(headers)).status).toBeGreaterThanOrEqual(500);
        expect(on.calls().filter((method) => method === 'copy')).toEqual(['copy']);
        expect(await on.copied()).toBe(isMade ? 'first' : '404');
      },
    );

    test('and the source is replaced: it is not copied a second time', async () => {
      const on = await scene();
      on.wire.around = async ({ method }, run) => {
        if (method !== 'copy') return run();
        await run();
        await on.there.put(on.from, 'second');
        throw lost('copy');
      };
      const { status } = await on.copy(headers);
      expect(status === 200 || status >= 500).toBe(true);
      expect(on.calls().filter((method) => method === 'copy')).toEqual(['copy']);
      expect(await on.copied()).toBe('first');
    });
  });

  test('a source that has moved, and then the look fails: nothing is copied, and the next request finds it', async () => {
    const on = await scene();
    await on.there.put(on.from, 'second');
    on.wire.around = async ({ method }, run) => {
      if (method === 'head') throw new StoreError('throttled', { call: 'head' });
      return run();
    };
    expect((await on.copy()).outcome).toBe('503 SlowDown');
    expect(await on.copied()).toBe('404');
    on.wire.around = (_call, run) => run();
    expect((await on.copy()).outcome).toBe('200');
    expect(await on.copied()).toBe('second');
  });

  test('a source that has moved, and the answer of the second copy is lost', async () => {
    const on = await scene();
    await on.there.put(on.from, 'second');
    let copies = 0;
    on.wire.around = async ({ method }, run) => {
      if (method !== 'copy' || ++copies === 1) return run();
      await run();
      throw lost('copy');
    };
    expect((await on.copy()).status).toBeGreaterThanOrEqual(500);
    expect(copies).toBe(2);
    expect(await on.copied()).toBe('second');
  });
});

describe('copies from key after key', () => {
  const KEYS = Array.from({ length: 100 }, (_, number) => `row/${String(number).padStart(3, '0')}`);

  test('are a call each once the first few were looked at', async () => {
    const on = await scene();
    for (const key of KEYS) await on.there.put(`${on.bucket}/${key}`, key);
    for (const key of KEYS) {
      const { outcome } = await on.here.copy(`${on.bucket}/to/${key}`, `${on.bucket}/${key}`);
      expect(outcome).toBe('200');
    }
    const calls = on.calls();
    expect(calls.filter((method) => method === 'copy')).toHaveLength(KEYS.length);
    expect(calls.length).toBeLessThanOrEqual(KEYS.length + 12);
    for (const key of KEYS) expect((await on.there.must('GET', `${on.bucket}/to/${key}`)).body).toBe(key);
  });

  test('one that was replaced behind the listing is copied as it is', async () => {
    const on = await scene();
    for (const key of KEYS) await on.there.put(`${on.bucket}/${key}`, key);
    const copy = (key: string): Promise<Answer> =>
      on.here.copy(`${on.bucket}/to/${key}`, `${on.bucket}/${key}`, { 'x-amz-metadata-directive': 'COPY' });
    for (const key of KEYS.slice(0, 20)) await copy(key);
    const [next = ''] = KEYS.slice(20);
    await on.there.put(`${on.bucket}/${next}`, 'another', { 'x-amz-meta-a': 'b' });
    on.calls();
    expect((await copy(next)).outcome).toBe('200');
    expect(on.calls()).toEqual(['copy', 'head', 'copy']);
    const { body, headers } = await on.there.must('GET', `${on.bucket}/to/${next}`);
    expect([body, headers['x-amz-meta-a']]).toEqual(['another', 'b']);
  });
});
