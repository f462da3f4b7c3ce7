import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse as parseYaml, stringify } from 'yaml';
import { INSTRUMENTS, type InstrumentDeclaration, shownName } from '../../src/observe/metrics/instruments.ts';
import { orSkip } from './tools/cache.ts';
import { findDebianProgram } from './tools/debian.ts';
import { dataOf, only } from './support/objects.ts';
import { CHART, findClients, render, run } from './tools/helm.ts';

interface Rules {
  readonly groups: readonly {
    readonly name: string;
    readonly rules: readonly { readonly alert: string; readonly expr: string }[];
  }[];
}

interface Panel {
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string }[];
}

const ALERTS = join(CHART, 'files/alerts.yaml');
const rules = (parseYaml(readFileSync(ALERTS, 'utf8')) as Rules).groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(readFileSync(join(CHART, 'files/dashboard.json'), 'utf8')) as {
  readonly title: string;
  readonly panels: readonly Panel[];
};
const charts = dashboard.panels.filter(({ type }) => type !== 'row');
const queries = charts.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
const clients = await orSkip('helm', findClients);
const promtool = await orSkip('promtool', () => findDebianProgram('promtool'));

/** What the gateway shows on /metrics, with the names that a histogram has. */
const SHOWN = new Set(
  Object.entries<InstrumentDeclaration>(INSTRUMENTS).flatMap(([name, declaration]) =>
    declaration.kind === 'histogram'
      ? ['bucket', 'sum', 'count'].map((part) => `${name}_${part}`)
      : [shownName(name, declaration)],
  ),
);

function metricsOf(expression: string): string[] {
  const withoutLabels = expression.replaceAll(/\{[^}]*\}/g, '').replaceAll(/\b(by|on|ignoring) \([^)]*\)/g, '');
  return withoutLabels.match(/\b(s3gw|process|nodejs)_\w+/g) ?? [];
}

const EXPRESSIONS = [
  ...rules.map(({ alert, expr }) => ({ name: alert, expr })),
  ...queries.map((expr) => ({ name: expr, expr })),
];

test.each(EXPRESSIONS)('asks for metrics that the gateway has: $name', ({ expr }) => {
  const asked = metricsOf(expr);
  expect(asked.length).toBeGreaterThan(0);
  expect(asked.filter((name) => !SHOWN.has(name))).toEqual([]);
});

test.each(EXPRESSIONS)('tells metrics apart by labels that they have: $name', ({ expr }) => {
  const labels = new Map(
    Object.entries<InstrumentDeclaration>(INSTRUMENTS).map(([name, declaration]) => [name, declaration.labels]),
  );
  for (const [, metric = '', matchers = ''] of expr.matchAll(/\b((?:s3gw|process|nodejs)_\w+)\{([^}]*)\}/g)) {
    const known = labels.get(metric) ?? labels.get(metric.replace(/_(total|bucket|sum|count)$/, '')) ?? [];
    const asked = [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map((match) => match[1] ?? '');
    expect(asked.filter((label) => ![...known, 'namespace', 'job', 'instance', 'le'].includes(label))).toEqual([]);
  }
});

test('the autoscaler asks for a metric that the gateway has', () => {
  const asked = /name: (s3gw_\w+)/.exec(readFileSync(join(CHART, 'templates/autoscaling.yaml'), 'utf8'))?.[1];
  expect(SHOWN).toContain(asked);
});

test('no panel of the dashboard lies over another, and each has a name of its own', () => {
  for (const [index, { gridPos: a, title }] of dashboard.panels.entries()) {
    const under = dashboard.panels
      .slice(index + 1)
      .filter(({ gridPos: b }) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h);
    expect(under.map((panel) => [title, panel.title])).toEqual([]);
  }
});

describe.skipIf(promtool === undefined)('promtool', () => {
  const tool = promtool ?? '';

  test('takes the rules, and each fires when it must and only then', async () => {
    expect(await run(tool, ['check', 'rules', ALERTS])).toMatchObject({ code: 0 });
    const tested = resolve(import.meta.dirname, 'alerts/alerts.yaml');
    expect(await run(tool, ['test', 'rules', tested])).toMatchObject({ code: 0 });
    const fired = (
      parseYaml(readFileSync(tested, 'utf8')) as {
        tests: { alert_rule_test: { alertname: string; exp_alerts?: unknown[] }[] }[];
      }
    ).tests.flatMap(({ alert_rule_test: cases }) =>
      cases.filter((one) => one.exp_alerts !== undefined).map((one) => one.alertname),
    );
    expect(fired.toSorted()).toEqual(rules.map(({ alert }) => alert).toSorted());
  });

  test('takes every query of the dashboard', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'dashboard-'));
    const file = join(folder, 'queries.yaml');
    const recorded = queries.map((expr, index) => ({
      record: `panel:${index}`,
      expr: expr.replaceAll('$__rate_interval', '5m'),
    }));
    writeFileSync(file, stringify({ groups: [{ name: 'dashboard', rules: recorded }] }));
    const { code, output } = await run(tool, ['check', 'rules', file]);
    rmSync(folder, { recursive: true });
    expect({ code, output }).toMatchObject({ code: 0 });
    expect(output).toContain(`${queries.length} rules found`);
  });
});

describe.skipIf(clients === undefined)('the chart', () => {
  const rendered = (): ReturnType<typeof render> => render(clients?.helm ?? '', 'full');

  test('makes a PrometheusRule of all alerts, unchanged', async () => {
    expect(only(await rendered(), 'PrometheusRule').spec).toEqual(parseYaml(readFileSync(ALERTS, 'utf8')));
  });

  test('makes a ConfigMap of the dashboard, unchanged', async () => {
    const made = dataOf(only(await rendered(), 'ConfigMap', '-dashboard'))['s3-cloud-gateway.json'] ?? '';
    expect(JSON.parse(made)).toEqual(dashboard);
  });
});
