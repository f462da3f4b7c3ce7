import { describe, expect, test } from 'vitest';
import { isS3Error } from '../../../../src/errors/s3-error.ts';
import {
  notificationDocument,
  requestedNotifications,
  targetName,
  withIds,
} from '../../../../src/protocol/notifications/notification-document.ts';
import {
  type NotificationRule,
  concernsKey,
  rulesFor,
} from '../../../../src/protocol/notifications/notification-rule.ts';
import { decodeXml } from '../../../../src/protocol/xml/decode.ts';
import { encodeXml } from '../../../../src/protocol/xml/encode.ts';
import { NOTIFICATION_CONFIGURATION } from '../../../../src/protocol/xml/notification-shape.ts';

const ARN = 'arn:aws:sqs:us-east-1:123456789012:q';

function rules(...configurations: string[]): readonly NotificationRule[] {
  return again(configurations, []);
}

/** @param before the rules that are replaced */
function again(configurations: readonly string[], before: readonly NotificationRule[]): readonly NotificationRule[] {
  const document = `<NotificationConfiguration>${configurations.join('')}</NotificationConfiguration>`;
  return withIds(requestedNotifications(decodeXml(NOTIFICATION_CONFIGURATION, Buffer.from(document))), before);
}

function queue(id: string, inside: string, arn = ARN): string {
  return `<QueueConfiguration><Id>${id}</Id><Queue>${arn}</Queue>${inside}</QueueConfiguration>`;
}

const event = (name: string): string => `<Event>s3:${name}</Event>`;
const PUT = event('ObjectCreated:Put');
const filter = (...rule: string[]): string =>
  `<Filter><S3Key>${rule.map((one) => `<FilterRule>${one}</FilterRule>`).join('')}</S3Key></Filter>`;
const name = (of: string, value: string): string => `<Name>${of}</Name><Value>${value}</Value>`;

function refusal(...configurations: string[]): string {
  try {
    rules(...configurations);
    return 'taken';
  } catch (error) {
    if (!isS3Error(error)) throw error;
    return [error.code, error.message, ...Object.values(error.extra)].join(' | ');
  }
}

test('what was put is what GET answers, with names of filters written large', () => {
  const put = [
    queue('one', PUT + event('ObjectRemoved:*') + filter(name('prefix', 'a/'), name('SUFFIX', ''))),
    '<TopicConfiguration><Id>two</Id><Topic>arn:aws:sns:::t</Topic><Event>s3:LifecycleExpiration:*</Event></TopicConfiguration>',
    '<CloudFunctionConfiguration><Id>three</Id><CloudFunction>arn:aws:lambda:r:1:function:f</CloudFunction><Event>s3:ObjectCreated:Post</Event></CloudFunctionConfiguration>',
  ];
  const got = encodeXml(notificationDocument(rules(...put))).toString();
  expect(got).toContain('<Name>Prefix</Name><Value>a/</Value>');
  expect(got).toContain('<Name>Suffix</Name><Value></Value>');
  expect(requestedNotifications(decodeXml(NOTIFICATION_CONFIGURATION, Buffer.from(got)))).toEqual(rules(...put));
});

describe('a configuration without an id', () => {
  const REMOVED = event('ObjectRemoved:*');
  const put = [queue('', PUT + filter(name('prefix', 'a/'))), queue('', REMOVED)];

  test('gets one, and keeps it when it is put again: what waits to be sent is its own', () => {
    const first = rules(...put);
    expect(new Set(first.map(({ id }) => id)).size).toBe(2);
    expect(first.every(({ id }) => id.length > 0)).toBe(true);
    expect(again(put, first)).toEqual(first);
    expect(again(put.toReversed(), first)).toEqual(first.toReversed());
  });

  test('gets another one when it says something else', () => {
    const first = rules(...put);
    const others = [
      queue('', PUT + filter(name('prefix', 'b/'))),
      queue('', REMOVED, `${ARN}-other`),
      queue('', event('ObjectRemoved:Delete')),
    ];
    for (const other of others) {
      const [changed] = again([other], first);
      expect(first.map(({ id }) => id)).not.toContain(changed?.id);
    }
  });

  test('gets another one when a configuration with an id has taken its own', () => {
    const [first = expect.fail()] = rules(queue('', PUT));
    const [one, other] = again([queue('', PUT), queue(first.id, REMOVED)], [first]);
    expect(other?.id).toBe(first.id);
    expect(one?.id).not.toBe(first.id);
  });
});

test('EventBridge gets everything, besides what others ask for', () => {
  const put = [queue('one', PUT), '<EventBridgeConfiguration/>'];
  const all = rules(...put);
  expect(rulesFor(all, 'ObjectCreated:Put', 'k').map(({ kind }) => kind)).toEqual(['queue', 'eventBridge']);
  expect(rulesFor(all, 'ObjectTagging:Put', 'k').map(({ kind }) => kind)).toEqual(['eventBridge']);
  expect(concernsKey(all, 'k')).toBe(true);
  const got = encodeXml(notificationDocument(all)).toString();
  expect(got).toContain('<EventBridgeConfiguration');
  expect(requestedNotifications(decodeXml(NOTIFICATION_CONFIGURATION, Buffer.from(got)))).toEqual(all);
  expect(encodeXml(notificationDocument(rules(queue('one', PUT)))).toString()).not.toContain('EventBridge');
});

test('a configuration without an Id gets one of its own', () => {
  const [one, other] = rules(
    queue('', PUT + filter(name('prefix', 'a'))),
    queue('', PUT + filter(name('prefix', 'b'))),
  );
  expect(one?.id).toMatch(/^[A-Za-z0-9+/=]{48}$/);
  expect(other?.id).not.toBe(one?.id);
});

describe("refusals are in S3's words", () => {
  test.each([
    [
      'a filter of another name',
      [queue('a', PUT + filter(name('infix', 'x')))],
      'InvalidArgument | filter rule name must be either prefix or suffix | FilterRule.Name | infix',
    ],
    [
      'two prefixes',
      [queue('a', PUT + filter(name('prefix', 'x'), name('Prefix', 'y')))],
      'InvalidArgument | Cannot specify more than one prefix rule in a filter. | FilterRule.Name | prefix',
    ],
    ['an ARN that is none', [queue('a', PUT, 'q')], 'InvalidArgument | The ARN could not be parsed | Queue | q'],
    [
      'an ARN of another service',
      [queue('a', PUT, 'arn:aws:sns:us-east-1:1:q')],
      'InvalidArgument | The ARN could not be parsed | Queue | arn:aws:sns:us-east-1:1:q',
    ],
    [
      'an event that is never sent',
      [queue('a', event('Replication:*'))],
      'InvalidArgument | The event is not supported for notifications | Event | s3:Replication:*',
    ],
    [
      'all events of a kind that has no such name',
      [queue('a', event('ObjectAcl:*'))],
      'InvalidArgument | The event is not supported for notifications | Event | s3:ObjectAcl:*',
    ],
    [
      'one id twice',
      [queue('a', PUT), queue('a', event('ObjectRemoved:*'))],
      'InvalidArgument | Same ID used for multiple configurations. IDs must be unique',
    ],
    [
      'an event twice',
      [queue('a', PUT), queue('b', event('ObjectCreated:*') + filter(name('suffix', '.jpg')))],
      'InvalidArgument | Configurations overlap. Configurations on the same bucket cannot share a common event type.',
    ],
  ])('%s', (_what, configurations, told) => {
    expect(refusal(...configurations)).toBe(told);
  });

  test.each([
    ['no event', queue('a', '')],
    ['a filter without a value', queue('a', PUT + filter('<Name>prefix</Name>'))],
    ['an element of no document', queue('a', `${PUT}<Url>http://example.com</Url>`)],
  ])('%s is MalformedXML', (_what, configuration) => {
    expect(refusal(configuration)).toMatch(/^MalformedXML/);
  });
});

test.each([
  ['prefixes that exclude each other', name('prefix', 'a/'), name('prefix', 'b/')],
  ['suffixes that exclude each other', name('suffix', '.jpg'), name('suffix', '.png')],
])('%s may share an event', (_what, one, other) => {
  expect(refusal(queue('a', PUT + filter(one)), queue('b', PUT + filter(other)))).toBe('taken');
});

test.each([
  [ARN, 'q'],
  ['arn:aws:lambda:us-east-1:1:function:f', 'f'],
  ['http://169.254.169.254/', undefined],
])('the name in %s is %s', (arn, expected) => {
  expect(targetName(arn)).toBe(expected);
});
