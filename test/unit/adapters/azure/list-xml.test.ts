import fc from 'fast-check';
import { XMLParser } from 'fast-xml-parser';
import { describe, expect, test } from 'vitest';
import { parseBlobPage as parseBlobs, parseContainerPage } from '../../../../adapters/azure/list-xml.ts';
import { parseFields } from '../../../../adapters/azure/xml-values.ts';
import type { ListPage } from '../../../../src/store/blob-store.ts';
import { isStoreError } from '../../../../src/store/store-error.ts';
import '../../../support/property-seed.ts';
import { XmlReader } from '../../../../adapters/azure/xml-reader.ts';

const parseBlobPage = (xml: string): ListPage => parseBlobs(Buffer.from(xml));

const escapeXml = (text: string): string =>
  text.replace(/[&<>]/g, (mark) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[mark] ?? mark);

function page(blobs: string, nextMarker = '<NextMarker/>'): string {
  return `\ufeff<?xml version="1.0" encoding="utf-8"?><EnumerationResults ServiceEndpoint="http://x/" ContainerName="c"><Prefix>a</Prefix><MaxResults>5</MaxResults><Blobs>${blobs}</Blobs>${nextMarker}</EnumerationResults>`;
}

function blob(name: string, properties = '', metadata = ''): string {
  return `<Blob><Name>${escapeXml(name)}</Name><Properties><Etag>0x1</Etag><Content-Length>3</Content-Length><Last-Modified>Sat, 21 Nov 2026 12:00:00 GMT</Last-Modified>${properties}</Properties><Metadata>${metadata}</Metadata><OrMetadata /></Blob>`;
}

/** As the general parser gives it. */
interface Parsed {
  readonly EnumerationResults: {
    readonly Blobs: { readonly Blob?: { readonly Name: string; readonly Metadata: { readonly m: string } }[] };
  };
}

const TEXT = fc.string({ maxLength: 12 }).filter((text) => /^[\x20-\x7e]*$/.test(text));
/** What a blob may have; some of it is of use. Few kinds and few values, so that many blobs are alike. */
const ANY_BLOB = fc.record({
  name: fc.string({ minLength: 1, maxLength: 12 }).filter((text) => /^[\x20-\x7e]+$/.test(text)),
  type: fc.constantFrom('text/plain', 'a&b', '', undefined),
  tier: fc.constantFrom('Hot', 'Archive', undefined),
  lease: fc.constantFrom('unlocked', 'locked'),
  created: fc.constantFrom('Sat, 21 Nov 2026 12:00:00 GMT', 'Sun, 22 Nov 2026 12:00:01 GMT'),
  empty: fc.constantFrom('<Content-Encoding />', '<Content-Encoding></Content-Encoding>', ''),
  metadata: fc.constantFrom(['m'], ['M', 'n'], ['Name', 'Properties'], []),
  value: TEXT,
  more: fc.constantFrom(
    '',
    '<Deleted>false</Deleted>',
    '<Tags><TagSet><Tag><Key>Name</Key><Value>v</Value></Tag></TagSet></Tags>',
  ),
  encoded: fc.constantFrom(false, false, false, true),
});
type AnyBlob = typeof ANY_BLOB extends fc.Arbitrary<infer T> ? T : never;
const PLAIN_BLOB: AnyBlob = {
  name: 'a',
  type: 'text/plain',
  tier: 'Hot',
  lease: 'unlocked',
  created: 'Sat, 21 Nov 2026 12:00:00 GMT',
  empty: '<Content-Encoding />',
  metadata: ['m'],
  value: 'v',
  more: '',
  encoded: false,
};

function anyBlob(blob: AnyBlob): string {
  const { name, type, tier, lease, created, empty, metadata, value, more, encoded } = blob;
  const element = (tag: string, text: string | undefined): string =>
    text === undefined ? '' : `<${tag}>${escapeXml(text)}</${tag}>`;
  const shown = encoded ? `<Name Encoded="true">${encodeURIComponent(name)}</Name>` : element('Name', name);
  return (
    `<Blob>${shown}${more}<Properties>${element('Creation-Time', created)}${element('Last-Modified', created)}` +
    `<Etag>0x1</Etag><Content-Length>${name.length}</Content-Length>${element('Content-Type', type)}${empty}` +
    `<Content-MD5>1B2M2Y8AsgTpgAmY7PhCfg==</Content-MD5>${element('AccessTier', tier)}${element('LeaseStatus', lease)}` +
    `</Properties><Metadata>${metadata.map((key) => element(key, value)).join('')}</Metadata><OrMetadata /></Blob>`
  );
}

interface AnyPage {
  readonly EnumerationResults: { readonly Blobs: '' | { readonly Blob?: readonly AnyParsed[] } };
}

interface AnyParsed {
  readonly Name: string | { readonly '#text': string };
  readonly Properties: Readonly<Record<string, string>>;
  readonly Metadata: '' | Readonly<Record<string, string>>;
}

function byGeneralParser({ Name, Properties, Metadata }: AnyParsed): object {
  const metadata = Object.entries(Metadata === '' ? {} : Metadata).filter(([, value]) => value !== '');
  return {
    kind: 'blob',
    name: typeof Name === 'string' ? Name : decodeURIComponent(Name['#text']),
    size: Number(Properties['Content-Length']),
    revision: `"${Properties['Etag']}"`,
    lastModified: Date.parse(Properties['Last-Modified'] ?? ''),
    md5: 'd41d8cd98f00b204e9800998ecf8427e',
    metadata: Object.fromEntries(metadata.map(([key, value]) => [key.toLowerCase(), value])),
    ...((Properties['Content-Type'] ?? '') !== '' && { contentType: Properties['Content-Type'] }),
    ...tierOf(Properties['AccessTier']),
  };
}

function tierOf(name: string | undefined): object {
  if (name === 'Archive') return { tier: 'archive', archived: true };
  return name === 'Hot' || name === 'Cool' || name === 'Cold' ? { tier: name.toLowerCase() } : {};
}

function outcome(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return isStoreError(error, 'unexpected') ? 'unexpected' : 'other';
  }
}

describe('a page of blobs', () => {
  test('all properties', () => {
    const properties =
      '<Content-Type>text/plain</Content-Type><Content-Encoding>gzip</Content-Encoding><Content-Language>fr</Content-Language>' +
      '<Content-Disposition>inline</Content-Disposition><Cache-Control>no-store</Cache-Control><Content-MD5>1B2M2Y8AsgTpgAmY7PhCfg==</Content-MD5>' +
      '<AccessTier>Archive</AccessTier><BlobType>BlockBlob</BlobType>';
    expect(
      parseBlobPage(
        page(
          blob('a', properties, '<Key>v</Key><empty/><other_1>a &amp; b</other_1>'),
          '<NextMarker>m&lt;2</NextMarker>',
        ),
      ),
    ).toEqual({
      entries: [
        {
          kind: 'blob',
          name: 'a',
          size: 3,
          revision: '"0x1"',
          lastModified: Date.UTC(2026, 10, 21, 12),
          md5: 'd41d8cd98f00b204e9800998ecf8427e',
          contentType: 'text/plain',
          contentEncoding: 'gzip',
          contentLanguage: 'fr',
          contentDisposition: 'inline',
          cacheControl: 'no-store',
          metadata: { key: 'v', other_1: 'a & b' },
          tier: 'archive',
          archived: true,
        },
      ],
      nextToken: 'm<2',
    });
  });

  test('blobs and prefixes come in name order, grouped or not', () => {
    const prefix = (name: string): string => `<BlobPrefix><Name>${name}</Name></BlobPrefix>`;
    const order = ['a', 'b/', 'c', 'd/', 'e/'];
    expect(
      parseBlobPage(page(blob('a') + blob('c') + prefix('b/') + prefix('d/') + prefix('e/'))).entries.map(
        ({ name }) => name,
      ),
    ).toEqual(order);
    expect(
      parseBlobPage(page(prefix('b/') + prefix('d/') + prefix('e/') + blob('a') + blob('c'))).entries.map(
        ({ name }) => name,
      ),
    ).toEqual(order);
    expect(
      parseBlobPage(page(blob('a') + prefix('b/') + blob('c') + prefix('d/') + prefix('e/'))).entries.map(
        ({ kind }) => kind,
      ),
    ).toEqual(['blob', 'prefix', 'blob', 'prefix', 'prefix']);
  });

  test('encoded names are decoded, others are not', () => {
    const encoded = blob('%EF%BF%BE%25').replace('<Name>', '<Name Encoded="true">');
    expect(parseBlobPage(page(encoded + blob('a%25'))).entries.map(({ name }) => name)).toEqual(['\ufffe%', 'a%25']);
  });

  test('empty, and empty with a marker', () => {
    expect(parseBlobPage(page(''))).toEqual({ entries: [] });
    expect(parseBlobPage(page('', '<NextMarker>m</NextMarker>').replace('<Blobs></Blobs>', '<Blobs/>'))).toEqual({
      entries: [],
      nextToken: 'm',
    });
  });

  test('names and metadata are what a general parser reads, white space included', () => {
    const names = fc.array(
      fc.string({ minLength: 1, maxLength: 40 }).filter((name) => /^[\x20-\x7e]+$/.test(name)),
      { maxLength: 20 },
    );
    const oracle = new XMLParser({
      ignoreAttributes: true,
      parseTagValue: false,
      trimValues: false,
      isArray: (tag) => tag === 'Blob',
    });
    fc.assert(
      fc.property(names, (list) => {
        const xml = page(list.map((name) => blob(name, '', `<m>${escapeXml(name)}</m>`)).join(''));
        const found = (oracle.parse(xml) as Parsed).EnumerationResults.Blobs.Blob ?? [];
        const { entries } = parseBlobPage(xml);
        expect(entries.map(({ name }) => name)).toEqual(found.map((entry) => entry.Name));
        expect(entries.map((entry) => (entry.kind === 'blob' ? entry.metadata['m'] : ''))).toEqual(
          found.map((entry) => entry.Metadata.m),
        );
      }),
    );
  });

  test('blobs of all kinds, in any order, are what a general parser reads', () => {
    const oracle = new XMLParser({
      ignoreAttributes: false,
      parseTagValue: false,
      trimValues: false,
      isArray: (tag) => tag === 'Blob',
    });
    fc.assert(
      fc.property(fc.array(ANY_BLOB, { maxLength: 40 }), (list) => {
        const xml = page(list.map(anyBlob).join(''));
        const { Blobs } = (oracle.parse(xml) as AnyPage).EnumerationResults;
        expect(parseBlobPage(xml).entries).toEqual((Blobs === '' ? [] : (Blobs.Blob ?? [])).map(byGeneralParser));
      }),
      { numRuns: 300 },
    );
  });

  test('a blob is read among others as it is alone', () => {
    // Alone it is read tag by tag.
    const odd = fc.oneof(
      ANY_BLOB,
      fc.constant(PLAIN_BLOB),
      fc
        .record({ name: fc.constantFrom('\u00e4', 'a\u{1f600}b', '\u4e2d&'), value: fc.constantFrom('v', 'v\u0080') })
        .map((more) => ({ ...PLAIN_BLOB, ...more })),
    );
    const alike = fc
      .tuple(odd, fc.integer({ min: 1, max: 5 }))
      .map(([one, times]) =>
        Array.from({ length: times }, (_, at) => anyBlob({ ...one, name: one.name + String(at) })),
      );
    const damage = fc.oneof(
      { weight: 9, arbitrary: fc.constant((text: string) => text) },
      fc
        .tuple(
          fc.double({ min: 0, max: 0.999, noNaN: true }),
          fc.constantFrom('x', ' ', '=', '&amp;', '<a/>', '\u00ff'),
        )
        .map(([where, put]) => (text: string) => {
          const at = Math.floor(where * text.length);
          return text.slice(0, at) + put + text.slice(at);
        }),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(alike, damage), { maxLength: 12 }), (list) => {
        const blobs = list.flatMap(([some, change]) => some.map(change));
        const alone = blobs.map((one) => outcome(() => parseBlobPage(page(one)).entries));
        const all = outcome(() => parseBlobPage(page(blobs.join(''))).entries);
        const fine = alone.flatMap((one) => (Array.isArray(one) ? (one as readonly unknown[]) : []));
        if (alone.every(Array.isArray)) expect(all).toEqual(fine);
        else expect(Array.isArray(all) ? 'read' : all).not.toBe('other');
      }),
      { numRuns: 400 },
    );
  });

  test('a long page has all blobs, whatever characters are in it', () => {
    const value = fc.constantFrom('v', '\u00e4', '\u{1f600}\u4e2d', 'x'.repeat(20_000), 'x'.repeat(70_000));
    const prefixes = (count: number): string => '<BlobPrefix><Name>a/</Name></BlobPrefix>'.repeat(count);
    fc.assert(
      fc.property(fc.array(fc.tuple(value, fc.constantFrom(0, 0, 2000)), { maxLength: 10 }), (list) => {
        const blobs = list.map(([text, count], at) => prefixes(count) + blob(`${at}${text}`, '', `<m>${text}</m>`));
        const { entries } = parseBlobPage(page(blobs.join('')));
        const found = entries.flatMap((one) => (one.kind === 'blob' ? [[one.name, one.metadata['m']]] : []));
        expect(found).toEqual(list.map(([text], at) => [`${at}${text}`, text]));
      }),
      { numRuns: 60 },
    );
  });

  test('MD5s that are not written as the service writes them', () => {
    const digests = [
      '1B2M2Y8AsgTpgAmY7PhCfg==',
      '1B2M2Y8AsgTpgAmY7PhCfg',
      'short==',
      '////////////////////_w==',
      '='.repeat(24),
    ];
    const blobs = digests.map((digest, at) => blob(`b${at}`, `<Content-MD5>${digest}</Content-MD5>`)).join('');
    expect(parseBlobPage(page(blobs)).entries).toEqual(
      digests.map((digest) => {
        const hex = Buffer.from(digest, 'base64').toString('hex');
        return expect.objectContaining(hex.length === 32 ? { md5: hex } : { kind: 'blob' }) as object;
      }),
    );
    expect(parseBlobPage(page(blobs)).entries.filter((entry) => 'md5' in entry)).toHaveLength(3);
  });

  test('a page of blobs that differ in their values alone is cut off nowhere', () => {
    const whole = page([1, 2, 3].map((number) => anyBlob({ ...PLAIN_BLOB, name: `n${number}` })).join(''), '');
    for (let length = whole.indexOf('<Blob>'); length < whole.length; length += 1) {
      expect(() => parseBlobPage(whole.slice(0, length)), whole.slice(0, length)).toThrow('unexpected');
    }
  });

  test('a page cut off anywhere is refused', () => {
    const whole = page(blob('a') + blob('b'), '<NextMarker>m</NextMarker>');
    for (let length = 0; length < whole.length; length += 1) {
      expect(() => parseBlobPage(whole.slice(0, length)), whole.slice(0, length)).toThrow('unexpected');
    }
  });

  test.each([
    ['no list of blobs', '<EnumerationResults><Containers/><NextMarker/></EnumerationResults>'],
    ['another document', '<html><Blobs/></html>'],
    ['plain words', 'a proxy says hello'],
    ['a blob without a name', page(blob('').replace('<Name></Name>', ''))],
    ['a blob whose name is empty, behind others', page(blob('a') + blob('b') + blob(''))],
    ['a prefix without a name', page('<BlobPrefix></BlobPrefix>')],
    ['a blob without a revision', page(blob('a').replace('<Etag>0x1</Etag>', ''))],
    ['a blob whose revision is empty, behind others', page(blob('a') + blob('b') + blob('c').replace('0x1', ''))],
    ['a name that is not encoded as it says', page(blob('a%zz').replace('<Name>', '<Name Encoded="true">'))],
  ])('%s is no page', (_what, xml) => {
    expect(() => parseBlobPage(xml)).toThrow('unexpected');
  });
});

test('a page of containers', () => {
  const container =
    '<Container><Name>abc</Name><Properties><Last-Modified>Sat, 21 Nov 2026 12:00:00 GMT</Last-Modified><Etag>"0x1"</Etag></Properties></Container>';
  const xml = `<?xml version="1.0"?><EnumerationResults><Containers>${container}</Containers><NextMarker>/acc/n</NextMarker></EnumerationResults>`;
  expect(parseContainerPage(xml)).toEqual({
    containers: [{ name: 'abc', lastModified: Date.UTC(2026, 10, 21, 12) }],
    nextToken: '/acc/n',
  });
  for (const other of ['', page(''), '<html><Containers/></html>', xml.replace('abc', '')]) {
    expect(() => parseContainerPage(other), other).toThrow('unexpected');
  }
});

test('a flat document', () => {
  expect(
    parseFields('<?xml version="1.0"?><Key><SignedOid>o</SignedOid><Value>a+b=</Value><Empty></Empty></Key>'),
  ).toEqual({ SignedOid: 'o', Value: 'a+b=' });
});

describe('the reader', () => {
  test.each([
    '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
    '<a><!-- x --></a>',
    '<a><![CDATA[x]]></a>',
    '<a>&b;</a>',
    '<a>&#1114112;</a>',
    '<a><b>x</a',
  ])('refuses %s', (xml) => {
    expect(() => {
      const reader = new XmlReader([xml].values());
      reader.enter();
      reader.text();
    }).toThrow('unexpected');
  });

  test('reads entities and character references', () => {
    const reader = new XmlReader(['<a>&lt;&gt;&amp;&quot;&apos;&#65;&#x1F600;</a>'].values());
    reader.enter();
    expect(reader.text()).toBe('<>&"\'A\u{1f600}');
  });
});
