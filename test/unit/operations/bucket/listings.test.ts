import { beforeAll, describe, expect, it } from 'vitest';
import { decodeContinuationToken, encodeContinuationToken } from '../../../../src/operations/bucket/list-objects.ts';
import { OWNER, putOf, type TestManifest, testManifest } from '../../../support/manifest/manifest.ts';
import { testCall } from '../../../support/test-call.ts';
import { answerOf, type ListOperation } from './list-request.ts';

const ROOT =
  '<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">';
const VERSIONS_ROOT =
  '<?xml version="1.0" encoding="UTF-8"?>\n<ListVersionsResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">';
const OWNER_XML = `<Owner><ID>${OWNER}</ID><DisplayName>Main &amp; Co</DisplayName></Owner>`;
const KEYS = ['asdf+b', 'foo+1/bar', 'foo/bar/xyzzy', 'new\nline', 'quux ab/thud', '\u{1f600}'];

let manifest: TestManifest;
beforeAll(async () => {
  manifest = await testManifest();
  for (const key of KEYS) await manifest.objects.put({ bucket: manifest.bucket, key }, putOf('one'), testCall());
});

function values(xml: string, element: string): string[] {
  return Array.from(xml.matchAll(new RegExp(`<${element}>([^<]*)</${element}>`, 'g')), ([, value]) => value ?? '');
}

describe('documents', () => {
  const anyDate = (xml: string): string =>
    xml.replace(/<LastModified>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z</g, '<LastModified>DATE<');
  const etag = '&quot;f97c5d29941bfb1b2fdab0874906ab82&quot;';

  it('V1, truncated, with a delimiter', async () => {
    expect(anyDate(await answerOf(manifest, 'ListObjects', 'delimiter=/&max-keys=2&encoding-type=url'))).toBe(
      `${ROOT}<Name>bucket</Name><Prefix></Prefix><Marker></Marker><NextMarker>foo%2B1/</NextMarker><MaxKeys>2</MaxKeys><Delimiter>/</Delimiter>` +
        '<EncodingType>url</EncodingType><IsTruncated>true</IsTruncated>' +
        `<Contents><Key>asdf%2Bb</Key><LastModified>DATE</LastModified><ETag>${etag}</ETag><Size>3</Size>${OWNER_XML}<StorageClass>STANDARD</StorageClass></Contents>` +
        '<CommonPrefixes><Prefix>foo%2B1/</Prefix></CommonPrefixes></ListBucketResult>',
    );
  });

  it('V2, from a key, with a checksum', async () => {
    const one = await testManifest();
    const checksum = { algorithm: 'SHA256', value: 'x', type: 'COMPOSITE' } as const;
    await one.objects.put(
      { bucket: one.bucket, key: 'k' },
      putOf('one', { checksum, attributes: { headers: {}, userMetadata: {}, storageClass: 'STANDARD_IA' } }),
      testCall(),
    );
    expect(anyDate(await answerOf(one, 'ListObjectsV2', 'list-type=2&start-after=a&fetch-owner=false'))).toBe(
      `${ROOT}<Name>bucket</Name><Prefix></Prefix><StartAfter>a</StartAfter><KeyCount>1</KeyCount><MaxKeys>1000</MaxKeys><IsTruncated>false</IsTruncated>` +
        `<Contents><Key>k</Key><LastModified>DATE</LastModified><ETag>${etag}</ETag><ChecksumAlgorithm>SHA256</ChecksumAlgorithm>` +
        '<ChecksumType>COMPOSITE</ChecksumType><Size>3</Size><StorageClass>STANDARD_IA</StorageClass></Contents></ListBucketResult>',
    );
  });

  it('versions', async () => {
    expect(anyDate(await answerOf(manifest, 'ListObjectVersions', 'versions&prefix=a&max-keys=1'))).toBe(
      `${VERSIONS_ROOT}<Name>bucket</Name><Prefix>a</Prefix><KeyMarker></KeyMarker><VersionIdMarker></VersionIdMarker><MaxKeys>1</MaxKeys><IsTruncated>false</IsTruncated>` +
        `<Version><Key>asdf+b</Key><VersionId>null</VersionId><IsLatest>true</IsLatest><LastModified>DATE</LastModified><ETag>${etag}</ETag><Size>3</Size>` +
        `${OWNER_XML}<StorageClass>STANDARD</StorageClass></Version></ListVersionsResult>`,
    );
  });

  it('versions and delete markers among each other, page by page', async () => {
    const one = await testManifest();
    await one.objects.put({ bucket: one.bucket, key: 'a+' }, putOf('one'), testCall());
    await one.buckets.setVersioning(one.bucket, 'enabled', testCall());
    const bucket = await one.buckets.get('bucket', testCall());
    await one.objects.put({ bucket, key: 'a+' }, putOf('one'), testCall());
    const { versionId: marker } = await one.objects.remove(
      { bucket, key: 'a+', versionId: undefined },
      { conditions: {}, ownerId: OWNER },
      testCall(),
    );
    const { versionId: newest } = await one.objects.put({ bucket, key: 'a+' }, putOf('one'), testCall());

    const whole = anyDate(await answerOf(one, 'ListObjectVersions', 'versions&encoding-type=url&max-keys=3'));
    const said = (versionId: string | undefined, isLatest: boolean): string =>
      `<Key>a%2B</Key><VersionId>${versionId ?? ''}</VersionId><IsLatest>${isLatest}</IsLatest><LastModified>DATE</LastModified>`;
    const object = `<ETag>${etag}</ETag><Size>3</Size>${OWNER_XML}<StorageClass>STANDARD</StorageClass>`;
    expect(whole).toMatch(
      new RegExp(
        `<NextKeyMarker>a%2B</NextKeyMarker><NextVersionIdMarker>${values(whole, 'VersionId')[2] ?? ''}</NextVersionIdMarker><MaxKeys>3</MaxKeys>`,
      ),
    );
    expect(whole).toContain(
      `<Version>${said(newest, true)}${object}</Version><DeleteMarker>${said(marker, false)}${OWNER_XML}</DeleteMarker><Version>`,
    );

    const rest = anyDate(
      await answerOf(
        one,
        'ListObjectVersions',
        `versions&encoding-type=url&key-marker=a%2B&version-id-marker=${marker ?? ''}`,
      ),
    );
    expect(rest).toContain(
      `<KeyMarker>a%2B</KeyMarker><VersionIdMarker>${marker ?? ''}</VersionIdMarker><MaxKeys>1000</MaxKeys><EncodingType>url</EncodingType><IsTruncated>false</IsTruncated><Version>`,
    );
    expect(rest).toContain(`</Version><Version>${said('null', false)}${object}</Version></ListVersionsResult>`);
    await expect(
      answerOf(one, 'ListObjectVersions', 'versions&key-marker=a&version-id-marker=abc'),
    ).rejects.toMatchObject({ code: 'InvalidArgument' });
  });

  it('hold keys that XML cannot, and nothing where nothing is', async () => {
    const xml = await answerOf(manifest, 'ListObjectsV2', 'list-type=2&prefix=new&fetch-owner=true');
    expect(xml).toContain(OWNER_XML);
    const one = await testManifest();
    await one.objects.put({ bucket: one.bucket, key: 'a\u0001&<' }, putOf('x'), testCall());
    expect(values(await answerOf(one, 'ListObjects', ''), 'Key')).toEqual(['a&#x1;&amp;&lt;']);
    expect(await answerOf(one, 'ListObjects', 'prefix=%0A')).toContain(
      '<Prefix>\n</Prefix><Marker></Marker><MaxKeys>1000</MaxKeys><IsTruncated>false</IsTruncated></ListBucketResult>',
    );
  });
});

describe('encoding-type=url', () => {
  it.each<[ListOperation, string]>([
    ['ListObjects', ''],
    ['ListObjectsV2', 'list-type=2'],
    ['ListObjectVersions', 'versions'],
  ])('%s encodes all keys and prefixes', async (name, query) => {
    const xml = await answerOf(manifest, name, `${query}&encoding-type=url&delimiter=/`);
    expect(values(xml, 'Key')).toEqual(['asdf%2Bb', 'new%0Aline', '%F0%9F%98%80']);
    expect(values(xml, 'Prefix')).toEqual(['', 'foo%2B1/', 'foo/', 'quux%20ab/']);
    expect(values(xml, 'Delimiter')).toEqual(['/']);
    expect(values(xml, 'EncodingType')).toEqual(['url']);
  });

  it('encodes what the request said, but no token', async () => {
    const v1 = await answerOf(manifest, 'ListObjects', 'encoding-type=url&marker=a%0A&prefix=%20&delimiter=%0A');
    expect([...values(v1, 'Marker'), ...values(v1, 'Prefix'), ...values(v1, 'Delimiter')]).toEqual([
      'a%0A',
      ' ',
      '%0A',
    ]);
    const v2 = await answerOf(
      manifest,
      'ListObjectsV2',
      'list-type=2&encoding-type=url&start-after=%0A&continuation-token=',
    );
    expect([...values(v2, 'StartAfter'), ...values(v2, 'ContinuationToken')]).toEqual(['%0A', '']);
    const versions = await answerOf(
      manifest,
      'ListObjectVersions',
      'versions&encoding-type=url&key-marker=foo%2B1/bar&max-keys=1',
    );
    expect([
      ...values(versions, 'KeyMarker'),
      ...values(versions, 'NextKeyMarker'),
      ...values(versions, 'NextVersionIdMarker'),
    ]).toEqual(['foo%2B1/bar', 'foo/bar/xyzzy', 'null']);
  });
});

describe('paging', () => {
  it.each(['', '&delimiter=/', '&delimiter=o', '&prefix=foo', '&delimiter=o/'])(
    'V1 markers, V2 tokens and version markers give the same: %s',
    async (query) => {
      const shown = (xml: string): string[] => [...values(xml, 'Key'), ...values(xml, 'Prefix').slice(1)];
      const whole = shown(await answerOf(manifest, 'ListObjects', `encoding-type=url${query}`)).sort();
      expect(whole.length).toBeGreaterThan(0);
      for (const maxKeys of [1, 2, 3]) {
        const v1 = await walk(
          'ListObjects',
          `encoding-type=url&max-keys=${maxKeys}${query}`,
          (xml) => `marker=${values(xml, 'NextMarker')[0] ?? values(xml, 'Key').at(-1) ?? ''}`,
        );
        expect(v1.flatMap(shown).sort()).toEqual(whole);
        const v2 = await walk(
          'ListObjectsV2',
          `list-type=2&encoding-type=url&max-keys=${maxKeys}${query}`,
          (xml) => `continuation-token=${values(xml, 'NextContinuationToken')[0] ?? ''}`,
        );
        expect(v2.flatMap(shown).sort()).toEqual(whole);
        for (const xml of v2) expect(values(xml, 'KeyCount')).toEqual([String(shown(xml).length)]);
        const versions = await walk(
          'ListObjectVersions',
          `versions&encoding-type=url&max-keys=${maxKeys}${query}`,
          (xml) =>
            `key-marker=${values(xml, 'NextKeyMarker')[0] ?? ''}&version-id-marker=${values(xml, 'NextVersionIdMarker')[0] ?? ''}`,
        );
        expect(versions.flatMap(shown).sort()).toEqual(whole);
      }
    },
  );

  async function walk(name: ListOperation, query: string, next: (xml: string) => string): Promise<string[]> {
    const pages = [await answerOf(manifest, name, query)];
    for (let last = pages[0] ?? ''; last.includes('<IsTruncated>true<'); last = pages.at(-1) ?? '') {
      pages.push(await answerOf(manifest, name, `${query}&${next(last)}`));
      expect(pages.length).toBeLessThan(20);
    }
    return pages;
  }

  it('V1 gives NextMarker only with a delimiter', async () => {
    expect(await answerOf(manifest, 'ListObjects', 'max-keys=1')).not.toContain('NextMarker');
    expect(values(await answerOf(manifest, 'ListObjects', 'max-keys=1&delimiter=/'), 'NextMarker')).toEqual(['asdf+b']);
    expect(await answerOf(manifest, 'ListObjects', 'delimiter=/')).not.toContain('NextMarker');
  });

  it('a token goes before start-after, and both are repeated', async () => {
    const token = encodeContinuationToken('foo+1/bar');
    const xml = await answerOf(
      manifest,
      'ListObjectsV2',
      `list-type=2&start-after=asdf&max-keys=1&continuation-token=${token}`,
    );
    expect([...values(xml, 'ContinuationToken'), ...values(xml, 'StartAfter'), ...values(xml, 'Key')]).toEqual([
      token,
      'asdf',
      'foo/bar/xyzzy',
    ]);
  });

  it.each([
    ['0', '0', 0],
    ['', '1000', 6],
    ['1001', '1000', 6],
    ['2147483647', '1000', 6],
    ['+2', '2', 2],
  ])('max-keys=%s counts as %s', async (given, shown, count) => {
    const xml = await answerOf(manifest, 'ListObjectsV2', `list-type=2&max-keys=${encodeURIComponent(given)}`);
    expect(values(xml, 'MaxKeys')).toEqual([shown]);
    expect(values(xml, 'Key')).toHaveLength(count);
    expect(values(xml, 'IsTruncated')).toEqual([String(count === 2)]);
  });
});

describe('bad parameters', () => {
  const notInteger = 'Provided max-keys not an integer or within integer range';
  it.each<[ListOperation, string, Record<string, string>, string]>([
    ['ListObjects', 'max-keys=blah', { ArgumentName: 'max-keys', ArgumentValue: 'blah' }, notInteger],
    ['ListObjectsV2', 'max-keys=2147483648', { ArgumentName: 'max-keys', ArgumentValue: '2147483648' }, notInteger],
    [
      'ListObjectVersions',
      'max-keys=-1',
      { ArgumentName: 'max-keys', ArgumentValue: '-1' },
      'Argument max-keys must be an integer between 0 and 2147483647',
    ],
    ['ListObjects', 'max-keys=1.5', { ArgumentName: 'max-keys', ArgumentValue: '1.5' }, notInteger],
    [
      'ListObjects',
      'encoding-type=',
      { ArgumentName: 'encoding-type', ArgumentValue: '' },
      'Invalid Encoding Method specified in Request',
    ],
    [
      'ListObjectVersions',
      'encoding-type=URL',
      { ArgumentName: 'encoding-type', ArgumentValue: 'URL' },
      'Invalid Encoding Method specified in Request',
    ],
    [
      'ListObjectsV2',
      'continuation-token=invalid',
      { ArgumentName: 'continuation-token', ArgumentValue: 'invalid' },
      'The continuation token provided is incorrect',
    ],
    [
      'ListObjectVersions',
      'version-id-marker=null',
      { ArgumentName: 'version-id-marker', ArgumentValue: 'null' },
      'A version-id marker cannot be specified without a key marker.',
    ],
    [
      'ListObjectVersions',
      'key-marker=a&version-id-marker=abc',
      { ArgumentName: 'version-id-marker', ArgumentValue: 'abc' },
      'Invalid version id specified',
    ],
  ])('%s?%s', async (name, query, extra, message) => {
    await expect(answerOf(manifest, name, query)).rejects.toMatchObject({
      code: 'InvalidArgument',
      status: 400,
      message,
      extra,
    });
  });

  it.each<ListOperation>(['ListObjects', 'ListObjectsV2', 'ListObjectVersions'])(
    '%s takes RestoreStatus as optional attribute and no other',
    async (name) => {
      const header = 'x-amz-optional-object-attributes';
      expect(await answerOf(manifest, name, '', { [header]: 'RestoreStatus' })).not.toContain('RestoreStatus');
      await expect(answerOf(manifest, name, '', { [header]: 'RestoreStatus,Size' })).rejects.toMatchObject({
        code: 'InvalidArgument',
      });
    },
  );
});

describe('continuation tokens', () => {
  it.each(['k', 'dir/', '\u{1f600}\u0000\n'])('hold any key: %j', (key) => {
    expect(decodeContinuationToken(encodeContinuationToken(key))).toBe(key);
  });

  it('are refused when changed anywhere, cut or padded', () => {
    const token = encodeContinuationToken('some/key');
    for (let i = 0; i < token.length; i++) {
      const other = token[i] === 'A' ? 'B' : 'A';
      expect(() => decodeContinuationToken(token.slice(0, i) + other + token.slice(i + 1))).toThrow(
        'continuation token',
      );
      expect(() => decodeContinuationToken(token.slice(0, i))).toThrow('continuation token');
    }
    expect(() => decodeContinuationToken(`${token}=`)).toThrow('continuation token');
  });
});
