import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { containerNaming, encodeName, encodeNamePath } from '../../../../adapters/gcs/names.ts';
import { isStoreError } from '../../../../src/store/store-error.ts';

function isRefused(work: () => unknown): boolean {
  try {
    work();
    return false;
  } catch (error) {
    if (isStoreError(error, 'invalidName')) return true;
    throw error;
  }
}

describe('names of objects', () => {
  test.each([
    ['plain-name_1.~', 'plain-name_1.~'],
    ['a/b', 'a%2Fb'],
    ['a%2Fb', 'a%252Fb'],
    ['ä b+c', '%C3%A4%20b%2Bc'],
    ["!'()*", '%21%27%28%29%2A'],
    ['?x=1&y#z', '%3Fx%3D1%26y%23z'],
    ['a/../b', 'a%2F..%2Fb'],
  ])('%s goes out as %s', (name, encoded) => {
    expect(encodeName(name)).toBe(encoded);
  });

  test.each([
    '',
    '.',
    '..',
    'k'.repeat(1025),
    'é'.repeat(513),
    '\u{1f600}'.repeat(257),
    'a\rb',
    'a\nb',
    '.well-known/acme-challenge/',
    '.well-known/acme-challenge/x',
    '\ud800',
  ])('%j is refused', (name) => {
    expect(isRefused(() => encodeName(name))).toBe(true);
    expect(isRefused(() => encodeNamePath(name))).toBe(true);
  });

  test.each(['k'.repeat(1024), 'é'.repeat(512), '.well-known/acme', '...', '.a'])('%j is taken', (name) => {
    expect(isRefused(() => encodeName(name))).toBe(false);
  });

  test('paths of the XML API keep slashes, and hold no segment of dots', () => {
    expect(encodeNamePath('/a//b c/')).toBe('/a//b%20c/');
    for (const name of ['a/../b', 'a/./b', './a', 'a/..']) expect(isRefused(() => encodeNamePath(name))).toBe(true);
  });

  test('an encoded name is one ASCII segment that decodes to the name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }), (name) => {
        if (isRefused(() => encodeName(name))) return;
        expect(encodeName(name)).toMatch(/^[A-Za-z0-9._~%-]+$/);
        expect(decodeURIComponent(encodeName(name))).toBe(name);
      }),
    );
  });
});

describe('names of buckets', () => {
  test('a prefix goes in front, and comes off again', () => {
    const names = containerNaming('acme-s3-');
    expect(names.bucketOf('photos')).toBe('acme-s3-photos');
    expect(names.containerOf('acme-s3-photos')).toBe('photos');
    expect(names.containerOf('other-photos')).toBeUndefined();
    expect(names.containerOf('acme-s3-Photos')).toBeUndefined();
  });

  test.each(['ab', 'Upper', 'with.dot', '-dash', 'dash-', 'my-google-bucket', 'g00gle', 'c'.repeat(56)])(
    '%s behind a prefix of 8 is refused',
    (container) => {
      expect(isRefused(() => containerNaming('acme-s3-').bucketOf(container))).toBe(true);
    },
  );

  test('what begins with goog is refused only where it would be the beginning', () => {
    expect(isRefused(() => containerNaming('').bucketOf('goog-mine'))).toBe(true);
    expect(containerNaming('mine-').bucketOf('goog-mine')).toBe('mine-goog-mine');
  });

  test('a name may be as long as the prefix leaves', () => {
    expect(containerNaming('acme-s3-').bucketOf('c'.repeat(55))).toHaveLength(63);
    expect(containerNaming('').bucketOf('c'.repeat(63))).toHaveLength(63);
  });

  test.each(['no-hyphen-at-end', 'Upper-', '-', 'goog-', 'x-google-', `${'p'.repeat(41)}-`])(
    'the prefix %s is refused',
    (prefix) => {
      expect(() => containerNaming(prefix)).toThrow('bucketPrefix');
    },
  );
});
