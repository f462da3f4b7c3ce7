import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readCrds } from '../helm/tools/schemas.ts';
import { CHART, type KubernetesObject, render, VALUE_SETS, valuesOf, findClients } from '../helm/tools/helm.ts';
import { Cluster } from './cluster.ts';
import { previousChart } from './previous-chart.ts';

/** Kinds whose CRDs only the cloud's own clusters have; their schemas are in the tests of the templates. */
const ONLY_IN_CLOUDS = /^(networking\.gke\.io|cloud\.google\.com|alb\.networking\.azure\.io)\//;
const RESTRICTED = ['enforce', 'warn', 'audit'].map((mode) => `pod-security.kubernetes.io/${mode}=restricted`);

let cluster: Cluster;

beforeAll(async () => {
  cluster = await Cluster.start();
});

afterAll(async () => {
  await cluster.stop();
});

async function freshNamespace(name: string): Promise<string> {
  expect(await cluster.kubectl('create', 'namespace', name)).toMatchObject({ code: 0 });
  expect(await cluster.kubectl('label', 'namespace', name, ...RESTRICTED)).toMatchObject({ code: 0 });
  return name;
}

/** Everything that a release has made and that is still there. */
async function leftOvers(namespace: string): Promise<string[]> {
  const kinds =
    'all,configmap,secret,serviceaccount,ingress,networkpolicy,poddisruptionbudget,horizontalpodautoscaler,cronjob';
  const { items } = await cluster.get<{ items: KubernetesObject[] }>(kinds, '--namespace', namespace);
  return items
    .map(({ kind, metadata }) => `${kind} ${metadata.name}`)
    .filter((name) => !/^(ConfigMap kube-root-ca.crt|ServiceAccount default)$/.test(name));
}

describe('without CRDs', () => {
  test('installs, upgrades, rolls back and goes without a trace', async () => {
    const namespace = await freshNamespace('life');
    const where = ['--namespace', namespace];
    const configuration = async (): Promise<string> =>
      (await cluster.get<{ data: Record<string, string> }>('configmap', 's3-s3-cloud-gateway', ...where)).data[
        'gateway.yaml'
      ] ?? '';
    const replicas = async (): Promise<number> =>
      (await cluster.get<{ spec: { replicas: number } }>('deployment', 's3-s3-cloud-gateway', ...where)).spec.replicas;

    const installed = await cluster.helm('install', 's3', CHART, ...where, ...valuesOf('minimal'));
    expect(installed).toMatchObject({ code: 0 });
    expect(installed.output).toContain('helm test s3');
    expect(installed.output).not.toMatch(/would violate|[Ww]arning/);
    const before = await configuration();

    expect(
      await cluster.helm(
        'upgrade',
        's3',
        CHART,
        ...where,
        ...valuesOf('minimal'),
        '--set',
        'replicas=5,config.region=eu-north-1',
      ),
    ).toMatchObject({ code: 0 });
    expect(await configuration()).toContain('region: eu-north-1');
    expect(await replicas()).toBe(5);

    expect(await cluster.helm('rollback', 's3', '1', ...where)).toMatchObject({ code: 0 });
    expect(await configuration()).toBe(before);
    expect(await replicas()).toBe(2);
    const history = JSON.parse((await cluster.helm('history', 's3', '--output', 'json', ...where)).output) as {
      status: string;
    }[];
    expect(history.map(({ status }) => status)).toEqual(['superseded', 'superseded', 'deployed']);

    expect(await cluster.helm('uninstall', 's3', ...where)).toMatchObject({ code: 0 });
    expect(await leftOvers(namespace)).toEqual([]);
  });

  test('takes over the release of the previous chart, and gives it back', async ({ skip }) => {
    const previous = await previousChart();
    if (previous === undefined) return skip('the repository has no earlier chart');
    const where = ['--namespace', await freshNamespace('previous')];
    const values = ['--values', `${previous.folder}/ci/dev-values.yaml`];
    try {
      expect(await cluster.helm('install', 's3', previous.folder, ...where, ...values)).toMatchObject({ code: 0 });
      expect(await cluster.helm('upgrade', 's3', CHART, ...where, ...valuesOf('dev'))).toMatchObject({ code: 0 });
      expect(await cluster.helm('rollback', 's3', '1', ...where)).toMatchObject({ code: 0 });
    } finally {
      previous.remove();
    }
  });

  test('keeps the token of the admin port over upgrades', async () => {
    const where = ['--namespace', await freshNamespace('token')];
    const token = async (): Promise<string> =>
      (await cluster.get<{ data: { token: string } }>('secret', 's3-s3-cloud-gateway-admin', ...where)).data.token;
    expect(await cluster.helm('install', 's3', CHART, ...where, ...valuesOf('dev'))).toMatchObject({ code: 0 });
    const before = await token();
    expect(before.length).toBeGreaterThan(40);
    expect(
      await cluster.helm('upgrade', 's3', CHART, ...where, ...valuesOf('dev'), '--set', 'config.region=eu-north-1'),
    ).toMatchObject({ code: 0 });
    expect(await token()).toBe(before);
  });

  test('lets the gateway review tokens, and do nothing else, when it is told to', async () => {
    const where = ['--namespace', await freshNamespace('review')];
    const may = async (...what: string[]): Promise<boolean> =>
      (
        await cluster.kubectl(
          'auth',
          'can-i',
          '--quiet',
          ...what,
          '--as=system:serviceaccount:review:s3-s3-cloud-gateway',
        )
      ).code === 0;
    expect(await cluster.helm('install', 's3', CHART, ...where, ...valuesOf('dev'))).toMatchObject({ code: 0 });
    expect(await may('create', 'tokenreviews')).toBe(false);
    const user = 'config.admin.tokenReview.users[0]=system:serviceaccount:review:operator';
    expect(await cluster.helm('upgrade', 's3', CHART, ...where, ...valuesOf('dev'), '--set', user)).toMatchObject({
      code: 0,
    });
    expect(await may('create', 'tokenreviews')).toBe(true);
    expect(await may('get', 'secrets', '--namespace=review')).toBe(false);
    expect(await cluster.helm('uninstall', 's3', ...where)).toMatchObject({ code: 0 });
    expect(await may('create', 'tokenreviews')).toBe(false);
  });

  test('says which kind is missing when something is turned on that needs a CRD', async () => {
    const where = ['--namespace', await freshNamespace('crds')];
    const { code, output } = await cluster.helm(
      'install',
      's3',
      CHART,
      ...where,
      ...valuesOf('minimal'),
      '--set',
      'metrics.serviceMonitor.enabled=true',
    );
    expect(code).not.toBe(0);
    expect(output).toContain('no matches for kind "ServiceMonitor"');
  });

  test('is warned about by the cluster as soon as a pod is allowed more', async () => {
    const where = ['--namespace', await freshNamespace('loose')];
    const { code, output } = await cluster.helm(
      'install',
      's3',
      CHART,
      ...where,
      ...valuesOf('minimal'),
      '--set',
      'securityContext.allowPrivilegeEscalation=true',
    );
    expect(code).toBe(0);
    expect(output).toMatch(/would violate PodSecurity/);
  });
});

describe('with CRDs', () => {
  beforeAll(async () => {
    // Applied by the server: they are too large for the annotation that the client would add.
    for (const crd of await readCrds()) await cluster.kubectlWith(JSON.stringify(crd), 'apply', '--server-side');
    expect(await cluster.kubectl('wait', '--for=condition=Established', 'crd', '--all', '--timeout=60s')).toMatchObject(
      { code: 0 },
    );
    await freshNamespace('storage');
    // What pods name must be there, even in a dry run.
    expect(await cluster.kubectl('create', 'priorityclass', 'storage', '--value=1000')).toMatchObject({ code: 0 });
    for (const name of ['rel-s3-cloud-gateway', 'storage-gateway']) {
      expect(await cluster.kubectl('create', 'serviceaccount', name, '--namespace=storage')).toMatchObject({ code: 0 });
    }
  });

  test.each(VALUE_SETS)('the server takes every object, strictly and without a warning: %s', async (set) => {
    const objects = (await render((await findClients()).helm, set)).filter(
      ({ apiVersion, kind }) => kind !== 'ServiceAccount' && !ONLY_IN_CLOUDS.test(apiVersion),
    );
    const output = await cluster.kubectlWith(
      objects.map((object) => JSON.stringify(object)).join('\n---\n'),
      'create',
      '--dry-run=server',
      '--validate=strict',
      '--namespace=storage',
    );
    expect(output.match(/\(server dry run\)$/gm)).toHaveLength(objects.length);
    expect(output).not.toMatch(/would violate|[Ww]arning/);
  });

  test('the strict server finds a field that is not there', async () => {
    const [object] = (await render((await findClients()).helm, 'dev')).filter(({ kind }) => kind === 'Deployment');
    const altered = JSON.stringify({ ...object, spec: { ...(object?.['spec'] as object), replics: 1 } });
    await expect(
      cluster.kubectlWith(altered, 'apply', '--dry-run=server', '--validate=strict', '--namespace=storage'),
    ).rejects.toThrow('replics');
  });

  test('installs with monitoring, routes and certificate, and goes without a trace', async () => {
    const where = ['--namespace', 'storage'];
    expect(await cluster.kubectl('delete', 'serviceaccount', 'storage-gateway', ...where)).toMatchObject({ code: 0 });
    const clouds = [
      '--set',
      'policies.gke.enabled=false,policies.applicationGatewayForContainers.enabled=false,ingress.controller=,service.nodePort=30443',
    ];
    const { code, output } = await cluster.helm('install', 's3', CHART, ...where, ...valuesOf('full'), ...clouds);
    expect({ code, output }).toMatchObject({ code: 0 });
    expect(output).not.toMatch(/would violate|[Ww]arning/);
    const made = await cluster.get<{ items: KubernetesObject[] }>(
      'servicemonitor,prometheusrule,httproute,certificate,clienttrafficpolicy,backendtrafficpolicy',
      ...where,
    );
    expect(made.items.map(({ kind }) => kind).toSorted()).toEqual([
      'BackendTrafficPolicy',
      'Certificate',
      'ClientTrafficPolicy',
      'HTTPRoute',
      'PrometheusRule',
      'ServiceMonitor',
    ]);
    expect(await cluster.helm('uninstall', 's3', ...where)).toMatchObject({ code: 0 });
    expect(await leftOvers('storage')).toEqual(['ServiceAccount rel-s3-cloud-gateway']);
  });
});
