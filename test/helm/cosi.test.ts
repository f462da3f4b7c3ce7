import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseCosiArguments } from '../../src/main/cosi/cosi-arguments.ts';
import { type Container, dataOf, only, podOf, type PodSpec } from './support/objects.ts';
import { orSkip } from './tools/cache.ts';
import { CHART, type Clients, findClients, type KubernetesObject, render, run, valuesOf } from './tools/helm.ts';

const clients = await orSkip('helm', findClients);
const SET = ['cosi.enabled=true', 'cosi.sidecar.image=registry.example.com/sidecar:1', 'admin.manage.enabled=true'];

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

describe.skipIf(clients === undefined)('the COSI driver of the chart', () => {
  const { helm } = clients as Clients;
  const rendered = async (...changes: readonly string[]): Promise<KubernetesObject[]> =>
    render(helm, 'minimal', ['--set', [...SET, ...changes].join(',')]);

  const podIn = (objects: readonly KubernetesObject[]): PodSpec => podOf(only(objects, 'Deployment', '-cosi')).spec;

  function container(objects: readonly KubernetesObject[], wanted: string): Container {
    const found = podIn(objects).containers.find(({ name }) => name === wanted);
    if (found === undefined) throw new Error(`the pod has no ${wanted}`);
    return found;
  }

  /** As the driver reads them; files that are mounted are made for it. */
  function argumentsIn(objects: readonly KubernetesObject[]): ReturnType<typeof parseCosiArguments> {
    const folder = mkdtempSync(join(tmpdir(), 'cosi-'));
    writeFileSync(join(folder, 'file'), 's'.repeat(32));
    const args = container(objects, 'driver').args ?? [];
    try {
      return parseCosiArguments(
        args.map((arg) => arg.replace(/-file=.*/, `-file=${join(folder, 'file')}`)),
        {},
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  test('is not there unless it is asked for', async () => {
    const names = (await render(helm, 'minimal')).map(({ metadata }) => metadata.name);
    expect(names.filter((name) => name.includes('cosi'))).toEqual([]);
  });

  test('is told the admin port, the endpoint that pods reach, and a name that no other release has', async () => {
    expect(argumentsIn(await rendered())).toMatchObject({
      name: 'rel-s3-cloud-gateway.storage',
      url: 'http://rel-s3-cloud-gateway-admin.storage.svc:9001',
      endpoint: 'http://rel-s3-cloud-gateway.storage.svc',
      socket: '/var/lib/cosi/cosi.sock',
      account: undefined,
    });
    const changed = ['cosi.driverName=s3.example.com', 'cosi.account=team', 'config.region=eu', 'service.port=8080'];
    expect(argumentsIn(await rendered(...changed, 'admin.port=9101'))).toMatchObject({
      name: 's3.example.com',
      account: 'team',
      region: 'eu',
      url: 'http://rel-s3-cloud-gateway-admin.storage.svc:9101',
      endpoint: 'http://rel-s3-cloud-gateway.storage.svc:8080',
    });
    const tls = await rendered('tls.enabled=true', 'tls.secretName=tls');
    expect(argumentsIn(tls)).toMatchObject({ endpoint: 'https://rel-s3-cloud-gateway.storage.svc' });
  });

  test('meets the sidecar at one socket, on a volume that only they have', async () => {
    const objects = await rendered();
    expect(container(objects, 'sidecar').args).toContain('--driver-addr=unix:///var/lib/cosi/cosi.sock');
    for (const name of ['driver', 'sidecar']) {
      expect(container(objects, name).volumeMounts).toContainEqual({ name: 'socket', mountPath: '/var/lib/cosi' });
    }
    expect(podIn(objects).volumes).toContainEqual({ name: 'socket', emptyDir: {} });
  });

  test('mounts what it names, and gives the token of the cluster to the sidecar alone', async () => {
    const objects = await rendered();
    const mounts = (name: string): string[] =>
      (container(objects, name).volumeMounts ?? []).map(({ mountPath }) => mountPath);
    expect(mounts('driver')).toEqual(['/var/lib/cosi', '/admin-token', '/cosi-seed']);
    expect(mounts('sidecar')).toEqual(['/var/lib/cosi', '/var/run/secrets/kubernetes.io/serviceaccount']);
    expect(podIn(objects).automountServiceAccountToken).toBe(false);
    const seed = only(objects, 'Secret', '-cosi');
    expect(dataOf(seed)['seed']).toMatch(/^\w{48}$/);
    expect(seed.metadata).toMatchObject({ annotations: { 'helm.sh/resource-policy': 'keep' } });
  });

  test('takes token and seed from the secrets of the release, or from those that are named', async () => {
    const secretsOf = (objects: readonly KubernetesObject[]): (string | undefined)[] =>
      ['admin-token', 'seed'].map(
        (wanted) => podIn(objects).volumes?.find(({ name }) => name === wanted)?.secret?.secretName,
      );
    expect(secretsOf(await rendered())).toEqual(['rel-s3-cloud-gateway-manage', 'rel-s3-cloud-gateway-cosi']);
    const named = await rendered('cosi.token.existingSecret=mine', 'cosi.seed.existingSecret=seed');
    expect(secretsOf(named)).toEqual(['mine', 'seed']);
    expect(named.filter(({ kind }) => kind === 'Secret').map(({ metadata }) => metadata.name)).toEqual(
      expect.not.arrayContaining(['rel-s3-cloud-gateway-cosi', 'seed']),
    );
  });

  test("shows tokens of its own service account where the cluster's are reviewed", async () => {
    const objects = await rendered('cosi.token.audience=s3gw');
    expect(podIn(objects).serviceAccountName).toBe('rel-s3-cloud-gateway-cosi');
    expect(podIn(objects).volumes?.find(({ name }) => name === 'admin-token')).toMatchObject({
      projected: { sources: [{ serviceAccountToken: { path: 'token', audience: 's3gw' } }] },
    });
  });

  test('is let in to the admin port by the network policy', async () => {
    const objects = await rendered();
    const { ingress } = only(objects, 'NetworkPolicy').spec as {
      ingress: { ports: { port: string }[]; from?: { podSelector?: { matchLabels: object } }[] }[];
    };
    const admin = ingress.find(({ ports }) => ports.some(({ port }) => port === 'admin'));
    const { labels } = podOf(only(objects, 'Deployment', '-cosi')).metadata;
    const letIn = admin?.from?.map(({ podSelector }) => podSelector?.matchLabels ?? {}) ?? [];
    expect(
      letIn.filter((selector) => Object.entries(selector).every(([name, value]) => labels[name] === value)),
    ).toHaveLength(1);
  });

  test('may do what the sidecar does, and nothing else', async () => {
    const objects = await rendered();
    const rules = objects
      .filter(({ kind, metadata }) => /^(Cluster)?Role$/.test(kind) && metadata.name.endsWith('-cosi'))
      .flatMap((object) => object['rules'] as Rule[]);
    expect(rules.flatMap(({ resources, verbs }) => [...resources, ...verbs])).not.toContain('*');
    const verbsOn = (resource: string): string[] =>
      rules.filter(({ resources }) => resources.includes(resource)).flatMap(({ verbs }) => verbs);
    expect(verbsOn('secrets')).toEqual(['get', 'create', 'update', 'delete']);
    expect(verbsOn('buckets')).toEqual(['get', 'list', 'watch', 'update']);
    expect(verbsOn('bucketclasses')).toEqual(['get']);
  });

  test.each([
    ['without the sidecar', ['cosi.sidecar.image='], /cosi\.sidecar\.image: expected the image/],
    ['without the admin API', ['admin.manage.enabled=false'], /cosi: expected admin\.manage\.enabled/],
    ['with two tokens', ['cosi.token.audience=s3gw', 'cosi.token.existingSecret=x'], /cosi\.token: expected either/],
    ['with an endpoint that has a path', ['cosi.endpoint=http://s3/x'], /endpoint/],
    [
      'with a name that is too long',
      [`fullnameOverride=${'f'.repeat(48)}`, `cosi.driverName=${'n'.repeat(64)}`],
      /driverName/,
    ],
    ['with a setting that is not known', ['cosi.tokne=x'], /tokne/],
  ])('is refused %s', async (_, changes, says) => {
    const args = ['template', 'rel', CHART, ...valuesOf('minimal'), '--set', [...SET, ...changes].join(',')];
    const { code, output } = await run(helm, args);
    expect(code).not.toBe(0);
    expect(output).toMatch(says);
  });
});
