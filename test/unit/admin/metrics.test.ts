import { afterEach, describe, expect, test } from 'vitest';
import { mergeMetrics } from '../../../src/admin/metrics/merge.ts';
import { metricsRoutes } from '../../../src/admin/metrics/routes.ts';
import { type AdminServer, startAdminServer } from '../../../src/admin/server.ts';
import { parseMetrics } from '../../support/prometheus-text.ts';

const servers: AdminServer[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const text = (requests: number): string =>
  [
    '# HELP requests_total Requests.',
    '# TYPE requests_total counter',
    `requests_total{operation="GetObject"} ${requests}`,
    '# HELP in_flight Requests under way.',
    '# TYPE in_flight gauge',
    'in_flight 3',
    '',
  ].join('\n');

test('metrics of several processes make one page: each metric in one place, each series by its worker', () => {
  expect(
    mergeMetrics([
      { worker: '0', text: text(1) },
      { worker: '1', text: `${text(2)}# TYPE more gauge\nmore 4\n` },
    ]),
  ).toBe(
    [
      '# HELP requests_total Requests.',
      '# TYPE requests_total counter',
      'requests_total{worker="0",operation="GetObject"} 1',
      'requests_total{worker="1",operation="GetObject"} 2',
      '# HELP in_flight Requests under way.',
      '# TYPE in_flight gauge',
      'in_flight{worker="0"} 3',
      'in_flight{worker="1"} 3',
      '# TYPE more gauge',
      'more{worker="1"} 4',
      '',
    ].join('\n'),
  );
});

describe('/metrics', () => {
  async function start(requests: number, siblings: readonly string[]): Promise<string> {
    const part = metricsRoutes(
      async () => text(requests),
      'open',
      () => siblings.map((url, index) => ({ worker: String(index), url })),
    );
    const server = await startAdminServer({ host: '127.0.0.1', port: 0, parts: [part] });
    servers.push(server);
    return `http://127.0.0.1:${server.address.port}`;
  }

  test('of a process alone has no label of workers', async () => {
    const answer = await fetch(`${await start(7, [])}/metrics`);
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(await answer.text()).toBe(text(7));
  });

  test('of several is that of all that answer', async () => {
    const siblings = ['http://127.0.0.1:9'];
    const urls = [await start(1, siblings), await start(2, siblings)];
    siblings.push(...urls);
    const samples = parseMetrics(await (await fetch(`${urls[0] ?? ''}/metrics`)).text());
    expect(
      samples.filter(({ name }) => name === 'requests_total').map(({ labels, value }) => [labels['worker'], value]),
    ).toEqual([
      ['1', 1],
      ['2', 2],
    ]);
    expect(await (await fetch(`${urls[1] ?? ''}/metrics?scope=own`)).text()).toBe(text(2));
  });
});
