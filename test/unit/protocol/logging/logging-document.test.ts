import { describe, expect, test } from 'vitest';
import { isS3Error } from '../../../../src/errors/s3-error.ts';
import type { BucketLogging } from '../../../../src/protocol/logging/bucket-logging.ts';
import {
  LOGGING_OFF,
  loggingDocument,
  parseLoggingDocument,
} from '../../../../src/protocol/logging/logging-document.ts';
import { encodeXml } from '../../../../src/protocol/xml/encode.ts';

const status = (content: string): Buffer => Buffer.from(`<BucketLoggingStatus>${content}</BucketLoggingStatus>`);
const enabled = (content: string): Buffer =>
  status(`<LoggingEnabled><TargetBucket>logs</TargetBucket>${content}<TargetPrefix>a/</TargetPrefix></LoggingEnabled>`);
const format = (content: string): Buffer => enabled(`<TargetObjectKeyFormat>${content}</TargetObjectKeyFormat>`);
const XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';
const grant = (type: string, content: string, permission = 'READ'): Buffer =>
  enabled(
    `<TargetGrants><Grant><Grantee ${XSI} xsi:type="${type}">${content}</Grantee><Permission>${permission}</Permission></Grant></TargetGrants>`,
  );

describe('what a PUT says', () => {
  test('an empty document switches logging off', () => {
    expect(parseLoggingDocument(status(''))).toBeUndefined();
  });

  test.each<[string, Buffer, object]>([
    ['the least', enabled(''), { targetBucket: 'logs', targetPrefix: 'a/', grants: [] }],
    ['a simple format', format('<SimplePrefix/>'), { keyFormat: 'simple' }],
    [
      'partitions by event',
      format('<PartitionedPrefix><PartitionDateSource>EventTime</PartitionDateSource></PartitionedPrefix>'),
      { keyFormat: { partitionedBy: 'EventTime' } },
    ],
    [
      'partitions by nothing in particular',
      format('<PartitionedPrefix/>'),
      { keyFormat: { partitionedBy: 'DeliveryTime' } },
    ],
    [
      'a grant to a group',
      grant('Group', '<URI>http://acs.amazonaws.com/groups/s3/LogDelivery</URI>', 'READ_ACP'),
      { grants: [{ permission: 'READ_ACP', grantee: { type: 'uri' } }] },
    ],
  ])('%s', (_, body, expected) => {
    expect(parseLoggingDocument(body)).toMatchObject(expected);
  });

  test.each<[string, Buffer]>([
    ['no prefix', status('<LoggingEnabled><TargetBucket>logs</TargetBucket></LoggingEnabled>')],
    ['no bucket', status('<LoggingEnabled><TargetPrefix/></LoggingEnabled>')],
    ['an empty bucket', status('<LoggingEnabled><TargetBucket/><TargetPrefix/></LoggingEnabled>')],
    [
      'an unknown date source',
      format('<PartitionedPrefix><PartitionDateSource>kaboom</PartitionDateSource></PartitionedPrefix>'),
    ],
    ['both formats', format('<SimplePrefix/><PartitionedPrefix/>')],
    ['no format', format('')],
    ['an unknown permission', grant('Group', '<URI>http://acs.amazonaws.com/groups/s3/LogDelivery</URI>', 'LIST')],
    ['a grantee of no kind', grant('Robot', '<ID>x</ID>')],
    ['what is no setting of S3', enabled('<LoggingType>Journal</LoggingType>')],
    ['two targets', status('<LoggingEnabled/><LoggingEnabled/>')],
    ['no document', Buffer.alloc(0)],
  ])('%s is MalformedXML', (_, body) => {
    expect(() => parseLoggingDocument(body)).toThrow(expect.toSatisfy((error) => isS3Error(error, 'MalformedXML')));
  });
});

describe('what a GET says', () => {
  const shown = (logging: BucketLogging): string =>
    encodeXml(loggingDocument(logging, 'o'))
      .toString()
      .replace(/^.*\n<BucketLoggingStatus[^>]*>/, '')
      .replace('</BucketLoggingStatus>', '');
  const LOGS = { targetBucket: 'logs', targetPrefix: '' };

  test('nothing where none is set', () => {
    expect(encodeXml(LOGGING_OFF).toString()).toMatch(/<BucketLoggingStatus xmlns="[^"]*"\/>$/);
  });

  test('no format that was not put', () => {
    expect(shown(LOGS)).toBe(
      '<LoggingEnabled><TargetBucket>logs</TargetBucket><TargetPrefix></TargetPrefix></LoggingEnabled>',
    );
  });

  test('formats and grants as they were put', () => {
    expect(shown({ ...LOGS, keyFormat: 'simple' })).toContain(
      '<TargetObjectKeyFormat><SimplePrefix/></TargetObjectKeyFormat>',
    );
    expect(shown({ ...LOGS, keyFormat: { partitionedBy: 'EventTime' } })).toContain(
      '<PartitionedPrefix><PartitionDateSource>EventTime</PartitionDateSource></PartitionedPrefix>',
    );
    const targetGrants = [
      { grantee: { kind: 'owner' }, permission: 'READ' },
      { grantee: { kind: 'account', id: 'x' }, permission: 'FULL_CONTROL' },
      { grantee: { kind: 'group', group: 'LogDelivery' }, permission: 'WRITE' },
    ] as const;
    const text = shown({ ...LOGS, targetGrants });
    expect(text).toContain('<ID>o</ID></Grantee><Permission>READ</Permission>');
    expect(text).toContain('<ID>x</ID></Grantee><Permission>FULL_CONTROL</Permission>');
    expect(text).toContain(
      '<URI>http://acs.amazonaws.com/groups/s3/LogDelivery</URI></Grantee><Permission>WRITE</Permission>',
    );
  });
});
