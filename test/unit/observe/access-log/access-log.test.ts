import { describe, expect, test } from 'vitest';
import { S3Error } from '../../../../src/errors/s3-error.ts';
import { AccessLog, type AccessLogFormat } from '../../../../src/observe/access-log/access-log.ts';
import type { RequestFacts } from '../../../../src/observe/request-facts.ts';
import { OPERATION_TABLE, type OperationName } from '../../../../src/protocol/operation-table.ts';
import { endedFacts } from '../../../support/ended-facts.ts';

function lineOf(format: AccessLogFormat, facts: RequestFacts): string {
  let text = '';
  new AccessLog(format, { write: (line) => (text += line) }).ended(facts);
  expect(text.endsWith('\n')).toBe(true);
  expect(text.indexOf('\n')).toBe(text.length - 1);
  return text.slice(0, -1);
}

function signed(facts: RequestFacts): RequestFacts {
  const account = { name: 'main', canonicalId: 'c'.repeat(64) };
  facts.auth = { method: 'header', identity: { kind: 'account', account, accessKeyId: 'AKIA' }, failure: undefined, signature: undefined };
  return facts;
}

/** Fields of a line: brackets and quotes hold blanks. */
function fieldsOf(line: string): string[] {
  return line.match(/\[[^\]]*\]|"[^"]*"|\S+/g) ?? [];
}

describe('the format of S3', () => {
  test('all fields in their order', () => {
    const facts = signed(endedFacts({ operation: 'GetObject', bucket: 'photos', key: 'a b/ü.jpg', head: { rawHeaders: ['host', 'h:9000', 'User-Agent', 'aws "cli"'] } }));
    facts.note('s3gw.bucket.owner', 'o'.repeat(64));
    facts.note('s3gw.object.size', 3462992);
    facts.answerBytes = 1234;
    facts.versionId = '3/L4kqtJ';
    expect(fieldsOf(lineOf('s3', facts))).toEqual([
      'o'.repeat(64), 'photos', '[06/Feb/2019:00:00:38 +0000]', '192.0.2.3', 'c'.repeat(64), 'REQUEST000000001', 'REST.GET.OBJECT', 'a%20b/%C3%BC.jpg',
      '"GET /photos/cat.jpg HTTP/1.1"', '200', '-', '1234', '3462992', '70', '7', '"-"', '"aws \\x22cli\\x22"', '3/L4kqtJ', 'host-id', 'SigV4', '-', 'AuthHeader',
      'h:9000', '-', '-', '-',
    ]);
  });

  test.each<[OperationName, string]>([
    ['ListBuckets', 'REST.GET.SERVICE'], ['ListObjectsV2', 'REST.GET.BUCKET'], ['PutObject', 'REST.PUT.OBJECT'], ['CopyObject', 'REST.COPY.OBJECT'],
    ['UploadPart', 'REST.PUT.PART'], ['CompleteMultipartUpload', 'REST.POST.UPLOAD'], ['GetBucketVersioning', 'REST.GET.VERSIONING'],
    ['GetObjectAcl', 'REST.GET.ACL'], ['DeleteObjects', 'REST.POST.MULTI_OBJECT_DELETE'], ['DeleteObject', 'REST.DELETE.OBJECT'],
  ])('%s is %s', (operation, shown) => {
    expect(fieldsOf(lineOf('s3', endedFacts({ operation })))[6]).toBe(shown);
  });

  test('every operation has a name of that form', () => {
    for (const { name } of OPERATION_TABLE) expect(fieldsOf(lineOf('s3', endedFacts({ operation: name })))[6]).toMatch(/^REST\.[A-Z]+\.[A-Z_]+$/);
  });

  test('nothing a client sends makes a field or a line of its own', () => {
    const odd = 'x" "y\r\nz [';
    const facts = endedFacts({ bucket: 'b', key: `${odd}\uD800`, head: { method: 'GET', target: '/b/x%22', rawHeaders: ['user-agent', odd, 'referer', odd] } });
    expect(fieldsOf(lineOf('s3', facts))).toHaveLength(26);
  });
});

describe('JSON', () => {
  test('names ids, sender, outcome and times', () => {
    const facts = signed(endedFacts({ operation: 'PutObject', bucket: 'photos', key: 'cat.jpg', status: 412, head: { method: 'PUT' } }));
    facts.failure = new S3Error('PreconditionFailed');
    expect(JSON.parse(lineOf('json', facts))).toMatchObject({
      time: '2019-02-06T00:00:38.000Z', requestId: 'REQUEST000000001', traceId: '1'.repeat(32), spanId: '2'.repeat(16), method: 'PUT', operation: 'PutObject',
      bucket: 'photos', key: 'cat.jpg', account: 'main', accessKeyId: 'AKIA', authMethod: 'header', status: 412, code: 'PreconditionFailed', durationMs: 70, firstByteMs: 7,
    });
  });
});

test.each<AccessLogFormat>(['json', 's3'])('%s: credentials of a presigned URL do not show', (format) => {
  const target = '/photos/cat.jpg?X-Amz-Signature=abcdef0123456789&X-Amz-Security-Token=TOKENTOKEN&X-Amz-Date=20190206T000038Z';
  const line = lineOf(format, endedFacts({ operation: 'GetObject', head: { target, rawHeaders: ['referer', `https://example.com${target}`] } }));
  expect(line).toContain('X-Amz-Date=20190206T000038Z');
  expect(line).not.toMatch(/abcdef0123456789|TOKENTOKEN/);
});
