import '../../../support/property-seed.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { S3Error } from '../../../../src/errors/s3-error.ts';
import type { AccessPart, LoggedAccess } from '../../../../src/observe/access-log/bucket-log.ts';
import { s3Line } from '../../../../src/observe/access-log/s3-line.ts';
import type { RequestFacts } from '../../../../src/observe/request-facts.ts';
import { endedFacts } from '../../../support/observe/ended-facts.ts';

const OWNER = 'a'.repeat(64);

function access(part?: AccessPart, bucket = 'photos'): LoggedAccess {
  const log = { bucket, ownerId: OWNER, add: () => undefined };
  return part === undefined ? { log } : { log, part };
}

/** Fields as Athena's documented regular expression parts them. */
const ATHENA =
  /^([^ ]*) ([^ ]*) \[(.*?)\] ([^ ]*) ([^ ]*) ([^ ]*) ([^ ]*) ([^ ]*) ("[^"]*"|-) (-|[0-9]*) ([^ ]*) ([^ ]*) ([^ ]*) ([^ ]*) ([^ ]*) ([^ ]*) ("[^"]*"|-) ([^ ]*) ([^ ]*) ([^ ]*) ([^ ]*) ([^ ]*) ([^ ]*) ([^ ]*) ([^ ]*) ([^ ]*)$/;

function fieldsOf(line: string): readonly string[] {
  const found = ATHENA.exec(line);
  if (found === null) throw new Error(`not a record: ${line}`);
  return found.slice(1);
}

describe('a record of a bucket', () => {
  test('of a whole request: its bucket and owner are those of the log', () => {
    const facts = endedFacts({ operation: 'PutObject', bucket: 'photos', key: "it's", head: { method: 'PUT' } });
    facts.tls = { version: 'TLSv1.3', cipher: 'TLS_AES_256_GCM_SHA384' };
    facts.body = {
      framing: 'hash',
      contentLength: 5,
      declaredSize: 5,
      received: 5,
      chunks: 0,
      declared: [],
      computed: [],
    };
    const fields = fieldsOf(s3Line(facts, access()));
    expect(fields.slice(0, 2)).toEqual([OWNER, 'photos']);
    expect(fields[6]).toBe('REST.PUT.OBJECT');
    expect(fields[7]).toBe('it%27s');
    expect(fields[12]).toBe('5');
    expect([fields[20], fields[23]]).toEqual(['TLS_AES_256_GCM_SHA384', 'TLSv1.3']);
  });

  test('of a refused one', () => {
    const facts = endedFacts({ operation: 'GetObject', bucket: 'photos', key: 'k', status: 403 });
    facts.failure = new S3Error('AccessDenied');
    facts.authorization = { action: 's3:GetObject', allowed: false, rule: 'none' };
    expect(fieldsOf(s3Line(facts, access())).slice(9, 11)).toEqual(['403', 'AccessDenied']);
  });

  test('of one that an ACL let in', () => {
    const facts = endedFacts({ operation: 'GetObject', bucket: 'photos', key: 'k' });
    facts.authorization = { action: 's3:GetObject', allowed: true, rule: 'aclAllUsers' };
    expect(fieldsOf(s3Line(facts, access()))[25]).toBe('Yes');
    facts.authorization = { action: 's3:GetObject', allowed: true, rule: 'bucketPolicy' };
    expect(fieldsOf(s3Line(facts, access()))[25]).toBe('-');
  });

  test('of a download that its client broke off: no more than was sent', () => {
    const facts = endedFacts({ operation: 'GetObject', bucket: 'photos', key: 'k' });
    facts.answerBytes = 1000;
    facts.bytesOut = 300;
    expect(fieldsOf(s3Line(facts, access()))[11]).toBe('1000');
    facts.clientLeft = true;
    expect(fieldsOf(s3Line(facts, access()))[11]).toBe('300');
  });

  test('of a visit to a website', () => {
    const facts = endedFacts({ operation: 'GetObject', bucket: 'photos', key: 'index.html' });
    facts.website = true;
    expect(fieldsOf(s3Line(facts, access()))[6]).toBe('WEBSITE.GET.OBJECT');
  });

  test('of the source of a copy', () => {
    const facts = endedFacts({ operation: 'CopyObject', bucket: 'there', key: 'copy', head: { method: 'PUT' } });
    const source = access({ kind: 'copySource', key: 'from here', versionId: 'v1' }, 'here');
    const fields = fieldsOf(s3Line(facts, source));
    expect([fields[1], fields[6], fields[7], fields[17]]).toEqual([
      'here',
      'REST.COPY.OBJECT_GET',
      'from%20here',
      'v1',
    ]);
    const part = endedFacts({ operation: 'UploadPartCopy', bucket: 'there', key: 'copy', head: { method: 'PUT' } });
    expect(fieldsOf(s3Line(part, source))[6]).toBe('REST.COPY.PART_GET');
  });

  test('of a key of DeleteObjects: without request line, sender and times', () => {
    const facts = endedFacts({ operation: 'DeleteObjects', bucket: 'photos', head: { method: 'POST' } });
    const gone: AccessPart = { kind: 'batchDelete', key: 'a', versionId: undefined, status: 204 };
    const fields = fieldsOf(s3Line(facts, access(gone)));
    expect(fields.slice(6, 18)).toEqual([
      'BATCH.DELETE.OBJECT',
      'a',
      '-',
      '204',
      '-',
      '-',
      '-',
      '-',
      '-',
      '-',
      '-',
      '-',
    ]);
    const kept: AccessPart = { ...gone, versionId: 'v', status: 403, code: 'AccessDenied' };
    const refused = fieldsOf(s3Line(facts, access(kept)));
    expect([refused[9], refused[10], refused[17]]).toEqual(['403', 'AccessDenied', 'v']);
  });
});

describe('nothing that a client says forges a field or a record', () => {
  const odd = fc.constantFrom(
    '"',
    "'",
    '\\',
    ' ',
    '\r\n',
    '\n',
    '\t',
    '\0',
    '\x7f',
    '\x85',
    '\xff',
    '[',
    ']',
    '-',
    '%22',
    ' - ',
  );
  const text = fc.oneof(
    fc.string({ unit: odd, maxLength: 8 }),
    fc.string({ unit: 'binary', maxLength: 12 }),
    fc.constantFrom('x" 200 - "y', `- 200\n${OWNER} photos [`, '\u2028', '\ud800'),
  );
  const part = fc.oneof(
    fc.constant(undefined),
    fc.record({ kind: fc.constant('copySource' as const), key: text, versionId: text }),
    fc.record({ kind: fc.constant('batchDelete' as const), key: text, versionId: text, status: fc.constant(204) }),
  );

  test('each record is one line of 26 fields, and the log is the only place that names owner and bucket', () => {
    fc.assert(
      fc.property(
        fc.record({ key: text, version: text, agent: text, referer: text, target: text, host: text, part }),
        (said) => {
          const facts: RequestFacts = endedFacts({
            operation: 'GetObject',
            bucket: 'photos',
            key: said.key,
            head: {
              target: `/${said.target}`,
              rawHeaders: ['Host', said.host, 'User-Agent', said.agent, 'Referer', said.referer],
            },
          });
          facts.versionId = said.version;
          const line = s3Line(facts, access(said.part));
          expect(line).toMatch(/^[\x20-\x7e]+$/);
          const fields = fieldsOf(line);
          expect(fields.slice(0, 2)).toEqual([OWNER, 'photos']);
          expect(fields[9]).toMatch(/^20[04]$/);
          expect(fields[25]).toBe('-');
        },
      ),
      { numRuns: 1000 },
    );
  });

  test('a signature never stands in a record, whatever the spelling of its name', () => {
    const signature = 'abcdef0123456789abcdef0123456789';
    for (const name of [
      'X-Amz-Signature',
      'x-amz-signature',
      'X%2DAmz%2DSignature',
      'Signature',
      'X-Amz-Security-Token',
    ]) {
      const target = `/photos/k?${name}=${signature}&X-Amz-Date=20260101T000000Z`;
      const facts = endedFacts({
        operation: 'GetObject',
        head: { target, rawHeaders: ['referer', `https://h${target}`] },
      });
      expect(s3Line(facts, access())).not.toContain(signature);
      // Method, target and version: readers part the request line at blanks.
      expect(fieldsOf(s3Line(facts, access()))[8]?.split(' ')).toHaveLength(3);
    }
  });
});
