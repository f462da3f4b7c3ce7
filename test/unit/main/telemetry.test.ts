import { mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Environment, loadConfig } from '../../../config/load.ts';
import { newTraceId } from '../../../src/observe/random-id.ts';
import { startTelemetry, type Telemetry } from '../../../src/main/telemetry/telemetry.ts';
import { endedFacts } from '../../support/observe/ended-facts.ts';
import { SILENT } from '../../support/silent-log.ts';

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' };

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'telemetry-'));
});

afterAll(() => rmSync(folder, { recursive: true }));

function start(environment: Environment): Promise<Telemetry> {
  const { config } = loadConfig(resolve(import.meta.dirname, '../../../config/default.yaml'), environment);
  return startTelemetry({ config, folder, environment, log: SILENT });
}

describe('the standard variables', () => {
  test.each<[string, Environment, boolean]>([
    ['no endpoint', {}, false],
    ['an empty endpoint', { OTEL_EXPORTER_OTLP_ENDPOINT: '' }, false],
    ['an endpoint', ENDPOINT, true],
    ['an endpoint for traces', { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:9/v1/traces' }, true],
    ['switched off', { ...ENDPOINT, OTEL_SDK_DISABLED: 'TRUE' }, false],
    ['no exporter', { ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none' }, false],
  ])('%s', async (_name, environment, traced) => {
    const telemetry = await start(environment);
    expect(telemetry.sampler !== undefined).toBe(traced);
    await telemetry.close();
  });

  test.each<[Environment, string]>([
    [
      { OTEL_EXPORTER_OTLP_PROTOCOL: 'udp' },
      'OTEL_EXPORTER_OTLP_PROTOCOL: expected one of http/protobuf, http/json, grpc, got udp',
    ],
    [{ OTEL_TRACES_SAMPLER: 'some' }, 'OTEL_TRACES_SAMPLER: expected one of always_on'],
    [{ OTEL_TRACES_SAMPLER_ARG: '2' }, 'OTEL_TRACES_SAMPLER_ARG: expected a number from 0 to 1, got 2'],
    [{ OTEL_TRACES_EXPORTER: 'zipkin' }, 'OTEL_TRACES_EXPORTER: expected one of otlp, none, got zipkin'],
    [{ OTEL_BSP_MAX_QUEUE_SIZE: '-1' }, 'OTEL_BSP_MAX_QUEUE_SIZE: expected a whole number above 0, got -1'],
  ])('what is not known stops the start: %j', async (environment, line) => {
    await expect(start({ ...ENDPOINT, ...environment })).rejects.toThrow(line);
  });

  test.each<[string, Environment, number]>([
    ['all', {}, 1],
    ['none', { OTEL_TRACES_SAMPLER: 'always_off' }, 0],
    ['a quarter', { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25' }, 0.25],
  ])('the sampler: %s', async (_name, environment, expected) => {
    const telemetry = await start({ ...ENDPOINT, ...environment });
    const sampled = Array.from({ length: 4000 }, newTraceId).filter((traceId) =>
      telemetry.sampler?.(undefined, traceId),
    );
    expect(Math.abs(sampled.length / 4000 - expected)).toBeLessThan(0.05);
    await telemetry.close();
  });
});

describe('the admin port', () => {
  test('shows metrics when there is one, and counts nothing without', async () => {
    const [shown, hidden] = [await start({}), await start({ S3GW_ADMIN__ENABLED: 'false' })];
    expect([shown.adminParts('open').length, hidden.adminParts('open').length]).toEqual([1, 0]);
    await Promise.all([shown.close(), hidden.close()]);
  });
});

describe('the access log', () => {
  test('goes to a file, which may be moved away', async () => {
    const telemetry = await start({ S3GW_ACCESS_LOG__FORMAT: 'json', S3GW_ACCESS_LOG__FILE: 'logs/access.log' });
    const file = join(folder, 'logs/access.log');
    const write = (requestId: string): void =>
      telemetry.observers.ended(endedFacts({ operation: 'GetObject', head: { requestId } }));
    write('BEFORE');
    await expect.poll(() => readFileSync(file, 'utf8'), { timeout: 30_000 }).toContain('BEFORE');
    renameSync(file, `${file}.1`);
    process.emit('SIGHUP');
    write('BEHIND');
    await telemetry.close();
    expect(
      [readFileSync(`${file}.1`, 'utf8'), readFileSync(file, 'utf8')].map((text) => /BEFORE|BEHIND/.exec(text)?.[0]),
    ).toEqual(['BEFORE', 'BEHIND']);
  });

  test('that cannot be written stops the start', async () => {
    await expect(
      start({ S3GW_ACCESS_LOG__FORMAT: 's3', S3GW_ACCESS_LOG__FILE: '/dev/null/access.log' }),
    ).rejects.toThrow('accessLog.file: /dev/null/access.log cannot be written');
  });
});
