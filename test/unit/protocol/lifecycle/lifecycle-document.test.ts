import { describe, expect, test } from 'vitest';
import { isS3Error } from '../../../../src/errors/s3-error.ts';
import { lifecycleDocument, requestedLifecycle } from '../../../../src/protocol/lifecycle/lifecycle-document.ts';
import { decodeXml } from '../../../../src/protocol/xml/decode.ts';
import { encodeXml } from '../../../../src/protocol/xml/encode.ts';
import { LIFECYCLE_CONFIGURATION } from '../../../../src/protocol/xml/lifecycle-shape.ts';

function document(...rules: string[]): Buffer {
  const inner = rules.map((rule) => `<Rule>${rule}</Rule>`).join('');
  return Buffer.from(`<LifecycleConfiguration>${inner}</LifecycleConfiguration>`);
}

function parse(...rules: string[]): ReturnType<typeof requestedLifecycle> {
  return requestedLifecycle(decodeXml(LIFECYCLE_CONFIGURATION, document(...rules)), undefined);
}

function refusalOf(...rules: string[]): string {
  try {
    parse(...rules);
  } catch (error) {
    if (isS3Error(error)) return error.code === 'MalformedXML' ? error.code : `${error.code} ${error.message}`;
    throw error;
  }
  return 'accepted';
}

const ON = '<Status>Enabled</Status>';
const ALL = `<Filter/>${ON}`;
const DAYS = '<Expiration><Days>1</Days></Expiration>';
const filter = (inner: string): string => `<Filter>${inner}</Filter>${ON}${DAYS}`;
const move = (inner: string, more = ''): string => `${ALL}<Transition>${inner}</Transition>${more}`;
const to = (days: number, storageClass: string): string =>
  `<Days>${String(days)}</Days><StorageClass>${storageClass}</StorageClass>`;
const noncurrent = (inner: string): string =>
  `${ALL}<NoncurrentVersionExpiration>${inner}</NoncurrentVersionExpiration>`;
const tag = (key: string): string => `<Tag><Key>${key}</Key><Value>v</Value></Tag>`;
const ABORT =
  '<AbortIncompleteMultipartUpload><DaysAfterInitiation>1</DaysAfterInitiation></AbortIncompleteMultipartUpload>';

describe('a document comes back as it was put', () => {
  test.each([
    ['the old form', `<ID>a b</ID><Prefix>logs/</Prefix>${ON}${DAYS}`],
    ['an empty prefix of the old form', `<ID>1</ID><Prefix></Prefix>${ON}${DAYS}`],
    ['an empty filter', `<ID>1</ID><Filter/>${ON}${DAYS}`],
    ['an empty prefix in a filter', `<ID>1</ID><Filter><Prefix></Prefix></Filter>${ON}${DAYS}`],
    ['tags in their order', `<ID>1</ID>${filter(`<And><Prefix>p</Prefix>${tag('z')}${tag('a')}</And>`)}`],
    [
      'sizes',
      `<ID>1</ID>${filter('<And><ObjectSizeGreaterThan>0</ObjectSizeGreaterThan><ObjectSizeLessThan>9</ObjectSizeLessThan></And>')}`,
    ],
    ['a date', `<ID>1</ID>${ALL}<Expiration><Date>2030-01-01T00:00:00.000Z</Date></Expiration>`],
    [
      'a marker rule that is off',
      `<ID>1</ID>${ALL}<Expiration><ExpiredObjectDeleteMarker>false</ExpiredObjectDeleteMarker></Expiration>`,
    ],
    [
      'noncurrent versions',
      `<ID>1</ID>${noncurrent('<NoncurrentDays>3</NoncurrentDays><NewerNoncurrentVersions>500</NewerNoncurrentVersions>')}`,
    ],
    ['uploads alone', `<ID>1</ID>${ALL}${ABORT}`],
    [
      'transitions',
      `<ID>1</ID>${move(to(30, 'STANDARD_IA'), `<Transition>${to(60, 'GLACIER')}</Transition><NoncurrentVersionTransition><NoncurrentDays>0</NoncurrentDays><StorageClass>GLACIER</StorageClass></NoncurrentVersionTransition>`)}`,
    ],
  ])('%s', (_name, rule) => {
    const text = encodeXml(lifecycleDocument(parse(rule))).toString();
    expect(text.slice(text.indexOf('<Rule>'))).toBe(`<Rule>${rule}</Rule></LifecycleConfiguration>`);
  });

  test('an ID that is missing or empty is made up, 48 characters', () => {
    const ids = parse(`${ALL}${DAYS}`, `<ID></ID>${ALL}${DAYS}`).rules.map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
    const uuids = ids.map((id) => Buffer.from(id, 'base64').toString());
    for (const uuid of uuids) expect(uuid).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    for (const id of ids) expect(id).toHaveLength(48);
  });

  test('a day alone, and another zone, are that midnight in UTC', () => {
    const date = (text: string): unknown =>
      parse(`${ALL}<Expiration><Date>${text}</Date></Expiration>`).rules[0]?.expiration?.date;
    expect([date('2030-01-01'), date('2030-01-01T02:00:00+02:00'), date('2030-01-01T00:00:00')]).toEqual(
      Array.from({ length: 3 }, () => Date.UTC(2030, 0, 1)),
    );
  });
});

describe('a document is refused in the words of S3', () => {
  test.each([
    [[`<ID>${'x'.repeat(256)}</ID>${ALL}${DAYS}`], 'InvalidArgument ID length should not exceed allowed limit of 255'],
    [
      [`<ID>a</ID>${ALL}${DAYS}`, `<ID>a</ID>${ALL}${ABORT}`],
      'InvalidArgument Rule ID must be unique. Found same ID for more than one rule',
    ],
    [[`<Filter/><Status>enabled</Status>${DAYS}`], 'MalformedXML'],
    [[`${ON}${DAYS}`], 'MalformedXML'],
    [
      [`<Prefix>a</Prefix>${ON}${DAYS}`, `${ALL}${DAYS}`],
      'InvalidRequest Filter element can only be used in Lifecycle V2.',
    ],
    [
      [`<Prefix></Prefix><Filter/>${ON}${DAYS}`],
      'InvalidRequest Base level prefix cannot be used in Lifecycle V2, prefixes are only supported in the Filter.',
    ],
    [[filter(`<Prefix>a</Prefix>${tag('k')}`)], 'MalformedXML'],
    [[filter('<And><Prefix>a</Prefix></And>')], 'MalformedXML'],
    [[filter(`<And><Prefix></Prefix>${tag('k')}</And>`)], 'accepted'],
    [[filter(`<And>${tag('k')}${tag('k')}</And>`)], 'InvalidRequest Duplicate Tag Keys are not allowed.'],
    [[filter(`<Prefix>${'p'.repeat(1025)}</Prefix>`)], 'InvalidRequest The maximum size of a prefix is 1024'],
    [
      [filter('<ObjectSizeLessThan>0</ObjectSizeLessThan>')],
      "InvalidRequest 'ObjectSizeLessThan' should be between 1 and 1099511627776000.",
    ],
    [
      [filter('<ObjectSizeGreaterThan>-1</ObjectSizeGreaterThan>')],
      "InvalidRequest 'ObjectSizeGreaterThan' should be between 0 and 1099511627776000.",
    ],
    [
      [filter('<And><ObjectSizeGreaterThan>9</ObjectSizeGreaterThan><ObjectSizeLessThan>9</ObjectSizeLessThan></And>')],
      "InvalidRequest 'ObjectSizeLessThan' has to be a value greater than 'ObjectSizeGreaterThan'.",
    ],
    [[ALL], 'InvalidRequest At least one action needs to be specified in a rule'],
    [[], 'MalformedXML'],
    [Array.from({ length: 1001 }, () => `${ALL}${DAYS}`), 'MalformedXML'],
    [
      [`${ALL}<Expiration><Days>0</Days></Expiration>`],
      "InvalidArgument 'Days' for Expiration action must be a positive integer",
    ],
    [
      [`${ALL}<Expiration><Date>2030-01-01T00:00:01Z</Date></Expiration>`],
      "InvalidArgument 'Date' must be at midnight GMT",
    ],
    [
      [`${ALL}<Expiration><Date>1970-08-22T19:08:21Z</Date></Expiration>`],
      "InvalidArgument 'Date' must be at midnight GMT",
    ],
    [[`${ALL}<Expiration><Date>Tue, 01 Jan 2030 00:00:00 GMT</Date></Expiration>`], 'MalformedXML'],
    [[`${ALL}<Expiration><Date>2030-02-30</Date></Expiration>`], 'MalformedXML'],
    [[`${ALL}<Expiration/>`], 'MalformedXML'],
    [
      [`${ALL}<Expiration><Days>1</Days><ExpiredObjectDeleteMarker>false</ExpiredObjectDeleteMarker></Expiration>`],
      'MalformedXML',
    ],
    [
      [
        `<Filter>${tag('k')}</Filter>${ON}<Expiration><ExpiredObjectDeleteMarker>true</ExpiredObjectDeleteMarker></Expiration>`,
      ],
      'InvalidRequest ExpiredObjectDeleteMarker cannot be specified with Tags.',
    ],
    [
      [`<Filter><ObjectSizeLessThan>1</ObjectSizeLessThan></Filter>${ON}${ABORT}`],
      'InvalidRequest AbortIncompleteMultipartUpload cannot be specified with Object Size.',
    ],
    [
      [`${ALL}${ABORT.replace('1', '0')}`],
      "InvalidArgument 'DaysAfterInitiation' for AbortIncompleteMultipartUpload action must be a positive integer",
    ],
    [[noncurrent('<NewerNoncurrentVersions>1</NewerNoncurrentVersions>')], 'MalformedXML'],
    [
      [noncurrent('<NoncurrentDays>0</NoncurrentDays>')],
      "InvalidArgument 'NoncurrentDays' for NoncurrentVersionExpiration action must be a positive integer",
    ],
    [
      [noncurrent('<NoncurrentDays>1</NoncurrentDays><NewerNoncurrentVersions>0</NewerNoncurrentVersions>')],
      "InvalidArgument 'NewerNoncurrentVersions' for NoncurrentVersionExpiration action must be a positive integer",
    ],
    [
      [
        `<Prefix></Prefix>${ON}<NoncurrentVersionExpiration><NoncurrentDays>1</NoncurrentDays><NewerNoncurrentVersions>1</NewerNoncurrentVersions></NoncurrentVersionExpiration>`,
      ],
      'InvalidRequest NewerNoncurrentVersions element can only be used in Lifecycle V2.',
    ],
    [[move('<StorageClass>GLACIER</StorageClass>')], 'MalformedXML'],
    [[move(to(30, 'STANDARD'))], 'MalformedXML'],
    [[move(to(0, 'GLACIER'))], 'accepted'],
    [
      [move(to(29, 'STANDARD_IA'))],
      "InvalidArgument 'Days' in Transition action must be greater than or equal to 30 for storageClass 'STANDARD_IA'",
    ],
    [
      [move(to(30, 'GLACIER'), `<Transition>${to(40, 'GLACIER')}</Transition>`)],
      "InvalidRequest 'StorageClass' must be different for 'Transition' actions in same 'Rule' with filter '(prefix=)'",
    ],
    [
      [move(to(30, 'GLACIER'), '<Expiration><Date>2030-01-01</Date></Expiration>')],
      "InvalidRequest Found mixed 'Date' and 'Days' based Expiration and Transition actions in lifecycle rule for filter '(prefix=)'",
    ],
    [
      [move(to(30, 'GLACIER'), '<Expiration><Days>30</Days></Expiration>')],
      "InvalidArgument 'Days' in the Expiration action for filter '(prefix=)' must be greater than 'Days' in the Transition action",
    ],
    [
      [
        `<Prefix>foo/bar/buu</Prefix>${ON}${DAYS}`,
        `<Prefix>x</Prefix>${ON}${DAYS}`,
        `<Prefix>foo/bar</Prefix>${ON}${DAYS}`,
      ],
      "InvalidRequest Found overlapping prefixes 'foo/bar' and 'foo/bar/buu' for same action type 'Expiration'",
    ],
    [[`<Prefix>foo</Prefix>${ON}${DAYS}`, `<Prefix>foo/bar</Prefix>${ON}${ABORT}`], 'accepted'],
    [[`<Prefix>a</Prefix>${ON}${DAYS}<Unknown/>`], 'MalformedXML'],
  ])('%#: %s', (rules, refusal) => {
    expect(refusalOf(...rules)).toBe(refusal);
  });
});
