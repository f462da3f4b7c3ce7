import { describe, expect, test } from 'vitest';
import { BlobTemplate } from '../../../../adapters/azure/blob-template.ts';
import { parseBlobPage } from '../../../../adapters/azure/list-xml.ts';

const PLACES = new Map(['Last-Modified', 'Etag', 'Content-Type', 'Content-MD5'].map((name, place) => [name, place]));

interface Values {
  readonly name: string;
  readonly time: string;
  readonly etag: string;
  readonly type: string;
  readonly metadata: string;
}

const TIME = 'Sat, 21 Nov 2026 12:00:00 GMT';
const FIRST: Values = { name: 'a', time: TIME, etag: '0x1', type: 'text/plain', metadata: 'v' };

/** From behind `<Blob>` to behind the end tag. */
const inner = ({ name, time, etag, type, metadata }: Values): string =>
  `<Name>${name}</Name><Properties><Last-Modified>${time}</Last-Modified><Etag>${etag}</Etag>` +
  `<Content-Type>${type}</Content-Type><BlobType>BlockBlob</BlobType></Properties>` +
  `<Metadata><m>${metadata}</m></Metadata><OrMetadata /></Blob>`;

/** A template of the first, the page, and where the others begin and end in it. */
function templateOf(...blobs: readonly Values[]): {
  template: BlobTemplate;
  page: string;
  starts: number[];
  ends: number[];
} {
  const texts = [FIRST, ...blobs].map(inner);
  const starts: number[] = [];
  const ends: number[] = [];
  let at = 0;
  for (const text of texts) {
    starts.push(at);
    ends.push(at + text.length);
    at += text.length + '<Blob>'.length;
  }
  const template = BlobTemplate.of(texts[0] ?? '', PLACES);
  if (template === undefined) throw new Error('no template');
  return { template, page: texts.join('<Blob>'), starts: starts.slice(1), ends: ends.slice(1) };
}

describe('a template reads what differs from it in its values alone', () => {
  test.each([
    ['the same blob', {}],
    ['another name', { name: 'another' }],
    ['another time', { time: 'Sun, 22 Nov 2026 12:00:01 GMT' }],
    ['a type that begins like the one before', { type: 'text/plain-and-more' }],
    ['a type that the one before begins with', { type: 'text' }],
    ['a type that differs in its last character', { type: 'text/plaix' }],
    ['no type', { type: '' }],
    ['no name', { name: '' }],
    ['no metadata', { metadata: '' }],
    ['everything new', { name: 'b&amp;c', time: 'x', etag: '0x22', type: 'a/b', metadata: 'ü' }],
  ])('%s', (_title, change: Partial<Values>) => {
    // Twice what it differs from, and again behind it.
    const values = [FIRST, FIRST, { ...FIRST, ...change }, FIRST];
    const { template, page, starts, ends } = templateOf(...values);
    values.forEach((expected, at) => {
      expect(template.read(page, starts[at] ?? -1), String(at)).toBe(ends[at]);
      const text = (value: string): string => value.replace('&amp;', '&');
      expect(template.name).toBe(text(expected.name));
      expect(template.properties).toEqual([
        expected.time,
        expected.etag,
        expected.type === '' ? undefined : expected.type,
        undefined,
      ]);
      expect({ ...template.metadata }).toEqual(expected.metadata === '' ? {} : { m: expected.metadata });
    });
  });

  test('and nothing else', () => {
    const { template, page } = templateOf();
    expect(template.read(page, 1)).toBe(-1);
    expect(template.read(page.slice(0, -1), 0)).toBe(-1);
    expect(template.read(page.replace('BlockBlob', 'PageBlob'), 0)).toBe(-1);
    expect(template.read(page.replace('<Etag>', '<Etag><b/>'), 0)).toBe(-1);
    expect(template.read(page, 0)).toBe(page.length);
  });
});

test.each([
  ['an element with an attribute', '<Name a="b">c</Name></Blob>'],
  ['an element too deep', '<Properties><a><b>c</b></a></Properties></Blob>'],
])('no template is made of %s', (_title, xml) => {
  expect(BlobTemplate.of(xml, PLACES)).toBeUndefined();
});

test('what is special in a regular expression means itself', () => {
  const xml = (name: string): string =>
    `<Name>${name}</Name><Metadata><a.b>v</a.b><c-d>w</c-d></Metadata><E(x|y)* /></Blob>`;
  const template = BlobTemplate.of(xml('a'), PLACES);
  expect(template?.read(xml('b$1'), 0)).toBe(xml('b$1').length);
  expect(template?.name).toBe('b$1');
  expect({ ...template?.metadata }).toEqual({ 'a.b': 'v', 'c-d': 'w' });
  expect(template?.read(xml('b').replaceAll('a.b', 'axb'), 0)).toBe(-1);
});

test('what stands between two blobs is read, whatever is behind it', () => {
  const blob = (name: string): string => `<Blob>${inner({ ...FIRST, name })}`;
  const page = (between: string): Buffer =>
    Buffer.from(
      `<EnumerationResults><Blobs>${blob('a')}${blob('b')}${between}${inner({ ...FIRST, name: 'd' })}</Blobs></EnumerationResults>`,
    );
  expect(parseBlobPage(page('<Blob>')).entries.map(({ name }) => name)).toEqual(['a', 'b', 'd']);
  // As long, and of another name: what is in it is no blob.
  expect(parseBlobPage(page('<Blab>')).entries.map(({ name }) => name)).toEqual(['a', 'b']);
});
