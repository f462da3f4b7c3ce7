import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { CONFIG } from '../../config/schema.ts';
import { type Container, dataOf, gatewaysOf, only, type PodTemplate, podOf } from './support/objects.ts';
import { orSkip } from './tools/cache.ts';
import {
  CHART,
  type Clients,
  findClients,
  type KubernetesObject,
  render,
  run,
  VALUE_SETS,
  type ValueSet,
  valuesOf,
} from './tools/helm.ts';

const DOCS = join(import.meta.dirname, '../../docs');
const clients = await orSkip('helm', findClients);

describe.skipIf(clients === undefined)('the chart', () => {
  const { helm } = clients as Clients;
  const rendered = async (set: ValueSet, ...args: string[]): Promise<KubernetesObject[]> => render(helm, set, args);
  const deploymentOf = async (set: ValueSet, ...args: string[]): Promise<PodTemplate> =>
    podOf(gatewaysOf(await rendered(set, ...args)));

  test('has a network policy unless it is told not to', async () => {
    const policy = only(await rendered('minimal'), 'NetworkPolicy');
    expect(policy.spec['policyTypes']).toEqual(['Ingress', 'Egress']);
    expect(
      (await rendered('minimal', '--set', 'networkPolicy.enabled=false')).filter(
        ({ kind }) => kind === 'NetworkPolicy',
      ),
    ).toEqual([]);
  });

  test('lets connections out to what the values name, and Prometheus and Google in', async () => {
    const named = [
      '--set',
      'config.outbound.proxy=http://proxy.example.com:3128',
      '--set',
      'extraEnv[0].name=OTEL_EXPORTER_OTLP_ENDPOINT',
      '--set',
      'extraEnv[0].value=http://collector:4318',
      '--set-json',
      'config.events.targets=[{"name":"hook","kind":"webhook","url":"http://hook.example.com:8443/s3"}]',
      '--set',
      'metrics.serviceMonitor.enabled=true',
      '--set',
      'policies.gke.enabled=true',
    ];
    const { egress, ingress } = only(await rendered('minimal', ...named), 'NetworkPolicy').spec as {
      egress: unknown[];
      ingress: { from?: unknown[] }[];
    };
    expect(egress).toContainEqual({ ports: [{ port: 3128 }, { port: 8443 }, { port: 4318 }] });
    const prometheus = (namespace: string): object => ({
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
      podSelector: { matchLabels: { 'app.kubernetes.io/name': 'prometheus' } },
    });
    expect(ingress[1]?.from).toContainEqual(prometheus('storage'));
    const elsewhere = only(
      await rendered('minimal', ...named, '--set', 'networkPolicy.prometheusNamespace=monitoring'),
      'NetworkPolicy',
    ).spec as { ingress: { from?: unknown[] }[] };
    expect(elsewhere.ingress[1]?.from).toContainEqual(prometheus('monitoring'));
    expect(elsewhere.ingress[1]?.from).not.toContainEqual(prometheus('storage'));
    expect(ingress[1]?.from).toContainEqual({ ipBlock: { cidr: '130.211.0.0/22' } });
    const plain = only(await rendered('minimal'), 'NetworkPolicy').spec as {
      egress: unknown[];
      ingress: { from?: unknown[] }[];
    };
    expect(JSON.stringify(plain)).not.toMatch(/3128|4318|prometheus|130\.211/);
  });

  describe.each(VALUE_SETS)('with the values %s', (set) => {
    test('writes a configuration that the gateway takes', async () => {
      expect(configOf(await rendered(set)).error).toBeUndefined();
    });

    test('lets no pod do more than the pod security standard "restricted" allows', async () => {
      for (const object of (await rendered(set)).filter(({ kind }) =>
        ['Deployment', 'CronJob', 'Pod'].includes(kind),
      )) {
        const { spec } = podOf(object);
        expect(spec.securityContext).toMatchObject({
          runAsNonRoot: true,
          runAsUser: 65532,
          seccompProfile: { type: 'RuntimeDefault' },
        });
        expect(spec.automountServiceAccountToken).toBe(false);
        const own = spec.containers.filter(({ command }) => command?.[0] === '/usr/local/bin/node');
        expect(own).toHaveLength(1);
        for (const { securityContext, resources } of own) {
          expect(securityContext).toEqual({
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          });
          expect(resources?.limits?.['memory']).toBeDefined();
          expect(resources?.requests?.['cpu']).toBeDefined();
          expect(resources?.limits?.['cpu']).toBeUndefined();
        }
      }
    });

    test('keeps digests of secrets out of annotations', async () => {
      const annotations = async (...args: string[]): Promise<unknown> =>
        (await deploymentOf(set, ...args)).metadata.annotations;
      const inline = ['--set', 'secrets.planted.data.key=one'];
      const other = ['--set', 'secrets.planted.data.key=two'];
      expect(await annotations(...inline)).toEqual(await annotations(...other));
      expect(await annotations(...inline)).toMatchObject({ 's3gw/release-of-secrets': '1' });
      expect(await annotations('--set', 'secrets.planted.existingSecret=one')).not.toEqual(
        await annotations('--set', 'secrets.planted.existingSecret=two'),
      );
      expect(await annotations('--set', 'config.region=eu-north-1')).not.toEqual(
        await annotations('--set', 'config.region=eu-west-1'),
      );
    });

    test('keeps every secret out of ConfigMaps, pods and notes', async () => {
      const { output } = await run(helm, [
        'install',
        'rel',
        CHART,
        '--dry-run=client',
        '--namespace',
        'storage',
        ...valuesOf(set),
      ]);
      const open = output
        .split(/^---$/m)
        .filter((document) => !/^kind: Secret$/m.test(document))
        .join('\n')
        .replace(/^USER-SUPPLIED VALUES[\s\S]*?^HOOKS:/m, '');
      for (const secret of ['dev-secret-that-everybody', 'service_account"']) expect(open).not.toContain(secret);
    });

    test('lets no selector of the admin port match the pods of every namespace', async () => {
      const { ingress } = only(await rendered(set, '--set', 'metrics.serviceMonitor.enabled=true'), 'NetworkPolicy')
        .spec as { ingress: { ports: { port: string }[]; from?: { namespaceSelector?: object }[] }[] };
      const admin = ingress.filter(({ ports }) => ports.some(({ port }) => port === 'admin'));
      expect(admin).toHaveLength(1);
      for (const { from = [{ namespaceSelector: {} }] } of admin) {
        expect(from.filter(({ namespaceSelector }) => JSON.stringify(namespaceSelector) === '{}')).toEqual([]);
      }
    });

    test('selects the gateways only, with Services, budget and spread', async () => {
      const objects = await rendered(set);
      const { labels } = podOf(gatewaysOf(objects)).metadata;
      const others = objects
        .filter(({ kind }) => kind === 'CronJob' || kind === 'Pod')
        .map((object) => podOf(object).metadata.labels);
      for (const service of objects.filter(({ kind }) => kind === 'Service')) {
        const selector = (service['spec'] as { selector: Record<string, string> }).selector;
        expect(labels).toMatchObject(selector);
        for (const other of others) expect(other).not.toMatchObject(selector);
      }
    });

    test('gives a replica the time that its drain takes', async () => {
      const objects = await rendered(set);
      const { spec } = podOf(gatewaysOf(objects));
      const { drainMs, drainDelayMs } = configOf(objects).data?.timeouts ?? { drainMs: NaN, drainDelayMs: NaN };
      const sleep =
        (gatewayOf(spec.containers).lifecycle as { preStop: { sleep: { seconds: number } } } | undefined)?.preStop.sleep
          .seconds ?? 0;
      expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(sleep + (drainMs + drainDelayMs) / 1000);
    });

    test('mounts every file that the configuration names', async () => {
      const objects = await rendered(set);
      const { spec } = podOf(gatewaysOf(objects));
      const mounts = gatewayOf(spec.containers).volumeMounts?.map(({ mountPath }) => `${mountPath}/`) ?? [];
      const files = [...configText(objects).matchAll(/File: (\S+)/g)].map((match) => match[1] ?? '');
      expect(files.length).toBeGreaterThan(0);
      expect(files.filter((file) => !mounts.some((mount) => file.startsWith(mount)))).toEqual([]);
    });
  });

  test('never has fewer gateways during a rollout', async () => {
    expect(gatewaysOf(await rendered('minimal')).spec).toMatchObject({
      replicas: 2,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
    });
  });

  test('makes new pods when the configuration or the name of a secret changes, and with each release that brings secrets', async () => {
    const annotations = async (...args: string[]): Promise<unknown> =>
      (await deploymentOf('dev', ...args)).metadata.annotations;
    const before = await annotations();
    expect(await annotations()).toEqual(before);
    expect(await annotations('--set', 'sweeper.enabled=true')).toEqual(before);
    expect(await annotations('--set', 'config.region=eu-north-1')).not.toEqual(before);
    expect(before).toMatchObject({ 's3gw/release-of-secrets': '1' });
    expect((await deploymentOf('minimal')).metadata.annotations).not.toHaveProperty('s3gw/release-of-secrets');
  });

  test('lets the autoscaler decide about the number of pods', async () => {
    const objects = await rendered('ha');
    expect(gatewaysOf(objects).spec).not.toHaveProperty('replicas');
    const metrics = only(objects, 'HorizontalPodAutoscaler').spec['metrics'] as { type: string }[];
    expect(metrics.map(({ type }) => type)).toEqual(['ContainerResource', 'Pods']);
  });

  test('spreads over zones and nodes', async () => {
    const spread = (await deploymentOf('ha')).spec.topologySpreadConstraints;
    expect(spread?.map(({ topologyKey, whenUnsatisfiable }) => [topologyKey, whenUnsatisfiable])).toEqual([
      ['kubernetes.io/hostname', 'ScheduleAnyway'],
      ['topology.kubernetes.io/zone', 'DoNotSchedule'],
    ]);
  });

  test("asks for Azure's identity on service account and pods", async () => {
    const objects = await rendered('azure');
    expect(only(objects, 'ServiceAccount').metadata.annotations).toEqual({
      'azure.workload.identity/client-id': '11111111-2222-3333-4444-555555555555',
    });
    for (const [kind, suffix] of [
      ['Deployment'],
      ['CronJob', '-sweeper'],
      ['CronJob', '-lifecycle'],
      ['CronJob', '-inventory'],
    ] as const) {
      expect(podOf(only(objects, kind, suffix)).metadata.labels).toMatchObject({
        'azure.workload.identity/use': 'true',
      });
    }
  });

  test("asks for Google's identity on the service account", async () => {
    const objects = await rendered('gke');
    expect(only(objects, 'ServiceAccount').metadata.annotations).toEqual({
      'iam.gke.io/gcp-service-account': 's3-gateway@example-project.iam.gserviceaccount.com',
    });
    expect(podOf(gatewaysOf(objects)).metadata.labels).not.toHaveProperty('azure.workload.identity/use');
  });

  test('routes every base host and its buckets, and alters nothing', async () => {
    const objects = await rendered('full', '--set', 'httpRoute.hostnames=null');
    const hosts = ['s3.example.com', '*.s3.example.com', 's3.internal.example.com', '*.s3.internal.example.com'];
    const route = only(objects, 'HTTPRoute').spec;
    expect(route['hostnames']).toEqual(hosts);
    expect(JSON.stringify(route)).not.toContain('filters');
    expect((only(objects, 'Ingress').spec['rules'] as { host: string }[]).map(({ host }) => host)).toEqual(hosts);
  });

  test('lets clients, and `helm test`, to the S3 port, and nobody but gateways and named others to the admin port', async () => {
    const objects = await rendered('ha');
    const { ingress } = only(objects, 'NetworkPolicy').spec as {
      ingress: { ports: { port: string }[]; from: { podSelector?: { matchLabels: object } }[] }[];
    };
    const letIn = (port: string): (object | undefined)[] =>
      ingress
        .filter(({ ports }) => ports.some((one) => one.port === port))
        .flatMap(({ from }) => from.map(({ podSelector }) => podSelector?.matchLabels));
    const [clients, test] = letIn('s3');
    expect(clients).toBeUndefined();
    expect(podOf(only(objects, 'Pod')).metadata.labels).toMatchObject(test ?? { none: true });
    const [gateways, monitoring] = letIn('admin');
    expect(podOf(gatewaysOf(objects)).metadata.labels).toMatchObject(gateways ?? { none: true });
    expect(monitoring).toBeUndefined();
    expect(podOf(only(objects, 'Pod')).metadata.labels).not.toMatchObject(gateways ?? {});
  });

  test('finds the other gateways by the headless Service, with a token that all of them have', async () => {
    const objects = await rendered('ha');
    expect(configOf(objects).data?.admin).toMatchObject({
      peers: { dnsName: 'rel-s3-cloud-gateway-peers.storage.svc' },
      tokenFile: '/admin-token/token',
      openMetrics: true,
    });
    const peers = only(objects, 'Service', '-peers');
    expect(peers.spec).toMatchObject({ clusterIP: 'None', publishNotReadyAddresses: true });
    expect(dataOf(only(objects, 'Secret', '-admin'))['token']).toMatch(/^\w{40}$/);
  });

  test("mounts the token into gateways only, and none when the cluster's tokens are asked for", async () => {
    const volumesOf = async (kind: string, ...args: string[]): Promise<string[]> =>
      podOf(only(await rendered('dev', '--set', 'sweeper.enabled=true', ...args), kind)).spec.volumes?.map(
        ({ name }) => name,
      ) ?? [];
    expect(await volumesOf('Deployment')).toContain('admin-token');
    for (const kind of ['CronJob', 'Pod']) expect(await volumesOf(kind)).not.toContain('admin-token');
    expect(await volumesOf('Deployment', '--set', 'config.admin.tokenReview.users[0]=x')).not.toContain('admin-token');
    expect(await volumesOf('Deployment', '--set', 'admin.inspector.enabled=false')).not.toContain('admin-token');
  });

  test('lets gateways read and change the one Secret of managed accounts, and makes it without content', async () => {
    const objects = await rendered('dev', '--set', 'admin.manage.enabled=true');
    const name = 'rel-s3-cloud-gateway-managed';
    expect(configOf(objects).data).toMatchObject({
      admin: { manage: { tokenFile: '/manage-token/token' } },
      managedAccounts: { secret: { namespace: 'storage', name } },
    });
    const rules = [{ apiGroups: [''], resources: ['secrets'], resourceNames: [name], verbs: ['get', 'patch'] }];
    expect(only(objects, 'Role')).toMatchObject({ metadata: { name }, rules });
    expect(only(objects, 'RoleBinding')['subjects']).toEqual([
      { kind: 'ServiceAccount', name: 'rel-s3-cloud-gateway', namespace: 'storage' },
    ]);
    const secret = only(objects, 'Secret', '-managed');
    expect(secret.metadata).toMatchObject({ annotations: { 'helm.sh/resource-policy': 'keep' } });
    expect([secret['data'], secret['stringData']]).toEqual([undefined, undefined]);
    const named = await rendered('dev', '--set', 'admin.manage.enabled=true,admin.manage.accountsSecret=theirs');
    expect(configOf(named).data).toMatchObject({
      managedAccounts: { secret: { namespace: 'storage', name: 'theirs' } },
    });
    expect(only(named, 'Role')).toMatchObject({ metadata: { name }, rules: [{ resourceNames: ['theirs'] }] });
    expect(named.filter(({ kind }) => kind === 'Secret').map(({ metadata }) => metadata.name)).not.toContain(name);
    expect(named.filter(({ kind }) => kind === 'Secret').map(({ metadata }) => metadata.name)).not.toContain('theirs');
    expect(dataOf(only(objects, 'Secret', '-manage'))['token']).toMatch(/^\w{40}$/);
    const { spec } = podOf(only(objects, 'Deployment'));
    expect(spec.volumes?.map((volume) => volume.name)).toContain('manage-token');
    expect(spec).toMatchObject({ automountServiceAccountToken: true });
    expect((await rendered('dev')).filter(({ kind }) => kind === 'Role')).toEqual([]);
  });

  test('asks for nothing that a bare cluster does not know, unless told to', async () => {
    for (const set of ['minimal', 'dev'] as const) {
      const groups = (await rendered(set)).map(({ apiVersion }) => apiVersion.split('/').reverse()[1] ?? '');
      expect(groups.filter((group) => group.includes('.') && !group.endsWith('.k8s.io'))).toEqual([]);
    }
  });

  describe('takes the values that the documentation shows', () => {
    const takes = async (file: string, ...args: string[]): Promise<void> =>
      expect(await run(helm, ['lint', '--strict', CHART, '--values', file, ...args])).toMatchObject({ code: 0 });

    test('docs/kubernetes.md', async () => {
      const page = readFileSync(join(DOCS, 'kubernetes.md'), 'utf8');
      const values = /^ {3}```yaml\n(.+?)^ {3}```/ms.exec(page)?.[1]?.replaceAll(/^ {3}/gm, '');
      const folder = mkdtempSync(join(tmpdir(), 'values-'));
      writeFileSync(join(folder, 'values.yaml'), values ?? '');
      await takes(join(folder, 'values.yaml'));
      rmSync(folder, { recursive: true });
    });

    test('docs/operations/examples, with what Terraform adds', async () => {
      await takes(
        join(DOCS, 'operations/examples/aks/values.yaml'),
        '--set',
        'config.backends.azure.account=examplestorage',
      );
      await takes(
        join(DOCS, 'operations/examples/gke/values.yaml'),
        '--set',
        'config.backends.gcs.bucketPrefix=example-',
      );
    });
  });
});

function gatewayOf(containers: readonly Container[]): Container {
  const found = containers.find(({ name }) => name === 'gateway');
  if (found === undefined) throw new Error('the pod has no gateway');
  return found;
}

function configText(objects: readonly KubernetesObject[]): string {
  const config = objects.find((object) => object.kind === 'ConfigMap' && 'gateway.yaml' in dataOf(object));
  return config === undefined ? '' : (dataOf(config)['gateway.yaml'] ?? '');
}

function configOf(objects: readonly KubernetesObject[]): ReturnType<typeof CONFIG.safeParse> {
  return CONFIG.safeParse(parseYaml(configText(objects)));
}
