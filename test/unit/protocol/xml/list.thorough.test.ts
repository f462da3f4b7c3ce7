import { describe, expect, test } from 'vitest';
import { S3Error } from '../../../../src/errors/s3-error.ts';
import { decodeXml } from '../../../../src/protocol/xml/decode.ts';
import { cutPieces, parsePiece } from '../../../../src/protocol/xml/parse-tree.ts';
import { TAGGING } from '../../../../src/protocol/xml/tagging-shape.ts';
import { LIMITS, PARTS, list, outcome } from './lists.ts';

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
  const DOCUMENTS: Readonly<Record<string, [text: string, limits: typeof LIMITS]>> = {
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
    parts: [`<C>${'<Part><PartNumber>1</PartNumber><ETag>&quot;a&quot;</ETag></Part>'.repeat(10_000)}</C>`, PARTS],
    'empty elements': [`<C>${'<Part/>'.repeat(99_000)}</C>`, PARTS],
    'nested elements': [`<C>${('<a>'.repeat(14) + '</a>'.repeat(14)).repeat(6000)}</C>`, PARTS],
  };

  test.each(Object.entries(DOCUMENTS))('%s: no piece takes 20 ms', (_, [text, limits]) => {
    const bytes = Buffer.from(text);
    const costs = Array.from({ length: 3 }, () => {
      const pieces = cutPieces(bytes, limits);
      const each: number[] = [];
      for (let done = false; !done; ) {
        const began = process.threadCpuUsage();
        const piece = pieces.next();
        if (piece.done === true) done = true;
        else parsePiece(piece.value);
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
});
