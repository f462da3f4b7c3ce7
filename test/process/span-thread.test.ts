import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { afterEach, describe, expect, test } from 'vitest';
import type { SpanWorkerSettings } from '../../src/main/telemetry/traces/messages.ts';
import { SpanThread } from '../../src/main/telemetry/traces/span-thread.ts';
import { newSpanId, newTraceId } from '../../src/observe/random-id.ts';
import type { SpanRecord } from '../../src/observe/tracing/span-record.ts';
import { type OtlpReceiver, startOtlpReceiver } from '../support/observe/otlp-receiver.ts';
import { SILENT } from '../support/silent-log.ts';

const SETTINGS: SpanWorkerSettings = {
  protocol: 'http/json',
  resource: { 'service.name': 'thread-test' },
  maxQueueSize: 100,
  maxExportBatchSize: 10,
  scheduledDelayMillis: 20,
  exportTimeoutMillis: 5000,
};

interface Line {
  readonly fields: object;
  readonly message: string;
}

let receiver: OtlpReceiver | undefined;
let thread: SpanThread | undefined;

afterEach(async () => {
  await thread?.close();
  await receiver?.close();
  [receiver, thread] = [undefined, undefined];
});

function span(name: string): SpanRecord {
  return {
    traceId: newTraceId(),
    spanId: newSpanId(),
    parent: { spanId: 'b'.repeat(16), isRemote: true },
    name,
    kind: SpanKind.SERVER,
    startTime: [1_790_000_000, 0],
    endTime: [1_790_000_001, 0],
    duration: [1, 0],
    status: { code: SpanStatusCode.UNSET },
    attributes: { 'http.route': '/{bucket}' },
    events: [],
  };
}

/** What runs in the thread instead of the exporter. */
function script(source: string): URL {
  return new URL(
    `data:text/javascript,${encodeURIComponent(`import { parentPort } from 'node:worker_threads'; ${source}; parentPort.postMessage({ ready: true });`)}`,
  );
}

function logTo(lines: Line[]): typeof SILENT {
  return {
    ...SILENT,
    error: (fields, message) => void lines.push({ fields, message }),
    warn: (fields, message) => void lines.push({ fields, message }),
  };
}

describe('the thread that exports spans', () => {
  test('exports what it is given, and at the end what still waits', async () => {
    receiver = await startOtlpReceiver('http/json');
    thread = await SpanThread.start({
      settings: SETTINGS,
      environment: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint },
      log: SILENT,
    });
    const [first, last] = [span('first'), span('last')];
    thread.add([first]);
    const [received] = await receiver.trace(first.traceId, 1);
    expect(received).toMatchObject({
      name: 'first',
      spanId: first.spanId,
      parentSpanId: 'b'.repeat(16),
      kind: 2,
      attributes: { 'http.route': '/{bucket}' },
      resource: { 'service.name': 'thread-test' },
    });
    thread.add([last]);
    await thread.close();
    expect(receiver.spans.map(({ name }) => name)).toEqual(['first', 'last']);
  });

  test('is started anew when it dies; spans of the meantime are dropped and told of', async () => {
    const lines: Line[] = [];
    // Dies of its first spans, then takes all.
    const dying = script(`parentPort.on('message', (order) => {
      if (order.spans?.some(({ name }) => name === 'deadly')) throw new Error('boom');
      parentPort.postMessage(order.close ? { closed: true } : { taken: order.spans.length });
    })`);
    thread = await SpanThread.start({
      settings: SETTINGS,
      environment: {},
      log: logTo(lines),
      script: dying,
      restartMs: 150,
    });
    const add = (name: string): void => thread?.add([span(name)]);
    add('deadly');
    await expect.poll(() => lines.length).toBe(1);
    expect(lines[0]).toMatchObject({
      fields: { err: { message: 'boom' } },
      message: 'the thread that exports spans failed',
    });
    add('lost');
    const told = (): number => {
      add('later');
      return lines.length;
    };
    await expect.poll(told).toBe(2);
    expect(lines[1]?.message).toContain('spans were dropped');
  });

  test('takes no more than so many that wait', async () => {
    const lines: Line[] = [];
    const slow = script(
      'parentPort.on("message", (order) => { if (order.close) parentPort.postMessage({ closed: true }); else setTimeout(() => parentPort.postMessage({ taken: order.spans.length }), 300); })',
    );
    thread = await SpanThread.start({
      settings: { ...SETTINGS, maxQueueSize: 64 },
      environment: {},
      log: logTo(lines),
      script: slow,
    });
    for (let i = 0; i < 100; i += 1) thread.add([span(`span ${i}`)]);
    const told = (): number => {
      thread?.add([span('one more')]);
      return lines.length;
    };
    await expect.poll(told).toBe(1);
    expect((lines[0]?.fields as { spans: number } | undefined)?.spans).toBeGreaterThanOrEqual(36);
  });

  test('that does not come to its end is ended', { timeout: 60_000 }, async () => {
    const stuck = await SpanThread.start({
      settings: SETTINGS,
      environment: {},
      log: SILENT,
      script: script('parentPort.on("message", () => undefined)'),
    });
    // Which it would otherwise never do.
    await stuck.close();
  });

  test('that cannot begin says why', async () => {
    const start = (source: string): Promise<SpanThread> =>
      SpanThread.start({ settings: SETTINGS, environment: {}, log: SILENT, script: script(source) });
    await expect(start('throw new Error("no exporter")')).rejects.toThrow('no exporter');
    await expect(start('process.exit(0)')).rejects.toThrow('the thread that exports spans ended at once');
  });
});
