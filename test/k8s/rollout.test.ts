import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CHART, type KubernetesObject, type Ran, valuesOf } from '../helm/tools/helm.ts';
import { Cluster } from './cluster.ts';

/**
 * Pods of these nodes run nothing: they are said to be ready as soon as they are scheduled. What is real are
 * Kubernetes' decisions.
 */
const ZONES = ['a', 'b'] as const;
const NODES_PER_ZONE = 3;
const RELEASE = [
  '--namespace',
  'storage',
  ...valuesOf('minimal'),
  '--set',
  'replicas=3,rollout.minReadySeconds=1,topologySpread.zones=DoNotSchedule',
  // Pods that run nothing take all of their grace to end.
  '--set',
  'drain.largestPartMiB=2,drain.delaySeconds=0,drain.marginSeconds=1',
];
const DEPLOYMENT = ['deployment', 's3-s3-cloud-gateway', '--namespace', 'storage'] as const;
const GATEWAYS = '--selector=app.kubernetes.io/component=gateway';

interface Pod extends KubernetesObject {
  readonly metadata: KubernetesObject['metadata'] & { readonly deletionTimestamp?: string };
  readonly spec: { readonly nodeName?: string };
}

let cluster: Cluster;

beforeAll(async () => {
  cluster = await Cluster.start({ controllers: true });
  const nodes = ZONES.flatMap((zone) =>
    Array.from({ length: NODES_PER_ZONE }, (_, index) => node(`node-${zone}${index}`, zone)),
  );
  await cluster.kubectlWith(JSON.stringify({ apiVersion: 'v1', kind: 'List', items: nodes }), 'apply');
  expect(await cluster.kubectl('wait', '--for=condition=Ready', 'node', '--all', '--timeout=60s')).toMatchObject({
    code: 0,
  });
  expect(await cluster.kubectl('create', 'namespace', 'storage')).toMatchObject({ code: 0 });
  expect(await cluster.helm('install', 's3', CHART, ...RELEASE, '--wait', '--timeout', '90s')).toMatchObject({
    code: 0,
  });
});

afterAll(async () => {
  await cluster.stop();
});

function node(name: string, zone: string): object {
  const size = { cpu: '8', memory: '16Gi', pods: '50' };
  const labels = { 'kubernetes.io/hostname': name, 'topology.kubernetes.io/zone': zone, 'kubernetes.io/os': 'linux' };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels, annotations: { 'kwok.x-k8s.io/node': 'fake' } },
    status: { allocatable: size, capacity: size },
  };
}

async function pods(): Promise<readonly Pod[]> {
  const { items } = await cluster.get<{ items: readonly Pod[] }>('pods', '--namespace', 'storage', GATEWAYS);
  return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

const zonesOf = (list: readonly Pod[]): string[] =>
  list.map(({ spec }) => spec.nodeName?.charAt('node-'.length) ?? '').toSorted();

/** Runs something, and records every number of available gateways that the Deployment told meanwhile. */
async function availableDuring(work: () => Promise<Ran>): Promise<number[]> {
  const seen: number[] = [];
  const watch = cluster.watch(
    (line) => seen.push(Number(line)),
    ...DEPLOYMENT,
    '--output',
    'jsonpath={.status.availableReplicas}{"\\n"}',
  );
  try {
    while (seen.length === 0) await sleep(50);
    expect(await work()).toMatchObject({ code: 0 });
    await sleep(500);
  } finally {
    await watch.stop();
  }
  return seen;
}

test('three gateways stand in two zones, on nodes of their own', async () => {
  const list = await pods();
  expect([
    ['a', 'a', 'b'],
    ['a', 'b', 'b'],
  ]).toContainEqual(zonesOf(list));
  expect(new Set(list.map(({ spec }) => spec.nodeName)).size).toBe(3);
});

test('a rolling update replaces all of them, and never are fewer than three available', async () => {
  const before = (await pods()).map(({ metadata }) => metadata.name);
  const available = await availableDuring(() =>
    cluster.helm(
      'upgrade',
      's3',
      CHART,
      ...RELEASE,
      '--set',
      'config.region=eu-north-1',
      '--wait',
      '--timeout',
      '120s',
    ),
  );
  expect(available.length).toBeGreaterThan(3);
  expect(Math.min(...available)).toBeGreaterThanOrEqual(3);

  const list = await pods();
  expect(list).toHaveLength(3);
  expect(list.filter(({ metadata }) => before.includes(metadata.name))).toEqual([]);
  expect(new Set(zonesOf(list)).size).toBe(2);
});

test('the watch sees it when a rollout takes gateways away', async () => {
  const available = await availableDuring(() =>
    cluster.helm(
      'upgrade',
      's3',
      CHART,
      ...RELEASE,
      '--set',
      'config.region=eu-south-1,rollout.maxUnavailable=2',
      '--wait',
      '--timeout',
      '120s',
    ),
  );
  expect(Math.min(...available)).toBeLessThan(3);
  expect(
    await cluster.helm('rollback', 's3', '2', '--namespace', 'storage', '--wait', '--timeout', '120s'),
  ).toMatchObject({ code: 0 });
});

test('the drain of a node waits for the budget', async () => {
  const [first, second] = await pods();
  const evict = (pod: Pod | undefined): Promise<Ran> =>
    cluster.kubectl('drain', pod?.spec.nodeName ?? '', '--ignore-daemonsets', '--delete-emptydir-data', '--timeout=1s');
  // Both at a time: one pod may be missing, not two.
  const [one, two] = await Promise.all([evict(first), evict(second)]);
  expect([one.output, two.output].join('\n')).toContain("would violate the pod's disruption budget");
  expect(await cluster.kubectl('rollout', 'status', ...DEPLOYMENT, '--timeout=60s')).toMatchObject({ code: 0 });
  expect(await cluster.kubectl('uncordon', ...[first, second].map((pod) => pod?.spec.nodeName ?? ''))).toMatchObject({
    code: 0,
  });
});

test('Services have the gateways as endpoints, and not the sweeper', async () => {
  expect(
    await cluster.kubectl(
      'create',
      'job',
      'sweep',
      '--from=cronjob/s3-s3-cloud-gateway-sweeper',
      '--namespace=storage',
    ),
  ).toMatchObject({ code: 0 });
  const names = (await pods()).map(({ metadata }) => metadata.name).toSorted();
  for (const service of ['s3-s3-cloud-gateway', 's3-s3-cloud-gateway-peers']) {
    const { items } = await cluster.get<{ items: { endpoints: { targetRef: { name: string } }[] }[] }>(
      'endpointslice',
      '--namespace=storage',
      `--selector=kubernetes.io/service-name=${service}`,
    );
    expect(items.flatMap(({ endpoints }) => endpoints.map(({ targetRef }) => targetRef.name)).toSorted()).toEqual(
      names,
    );
  }
  expect(
    await cluster.kubectl('wait', '--for=condition=Complete', 'job/sweep', '--namespace=storage', '--timeout=60s'),
  ).toMatchObject({ code: 0 });
});
