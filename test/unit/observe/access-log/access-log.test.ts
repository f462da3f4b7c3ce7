import '../../../support/property-seed.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { redactTarget, redactText } from '../../../../src/observe/redact.ts';
import { S3Error } from '../../../../src/errors/s3-error.ts';
import { AccessLog, type AccessLogFormat } from '../../../../src/observe/access-log/access-log.ts';
import type { RequestFacts } from '../../../../src/observe/request-facts.ts';
import { OPERATION_TABLE, type OperationName } from '../../../../src/protocol/operation-table.ts';
import { endedFacts } from '../../../support/observe/ended-facts.ts';

function lineOf(format: AccessLogFormat, facts: RequestFacts): string {
  let text = '';
  new AccessLog(format, { write: (line) => (text += line) }).ended(facts);
  expect(text.endsWith('\n')).toBe(true);
  expect(text.indexOf('\n')).toBe(text.length - 1);
  return text.slice(0, -1);
}

function signed(facts: RequestFacts): RequestFacts {
  const account = { name: 'main', canonicalId: 'c'.repeat(64) };
  facts.auth = {
    method: 'header',
    identity: { kind: 'account', account, accessKeyId: 'AKIA' },
    failure: undefined,
    signature: undefined,
  };
  return facts;
}

/** Fields of a line: brackets and quotes hold blanks. */
function fieldsOf(line: string): string[] {
  return line.match(/\[[^\]]*\]|"[^"]*"|\S+/g) ?? [];
}

describe('the format of S3', () => {
  test('all fields in their order', () => {
    const facts = signed(
      endedFacts({
        operation: 'GetObject',
        bucket: 'photos',
        key: 'a b/ü.jpg',
        head: { rawHeaders: ['host', 'h:9000', 'User-Agent', 'aws "cli"'] },
      }),
    );
    facts.note('s3gw.bucket.owner', 'o'.repeat(64));
    facts.note('s3gw.object.size', 3462992);
    facts.answerBytes = 1234;
    facts.versionId = '3/L4kqtJ';
    expect(fieldsOf(lineOf('s3', facts))).toEqual([
      'o'.repeat(64),
      'photos',
      '[06/Feb/2019:00:00:38 +0000]',
      '192.0.2.3',
      'c'.repeat(64),
      'REQUEST000000001',
      'REST.GET.OBJECT',
      'a%20b/%C3%BC.jpg',
      '"GET /photos/cat.jpg HTTP/1.1"',
      '200',
      '-',
      '1234',
      '3462992',
      '70',
      '7',
      '"-"',
      '"aws \\x22cli\\x22"',
      '3/L4kqtJ',
      'host-id',
      'SigV4',
      '-',
      'AuthHeader',
      'h:9000',
      '-',
      '-',
      '-',
    ]);
  });

  test.each<[OperationName, string]>([
    ['ListBuckets', 'REST.GET.SERVICE'],
    ['ListObjectsV2', 'REST.GET.BUCKET'],
    ['PutObject', 'REST.PUT.OBJECT'],
    ['CopyObject', 'REST.COPY.OBJECT'],
    ['UploadPart', 'REST.PUT.PART'],
    ['CompleteMultipartUpload', 'REST.POST.UPLOAD'],
    ['GetBucketVersioning', 'REST.GET.VERSIONING'],
    ['GetObjectAcl', 'REST.GET.ACL'],
    ['DeleteObjects', 'REST.POST.MULTI_OBJECT_DELETE'],
    ['DeleteObject', 'REST.DELETE.OBJECT'],
  ])('%s is %s', (operation, shown) => {
    expect(fieldsOf(lineOf('s3', endedFacts({ operation })))[6]).toBe(shown);
  });

  test('every operation has a name of that form', () => {
    for (const { name } of OPERATION_TABLE) {
      expect(fieldsOf(lineOf('s3', endedFacts({ operation: name })))[6]).toMatch(/^REST\.[A-Z]+\.[A-Z_]+$/);
    }
  });

  test('nothing a client sends makes a field or a line of its own', () => {
    const odd = 'x" "y\r\nz [';
    const facts = endedFacts({
      bucket: 'b',
      key: `${odd}\uD800`,
      head: { method: 'GET', target: '/b/x%22', rawHeaders: ['user-agent', odd, 'referer', odd] },
    });
    expect(fieldsOf(lineOf('s3', facts))).toHaveLength(26);
  });
});

describe('JSON', () => {
  test('names ids, sender, outcome and times', () => {
    const facts = signed(
      endedFacts({ operation: 'PutObject', bucket: 'photos', key: 'cat.jpg', status: 412, head: { method: 'PUT' } }),
    );
    facts.failure = new S3Error('PreconditionFailed');
    expect(JSON.parse(lineOf('json', facts))).toMatchObject({
      time: '2019-02-06T00:00:38.000Z',
      requestId: 'REQUEST000000001',
      traceId: '1'.repeat(32),
      spanId: '2'.repeat(16),
      method: 'PUT',
      operation: 'PutObject',
      bucket: 'photos',
      key: 'cat.jpg',
      account: 'main',
      accessKeyId: 'AKIA',
      authMethod: 'header',
      status: 412,
      code: 'PreconditionFailed',
      durationMs: 70,
      firstByteMs: 7,
    });
  });
});

test.each<AccessLogFormat>(['json', 's3'])('%s: credentials of a presigned URL do not show', (format) => {
  const target =
    '/photos/cat.jpg?X-Amz-Signature=abcdef0123456789&X-Amz-Security-Token=TOKENTOKEN&X-Amz-Date=20190206T000038Z';
  const line = lineOf(
    format,
    endedFacts({ operation: 'GetObject', head: { target, rawHeaders: ['referer', `https://example.com${target}`] } }),
  );
  expect(line).toContain('X-Amz-Date=20190206T000038Z');
  expect(line).not.toMatch(/abcdef0123456789|TOKENTOKEN/);
});

describe('whatever a client sends, a request is one line that says it', () => {
  const odd = fc.constantFrom(
    '"',
    '\\',
    ' ',
    '\r\n',
    '\n',
    '\t',
    '\0',
    '\x1b',
    '\x7f',
    '\x85',
    '\xff',
    '%',
    '[',
    ']',
    '-',
    '\\x22',
  );
  const bytes = fc
    .tuple(fc.string({ unit: 'binary-ascii', maxLength: 20 }), fc.string({ maxLength: 4, unit: odd }))
    .map((parts) => parts.join(''));
  const text = fc.oneof(
    bytes,
    fc.string({ unit: 'binary', maxLength: 12 }),
    fc.constantFrom('-', '', 'null\n', 'a b', '\u2028', '\u202e', '\ud800', 'x" 200 - "y'),
  );
  const sent = fc.record({
    bucket: text,
    key: text,
    versionId: text,
    uploadId: text,
    host: bytes,
    agent: bytes,
    referer: bytes,
    target: bytes,
  });

  type Said = typeof sent extends fc.Arbitrary<infer One> ? One : never;
  const factsOf = ({ bucket, key, versionId, uploadId, host, agent, referer, target }: Said): RequestFacts => {
    const facts = endedFacts({
      operation: 'GetObject',
      bucket,
      key,
      head: { target: `/${target}`, rawHeaders: ['Host', host, 'User-Agent', agent, 'Referer', referer] },
    });
    facts.versionId = versionId;
    facts.uploadId = uploadId;
    return facts;
  };
  /** Lines as the pickiest reader of them sees them. */
  // oxlint-disable-next-line no-control-regex -- separators of files, groups and records are among them
  const lines = (all: string): string[] => all.split(/\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/);

  test('in the format of S3', () => {
    const percent = (field: string | undefined): string => (field === '-' ? '' : decodeURIComponent(field ?? ''));
    const unquoted = (field = ''): string =>
      field === '"-"'
        ? ''
        : field
            .slice(1, -1)
            .replaceAll(/\\x([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    fc.assert(
      fc.property(sent, (said) => {
        const line = lineOf('s3', factsOf(said));
        expect(line).toMatch(/^[\x20-\x7e]+$/);
        const fields = line.match(/\[[^\]]*\]|"[^"]*"|\S+/g) ?? [];
        expect(fields.join(' ')).toBe(line);
        expect(fields).toHaveLength(26);
        const plain = [said.bucket, said.key, said.versionId, said.host].map((value) =>
          redactText(value).toWellFormed(),
        );
        expect([fields[1], fields[7], fields[17], fields[22]].map(percent)).toEqual(plain);
        const inQuotes = [
          `GET ${redactTarget(`/${said.target}`)} HTTP/1.1`,
          redactText(said.referer),
          redactText(said.agent),
        ];
        expect([fields[8], fields[15], fields[16]].map((field) => unquoted(field))).toEqual(inQuotes);
        expect(fields[9]).toBe('200');
      }),
      { numRuns: 1000 },
    );
  });

  test('in JSON', () => {
    fc.assert(
      fc.property(sent, (said) => {
        const line = lineOf('json', factsOf(said));
        expect(lines(line)).toEqual([line]);
        // oxlint-disable-next-line no-control-regex -- what a terminal would obey
        expect(line).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202a-\u202e]/);
        const { bucket, key, versionId, uploadId, host } = JSON.parse(line) as Record<string, string>;
        const plain = [
          said.bucket,
          ...[said.key, said.versionId, said.uploadId, said.host].map((value) => redactText(value)),
        ];
        expect([bucket, key, versionId, uploadId, host]).toEqual(plain);
      }),
      { numRuns: 1000 },
    );
  });
});
