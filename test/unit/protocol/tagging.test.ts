import { describe, expect, it } from 'vitest';
import { S3Error } from '../../../src/errors/s3-error.ts';
import {
  BUCKET_TAGGING,
  OBJECT_TAGGING,
  type Tag,
  type TaggingRules,
  parseTaggingDocument,
  parseTaggingHeader,
  taggingDocument,
} from '../../../src/protocol/tagging.ts';
import { encodeXml } from '../../../src/protocol/xml/encode.ts';

const tags = (...pairs: [key: string, value: string][]): Tag[] => pairs.map(([key, value]) => ({ key, value }));
const element = (key: string, value: string): string => `<Tag><Key>${key}</Key><Value>${value}</Value></Tag>`;
const many = (count: number): string[] => Array.from({ length: count }, (_, i) => `k${i}`);

function thrownBy(act: () => unknown): S3Error {
  try {
    act();
  } catch (error) {
    if (error instanceof S3Error) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('x-amz-tagging', () => {
  it.each<[string, Tag[]]>([
    ['', []],
    ['&&', []],
    ['foo=bar&bar', tags(['bar', ''], ['foo', 'bar'])],
    ['a=&&b=1&', tags(['a', ''], ['b', '1'])],
    ['two+words=a%20b', tags(['two words', 'a b'])],
    ['%2B=%3D', tags(['+', '='])],
    ['a=b=c', tags(['a', 'b=c'])],
    ['%C3%A4=%C3%B6', tags(['ä', 'ö'])],
    ['\u00c3\u00a4=x', tags(['ä', 'x'])],
    ['__proto__=x', tags(['__proto__', 'x'])],
    [many(10).join('&'), tags(...many(10).map((key): [string, string] => [key, '']))],
    [`${'k'.repeat(128)}=${'v'.repeat(256)}`, tags(['k'.repeat(128), 'v'.repeat(256)])],
    [`${encodeURIComponent('𐐀'.repeat(128))}=x`, tags(['𐐀'.repeat(128), 'x'])],
  ])('%j', (header, expected) => {
    expect(parseTaggingHeader(header)).toEqual(expected);
  });

  it.each([
    ['a=%', 'InvalidArgument'],
    ['a=%FF', 'InvalidArgument'],
    ['=x', 'InvalidArgument'],
    ['a=1&a=1', 'InvalidArgument'],
    ['%2B=%3D%26', 'InvalidTag'],
    ['a=%E2%82%AC', 'InvalidTag'],
    ['a=%0A', 'InvalidTag'],
    ['aws:x=1', 'InvalidTag'],
    [many(11).join('&'), 'InvalidTag'],
    ['k'.repeat(129), 'InvalidTag'],
    [`a=${'v'.repeat(257)}`, 'InvalidTag'],
  ])('%j: %s', (header, code) => {
    const error = thrownBy(() => parseTaggingHeader(header));
    expect(error).toMatchObject({ code, status: 400 });
    if (code === 'InvalidArgument') {
      expect(error.extra).toEqual({ ArgumentName: 'x-amz-tagging', ArgumentValue: header });
    }
  });
});

describe('tagging documents', () => {
  const parse = (inner: string, rules: TaggingRules = OBJECT_TAGGING): readonly Tag[] =>
    parseTaggingDocument(
      Buffer.from(`<Tagging xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${inner}</Tagging>`),
      rules,
    );
  const set = (...elements: string[]): string => `<TagSet>${elements.join('')}</TagSet>`;

  it('read by key, and are written as they are read', () => {
    const read = parse(set(element('b', 'x y'), element('a', ''), element('A_.:/=+-@', '1')));
    expect(read).toEqual(tags(['A_.:/=+-@', '1'], ['a', ''], ['b', 'x y']));
    const written = encodeXml(taggingDocument(read)).toString();
    expect(written).toBe(
      '<?xml version="1.0" encoding="UTF-8"?>\n<Tagging xmlns="http://s3.amazonaws.com/doc/2006-03-01/">' +
        set(element('A_.:/=+-@', '1'), element('a', ''), element('b', 'x y')) +
        '</Tagging>',
    );
    expect(parseTaggingDocument(Buffer.from(written), OBJECT_TAGGING)).toEqual(read);
  });

  it('without tags', () => {
    expect(parse('<TagSet/>')).toEqual([]);
    expect(parse('')).toEqual([]);
    expect(encodeXml(taggingDocument([])).toString()).toContain('<TagSet/>');
  });

  it.each<[string, string, Record<string, string>]>([
    ['<TagSet><Tag><Key>a</Key></Tag></TagSet>', 'MalformedXML', {}],
    ['<TagSet><Tag><Value>a</Value></Tag></TagSet>', 'MalformedXML', {}],
    ['<TagSet><Other/></TagSet>', 'MalformedXML', {}],
    [set(element('', 'x')), 'InvalidTag', { TagKey: '' }],
    [set(element('a', '1'), element('a', '2')), 'InvalidTag', { TagKey: 'a' }],
    [set(element('AWS:x', '1')), 'InvalidTag', { TagKey: 'AWS:x' }],
    [set(element('a#', '1')), 'InvalidTag', { TagKey: 'a#' }],
    [set(element('a', '#')), 'InvalidTag', { TagKey: 'a', TagValue: '#' }],
    [set(element('k'.repeat(129), '')), 'InvalidTag', { TagKey: 'k'.repeat(129) }],
    [set(element('a', 'v'.repeat(257))), 'InvalidTag', { TagKey: 'a', TagValue: 'v'.repeat(257) }],
  ])('%s: %s', (inner, code, extra) => {
    expect(thrownBy(() => parse(inner))).toMatchObject({ code, extra });
  });

  it('of objects hold ten tags, of buckets fifty', () => {
    const of = (count: number): string => set(...many(count).map((key) => element(key, 'v')));
    expect(parse(of(10))).toHaveLength(10);
    expect(thrownBy(() => parse(of(11)))).toMatchObject({
      code: 'InvalidTag',
      message: 'Object tags cannot be greater than 10',
    });
    expect(parse(of(50), BUCKET_TAGGING)).toHaveLength(50);
    expect(thrownBy(() => parse(of(51), BUCKET_TAGGING))).toMatchObject({ code: 'BadRequest' });
  });
});
