import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ReceivedSpan } from '../../support/observe/otlp-receiver.ts';
import { RawConnection, type RawAnswer } from '../../support/clients/raw-http.ts';
import { signedHead } from '../../support/clients/sign-raw.ts';
import { type Backend, startRecordedAzurite, startTraced, type Traced } from './scene.ts';

const BUCKET = 'traced';
const MIB = 1024 * 1024;
/** Numbers of kinds in OTLP. */
const KIND = { internal: 1, server: 2, client: 3 };

let backend: Backend;
let traced: Traced;

beforeAll(async () => {
  backend = await startRecordedAzurite();
  traced = await startTraced(backend.open(), 'http/json', { OTEL_TRACES_SAMPLER: 'always_on' });
  await ask('PUT', `/${BUCKET}`);
  await ask('HEAD', `/${BUCKET}`);
}, 180_000);

afterAll(async () => {
  await traced.stop();
  await backend.stop();
});

interface Asked {
  readonly answer: RawAnswer;
  /** The trace that the client named. */
  readonly traceId: string;
  /** Its own span. */
  readonly parent: string;
}

async function ask(
  method: string,
  target: string,
  body: string | Buffer = '',
  headers: Readonly<Record<string, string>> = {},
): Promise<Asked> {
  const [traceId, parent] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
  const connection = await RawConnection.open(traced.gateway.port);
  const own = {
    'content-length': String(Buffer.byteLength(body)),
    traceparent: `00-${traceId}-${parent}-01`,
    tracestate: 'vendor=1',
    ...headers,
  };
  connection.send(signedHead({ method, target, headers: own }));
  connection.send(body);
  const answer = await connection.answer(method);
  connection.close();
  return { answer, traceId, parent };
}

/** The spans of a request by kind; fails unless each hangs below the right one. */
async function spansOf(
  { traceId, parent }: Asked,
  count: number,
): Promise<{ server: ReceivedSpan; operation: ReceivedSpan; calls: readonly ReceivedSpan[] }> {
  const spans = await traced.receiver.trace(traceId, count);
  const ofKind = (kind: number): ReceivedSpan[] => spans.filter((span) => span.kind === kind);
  const [server, operation] = [ofKind(KIND.server)[0], ofKind(KIND.internal)[0]];
  const calls = ofKind(KIND.client);
  if (server === undefined || operation === undefined) {
    throw new Error(`spans ${spans.map(({ name }) => name).join(', ')}`);
  }
  expect(spans).toHaveLength(count);
  expect(server.parentSpanId).toBe(parent);
  expect(operation.parentSpanId).toBe(server.spanId);
  for (const call of calls) expect(call.parentSpanId).toBe(operation.spanId);
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(count);
  return { server, operation, calls };
}

describe('spans of a request', () => {
  test('PUT of an object in one part', async () => {
    const asked = await ask('PUT', `/${BUCKET}/folder/cat.jpg`, 'meow', { 'user-agent': 'cat/1.0' });
    const { server, operation, calls } = await spansOf(asked, 3);
    expect(server).toMatchObject({
      name: 'PUT /{bucket}/{key}',
      status: 0,
      resource: { 'service.name': 'gateway-under-test' },
    });
    expect(server.attributes).toMatchObject({
      'http.request.method': 'PUT',
      'http.route': '/{bucket}/{key}',
      'http.response.status_code': 200,
      'http.request.body.size': 4,
      'url.scheme': 'http',
      'url.path': `/${BUCKET}/folder/cat.jpg`,
      'server.address': 'localhost',
      'client.address': '127.0.0.1',
      'network.protocol.version': '1.1',
      'user_agent.original': 'cat/1.0',
      'aws.request_id': asked.answer.headers['x-amz-request-id'],
    });
    expect(operation).toMatchObject({ name: 'S3 PutObject' });
    expect(operation.attributes).toMatchObject({
      'rpc.system': 'aws-api',
      'rpc.service': 'S3',
      'rpc.method': 'PutObject',
      'aws.s3.bucket': BUCKET,
      'aws.s3.key': 'folder/cat.jpg',
      'aws.extended_request_id': asked.answer.headers['x-amz-id-2'],
      'enduser.id': 'wire',
      's3gw.auth.method': 'header',
      's3gw.authorization.action': 's3:PutObject',
      's3gw.authorization.rule': 'bucketOwner',
      's3gw.backend.calls': 1,
      's3gw.body.framing': 'unsigned',
      's3gw.body.received': 4,
      's3gw.head.revision_after': expect.stringMatching(/^"/) as string,
    });
    expect(calls.map(({ name }) => name)).toEqual(['azure write']);
    expect(calls[0]?.attributes).toMatchObject({
      's3gw.backend.system': 'azure',
      's3gw.backend.operation': 'write',
      's3gw.backend.attempt': 1,
      's3gw.backend.outcome': 'ok',
      's3gw.backend.request_id': expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      'http.request.method': 'PUT',
      'http.response.status_code': 201,
      'http.request.body.size': 4,
      'url.path': `/devstoreaccount1/${BUCKET}/folder/cat.jpg`,
    });
  });

  test('GET, and what it finds at the key', async () => {
    const asked = await ask('GET', `/${BUCKET}/folder/cat.jpg`);
    const { server, operation, calls } = await spansOf(asked, 3);
    expect(asked.answer.body).toBe('meow');
    expect(server.name).toBe('GET /{bucket}/{key}');
    expect(operation.attributes).toMatchObject({
      's3gw.authorization.rule': 'objectOwner',
      's3gw.head.kind': 'inline',
      's3gw.object.size': 4,
    });
    expect(calls[0]).toMatchObject({
      name: 'azure read',
      attributes: { 'http.response.status_code': 200, 'http.response.body.size': 4 },
    });
  });

  test("CompleteMultipartUpload: all of its calls, the service's id of each", async () => {
    const { answer: created } = await ask('POST', `/${BUCKET}/big?uploads`);
    const uploadId = /<UploadId>([^<]+)</.exec(created.body)?.[1] ?? '';
    const etags = [];
    for (const [number, size] of [
      [1, 5 * MIB],
      [2, 10],
    ] as const) {
      const { answer } = await ask(
        'PUT',
        `/${BUCKET}/big?partNumber=${number}&uploadId=${uploadId}`,
        Buffer.alloc(size, number),
      );
      etags.push(answer.headers['etag'] ?? '');
    }
    const parts = etags
      .map((etag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${etag}</ETag></Part>`)
      .join('');
    const before = backend.requests.length;
    const asked = await ask(
      'POST',
      `/${BUCKET}/big?uploadId=${uploadId}`,
      `<CompleteMultipartUpload>${parts}</CompleteMultipartUpload>`,
    );
    expect(asked.answer.status).toBe(200);
    const sent = backend.requests
      .slice(before)
      .filter(({ headers }) => headers['traceparent']?.includes(asked.traceId) === true);
    expect(sent.length).toBeGreaterThanOrEqual(3);
    const { server, operation, calls } = await spansOf(asked, 2 + sent.length);
    expect(server.name).toBe('POST /{bucket}/{key}');
    expect(operation).toMatchObject({ name: 'S3 CompleteMultipartUpload' });
    expect(operation.attributes).toMatchObject({
      'aws.s3.upload_id': uploadId,
      'aws.s3.key': 'big',
      's3gw.backend.calls': sent.length,
    });
    expect(calls.map(({ name }) => name)).toContain('azure assemble');
    expect(calls.every(({ attributes }) => typeof attributes['s3gw.backend.request_id'] === 'string')).toBe(true);
    expect(new Set(sent.map(({ headers }) => headers['traceparent']))).toEqual(
      new Set(calls.map(({ spanId }) => `00-${asked.traceId}-${spanId}-01`)),
    );
    const part = traced.receiver.spans.find(
      ({ name, attributes }) => name === 'S3 UploadPart' && attributes['aws.s3.part_number'] === 2,
    );
    expect(part?.attributes).toMatchObject({ 'aws.s3.upload_id': uploadId, 's3gw.body.received': 10 });
  });

  test('a refused signature: the reason, nothing that was computed', async () => {
    const asked = await ask('GET', `/${BUCKET}/folder/cat.jpg`, '', { 'x-amz-date': '20260101T000000Z' });
    expect(asked.answer.status).toBe(403);
    const { server, operation } = await spansOf(asked, 2);
    expect(server.attributes).toMatchObject({ 'http.response.status_code': 403, 'error.type': 'RequestTimeTooSkewed' });
    expect(operation.attributes['s3gw.auth.method']).toBeUndefined();
  });
});

describe('what the backend is told', () => {
  test("the span of its call, the client's tracestate; the shared key does not sign them", async () => {
    const before = backend.requests.length;
    const asked = await ask('HEAD', `/${BUCKET}/folder/cat.jpg`);
    const { calls } = await spansOf(asked, 3);
    const [sent] = backend.requests.slice(before).filter(({ url }) => url.includes('cat.jpg'));
    expect(sent?.headers).toMatchObject({
      traceparent: `00-${asked.traceId}-${calls[0]?.spanId ?? ''}-01`,
      tracestate: 'vendor=1',
    });
    expect(asked.answer.status).toBe(200);
  });
});
