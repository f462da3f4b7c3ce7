import { describe, expect, it } from 'vitest';
import { S3Error } from '../../../../src/errors/s3-error.ts';
import { type FilterTexts, requestMatcher } from '../../../../src/admin/journal/filter.ts';
import { RequestJournal, type RequestSource } from '../../../../src/admin/journal/journal.ts';
import type { SignatureDiagnosis } from '../../../../src/admin/diagnosis/diagnosis.ts';
import type { KeptRequest } from '../../../../src/admin/journal/kept-request.ts';
import type { BackendCallFacts } from '../../../../src/observe/call-facts.ts';
import { type FactsOptions, factsOf, IDENTITY } from '../../../support/observe/request-facts.ts';

const SLOW_MS = 1000;
/** Of requests that run, or wait to be told of. */
const NONE: RequestSource = { running: () => [], flush: () => undefined };

function journalOf(maxBytes = 256 * 1024): RequestJournal {
  return new RequestJournal({ maxBytes, slowMs: SLOW_MS, requests: NONE });
}

async function scan(journal: RequestJournal, texts: FilterTexts = {}, limit = 1000): Promise<readonly KeptRequest[]> {
  return (await journal.scan({ matcher: requestMatcher(texts, SLOW_MS), limit })).requests;
}

function failed(code: 'AccessDenied' | 'NoSuchKey' | 'InternalError', cause?: Error): FactsOptions {
  const failure = new S3Error(code, { cause });
  return { status: failure.status, failure };
}

describe('the journal of a replica', () => {
  it('lists requests newest first, those that run among them, and finds each by its id', async () => {
    const [first, second, third] = [factsOf(), factsOf(), factsOf({ ended: undefined, status: 0 })];
    const journal = new RequestJournal({
      maxBytes: 65536,
      slowMs: SLOW_MS,
      requests: { ...NONE, running: () => [third] },
    });
    journal.ended(second);
    journal.ended(first);
    expect((await scan(journal)).map(({ id }) => id)).toEqual([third, second, first].map(({ head }) => head.requestId));
    expect(journal.find(first.head.requestId)).toMatchObject({ status: 200, endMs: 5 });
    expect(journal.find(third.head.requestId)?.endMs).toBeUndefined();
    expect(journal.find('0000000000UNKNOWN')).toBeUndefined();
    expect(journal.stats).toMatchObject({ inFlight: 1, kept: 2 });
  });

  it('says that there is more than was asked for', async () => {
    const journal = journalOf();
    for (let i = 0; i < 3; i++) journal.ended(factsOf());
    const matcher = requestMatcher({}, SLOW_MS);
    expect(await journal.scan({ matcher, limit: 3 })).toMatchObject({ more: false });
    const { requests, more } = await journal.scan({ matcher, limit: 2 });
    expect([requests.length, more]).toEqual([2, true]);
  });

  it('keeps failures and slow requests when ordinary ones have come and gone', async () => {
    const journal = journalOf();
    const denied = factsOf(failed('AccessDenied'));
    const slow = factsOf({ tookMs: 1500 });
    const missing = factsOf(failed('NoSuchKey'));
    const patient = factsOf({ tookMs: 1500, clientWaitMs: 1400 });
    for (const facts of [denied, slow, missing, patient]) journal.ended(facts);
    for (let i = 0; i < 2000; i++) journal.ended(factsOf());
    const kept = [denied, slow, missing, patient].map(({ head }) => journal.find(head.requestId) !== undefined);
    expect(kept).toEqual([true, true, false, false]);
  });

  it('tells listeners of the beginning and the end', () => {
    const journal = journalOf();
    const heard: string[] = [];
    const stop = journal.listen((event, { id }) => void heard.push(`${event} ${id}`));
    const facts = factsOf();
    journal.begun(facts);
    journal.ended(facts);
    stop();
    journal.ended(factsOf());
    expect(heard).toEqual([`started ${facts.head.requestId}`, `finished ${facts.head.requestId}`]);
  });

  it('holds what it holds in so many bytes, however long keys, headers and backend calls are', async () => {
    const maxBytes = 256 * 1024;
    const journal = journalOf(maxBytes);
    for (let i = 0; i < 300; i++) {
      const key = `${'ключ'.repeat(240)}${i}`;
      const facts = factsOf({
        key,
        head: { target: `/bucket/${encodeURIComponent(key)}?x=${'"\\'.repeat(2000)}`, rawHeaders: manyHeaders() },
        ...(i % 2 === 0
          ? failed('InternalError', new Error('\u0001'.repeat(5000), { cause: new Error('deep'.repeat(5000)) }))
          : {}),
      });
      for (let call = 0; call < 64; call++) facts.backend.push(backendCall(`/container/${encodeURIComponent(key)}`));
      journal.ended(facts);
      expect(journal.stats.keptBytes).toBeLessThanOrEqual(maxBytes);
    }
    const { kept, keptBytes } = journal.stats;
    expect(kept).toBeGreaterThan(10);
    expect(keptBytes).toBeGreaterThan(maxBytes / 2);
    const [newest] = await scan(journal, {}, 1);
    expect(newest?.key).toMatch(/299$/);
    expect(JSON.stringify(newest).length).toBeLessThan(64 * 1024);
  });
});

describe('what is kept of a request', () => {
  it('holds no credential, wherever one stood', async () => {
    const journal = new RequestJournal({ maxBytes: 65536, slowMs: SLOW_MS, requests: NONE, diagnose: () => report });
    const secret = 'fe5f80f77d5fa3beca038a248ff027d0445342fe2855ddc963176630326f1024';
    const token = 'IQoJb3JpZ2luX2VjEXAMPLETOKEN//////////wEaCXVzLWVhc3QtMSJHMEUCIQ';
    const report: SignatureDiagnosis = {
      canonicalRequest: `GET\n/bucket/key\nx-amz-security-token=${encodeURIComponent(token)}\nhost:localhost\nx-amz-security-token:${token}\n\nhost\nUNSIGNED-PAYLOAD`,
      stringToSign: 'AWS4-HMAC-SHA256\n20261121T000000Z\n20261121/us-east-1/s3/aws4_request\nabc',
      commonlyAltered: ['host'],
      hints: [{ cause: 'changed-host', certainty: 'proved', text: 'with localhost:9000 it fits' }],
    };
    const failure = new S3Error('SignatureDoesNotMatch', { cause: new Error(`X-Amz-Signature=${secret} is wrong`) });
    const facts = factsOf({
      head: {
        target: `/bucket/key?X-Amz-Signature=${secret}&x-amz-security-token=${encodeURIComponent(token)}`,
        rawHeaders: [
          'Authorization',
          `AWS4-HMAC-SHA256 Credential=MAINMAINMAINMAIN0001/20261121/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=${secret}`,
          'X-Amz-Security-Token',
          token,
          'x-amz-server-side-encryption-customer-key',
          secret,
          'Cookie',
          `session=${secret}`,
        ],
      },
      status: 403,
      failure,
      auth: { method: 'header', identity: undefined, failure, signature: undefined },
    });
    journal.ended(facts);
    const text = JSON.stringify(await scan(journal));
    for (const one of [secret, token, encodeURIComponent(token)]) expect(text).not.toContain(one);
    const [kept] = await scan(journal);
    expect(kept?.auth).toMatchObject({
      accessKeyId: 'MAINMAINMAINMAIN0001',
      failure: { code: 'SignatureDoesNotMatch' },
    });
    expect(kept?.auth?.report?.stringToSign).toContain('20261121/us-east-1/s3/aws4_request\nabc');
    expect(kept?.auth?.report).toMatchObject({ commonlyAltered: ['host'], hints: report.hints });
    expect(kept?.auth?.report?.canonicalRequest).toContain('host:localhost');
  });

  it('has every fact under its name, whatever is there and whatever is not', async () => {
    const journal = journalOf();
    const digests = { declared: [{ algorithm: 'CRC32', value: 'a' }], computed: [{ algorithm: 'MD5', value: 'b' }] };
    const body = { framing: 'unsigned', contentLength: 7, declaredSize: 6, received: 5, chunks: 4, ...digests };
    const full = factsOf({
      operation: 'UploadPart',
      versionId: 'v',
      uploadId: 'u',
      virtualHost: true,
      clientAddress: '10.0.0.1',
      scheme: 'https',
      clientLeft: true,
      authorization: { action: 's3:PutObject', allowed: true, rule: 'bucketOwner' },
      authorizations: 2,
      authorized: undefined,
      body,
      backendCalls: 3,
      backendRetries: 1,
      clientWaitMs: 1.25,
      backendWaitMs: 2.5,
      bytesIn: 70,
      bytesOut: 80,
      auth: {
        method: 'query',
        identity: { ...IDENTITY, user: { name: 'robot', arn: 'arn' } },
        failure: undefined,
        signature: undefined,
      },
    });
    full.key = 'line\nbreak\\n and \\-';
    full.heads.push({ name: 'key', before: 'r1', kind: 'inline', after: 'r2' });
    journal.ended(full);
    const nothing = {
      classification: undefined,
      bucket: undefined,
      key: undefined,
      auth: undefined,
      firstByte: undefined,
      authenticated: undefined,
    };
    journal.ended(factsOf({ status: 0, ...nothing }));
    const [bare, kept] = await scan(journal);
    expect(kept).toMatchObject({
      id: full.head.requestId,
      traceId: full.head.trace.traceId,
      arrived: full.head.arrivedAt,
      method: 'GET',
      target: '/bucket/key',
      httpVersion: '1.1',
      scheme: 'https',
      clientAddress: '10.0.0.1',
      headers: [['Host', 'localhost']],
      headersOmitted: 0,
      operation: 'UploadPart',
      bucket: 'bucket',
      key: 'line\nbreak\\n and \\-',
      versionId: 'v',
      uploadId: 'u',
      virtualHost: true,
      auth: { method: 'query', account: 'main', user: 'robot', accessKeyId: IDENTITY.accessKeyId },
      authorization: { action: 's3:PutObject', allowed: true, rule: 'bucketOwner' },
      authorizations: 2,
      backendCalls: 3,
      backendRetries: 1,
      backend: [],
      heads: [{ name: 'key', before: 'r1', kind: 'inline', after: 'r2' }],
      body: { framing: 'unsigned', sentBytes: 7, declaredBytes: 6, decodedBytes: 5, chunks: 4, ...digests },
      authenticatedMs: 0,
      firstByteMs: 5,
      endMs: 5,
      blockedOnClientMs: 1.25,
      blockedOnBackendMs: 2.5,
      status: 200,
      clientLeft: true,
      bytesIn: 70,
      bytesOut: 80,
    });
    for (const name of [
      'operation',
      'bucket',
      'key',
      'auth',
      'body',
      'firstByteMs',
      'authenticatedMs',
      'clientLeft',
      'failure',
      'status',
    ] as const) {
      expect(bare?.[name]).toBeUndefined();
    }
  });

  it('has the backend calls with their times since arrival, and the causes of a failure', async () => {
    const journal = journalOf();
    const facts = factsOf(failed('InternalError', new Error('write: unavailable', { cause: new Error('ECONNRESET') })));
    facts.backend.push({
      ...backendCall('/container/blob'),
      started: facts.arrived + 1.234,
      ended: facts.arrived + 3.5,
    });
    journal.ended(facts);
    const [kept] = await scan(journal);
    expect(kept?.backend).toEqual([
      {
        system: 'azure',
        operation: 'write',
        method: 'PUT',
        target: '/container/blob',
        attempt: 1,
        startMs: 1.23,
        durationMs: 2.27,
        status: 201,
        outcome: 'ok',
        requestId: 'backend-id',
        bytesSent: 10,
        bytesReceived: 0,
      },
    ]);
    expect(kept?.failure).toMatchObject({
      code: 'InternalError',
      causes: [{ message: 'write: unavailable' }, { message: 'ECONNRESET' }],
    });
  });
});

function manyHeaders(): string[] {
  return Array.from({ length: 60 }, (_, i) => [`x-amz-meta-${i}`, '\u00e4"'.repeat(120)]).flat();
}

function backendCall(path: string): BackendCallFacts {
  return {
    system: 'azure',
    operation: 'write',
    method: 'PUT',
    path,
    spanId: undefined,
    attempt: 1,
    started: performance.now(),
    bytesSent: 10,
    ended: performance.now(),
    status: 201,
    bytesReceived: 0,
    backendRequestId: 'backend-id',
    outcome: 'ok',
    failure: undefined,
  };
}
