import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  GetObjectCommand,
  HeadBucketCommand,
  PutObjectCommand,
  S3Client,
  type S3ServiceException,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { type AzuriteProcess, startAzurite } from '../../adapters/doubles/index.ts';
import { portOf, startCommand, type Started, testAccount } from '../support/gateway/start-command.ts';
import { findClients, render } from '../helm/tools/helm.ts';
import { Cluster } from './cluster.ts';
import { Daemon } from './daemon.ts';
import { type CosiPrograms, cosiPrograms } from './tools/cosi.ts';

/*
 * COSI's own controller and sidecar against a real API server, with the rights that COSI and the chart give them, three
 * gateways over one Azurite that follow one Secret, and the objects that docs/cosi.md shows.
 */
const ROOT = join(import.meta.dirname, '../..');
const NAMESPACE = 'storage';
const DRIVER = 's3-s3-cloud-gateway.storage';
const TOKEN = 'token-that-may-manage-for-tests';
const PAGE = readFileSync(join(ROOT, 'docs/cosi.md'), 'utf8');
/** Milliseconds in which keys begin and cease to work on every replica. */
const PROMISE = 5000;

const { start, configFile, folder } = startCommand({ keep: true });
const programs = await cosiPrograms();
if (programs === undefined) {
  console.warn(
    "SKIPPED: COSI_SOURCE does not name a checkout of COSI's tag, so nothing shows the driver under its sidecar",
  );
}

let cluster: Cluster;
let azurite: AzuriteProcess;
let gateways: Started[] = [];
let endpoints: string[] = [];
const daemons: Daemon[] = [];

async function kubectl(...args: readonly string[]): Promise<string> {
  const { code, output } = await cluster.kubectl(...args);
  if (code !== 0) throw new Error(output);
  return output.trim();
}

/** The block of YAML on the page that has a line. */
function shown(line: string): string {
  const blocks = [...PAGE.matchAll(/^( *)```yaml\n(.+?)^\1```/gms)].map(([, indent = '', text = '']) =>
    text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );
  const found = blocks.find((block) => block.split('\n').includes(line));
  if (found === undefined) throw new Error(`docs/cosi.md shows no ${line}`);
  return found;
}

/** What a gateway may do is what the admin API needs: one Secret. */
async function startGateways(): Promise<void> {
  await kubectl('create', 'secret', 'generic', 's3-managed-accounts', '--namespace', NAMESPACE);
  await kubectl('create', 'serviceaccount', 'gateway', '--namespace', NAMESPACE);
  const verbs = ['--verb=get,patch', '--resource=secrets', '--resource-name=s3-managed-accounts'];
  await kubectl('create', 'role', 'gateway', '--namespace', NAMESPACE, ...verbs);
  const binding = ['--role=gateway', `--serviceaccount=${NAMESPACE}:gateway`];
  await kubectl('create', 'rolebinding', 'gateway', '--namespace', NAMESPACE, ...binding);
  const own = await kubectl('create', 'token', 'gateway', '--namespace', NAMESPACE);
  writeFileSync(join(folder, 'own-token'), own, { mode: 0o600 });
  writeFileSync(join(folder, 'manage-token'), TOKEN, { mode: 0o600 });
  const { credential, ...store } = azurite.storeOptions;
  const key = credential.kind === 'accountKey' ? credential.key : '';
  const backend = {
    kind: 'azure',
    owner: 'main',
    endpoint: store.endpoint,
    credential: { kind: 'accountKey', keyEnv: 'KEY' },
  };
  const secret = { namespace: NAMESPACE, name: 's3-managed-accounts', ...cluster.api, tokenFile: 'own-token' };
  const settings = {
    admin: { port: 0, manage: { tokenFile: 'manage-token' } },
    accounts: [testAccount(), { name: 'team' }],
    backends: { store: backend },
    managedAccounts: { secret },
  };
  gateways = [1, 2, 3].map((at) => start(['--config', configFile(`replica-${at}.yaml`, settings)], { KEY: key }));
  const ports = await Promise.all(gateways.map(portOf));
  endpoints = ports.map((port) => `http://127.0.0.1:${port}`);
}

/** The driver, and the two programs of COSI as the service accounts that they have in a cluster. */
async function startCosi({ controller, sidecar, objects }: CosiPrograms): Promise<void> {
  await kubectl('apply', '--kustomize', objects);
  const values = ['cosi.enabled=true', 'admin.manage.enabled=true', 'cosi.sidecar.image=cosi:1'];
  const made = (await render((await findClients()).helm, 'minimal', ['--set', values.join(',')])).filter(
    ({ kind, metadata }) =>
      /Role|ServiceAccount/.test(kind) && metadata.labels?.['app.kubernetes.io/component'] === 'cosi',
  );
  expect(made).toHaveLength(5);
  await cluster.kubectlWith(made.map((object) => stringify(object)).join('---\n'), 'apply', '--namespace', NAMESPACE);

  writeFileSync(join(folder, 'seed'), 'seed-for-tests-only-'.padEnd(40, '0'), { mode: 0o600 });
  const [, admin = ''] = (await gateways[0]?.printed(/"admin":"([^"]+)"/)) ?? [];
  const socket = join(folder, 'cosi.sock');
  const run = (name: string, ...command: string[]): void => {
    daemons.push(new Daemon(cluster.folder, cluster.command(...command), name));
  };
  const files = [`--token-file=${folder}/manage-token`, `--seed-file=${folder}/seed`, `--socket=${socket}`];
  const driver = [`--name=${DRIVER}`, `--endpoint=${endpoints[0] ?? ''}`, `--url=${admin}`, ...files];
  run('cosi-driver', process.execPath, join(ROOT, 'src/cosi.mjs'), ...driver);
  const own = 'container-object-storage';
  const controllerConfig = await cluster.kubeconfigOf(`${own}-controller-sa`, `${own}-system`);
  run('cosi-controller', 'env', `POD_NAMESPACE=${own}-system`, controller, `--kubeconfig=${controllerConfig}`);
  const sidecarConfig = await cluster.kubeconfigOf('rel-s3-cloud-gateway-cosi', NAMESPACE);
  const where = [`--kubeconfig=${sidecarConfig}`, `--driver-addr=unix://${socket}`];
  run('cosi-sidecar', 'env', `POD_NAMESPACE=${NAMESPACE}`, sidecar, ...where);
}

describe.skipIf(programs === undefined)('COSI', () => {
  beforeAll(async () => {
    [cluster, azurite] = await Promise.all([Cluster.start(), startAzurite()]);
    await kubectl('create', 'namespace', NAMESPACE);
    await startGateways();
    if (programs !== undefined) await startCosi(programs);
    await cluster.kubectlWith(shown('kind: BucketClass'), 'apply');
  });

  afterAll(async () => {
    for (const daemon of daemons.toReversed()) await daemon.stop();
    for (const { child } of gateways) child.kill('SIGKILL');
    await Promise.all(gateways.map(({ ended }) => ended()));
    await azurite.stop();
    await cluster.stop();
  });

  interface Found {
    readonly bucketName: string;
    readonly secretS3: Readonly<Record<'endpoint' | 'region' | 'accessKeyID' | 'accessSecretKey', string>>;
  }

  /** What a pod of the namespace `default` would find. */
  async function bucketInfo(secret: string): Promise<Found> {
    await cluster.until(`the secret ${secret} is there`, async () => {
      for (const daemon of daemons) daemon.assertRunning();
      return (await cluster.kubectl('get', 'secret', secret)).code === 0;
    });
    const { data } = await cluster.get<{ data: { BucketInfo: string } }>('secret', secret);
    return (JSON.parse(Buffer.from(data.BucketInfo, 'base64').toString()) as { spec: Found }).spec;
  }

  function clientsOf({ secretS3: { region, accessKeyID, accessSecretKey } }: Found): S3Client[] {
    const credentials = { accessKeyId: accessKeyID, secretAccessKey: accessSecretKey };
    return endpoints.map(
      (endpoint) => new S3Client({ endpoint, region, credentials, forcePathStyle: true, maxAttempts: 1 }),
    );
  }

  const answerTo = async (asked: Promise<unknown>): Promise<string> =>
    asked.then(
      () => 'done',
      (error: unknown) => (error as S3ServiceException).name,
    );

  /** Milliseconds until all replicas answer so to a write of a key. */
  async function untilAll(found: Found, answer: string): Promise<number> {
    const clients = clientsOf(found);
    const from = Date.now();
    await expect
      .poll(
        async () =>
          Promise.all(
            clients.map((s3, at) =>
              answerTo(s3.send(new PutObjectCommand({ Bucket: found.bucketName, Key: `of-${at}`, Body: 'x' }))),
            ),
          ),
        { timeout: 60_000, interval: 100 },
      )
      .toEqual(clients.map(() => answer));
    return Date.now() - from;
  }

  let photos: Found;

  test('gives a pod a bucket, and keys that work on every replica within 5 seconds', async () => {
    const claimed = Date.now();
    for (const kind of ['kind: BucketClaim', 'kind: BucketAccess']) {
      const object =
        shown(kind)
          .split('---\n')
          .find((part) => part.includes(`${kind}\n`)) ?? '';
      await cluster.kubectlWith(object, 'create');
    }
    photos = await bucketInfo('photos-bucket');
    console.info(`claimed, and a secret there after ${Date.now() - claimed} ms`);
    expect(photos.secretS3).toMatchObject({ endpoint: endpoints[0], region: 'us-east-1' });
    const within = await untilAll(photos, 'done');
    console.info(`the key works on three replicas after another ${within} ms`);
    expect(within).toBeLessThan(PROMISE);
  });

  test('and nothing but this bucket', async () => {
    for (const s3 of clientsOf(photos)) {
      const other = s3.send(new PutObjectCommand({ Bucket: 'another', Key: 'k', Body: 'x' }));
      expect(await answerTo(other)).not.toBe('done');
    }
  });

  const accessOf = (name: string, access: string): string =>
    stringify({
      apiVersion: 'objectstorage.k8s.io/v1alpha1',
      kind: 'BucketAccess',
      metadata: { name },
      spec: { bucketClaimName: 'photos', bucketAccessClassName: access, credentialsSecretName: name, protocol: 'S3' },
    });

  test('gives others keys that only read', async () => {
    await cluster.kubectlWith(accessOf('reader', 'read-only'), 'create');
    const reader = await bucketInfo('reader');
    expect(reader.secretS3.accessKeyID).not.toBe(photos.secretS3.accessKeyID);
    await untilAll(reader, 'AccessDenied');
    for (const s3 of clientsOf(reader)) {
      expect(await answerTo(s3.send(new GetObjectCommand({ Bucket: reader.bucketName, Key: 'of-0' })))).toBe('done');
    }
  });

  test('says what is wrong with a class, where the team reads it', async () => {
    const misspelt = {
      apiVersion: 'objectstorage.k8s.io/v1alpha1',
      kind: 'BucketAccessClass',
      metadata: { name: 'misspelt' },
      driverName: DRIVER,
      authenticationType: 'Key',
      parameters: { readonly: 'true' },
    };
    await cluster.kubectlWith(stringify(misspelt), 'create');
    await cluster.kubectlWith(accessOf('wrong', 'misspelt'), 'create');
    await cluster.until('there is an event', async () =>
      (await kubectl('get', 'events', '--output', 'json')).includes('parameter readonly of the BucketAccessClass'),
    );
    expect((await cluster.kubectl('get', 'secret', 'wrong')).code).not.toBe(0);
    await kubectl('delete', 'bucketaccess', 'wrong');
  });

  test('ends the keys on every replica within 5 seconds when the access is deleted, and no others', async () => {
    const reader = await bucketInfo('reader');
    const from = Date.now();
    await kubectl('delete', 'bucketaccess', 'photos', '--wait=false');
    await untilAll(photos, 'InvalidAccessKeyId');
    const within = Date.now() - from;
    console.info(`deleted, and the key is dead on three replicas after ${within} ms`);
    expect(within).toBeLessThan(PROMISE);
    await cluster.until('the secret is gone', async () =>
      (await cluster.kubectl('get', 'secret', 'photos-bucket')).output.includes('NotFound'),
    );
    for (const s3 of clientsOf(reader)) {
      expect(await answerTo(s3.send(new HeadBucketCommand({ Bucket: reader.bucketName })))).toBe('done');
    }
  });

  test('keeps the bucket of a claim that is deleted as long as it has objects, and says so', async () => {
    await kubectl('delete', 'bucketaccess', 'reader');
    await kubectl('delete', 'bucketclaim', 'photos', '--wait=false');
    await cluster.until('there is an event', async () =>
      (await kubectl('get', 'events', '--all-namespaces', '--output', 'json')).includes('failed to delete bucket'),
    );
    expect((await cluster.kubectl('get', 'bucketclaim', 'photos')).code).toBe(0);
  });

  test('lets no namespace claim a bucket of another one, by the policy that the page shows', async () => {
    await cluster.kubectlWith(shown('kind: ValidatingAdmissionPolicy'), 'apply');
    const claim = (name: string, spec: object): string =>
      stringify({ apiVersion: 'objectstorage.k8s.io/v1alpha1', kind: 'BucketClaim', metadata: { name }, spec });
    const foreign = claim('foreign', { existingBucketName: photos.bucketName, protocols: ['S3'] });
    await cluster.until('the policy is in force', async () => {
      const answer = await cluster.kubectlWith(foreign, 'create', '--dry-run=server').catch(String);
      return answer.includes('existing buckets may not be claimed from this namespace');
    });
    const own = claim('own', { bucketClassName: 'standard', protocols: ['S3'] });
    await cluster.kubectlWith(own, 'create', '--dry-run=server');
    await kubectl('label', 'namespace', 'default', 'storage.example.com/existing-buckets=allowed');
    await cluster.until('the label counts', async () => {
      const answer = await cluster.kubectlWith(foreign, 'create', '--dry-run=server').catch(String);
      return answer.includes('created');
    });
  });
});
