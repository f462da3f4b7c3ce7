import { beforeAll, describe, expect, test } from 'vitest';
import { orSkip } from './tools/cache.ts';
import { CHART, type Clients, findClients, render, run, VALUE_SETS, valuesOf } from './tools/helm.ts';
import { SchemaCheck } from './tools/schemas.ts';

const clients = await orSkip('helm', findClients);
const schemas = await orSkip('schemas of Kubernetes', () => SchemaCheck.load());

describe.skipIf(clients === undefined)('the chart', () => {
  const { helm } = clients as Clients;

  test.each(VALUE_SETS)('passes the strict lint: %s', async (set) => {
    const { code, output } = await run(helm, ['lint', '--strict', CHART, ...valuesOf(set)]);
    expect(output).toContain('0 chart(s) failed');
    expect(code).toBe(0);
  });

  test.each(VALUE_SETS)('has a unique name for every object of a kind: %s', async (set) => {
    const names = (await render(helm, set)).map(
      ({ apiVersion, kind, metadata }) => `${apiVersion} ${kind} ${metadata.name}`,
    );
    expect(names).toEqual([...new Set(names)]);
  });

  test('without values, says what is missing', async () => {
    const { code, output } = await run(helm, ['template', 'rel', CHART]);
    expect(code).not.toBe(0);
    expect(output).toMatch(/config.*backends/s);
  });

  test('wants two ports', async () => {
    const { code, output } = await run(helm, [
      'template',
      'rel',
      CHART,
      ...valuesOf('minimal'),
      '--set',
      'admin.port=9000',
    ]);
    expect(code).not.toBe(0);
    expect(output).toContain('admin.port: expected another port than listen.port, 9000');
  });
});

describe.skipIf(clients === undefined || schemas === undefined)('the objects of the chart', () => {
  const { helm } = clients as Clients;
  const check = schemas as SchemaCheck;

  test.each(VALUE_SETS)('are what their schemas ask for: %s', async (set) => {
    const objects = await render(helm, set);
    expect(objects.length).toBeGreaterThan(8);
    expect(objects.flatMap((object) => check.complaints(object))).toEqual([]);
  });

  // The check itself, or the tests above could not fail.
  describe('against the schemas', () => {
    let full: Awaited<ReturnType<typeof render>>;
    beforeAll(async () => {
      full = await render(helm, 'full');
    });

    test.each([
      'Deployment',
      'Service',
      'HorizontalPodAutoscaler',
      'HTTPRoute',
      'ServiceMonitor',
      'Certificate',
      'ClientTrafficPolicy',
      'GCPBackendPolicy',
      'RoutePolicy',
    ])('an unknown field is found: %s', (kind) => {
      const object = full.find((one) => one.kind === kind);
      const altered = { ...object, spec: { ...(object?.['spec'] as object), selectr: {} } } as (typeof full)[number];
      expect(check.complaints(altered).join()).toContain('selectr');
    });

    test('an unknown kind is found', () => {
      const metadata = { name: 'x' };
      expect(check.complaints({ apiVersion: 'example.com/v1', kind: 'Gizmo', metadata })).toEqual([
        'Gizmo x: no schema for example.com/v1 Gizmo',
      ]);
      expect(check.complaints({ apiVersion: 'apps/v1', kind: 'Deploymnt', metadata })).toHaveLength(1);
    });
  });
});
