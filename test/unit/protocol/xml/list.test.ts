import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { decodeXml, decodeXmlList } from '../../../../src/protocol/xml/decode.ts';
import { COMPLETE_MULTIPART_UPLOAD } from '../../../../src/protocol/xml/multipart-shapes.ts';
import { DELETE } from '../../../../src/protocol/xml/object-shapes.ts';
import { LIMITS, PARTS, list, outcome } from './lists.ts';
import '../../../support/property-seed.ts';

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

  it('of 10,000 parts has them all', async () => {
    const text = `<CompleteMultipartUpload>${Array.from({ length: 10_000 }, (_, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>"${at}"</ETag></Part>`).join('\n')}</CompleteMultipartUpload>`;
    const decoded = await decodeXmlList(COMPLETE_MULTIPART_UPLOAD, Buffer.from(text), {
      limits: PARTS,
      signal: new AbortController().signal,
    });
    expect(decoded.parts).toHaveLength(10_000);
    expect(decoded.parts[9999]).toMatchObject({ PartNumber: 10_000, ETag: '"9999"' });
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
