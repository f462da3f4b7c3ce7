import { readFileSync, rmSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { startAzurite } from '../../adapters/doubles/index.ts';
import { certificateFiles } from '../support/certificates.ts';
import { type Process, runPod, type Surroundings, untilProbe } from './support/kubelet.ts';
import { containerOf, dataOf, gatewaysOf, only, podOf } from './support/objects.ts';
import { orSkip } from './tools/cache.ts';
import { type Clients, findClients, type KubernetesObject, render, type ValueSet } from './tools/helm.ts';
import { freePort } from '../support/free-port.ts';

const clients = await orSkip('helm', findClients);
const running: Process[] = [];

afterEach(async () => {
  await Promise.all(
    running.splice(0).map(async ({ child, ended }) => {
      child.kill('SIGKILL');
      await ended();
    }),
  );
});

/** What the manifests describe, running on free ports of loopback. */
interface Release {
  readonly objects: readonly KubernetesObject[];
  readonly deployment: KubernetesObject;
  readonly gateway: Process;
  readonly around: Surroundings;
}

async function start(
  set: ValueSet,
  args: readonly string[] = [],
  secrets: NonNullable<Surroundings['secrets']> = {},
): Promise<Release> {
  const [port, adminPort] = [await freePort(), await freePort()];
  const objects = await render((clients as Clients).helm, set, [
    '--set',
    `listen.host=127.0.0.1,listen.port=${port},admin.host=127.0.0.1,admin.port=${adminPort}`,
    '--set',
    'drain.delaySeconds=0',
    ...args,
  ]);
  const deployment = gatewaysOf(objects);
  const service = 'rel-s3-cloud-gateway.storage.svc';
  const around = {
    secrets,
    replace: { [`${service}:80`]: `127.0.0.1:${port}`, [`${service}:443`]: `127.0.0.1:${port}` },
  };
  const gateway = runPod(deployment, objects, around);
  running.push(gateway);
  return { objects, deployment, gateway, around };
}

async function helmTest(
  { objects, around }: Release,
  secrets?: Surroundings['secrets'],
): Promise<{ code: number | null; output: string }> {
  const test = runPod(only(objects, 'Pod'), objects, { ...around, ...(secrets !== undefined && { secrets }) });
  return { code: await test.ended(), output: test.output() };
}

describe.skipIf(clients === undefined)('the rendered manifests', { timeout: 90_000 }, () => {
  test('start a gateway that passes its probes and `helm test`, and ends when it is told to', async () => {
    const release = await start('dev');
    const { deployment, gateway } = release;
    await untilProbe(deployment, 'startup', gateway);
    await untilProbe(deployment, 'readiness', gateway);
    await untilProbe(deployment, 'liveness', gateway);

    const { code, output } = await helmTest(release);
    expect(output.match(/^(ok|FAIL) +[a-z ]+/gm)).toEqual([
      'ok   create bucket ',
      'ok   put ',
      'ok   get ',
      'ok   list ',
      'ok   delete ',
      'ok   get after delete ',
      'ok   delete bucket ',
    ]);
    expect(code).toBe(0);

    gateway.child.kill('SIGTERM');
    expect(await gateway.ended()).toBe(0);
  });

  test('serve the inspector to whoever has the token of the secret, and to nobody else', async () => {
    const { objects, deployment, gateway } = await start('dev');
    await untilProbe(deployment, 'readiness', gateway);
    const admin = containerOf(podOf(deployment)).ports?.find(({ name }) => name === 'admin')?.containerPort ?? 0;
    const ask = async (authorization: string): Promise<number> =>
      (
        await fetch(`http://127.0.0.1:${admin}/api/requests`, {
          headers: { authorization },
          signal: AbortSignal.timeout(5000),
        })
      ).status;
    const { token = '' } = dataOf(only(objects, 'Secret', '-admin'));
    expect([await ask('Bearer another'), await ask('')]).toEqual([401, 401]);
    expect(await ask(`Bearer ${token}`)).toBe(200);
    expect((await fetch(`http://127.0.0.1:${admin}/metrics`)).status).toBe(200);
  });

  test('`helm test` fails when the key is wrong', async () => {
    const release = await start('dev');
    await untilProbe(release.deployment, 'readiness', release.gateway);
    const { code, output } = await helmTest(release, { 'rel-s3-cloud-gateway-keys': { dev: 'another-secret' } });
    expect(output).toContain('SignatureDoesNotMatch');
    expect(code).toBe(1);
  });

  test('serve HTTPS with the certificate of the secret', async () => {
    const certificate = await certificateFiles();
    const tls = {
      'tls.crt': readFileSync(certificate.certFile, 'utf8'),
      'tls.key': readFileSync(certificate.keyFile, 'utf8'),
    };
    rmSync(certificate.folder, { recursive: true });
    const release = await start('dev', ['--set', 'tls.enabled=true,tls.secretName=site'], { site: tls });
    await untilProbe(release.deployment, 'readiness', release.gateway);
    const { code, output } = await helmTest(release);
    expect(output).toContain('round trip done');
    expect(code).toBe(0);
  });

  test('read keys from existing secrets, store in Azure, sweep it and pass the preflight', async () => {
    const azurite = await startAzurite({});
    const { credential } = azurite.storeOptions;
    if (credential.kind !== 'accountKey') throw new Error('Azurite has an account key');
    const secrets = {
      's3-access-keys': { main: 'a-secret-for-this-test-only' },
      'azure-storage': { 'account-key': credential.key },
    };
    try {
      const release = await start(
        'minimal',
        [
          '--set',
          `config.backends.azure.endpoint=${azurite.endpoint},config.backends.azure.account=devstoreaccount1,preflight.enabled=true`,
        ],
        secrets,
      );
      await untilProbe(release.deployment, 'readiness', release.gateway);
      expect(await helmTest(release)).toMatchObject({ code: 0 });
      const sweeper = runPod(only(release.objects, 'CronJob', '-sweeper'), release.objects, release.around);
      expect({ code: await sweeper.ended(), output: sweeper.output() }).toMatchObject({ code: 0 });
      const lifecycle = runPod(only(release.objects, 'CronJob', '-lifecycle'), release.objects, release.around);
      expect({ code: await lifecycle.ended(), output: lifecycle.output() }).toMatchObject({
        code: 0,
        output: expect.stringContaining('no bucket has lifecycle rules') as string,
      });
      const preflight = runPod(release.deployment, release.objects, { ...release.around, initContainer: 'preflight' });
      expect({ code: await preflight.ended(), output: preflight.output() }).toMatchObject({
        code: 0,
        output: expect.stringContaining('preflight: good') as string,
      });
    } finally {
      await azurite.stop();
    }
  });
});
