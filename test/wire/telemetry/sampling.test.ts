import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RawConnection, type RawAnswer } from '../../support/clients/raw-http.ts';
import { signedHead } from '../../support/clients/sign-raw.ts';
import { type Backend, startRecordedAzurite, startTraced, type Traced } from './scene.ts';

/** Nothing is sampled but what the caller already does. */
const RARELY = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' };

let backend: Backend;

beforeAll(async () => {
  backend = await startRecordedAzurite();
}, 180_000);

afterAll(() => backend.stop());

interface More {
  /** Of the traceparent. */
  readonly flags?: string;
  readonly secretKey?: string;
}

async function ask(
  traced: Traced,
  method: string,
  target: string,
  more: More = {},
): Promise<{ answer: RawAnswer; traceId: string }> {
  const traceId = randomBytes(16).toString('hex');
  const connection = await RawConnection.open(traced.gateway.port);
  const headers = { 'content-length': '0', traceparent: `00-${traceId}-${'a'.repeat(16)}-${more.flags ?? '00'}` };
  connection.send(
    signedHead({ method, target, headers, ...(more.secretKey !== undefined && { secretKey: more.secretKey }) }),
  );
  const answer = await connection.answer(method);
  connection.close();
  return { answer, traceId };
}

describe.each(['http/json', 'http/protobuf', 'grpc'] as const)('over %s', (protocol) => {
  const bucket = `sampled-${protocol.replaceAll(/\W/g, '-')}`;
  let traced: Traced;

  beforeAll(async () => {
    traced = await startTraced(backend.open(), protocol, RARELY);
    await ask(traced, 'PUT', `/${bucket}`);
    await ask(traced, 'HEAD', `/${bucket}`);
  });

  afterAll(() => traced.stop());

  test('what went well and quickly is dropped, what failed is exported with its calls', async () => {
    const fine = await ask(traced, 'PUT', `/${bucket}/fine`);
    const missing = await ask(traced, 'GET', `/${bucket}/missing`);
    const forged = await ask(traced, 'GET', `/${bucket}/fine`, { secretKey: 'another' });
    const sampled = await ask(traced, 'GET', `/${bucket}/fine`, { flags: '01' });
    expect([fine, missing, forged, sampled].map(({ answer }) => answer.status)).toEqual([200, 404, 403, 200]);
    const failure = await traced.receiver.trace(forged.traceId, 2);
    expect(failure[0]).toMatchObject({
      name: 'GET /{bucket}/{key}',
      parentSpanId: 'a'.repeat(16),
      resource: { 'service.name': 'gateway-under-test' },
    });
    expect(failure[0]?.attributes).toMatchObject({
      'error.type': 'SignatureDoesNotMatch',
      's3gw.sampled_at_head': false,
    });
    expect((await traced.receiver.trace(sampled.traceId, 3)).map(({ kind }) => kind)).toEqual([2, 1, 3]);
    const exported = new Set(traced.receiver.spans.map(({ traceId }) => traceId));
    expect([fine.traceId, missing.traceId].filter((traceId) => exported.has(traceId))).toEqual([]);
    expect(traced.receiver.headers['x-tenant']).toBe('tests');
  });

  test('the backend is told what was decided at the beginning', async () => {
    const before = backend.requests.length;
    const fine = await ask(traced, 'GET', `/${bucket}/fine`);
    const sampled = await ask(traced, 'GET', `/${bucket}/fine`, { flags: '01' });
    const told = backend.requests.slice(before).map(({ headers }) => headers['traceparent']);
    expect(told).toEqual(
      expect.arrayContaining([
        expect.stringMatching(new RegExp(`^00-${fine.traceId}-[0-9a-f]{16}-00$`)),
        expect.stringMatching(new RegExp(`^00-${sampled.traceId}-[0-9a-f]{16}-01$`)),
      ]),
    );
  });
});

test('a stranger has nothing traced by saying so', async () => {
  const traced = await startTraced(backend.open(), 'http/json', RARELY);
  await ask(traced, 'PUT', '/strangers');
  const ofStranger = randomBytes(16).toString('hex');
  const connection = await RawConnection.open(traced.gateway.port);
  connection.send(
    `OPTIONS /strangers/a HTTP/1.1\r\nHost: localhost\r\ntraceparent: 00-${ofStranger}-${'a'.repeat(16)}-01\r\n\r\nGET /strangers/gone HTTP/1.1\r\nHost: localhost\r\n` +
      `traceparent: 00-${ofStranger}-${'a'.repeat(16)}-01\r\n\r\n`,
  );
  await connection.answer();
  await connection.answer();
  connection.close();
  const known = await ask(traced, 'GET', '/strangers', { flags: '01' });
  await traced.receiver.trace(known.traceId, 2);
  const spans = traced.receiver.spans.filter(({ traceId, kind }) => traceId === ofStranger && kind === 2);
  expect(spans.map(({ attributes }) => attributes['s3gw.sampled_at_head'])).not.toContain(true);
  await traced.stop();
});

describe('slow requests', () => {
  test('are exported although they went well', async () => {
    const traced = await startTraced(backend.open(), 'http/json', { ...RARELY, S3GW_SLOW_MS: '0' });
    const { traceId } = await ask(traced, 'PUT', '/slow');
    const spans = await traced.receiver.trace(traceId, 3);
    expect(spans.filter(({ kind }) => kind === 3).length).toBeGreaterThan(0);
    await traced.stop();
  });

  test('nothing at all where the sampler is always_off', async () => {
    const traced = await startTraced(backend.open(), 'http/json', {
      OTEL_TRACES_SAMPLER: 'always_off',
      S3GW_SLOW_MS: '0',
    });
    await ask(traced, 'GET', '/no-such-bucket', { secretKey: 'another' });
    await traced.stop();
    expect(traced.receiver.spans).toEqual([]);
  });
});

test('without an endpoint nothing is traced and backends are told nothing', async () => {
  const before = backend.requests.length;
  const untraced = await startTraced(backend.open(), 'http/json', { OTEL_EXPORTER_OTLP_ENDPOINT: '' });
  expect(untraced.telemetry.sampler).toBeUndefined();
  await ask(untraced, 'GET', '/no-such-bucket', { flags: '01' });
  expect(backend.requests.slice(before).every(({ headers }) => headers['traceparent'] === undefined)).toBe(true);
  await untraced.stop();
});
