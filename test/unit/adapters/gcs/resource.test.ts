import { describe, expect, test } from 'vitest';
import {
  metadataPatch,
  newResource,
  ownMetadata,
  propertiesOf,
  setCacheControl,
  writeResult,
} from '../../../../adapters/gcs/resource.ts';
import { conditionQuery, matchQuery, parseRevision, revisionFrom } from '../../../../adapters/gcs/revision.ts';
import { ABSENT, at, type ContentHeaders, type Revision } from '../../../../src/store/blob-store.ts';
import { isStoreError } from '../../../../src/store/store-error.ts';

const MD5 = '5d41402abc4b2a76b9719d911017c592';

describe('resources', () => {
  test('a new one names its type, what headers are set, and all metadata', () => {
    expect(newResource({ metadata: {} })).toEqual({ contentType: 'application/octet-stream', metadata: {} });
    const headers = { contentType: 'a/b', cacheControl: 'no-store', contentLanguage: '' };
    expect(newResource({ headers, metadata: { a: '1' } })).toEqual({
      contentType: 'a/b',
      cacheControl: 'no-store',
      metadata: { a: '1' },
    });
  });

  test('an MD5 that the service will not know is written down, and read back when the service has none', () => {
    const { metadata } = newResource({ metadata: { a: '1' }, recordedMd5: MD5 }) as unknown as {
      metadata: Record<string, string>;
    };
    expect(ownMetadata(metadata, undefined)).toEqual({ metadata: { a: '1' }, md5: MD5 });
    expect(ownMetadata(metadata, 'f'.repeat(32))).toEqual({ metadata: { a: '1' }, md5: 'f'.repeat(32) });
  });

  function storedMetadata(headers: ContentHeaders): Record<string, string> {
    return (newResource({ headers, metadata: {} }) as unknown as { metadata: Record<string, string> }).metadata;
  }

  test.each(['private, max-age=0', 'public, max-age=3600', 'no-cache, no-store, max-age=0, must-revalidate'])(
    'a Cache-Control like the default of reads is told from none: %s',
    (cacheControl) => {
      const raw = storedMetadata({ cacheControl });
      expect(setCacheControl(cacheControl, { raw, pragma: 'no-cache' })).toBe(cacheControl);
      expect(setCacheControl(cacheControl, { raw: {}, pragma: 'no-cache' })).toBeUndefined();
      expect(ownMetadata(raw, undefined)).toEqual({ metadata: {} });
    },
  );

  test('a Cache-Control that is no default is shown, and one that other tools stored', () => {
    expect(setCacheControl('no-store', { raw: {} })).toBe('no-store');
    expect(setCacheControl(undefined, { raw: {} })).toBeUndefined();
    const common = 'no-cache, no-store, max-age=0, must-revalidate';
    expect(setCacheControl(common, { raw: {} })).toBe(common);
  });

  test.each([
    [undefined, 'no-transform'],
    ['private, max-age=0', 'private, max-age=0, no-transform'],
    ['max-age=5, No-Transform', 'max-age=5, No-Transform'],
  ])('what is packed is stored so that it stays packed, and clients see what they set: %s', (given, stored) => {
    const headers = { contentEncoding: 'gzip', ...(given !== undefined && { cacheControl: given }) };
    expect(newResource({ headers, metadata: {} })).toMatchObject({ cacheControl: stored });
    const raw = storedMetadata(headers);
    expect(setCacheControl(stored, { raw })).toBe(given);
    const listed = propertiesOf({ generation: '1', size: '1', cacheControl: stored, metadata: raw });
    expect([listed.cacheControl, listed.metadata]).toEqual([given, {}]);
  });

  test("a patch names what is to go, and leaves the adapter's own entries", () => {
    const before = { metadata: { old: '1', both: '2', s3gw_md5: MD5, s3gw_cache: 'set' } };
    expect(metadataPatch(before, { both: '3', new: '4' })).toEqual({ old: null, both: '3', new: '4' });
    expect(metadataPatch({}, {})).toEqual({});
  });

  test('properties come from what the service answers', () => {
    const resource = {
      name: 'x',
      size: '5',
      generation: '1700000000000001',
      metageneration: '3',
      timeCreated: '2026-11-21T10:00:00.999Z',
      md5Hash: 'XUFAKrxLKna5cZ2REBfFkg==',
      contentType: 'a/b',
      cacheControl: '',
      metadata: { Mixed: 'Case', empty: '' },
    };
    expect(propertiesOf(resource)).toEqual({
      size: 5,
      revision: '1700000000000001.3',
      lastModified: Date.parse('2026-11-21T10:00:00Z'),
      md5: MD5,
      contentType: 'a/b',
      metadata: { mixed: 'Case' },
    });
  });

  test('an answer without a generation is none', () => {
    expect(() => propertiesOf({ size: '1' })).toThrow(
      expect.toSatisfy((error: unknown) => isStoreError(error, 'unexpected')),
    );
  });

  test('an answer to a change without a generation is lost', () => {
    expect(() => writeResult({ size: '1' }, 'write')).toThrow(
      expect.toSatisfy((error: unknown) => isStoreError(error, 'unavailable') && error.lost),
    );
  });
});

describe('revisions', () => {
  test('both numbers, always', () => {
    const revision = revisionFrom({ generation: '17', metageneration: '2' });
    expect(matchQuery(revision)).toEqual([
      ['ifGenerationMatch', '17'],
      ['ifMetagenerationMatch', '2'],
    ]);
    expect(matchQuery(revision, 'ifSource')).toEqual([
      ['ifSourceGenerationMatch', '17'],
      ['ifSourceMetagenerationMatch', '2'],
    ]);
    expect(conditionQuery(at(revision))).toEqual(matchQuery(revision));
    expect(conditionQuery(ABSENT)).toEqual([['ifGenerationMatch', '0']]);
    expect(conditionQuery(undefined)).toEqual([]);
  });

  test.each(['"0x8D"', '', '17', '17.', '.2', 'a.b', '17.2.3', '0x1.2'])(
    'of %j nothing can be, and generation 0 must not come of it',
    (text) => {
      expect(parseRevision(text as Revision)).toEqual({ generation: '1', metageneration: '1' });
    },
  );
});
