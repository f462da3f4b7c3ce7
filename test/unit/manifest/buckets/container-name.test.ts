import { describe, expect, test } from 'vitest';
import { containerNaming } from '../../../../adapters/gcs/names.ts';
import { MemoryBlobStore } from '../../../../adapters/memory/memory-blob-store.ts';
import { containerNameOf as nameIn, freshContainerName } from '../../../../src/manifest/buckets/container-names.ts';
import type { Backend } from '../../../../src/manifest/buckets/realm.ts';

function backend(containerName: RegExp): Backend {
  return {
    name: 'main',
    store: new MemoryBlobStore({ capabilities: { containerName } }),
    systemContainer: 's3gw-system',
    ownerId: 'owner',
  };
}

const containerNameOf = (where: Backend, bucket: string): string => nameIn({ backends: [where] }, where, bucket);
const LONG = `${'a.b-'.repeat(15)}end`;
const RULES: Readonly<Record<string, RegExp>> = {
  'letters, digits and single hyphens': /^(?=.{3,63}$)[a-z0-9]+(?:-[a-z0-9]+)*$/,
  'behind no prefix': containerNaming('').legal,
  'behind a prefix of 10': containerNaming('company-1-').legal,
  'behind the longest prefix': containerNaming(`${'p'.repeat(40)}-`).legal,
};

describe.each(Object.entries(RULES))('containers: %s', (_what, legal) => {
  const where = backend(legal);

  test("a legal name is the bucket's own", () => {
    expect(containerNameOf(where, 'photos')).toBe('photos');
  });

  test.each([
    'with.dots',
    '192.168.1.1x',
    LONG,
    'x'.repeat(63),
    `${'y'.repeat(49)}.z`,
    's3gw-system',
    'my.google.bucket',
    'goog-x',
  ])('%s gets one that is legal', (bucket) => {
    expect(containerNameOf(where, bucket)).toMatch(legal);
    expect(containerNameOf(where, bucket)).not.toBe(where.systemContainer);
  });

  test.each(['photos', 'x'.repeat(63), LONG, 'my.google.bucket', `${'z'.repeat(53)}-z`])(
    '%s gets another one, when its own cannot be had, that is legal',
    (bucket) => {
      const name = freshContainerName(where, bucket);
      expect(name).toMatch(legal);
      expect(name).toMatch(/-gw[0-9a-f]{12}$/);
      expect(freshContainerName(where, bucket)).not.toBe(name);
    },
  );

  test('a bucket that is called like one that was given gets another', () => {
    const given = freshContainerName(where, 'a.b');
    expect(containerNameOf(where, given)).not.toBe(given);
  });

  test('no bucket gets what another backend keeps for itself', () => {
    const other = { ...where, name: 'other', systemContainer: 'photos' };
    expect(nameIn({ backends: [where, other] }, where, 'photos')).not.toBe('photos');
  });

  test('different buckets have different containers', () => {
    const buckets = [
      LONG,
      `${LONG.slice(0, -1)}x`,
      'with.dots',
      'with-dots',
      'with..dots',
      'my.google.a',
      'my.google.b',
    ];
    expect(new Set(buckets.map((bucket) => containerNameOf(where, bucket))).size).toBe(buckets.length);
  });
});
