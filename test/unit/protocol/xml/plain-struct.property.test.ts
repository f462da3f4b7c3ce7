import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeXml } from '../../../../src/protocol/xml/decode.ts';
import { COMPLETE_MULTIPART_UPLOAD } from '../../../../src/protocol/xml/multipart-shapes.ts';
import { DELETE } from '../../../../src/protocol/xml/object-shapes.ts';
import { plainMembers } from '../../../../src/protocol/xml/plain-struct.ts';
import { planOf } from '../../../../src/protocol/xml/struct-plan.ts';
import { LIMITS, list, outcome } from './lists.ts';
import '../../../support/property-seed.ts';

const BLANKS = ['', '', '', ' ', '\n', '\t'];
const TEXTS = [
  '',
  'x',
  ' ',
  '"e"',
  '>',
  ']]>',
  'é',
  '😀',
  '\u00a0',
  '&amp;',
  '&quot;e&quot;',
  '&#65;',
  '&#x41;',
  'true',
];
/** What is no element of the list, or none that a text stands in. */
const STRANGE = [
  ...[
    'loose',
    '\u00a0',
    '\r',
    '&',
    '&bad;',
    '&#xD800;',
    '<',
    '>',
    '</',
    '<>',
    '<Other/>',
    '<Other></Other>',
    '</Object>',
  ],
  ...['<Key>', '</Key>', '<Object>', '<Key/>', '<Key a="b">', '</Key >', '<n:Key>', '</KeyX>', '<!-- c -->', '<?p?>'],
  ...['<![CDATA[d]]>', '<Quiet>perhaps</Quiet>', '<Object><Object><Key>k</Key></Object></Object>', '<__proto__>'],
];

const NAMES = [['Key'], ['Key'], ['Key', 'ETag'], ['ETag', 'Key'], ['VersionId', 'Key', 'ETag'], ['ETag'], []];

const blank = fc.constantFrom(...BLANKS);
const element = (...names: string[]): fc.Arbitrary<string> =>
  fc
    .tuple(blank, fc.constantFrom(...names), fc.constantFrom(...TEXTS))
    .map(([before, name, text]) => `${before}<${name}>${text}</${name}>`);
const object = fc
  .tuple(fc.constantFrom(...NAMES), fc.constantFrom(...TEXTS), blank)
  .map(([names, text, after]) => `<Object>${names.map((name) => `<${name}>${text}</${name}>`).join(after)}</Object>`);
const objects = fc.array(fc.tuple(object, blank), { maxLength: 5 }).map((all) => all.flat().join(''));
const whole = fc.tuple(objects, fc.constantFrom('', '', '<Quiet>true</Quiet>'), objects).map((all) => all.join(''));
const doubled = fc.array(fc.oneof(element('Key', 'Quiet', 'VersionId'), object), { maxLength: 4 });
const spoiled = fc.tuple(whole, fc.nat(), fc.constantFrom(...TEXTS, ...STRANGE)).map(([text, place, what]) => {
  const at = place % (text.length + 1);
  return text.slice(0, at) + what + text.slice(at);
});

const PLAN = planOf(DELETE.content.fields);

it('says of a list what its tree says', async () => {
  let read = 0;
  const items = fc.oneof(
    whole,
    spoiled,
    doubled.map((all) => `<Object>${all.join('')}</Object>`),
  );
  await fc.assert(
    fc.asyncProperty(items, async (text) => {
      const document = `<Delete>${text}</Delete>`;
      const plain = await outcome(() => list(document));
      expect(plain).toEqual(await outcome(() => decodeXml(DELETE, Buffer.from(document), LIMITS)));
      if (plain !== 'MalformedXML') read += 1;
    }),
    { numRuns: 3000 },
  );
  expect(read).toBeGreaterThan(300);
});

it('leaves nothing that is plain to the general way', () => {
  const part = fc
    .tuple(fc.integer({ min: -1, max: 10_000 }), fc.constantFrom('e', '&quot;e&quot;'), fc.boolean(), blank)
    .map(([number, etag, isFirst, between]) => {
      const said = [`<PartNumber>${number}</PartNumber>`, `<ETag>${etag}</ETag>`];
      return `<Part>${between}${(isFirst ? said : said.reverse()).join(between)}${between}</Part>`;
    });
  const plan = planOf(COMPLETE_MULTIPART_UPLOAD.content.fields);
  const isRead = fc.property(fc.array(part, { maxLength: 5 }), blank, (parts, between) => {
    expect(plainMembers(plan, parts.join(between))).toHaveLength(parts.length);
  });
  fc.assert(isRead, { numRuns: 500 });
});

it.each([
  ['an unknown element', '<Other>x</Other>'],
  ['an element twice', '<Object><Key>a</Key><Key>b</Key></Object>'],
  ['an element that is missing', '<Object><ETag>a</ETag></Object>'],
  ['a tag with an attribute', '<Object><Key a="b">c</Key></Object>'],
  ['text between elements', '<Object><Key>a</Key></Object>x'],
  ['an element in a text', '<Object><Key><Key>a</Key></Key></Object>'],
  ['another end tag', '<Object><Key>a</Kez></Object>'],
  ['an end tag with quotes', '<Object><Key>a</Key"<ETag>">b</ETag></Object>'],
  ['no end', '<Object><Key>a</Key>'],
])('leaves %s to the general way', (_, text) => {
  expect(plainMembers(PLAN, text)).toBeUndefined();
});
