import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { S3Error } from '../../../../src/errors/s3-error.ts';
import { decodeXml } from '../../../../src/protocol/xml/decode.ts';
import { encodeXml as encodeBytes } from '../../../../src/protocol/xml/encode.ts';
import { type XmlDocument, XmlTexts, xml } from '../../../../src/protocol/xml/document.ts';
import { xmlBuffers } from '../../../../src/protocol/xml/utf8-writer.ts';
import type { XmlShape } from '../../../../src/protocol/xml/shape.ts';

const encodeXml = (document: XmlDocument): string => encodeBytes(document).toString();

const ORDER = {
  root: 'Order',
  content: {
    kind: 'struct',
    fields: [
      { element: 'Id', content: { kind: 'number' }, required: true },
      { element: 'Urgent', property: 'urgent', content: { kind: 'boolean' } },
      { element: 'Note', content: { kind: 'text' } },
      {
        element: 'Tag',
        property: 'tags',
        list: { wrapper: 'TagSet' },
        content: { kind: 'struct', fields: [{ element: 'Key', content: { kind: 'text' }, required: true }] },
      },
      { element: 'Line', property: 'lines', list: {}, content: { kind: 'text' } },
      {
        element: 'Grantee',
        property: 'grantee',
        content: {
          kind: 'struct',
          fields: [
            { element: 'xsi:type', property: 'type', attribute: true, content: { kind: 'text' } },
            { element: 'ID', content: { kind: 'text' } },
          ],
        },
      },
    ],
  },
} as const satisfies XmlShape;

function decode(text: string | Uint8Array): unknown {
  return decodeXml(ORDER, typeof text === 'string' ? Buffer.from(text) : text);
}

describe('encoder', () => {
  test('golden document', () => {
    const value = {
      lines: ['a', 'b'],
      Note: '"<&>\'\t\n\r\u0001\uffff é',
      Id: 7,
      urgent: false,
      tags: [{ Key: 'k' }],
      grantee: { type: 'Canonical"User', ID: 'x' },
    };
    expect(encodeXml(xml(ORDER, value))).toBe(
      '<?xml version="1.0" encoding="UTF-8"?>\n<Order xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Id>7</Id><Urgent>false</Urgent>' +
        "<Note>&quot;&lt;&amp;&gt;'\t\n&#xD;&#x1;&#xFFFF; é</Note><TagSet><Tag><Key>k</Key></Tag></TagSet><Line>a</Line><Line>b</Line>" +
        '<Grantee xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="Canonical&quot;User"><ID>x</ID></Grantee></Order>',
    );
  });

  test('absent members are left out, an empty list keeps its wrapper', () => {
    expect(encodeXml(xml({ ...ORDER, namespace: null }, { Id: 1, tags: [], lines: [] }))).toBe(
      '<?xml version="1.0" encoding="UTF-8"?>\n<Order><Id>1</Id><TagSet/></Order>',
    );
    expect(encodeXml(xml({ ...ORDER, namespace: 'urn:x' }, {}))).toContain('<Order xmlns="urn:x"/>');
  });

  test('items of a list that choose their elements stand in one order', () => {
    const note = { kind: 'struct', fields: [{ element: 'Text', content: { kind: 'text' } }] } as const;
    const shape: XmlShape = {
      root: 'Log',
      namespace: null,
      content: {
        kind: 'struct',
        fields: [
          { element: 'Note', property: 'entries', list: { among: { Number: { kind: 'number' } } }, content: note },
        ],
      },
    };
    const value = { entries: [{ Number: 1 }, { Note: { Text: '<' } }, { Number: 2 }] };
    expect(encodeXml(xml(shape, value))).toContain(
      '<Log><Number>1</Number><Note><Text>&lt;</Text></Note><Number>2</Number></Log>',
    );
    for (const item of [{}, { Other: 1 }, 'Note', ['Note']]) {
      expect(() => encodeXml(xml(shape, { entries: [item] }))).toThrow(TypeError);
    }
  });

  test('a list of texts stands where its elements would, among the rest and in any number', () => {
    const lines = Array.from({ length: 3000 }, (_, at) => `${'é😀'.repeat(at % 40)}&${at}`);
    const texts = new XmlTexts(() => lines.map((line) => `<Line>${line.replace('&', '&amp;')}</Line>`));
    for (const [given, same] of [
      [texts, lines],
      [new XmlTexts(() => []), []],
    ] as const) {
      const rest = { Id: 1, tags: [{ Key: 'k' }], grantee: { ID: 'x' } };
      expect(encodeXml(xml(ORDER, { ...rest, lines: given }))).toBe(encodeXml(xml(ORDER, { ...rest, lines: same })));
    }
    expect(encodeXml(xml({ ...ORDER, namespace: null }, { lines: new XmlTexts(() => []) }))).toContain('<Order/>');
    expect(() => encodeXml(xml(ORDER, { Note: texts }))).toThrow(TypeError);
    expect(() => encodeXml(xml(ORDER, texts))).toThrow(TypeError);
  });

  test('the memory of a long document goes to another one when it is given back, once and no sooner', () => {
    const long = (line: string): Buffer => encodeBytes(xml(ORDER, { lines: Array<string>(5000).fill(line) }));
    const [one, other] = [long('one'), long('other')];
    const before = one.toString();
    expect(one.buffer).not.toBe(other.buffer);
    long('third');
    expect(one.toString()).toBe(before);
    xmlBuffers.giveBack(one);
    xmlBuffers.giveBack(one);
    const [next, last] = [long('next'), long('last')];
    expect(next.buffer).toBe(one.buffer);
    expect(last.buffer).not.toBe(one.buffer);
    expect(next.toString()).toBe(before.replaceAll('one', 'next'));
    const short = encodeBytes(xml(ORDER, { Id: 1 }));
    xmlBuffers.giveBack(short);
    expect(long('x').buffer).not.toBe(short.buffer);
  });

  test('a value that does not fit is a fault of the program', () => {
    expect(() => encodeXml(xml(ORDER, { Id: ['x'] }))).toThrow(TypeError);
    expect(() => encodeXml(xml(ORDER, { lines: 'x' }))).toThrow(TypeError);
    expect(() => encodeXml(xml(ORDER, 'x'))).toThrow(TypeError);
  });
});

describe('decoder', () => {
  const absent = { urgent: undefined, Note: undefined, tags: undefined, lines: [], grantee: undefined };

  test.each<[string, object]>([
    ['<Order><Id>7</Id></Order>', { ...absent, Id: 7 }],
    [
      '\ufeff<?xml version="1.0" encoding="UTF-8"?>\r\n<o:Order xmlns:o="urn:any">\n <o:Id> 7 </o:Id>\n</o:Order>\n',
      { ...absent, Id: 7 },
    ],
    [
      '<Order><!-- x --><Id>7</Id><Note> 007 &amp;&lt;&gt;&quot;&apos;&#10;&#x1F600;&#x1; </Note></Order>',
      { ...absent, Id: 7, Note: ' 007 &<>"\'\n😀\u0001 ' },
    ],
    ['<Order><Id>7</Id><Note><![CDATA[<&amp;>]]>&amp;</Note></Order>', { ...absent, Id: 7, Note: '<&amp;>&' }],
    [
      `<?xml version='1.0' encoding='ISO-8859-1'?><?x y="a>b"?><Order><?x "'" ?><Id>7</Id><Note>a<?x 'b'?>c</Note></Order>`,
      { ...absent, Id: 7, Note: 'ac' },
    ],
    [
      '\ufeff<?xml version="1.0" encoding="utf-8"?><Order><Id>7</Id><Note>é</Note></Order>',
      { ...absent, Id: 7, Note: 'é' },
    ],
    ['<Order xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Id>7</Id></Order>', { ...absent, Id: 7 }],
    ['<Order><Line>b</Line><Id>7</Id><Line/></Order>', { ...absent, Id: 7, lines: ['b', ''] }],
    ['<Order><Id>7</Id><TagSet/></Order>', { ...absent, Id: 7, tags: [] }],
    [
      '<Order><Id>-7</Id><TagSet><Tag><Key>k</Key></Tag></TagSet><Urgent>true</Urgent></Order>',
      { ...absent, Id: -7, urgent: true, tags: [{ Key: 'k' }] },
    ],
    [
      '<Order><Id>7</Id><Grantee xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="Group"/></Order>',
      { ...absent, Id: 7, grantee: { type: 'Group', ID: undefined } },
    ],
  ])('%s', (text, expected) => {
    expect(decode(text)).toEqual(expected);
  });

  test.each([
    '',
    ' ',
    'text',
    '<Order>',
    '<Order></order>',
    '<Order><Id>7</Id>',
    '<Order><Id>7</Id></Order><Order/>',
    '<Order><Id>7</Id></Order>x',
    '<Other><Id>7</Id></Other>',
    '<Order/>',
    '<Order><Id/></Order>',
    '<Order><Id>seven</Id></Order>',
    '<Order><Id>1e3</Id></Order>',
    '<Order><Id>0x7</Id></Order>',
    '<Order><Id>99999999999999999999</Id></Order>',
    '<Order><Id>7.5</Id></Order>',
    '<Order><Id>7</Id><Id>8</Id></Order>',
    '<Order><Id>7</Id><New/></Order>',
    '<Order><Id>7</Id>loose</Order>',
    '<Order><Id><b/>7</Id></Order>',
    '<Order><Id>7</Id><Urgent>yes</Urgent></Order>',
    '<Order><Id>7</Id><TagSet><Other/></TagSet></Order>',
    '<Order><Id>7</Id><TagSet><Tag/></TagSet></Order>',
    '<Order><Id>7</Id><Note>&unknown;</Note></Order>',
    '<Order><Id>7</Id><Note>a & b</Note></Order>',
    '<Order><Id>7</Id><Note>&#xD800;</Note></Order>',
    '<Order><Id>7</Id><Note>&#x110000;</Note></Order>',
    '<Order a="1" a="2"><Id>7</Id></Order>',
    // What an instruction seems to quote would be lost, up to the next quote.
    `<Order><Id>7</Id><Note>one<?x '?>two</Note><?x '?></Order>`,
    '<Order><?x "?><Line>a</Line><?x "?><Id>7</Id></Order>',
    '<?x "?><Order><Id>7</Id></Order><?x "?>',
    '<Order><Id>7</Id><?x "?>"?></Order>',
    // Bytes that say something else in the encoding that is declared.
    '<?xml version="1.0" encoding="ISO-8859-1"?><Order><Id>7</Id><Note>é</Note></Order>',
    "<?xml version='1.0' encoding = 'windows-1252' ?><Order><Id>7</Id><Note>é</Note></Order>",
    '<?xml version="1.0" encoding="UTF-16"?><Order><Id>7</Id><Note>é</Note></Order>',
    '<Order><Id>&#7a;</Id></Order>',
    '<Order><Id>7</Id><Note>&#;</Note></Order>',
    '<Order><Id>7</Id><Note>&#x;</Note></Order>',
    '<Order><Id>7</Id><Note>&#X41;</Note></Order>',
    '<Order><Id>7</Id><Note>&#x4g;</Note></Order>',
    '<Order><Id>7</Id><Note>&#+65;</Note></Order>',
    '<Order><Id>7</Id><Note>&</Note><Line>;</Line></Order>',
    // No reference goes on behind what stands in it.
    '<Order><Id>7</Id><Note>&am<!-- x -->p;</Note></Order>',
    '<Order><Id>7</Id><Note>&am<?x?>p;</Note></Order>',
    '<Order><Id>7</Id><Note>&am<![CDATA[p]]>;</Note></Order>',
    '&amp;<Order><Id>7</Id></Order>',
    '<Order><Id>7</Id></Order>&amp;',
    '<Order><Id>7</Id></Order>&#32;',
    '<Order a="&bad;"><Id>7</Id></Order>',
    '<&amp;><Id>7</Id></&amp;>',
    `<Order ${Array.from({ length: 17 }, (_, n) => `a${n}="1"`).join(' ')}><Id>7</Id></Order>`,
    '<!DOCTYPE Order [<!ENTITY x "y">]><Order><Id>7</Id></Order>',
    '<!DOCTYPE Order><Order><Id>7</Id></Order>',
    '<!doctype Order><Order><Id>7</Id></Order>',
    '<Order><Id>7</Id><__proto__><x/></__proto__></Order>',
    '<Order><Id>7</Id><constructor/></Order>',
    `${'<Order>'.repeat(40)}${'</Order>'.repeat(40)}`,
  ])('MalformedXML: %s', (text) => {
    expect(() => decode(text)).toThrow(new S3Error('MalformedXML'));
  });

  test.each(['utf16le', 'latin1'] as const)('a document in %s', (encoding) => {
    const text = '<Order><Id>7</Id><Note>é</Note></Order>';
    for (const mark of ['', '\ufeff']) {
      expect(() => decode(Buffer.from(mark + text, encoding))).toThrow(new S3Error('MalformedXML'));
    }
  });

  test('bytes that are no UTF-8, and documents without measure', () => {
    expect(() => decode(Buffer.from('<Order><Id>7</Id><Note>\xff</Note></Order>', 'latin1'))).toThrow(S3Error);
    expect(() => decode(Buffer.alloc(9 * 1024 * 1024, '<Line/>'))).toThrow(S3Error);
    expect(() => decode(`<Order>${'<Line/>'.repeat(250_000)}</Order>`)).toThrow(S3Error);
  });

  test('thousands of entities are no attack', () => {
    const limits = { bytes: 1024 * 1024, elements: 30_000 };
    const { lines } = decodeXml(
      ORDER,
      Buffer.from(`<Order><Id>7</Id>${'<Line>&amp;&lt;&#38;</Line>'.repeat(20_000)}</Order>`),
      limits,
    );
    expect(lines).toHaveLength(20_000);
    expect(new Set(lines)).toEqual(new Set(['&<&']));
  });

  test.each([
    ['&#65;&#x41;&#00065;&#x0041;&#x6b;&#x6B;', 'AAAAkk'],
    ['&#x10FFFF;&#65535;&#xd7ff;&#xE000;&#0;', '\u{10ffff}\uffff\ud7ff\ue000\0'],
    ['a&lt;&#38;lt;<!-- &bad; -->&gt;', 'a<&lt;>'],
  ])('references: %s', (text, expected) => {
    expect(decode(`<Order><Id>7</Id><Note>${text}</Note></Order>`)).toMatchObject({ Note: expected });
  });

  test('what is encoded decodes to itself', () => {
    // Line breaks apart, which XML itself folds into one form.
    const text = fc.string({ unit: 'binary', maxLength: 30 }).map((value) => value.replaceAll(/[\ud800-\udfff]/gu, ''));
    fc.assert(
      fc.property(
        fc.record({
          Id: fc.maxSafeInteger(),
          Note: text,
          lines: fc.array(text),
          tags: fc.array(fc.record({ Key: text })),
        }),
        (value) => {
          expect(decode(encodeXml(xml(ORDER, value)))).toEqual({ ...value, urgent: undefined, grantee: undefined });
        },
      ),
    );
  });
});
