import { afterEach, describe, expect, test } from 'vitest';
import { adminGuard } from '../../../src/admin/guard/guard.ts';
import { fixedTokens } from '../../../src/admin/guard/token-check.ts';
import { mergeMetrics, metricsRoutes } from '../../../src/admin/metrics/routes.ts';
import { type AdminServer, startAdminServer } from '../../../src/admin/server.ts';
import { parseMetrics } from '../../support/observe/prometheus-text.ts';
import { SILENT } from '../../support/silent-log.ts';

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
  async function start(requests: number, siblings: readonly string[], token?: string): Promise<string> {
    const guard = adminGuard({ tokens: token === undefined ? undefined : fixedTokens(() => [token]), names: [] });
    const part = metricsRoutes(
      async () => text(requests),
      token === undefined ? 'open' : 'token',
      () => siblings.map((url, index) => ({ worker: String(index), url })),
    );
    const server = await startAdminServer({ log: SILENT, host: '127.0.0.1', port: 0, parts: [guard, part] });
    servers.push(server);
    return `http://127.0.0.1:${server.address.port}`;
  }

  test('of a process alone has no label of workers', async () => {
    const answer = await fetch(`${await start(7, [])}/metrics`);
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(await answer.text()).toBe(text(7));
  });

  test.each([
    ['authorization', 'Bearer 0123456789abcdef'],
    ['cookie', 's3gw_admin=0123456789abcdef'],
  ])('of several is shown to who has a token, also in a cookie: %s', async (name, value) => {
    const siblings: string[] = [];
    const urls = [await start(1, siblings, '0123456789abcdef'), await start(2, siblings, '0123456789abcdef')];
    siblings.push(...urls);
    const answer = await fetch(`${urls[0] ?? ''}/metrics`, { headers: { [name]: value } });
    const samples = parseMetrics(await answer.text()).filter((sample) => sample.name === 'requests_total');
    expect(samples.map((sample) => sample.value)).toEqual([1, 2]);
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
