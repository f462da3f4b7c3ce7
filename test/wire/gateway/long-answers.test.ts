import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { setTimeout as sleep } from 'node:timers/promises';
import { S3Error } from '../../../src/errors/s3-error.ts';
import type { OperationWithoutBucket } from '../../../src/operations/operation.ts';
import { xml } from '../../../src/protocol/xml/document.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { RawConnection } from '../../support/clients/raw-http.ts';
import { signedHead } from '../../support/clients/sign-raw.ts';

const RESULT = xml({ root: 'Result', content: { kind: 'text' } }, 'done');
let gateway: TestGateway;
let work: OperationWithoutBucket;

beforeAll(async () => {
  gateway = await startTestGateway({
    operations: { CopyObject: { withoutBucket: (request, context) => work(request, context) } },
    longAnswerMs: 50,
  });
});

afterAll(() => gateway.close());

async function copy(): Promise<RawConnection> {
  const connection = await RawConnection.open(gateway.port);
  connection.send(
    signedHead({
      method: 'PUT',
      target: '/bucket/key',
      headers: { 'x-amz-copy-source': '/bucket/x', 'content-length': '0' },
    }),
  );
  return connection;
}

describe('an operation that may take long', () => {
  test('in time: its own status and headers, chunked, no white space', async () => {
    work = async (_request, context) => {
      context.mayTakeLong();
      return { status: 200, headers: { 'x-amz-version-id': 'v1' }, body: RESULT };
    };
    const answer = await (await copy()).answer();
    expect([
      answer.headers['transfer-encoding'],
      answer.headers['content-length'],
      answer.headers['x-amz-version-id'],
    ]).toEqual(['chunked', undefined, 'v1']);
    expect(answer.body).toBe(
      '<?xml version="1.0" encoding="UTF-8"?>\n<Result xmlns="http://s3.amazonaws.com/doc/2006-03-01/">done</Result>',
    );
  });

  test('in time: prolog and document are one chunk', async () => {
    work = async (_request, context) => {
      context.mayTakeLong();
      return { status: 200, body: RESULT };
    };
    const connection = await copy();
    const oneChunk = /\r\n\r\n[\da-f]+\r\n<\?xml[^\r]+<\/Result>\r\n0\r\n\r\n$/;
    await expect.poll(() => connection.pending, { timeout: 30_000 }).toMatch(oneChunk);
  });

  test('late: the headers that were announced, prolog first, then white space', async () => {
    work = async (_request, context) => {
      context.mayTakeLong({ 'x-amz-version-id': 'v2' });
      await sleep(220);
      return { status: 200, body: RESULT };
    };
    const answer = await (await copy()).answer();
    expect(answer.headers['x-amz-version-id']).toBe('v2');
    expect(answer.body).toMatch(
      /^<\?xml version="1.0" encoding="UTF-8"\?>\n {2,}<Result xmlns="[^"]+">done<\/Result>$/,
    );
  });

  test('begun anew in time: the headers are those of the work that counts', async () => {
    work = async (_request, context) => {
      context.mayTakeLong({ 'x-amz-copy-source-version-id': 'v1' });
      context.mayTakeLong({ 'x-amz-copy-source-version-id': 'v2' });
      await sleep(220);
      return { status: 200, body: RESULT };
    };
    const answer = await (await copy()).answer();
    expect(answer.headers['x-amz-copy-source-version-id']).toBe('v2');
    expect(answer.body).toMatch(/done<\/Result>$/);
  });

  test.each([
    ['v1', /done<\/Result>$/],
    ['v2', /<Error><Code>SlowDown<\/Code>.*<\/Error>$/],
  ])('begun anew too late, now about %s: no answer has headers of something else', async (version, body) => {
    work = async (_request, context) => {
      context.mayTakeLong({ 'x-amz-copy-source-version-id': 'v1' });
      await sleep(220);
      context.mayTakeLong({ 'x-amz-copy-source-version-id': version });
      return { status: 200, body: RESULT };
    };
    const answer = await (await copy()).answer();
    expect([answer.status, answer.headers['x-amz-copy-source-version-id']]).toEqual([200, 'v1']);
    expect(answer.body).toMatch(body);
  });

  test('an early error keeps its status', async () => {
    work = async (_request, context) => {
      context.mayTakeLong();
      throw new S3Error('PreconditionFailed');
    };
    expect((await (await copy()).answer()).status).toBe(412);
  });

  test('a late error travels in the body', async () => {
    work = async (_request, context) => {
      context.mayTakeLong();
      await sleep(80);
      throw new S3Error('SlowDown');
    };
    const answer = await (await copy()).answer();
    expect(answer.status).toBe(200);
    expect(answer.body).toMatch(/\?>\n *<Error><Code>SlowDown<\/Code>.*<\/Error>$/);
  });
});

describe('the end of a request', () => {
  let reason: unknown;

  beforeEach(() => {
    reason = undefined;
  });

  test('a client that hangs up ends the work for it, and nothing is logged', async () => {
    work = async (_request, { call }) => {
      await new Promise((resolve) => call.signal.addEventListener('abort', resolve, { once: true }));
      reason = call.signal.reason;
      throw call.signal.reason;
    };
    const connection = await copy();
    await sleep(50);
    expect(gateway.dispatcher.inFlight).toBe(1);
    connection.close();
    await expect.poll(() => reason).toMatchObject({ name: 'ClientGone' });
    await expect.poll(() => gateway.dispatcher.inFlight).toBe(0);
    expect(gateway.logged).toEqual([]);
  });

  test('a client that waited long and leaves without an answer is logged', async () => {
    const impatient = await startTestGateway({
      patienceMs: 50,
      operations: {
        ListBuckets: {
          withoutBucket: async (_request, { call }) => {
            await new Promise((resolve) => call.signal.addEventListener('abort', resolve, { once: true }));
            throw call.signal.reason;
          },
        },
      },
    });
    const connection = await RawConnection.open(impatient.port);
    connection.send(signedHead({ method: 'GET', target: '/', headers: { 'content-length': '0' } }));
    await sleep(120);
    connection.close();
    await expect
      .poll(() => impatient.logged)
      .toMatchObject([
        { level: 'warn', message: 'the client left without an answer', fields: { operation: 'ListBuckets' } },
      ]);
    await impatient.close();
  });

  test('an answer that breaks off takes the connection with it', async () => {
    work = async () => ({
      status: 200,
      body: {
        size: 100,
        stream: () => {
          throw new Error('not asked for');
        },
        discard: () => undefined,
        pipeTo: async (sink) => {
          sink.write('half');
          await sleep(20);
          throw new Error('the backend is gone');
        },
      },
    });
    const connection = await copy();
    await connection.closed();
    expect(connection.pending).toContain('Content-Length: 100');
    expect(connection.pending.endsWith('half')).toBe(true);
  });

  test('while draining, requests under way finish and their connections end', async () => {
    const draining = await startTestGateway({
      operations: {
        ListBuckets: {
          withoutBucket: async () => {
            await sleep(200);
            return { status: 200, body: RESULT };
          },
        },
      },
    });
    const connection = await RawConnection.open(draining.port);
    connection.send(signedHead({ target: '/' }));
    await sleep(50);
    draining.dispatcher.drain();
    const answer = await connection.answer();
    expect([answer.status, answer.headers['connection']]).toEqual([200, 'close']);
    await connection.closed();
    await draining.close();
  });
});

describe('trace context', () => {
  test('the trace of the caller reaches the operation', async () => {
    let traceId = '';
    work = async (_request, { call }) => {
      traceId = call.traceId;
      return { status: 200, body: RESULT };
    };
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const connection = await RawConnection.open(gateway.port);
    connection.send(
      signedHead({
        method: 'PUT',
        target: '/bucket/key',
        headers: { traceparent, 'x-amz-copy-source': '/bucket/x', 'content-length': '0' },
      }),
    );
    await connection.answer();
    expect(traceId).toBe('4bf92f3577b34da6a3ce929d0e0e4736');
    await (await copy()).answer();
    expect(traceId).toMatch(/^(?!4bf92f)[0-9a-f]{32}$/);
  });
});
