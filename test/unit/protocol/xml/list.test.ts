import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { S3Error } from '../../../../src/errors/s3-error.ts';
import { decodeXml, decodeXmlList } from '../../../../src/protocol/xml/decode.ts';
import { COMPLETE_MULTIPART_UPLOAD } from '../../../../src/protocol/xml/multipart-shapes.ts';
import { DELETE } from '../../../../src/protocol/xml/object-shapes.ts';
import { parsePieces } from '../../../../src/protocol/xml/parse-tree.ts';
import { TAGGING } from '../../../../src/protocol/xml/tagging-shape.ts';
import '../../../support/property-seed.ts';

const LIMITS = { bytes: 8 * 1024 * 1024, elements: 7000 };
const signal = new AbortController().signal;

function list(text: string, given = signal): Promise<unknown> {
  return decodeXmlList(DELETE, Buffer.from(text), { limits: LIMITS, signal: given });
}

async function outcome(work: () => unknown): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    return (error as S3Error).code;
  }
}

describe('a list in pieces', () => {
  const item = fc.oneof(
    {
      weight: 20,
      arbitrary: fc
        .tuple(
          fc.constantFrom('', ' ', '\n', '<!-- x -->', '<?x y?>'),
          fc.integer({ min: 1, max: 2000 }),
          fc.constantFrom('k', 'é', '😀', '&amp;', '&#x41;', '<![CDATA[<]]>'),
        )
        .map(
          ([before, size, char]) =>
            `${before}<Object><Key>${char.repeat(Math.ceil(size / char.length))}</Key><ETag>"x"</ETag></Object>`,
        ),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '<Quiet>true</Quiet>',
        '<Object><Key/></Object>',
        '<Object></Object>',
        'loose',
        '<Other/>',
        '<Object><Key>a</Key>',
        '</Delete>',
        '&',
        '<Object',
        '<![CDATA[ ]]>',
        '<!DOCTYPE x>',
        '<Object><Key>&bad;</Key></Object>',
        '<Object><Key>a</Key><Key>b</Key></Object>',
        '<a:Object xmlns:a="b"><a:Key>c</a:Key></a:Object>',
        '<!-- <Object> -->',
        '<Object><Key>]]></Key></Object>',
      ),
    },
  );

  it('says what the whole says', async () => {
    const document = fc.tuple(
      fc.constantFrom('', '<?xml version="1.0"?>\n', '\ufeff', '<!-- a -->', 'x'),
      fc.array(item, { maxLength: 60 }),
      fc.constantFrom('</Delete>', '</Delete>\n', '</Delete>x', '</Other>', '', '</Delete><!-- b -->'),
    );
    await fc.assert(
      fc.asyncProperty(document, async ([before, items, after]) => {
        const text = `${before}<Delete xmlns="urn:x">${items.join('')}${after}`;
        expect(await outcome(() => list(text))).toEqual(
          await outcome(() => decodeXml(DELETE, Buffer.from(text), LIMITS)),
        );
      }),
      { numRuns: 300 },
    );
  });

  test.each(['<Delete/>', '<Delete></Delete>', ' <Delete><Quiet>true</Quiet></Delete> '])('%s', async (text) => {
    expect(await list(text)).toEqual(decodeXml(DELETE, Buffer.from(text)));
  });

  it('lets others in between, and ends when the client leaves', async () => {
    const text = `<Delete>${`<Object><Key>${'&amp;'.repeat(1000)}</Key></Object>`.repeat(1000)}</Delete>`;
    let turns = 0;
    const counting = setInterval(() => (turns += 1), 0);
    const { objects } = (await list(text)) as { objects: object[] };
    clearInterval(counting);
    expect(objects).toHaveLength(1000);
    expect(turns).toBeGreaterThan(5);
    const leaving = new AbortController();
    setTimeout(() => leaving.abort(new Error('gone')), 5);
    await expect(list(text, leaving.signal)).rejects.toThrow('gone');
  });

  it('of one does not keep a smaller one waiting to its end', async () => {
    const large = list(`<Delete>${`<Object><Key>${'&amp;'.repeat(1000)}</Key></Object>`.repeat(1000)}</Delete>`).then(
      () => 'large',
    );
    const small = list(`<Delete>${'<Object><Key>a</Key></Object>'.repeat(1000)}</Delete>`).then(() => 'small');
    expect(await Promise.race([large, small])).toBe('small');
    await large;
  });
});

const repeated = (text: string, bytes: number): string => text.repeat(Math.floor(bytes / text.length));
const MIB = 1024 * 1024;
const attributes = (count: number, value: string): string =>
  Array.from({ length: count }, (_, index) => ` a${index}="${value}"`).join('');

describe('what no request holds', () => {
  test.each<[string, string]>([
    ['500,000 attributes', `<Delete><Object ${attributes(500_000, '')}/></Delete>`],
    ['attributes everywhere', `<Delete>${`<Object${attributes(16, 'b')}><Key>a</Key></Object>`.repeat(1000)}</Delete>`],
    ['1.58 million references', `<Delete><Object><Key>${'&amp;'.repeat(1_580_000)}</Key></Object></Delete>`],
    ['a key of 8 MB', `<Delete><Object><Key>${'a'.repeat(8_000_000)}</Key></Object></Delete>`],
    ['elements without end', `<Delete>${'<a/>'.repeat(1_000_000)}</Delete>`],
    ['depth', `<Delete>${'<a>'.repeat(1_000_000)}`],
    ['comments', `<Delete>${'<!---->'.repeat(1_000_000)}</Delete>`],
    ['a comment', `<Delete><!--${'a'.repeat(1_000_000)}--></Delete>`],
    ['an item', `<Delete><Object>${`<Key>${'a'.repeat(10_000)}</Key>`.repeat(100)}</Object></Delete>`],
    ['what stands behind', `<Delete/>${`<!--${'a'.repeat(10_000)}-->`.repeat(100)}`],
    ['what stands before', `${`<!--${'a'.repeat(10_000)}-->`.repeat(100)}<Delete/>`],
    ['a DTD', '<!DOCTYPE a [<!ENTITY b "c">]><Delete><Object><Key>&b;</Key></Object></Delete>'],
    ['a tag without end', `<Delete><Object a="${'b'.repeat(1_000_000)}`],
    ['blanks', `<Delete>${' '.repeat(1_000_000)}</Delete>`],
  ])('%s: MalformedXML, soon', async (_, text) => {
    const began = process.threadCpuUsage();
    await expect(list(text)).rejects.toThrow(new S3Error('MalformedXML'));
    const { user, system } = process.threadCpuUsage(began);
    expect((user + system) / 1000).toBeLessThan(250);
  });
});

describe('the worst that is within the limits', () => {
  const parts = { bytes: 8 * MIB, elements: 100_000 };
  const DOCUMENTS: Readonly<Record<string, [text: string, limits: typeof parts]>> = {
    'keys as references': [
      `<Delete>${`<Object><Key>${'&#x6b;'.repeat(1024)}</Key></Object>`.repeat(1000)}</Delete>`,
      LIMITS,
    ],
    'nothing but references': [
      `<Delete>${repeated(`<Object><Key>${'&lt;'.repeat(4000)}</Key></Object>`, 7 * MIB)}</Delete>`,
      LIMITS,
    ],
    attributes: [
      `<Delete>${`<Object${attributes(14, 'x'.repeat(200))}><Key>a</Key></Object>`.repeat(400)}</Delete>`,
      LIMITS,
    ],
    comments: [`<Delete>${`<!--${'-x'.repeat(500)}-->`.repeat(7000)}</Delete>`, LIMITS],
    parts: [`<C>${'<Part><PartNumber>1</PartNumber><ETag>&quot;a&quot;</ETag></Part>'.repeat(10_000)}</C>`, parts],
    'empty elements': [`<C>${'<Part/>'.repeat(99_000)}</C>`, parts],
    'nested elements': [`<C>${('<a>'.repeat(14) + '</a>'.repeat(14)).repeat(6000)}</C>`, parts],
  };

  test.each(Object.entries(DOCUMENTS))('%s: no piece takes 20 ms', (_, [text, limits]) => {
    const bytes = Buffer.from(text);
    const costs = Array.from({ length: 3 }, () => {
      const pieces = parsePieces(bytes, limits);
      const each: number[] = [];
      for (let done = false; !done; ) {
        const began = process.threadCpuUsage();
        done = pieces.next().done === true;
        const { user, system } = process.threadCpuUsage(began);
        each.push((user + system) / 1000);
      }
      return each;
    });
    // A collection of garbage that falls into a piece is none of its own: it will not fall into the same one three
    // times.
    const [first = []] = costs;
    const least = first.map((_cost, index) => Math.min(...costs.map((each) => each[index] ?? 0)));
    expect(Math.max(...least)).toBeLessThan(20);
    expect(least.length).toBeGreaterThan(10);
  });

  test.each([
    `<Tagging><TagSet>${`<Tag><Key>${'&#x1F600;'.repeat(128)}</Key><Value>${'&#x1F600;'.repeat(256)}</Value></Tag>`.repeat(70)}</TagSet></Tagging>`,
    `<Tagging><TagSet>${`<Tag${attributes(16, 'b')}/>`.repeat(1900)}</TagSet></Tagging>`,
    `<Tagging><TagSet>${repeated(`<Tag><Key>${'&lt;'.repeat(4000)}</Key><Value/></Tag>`, 240_000)}</TagSet></Tagging>`,
    `<Tagging><TagSet>${'<Tag><Key>a</Key><Value/></Tag>'.repeat(640)}</TagSet></Tagging>`,
  ])('a small document at once: %#', async (text) => {
    const cost = async (): Promise<number> => {
      const began = process.threadCpuUsage();
      await outcome(() => decodeXml(TAGGING, Buffer.from(text)));
      const { user, system } = process.threadCpuUsage(began);
      return (user + system) / 1000;
    };
    // What other tests left to the collector and the compiler of this thread is none of its own.
    const costs: number[] = [];
    for (let round = 0; round < 20; round += 1) costs.push(await cost());
    expect(Math.min(...costs)).toBeLessThan(20);
  });

  test('10,000 parts', async () => {
    const text = `<CompleteMultipartUpload>${Array.from({ length: 10_000 }, (_, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>"${at}"</ETag></Part>`).join('\n')}</CompleteMultipartUpload>`;
    const decoded = await decodeXmlList(COMPLETE_MULTIPART_UPLOAD, Buffer.from(text), { limits: parts, signal });
    expect(decoded.parts).toHaveLength(10_000);
    expect(decoded.parts[9999]).toMatchObject({ PartNumber: 10_000, ETag: '"9999"' });
  });
});
