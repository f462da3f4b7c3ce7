import { afterEach, describe, expect, test, vi } from 'vitest';
import { ABSENT, type Revision } from '../../../../src/store/blob-store.ts';
import { testCall } from '../../../support/test-call.ts';
import { answer, serve } from './scripted-service.ts';
import type { Service } from './scripted-service.ts';

const MINUTE = 60_000;
const accepted = answer('202 Accepted', 'ETag: "0x2"\r\nLast-Modified: Thu, 01 Jan 2026 00:00:00 GMT\r\n');

let service: Service | undefined;
afterEach(async () => {
  vi.restoreAllMocks();
  await service?.stop();
});

/** Parameters of the source's URL in each copy. */
async function copies(sources: readonly { container: string; name: string; at: number }[]): Promise<URL[]> {
  service = await serve(
    'usual',
    sources.map(() => accepted),
  );
  const clock = vi.spyOn(Date, 'now');
  const began = Date.UTC(2026, 0, 1);
  for (const { container, name, at } of sources) {
    clock.mockReturnValue(began + at);
    const source = { container, name, revision: '"0x1"' as Revision };
    const request = { source, size: 1, headers: {}, metadata: {}, condition: ABSENT, sameHeaders: true } as const;
    await service.store.copy({ container: 'target', name: 'key' }, request, testCall());
  }
  return service.requests.map((text) => new URL(/\r\nx-ms-copy-source: (\S+)/i.exec(text)?.[1] ?? ''));
}

const signatureOf = (url: URL): string | null => url.searchParams.get('sig');

describe('signatures of copy sources', () => {
  test('read blobs of the source’s container, for an hour', async () => {
    const [url] = await copies([{ container: 'system', name: 'a/b', at: 0 }]);
    expect(url?.pathname).toBe('/account/system/a/b');
    expect(Object.fromEntries(url?.searchParams ?? [])).toMatchObject({
      sr: 'c',
      sp: 'r',
      se: '2026-01-01T01:00:00Z',
    });
  });

  test('one serves all blobs of a container for ten minutes, and no other container', async () => {
    const [first, second, other, late] = await copies([
      { container: 'system', name: 'a', at: 0 },
      { container: 'system', name: 'b', at: 10 * MINUTE - 1 },
      { container: 'photos', name: 'a', at: 10 * MINUTE - 1 },
      { container: 'system', name: 'a', at: 10 * MINUTE },
    ]);
    expect(second?.search).toBe(first?.search);
    expect(second?.pathname).not.toBe(first?.pathname);
    expect(signatureOf(other ?? new URL('x:'))).not.toBe(signatureOf(first ?? new URL('x:')));
    expect(late?.searchParams.get('se')).toBe('2026-01-01T01:10:00Z');
  });

  test('a clock that was ahead and is put back makes a new one', async () => {
    const [, after] = await copies([
      { container: 'system', name: 'a', at: 60 * MINUTE },
      { container: 'system', name: 'a', at: 0 },
    ]);
    expect(after?.searchParams.get('se')).toBe('2026-01-01T01:00:00Z');
  });
});
