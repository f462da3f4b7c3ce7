import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { orSkip } from '../helm/tools/cache.ts';
import type { Ran } from '../helm/tools/helm.ts';
import type { Orders, Report } from './node/client.ts';
import { checkRequirements } from './node/requirements.ts';
import { type Pod, Release } from './node/release.ts';
import { IMAGE, SingleNode, TAGS } from './node/single-node.ts';
import { startWriting, type Writing } from './node/writing.ts';

const MEMORY_LIMIT_MIB = 384;
const GATEWAYS = '--selector=app.kubernetes.io/component=gateway';
/** Sum of the drain times in values.yaml. */
const GRACE_SECONDS = 24;
const SMALL = [1000, 20_000, 300_000, 70_000, 6 * 1024 * 1024, 4096];
/** As large as a client sends in one piece. */
const LARGE = [5 * 1024 * 1024];
const LOAD_CHAINS = 16;
const LOAD_MS = 30_000;

const possible = await orSkip('a real node', checkRequirements);
let node: SingleNode;
let release: Release;

/** Figures are what this is for, too. */
function tell(what: string, figure: string): void {
  process.stdout.write(`  ${what}: ${figure}\n`);
}

const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(1)} s`;

async function timed(what: string, work: () => Promise<Ran>): Promise<Ran> {
  const started = Date.now();
  const ran = await work();
  tell(what, seconds(Date.now() - started));
  return ran;
}

/** A client with the SDK's own retries and no others. */
async function client(options: Pick<Orders, 'chains' | 'sizes'> = { chains: 4, sizes: SMALL }): Promise<Writing> {
  return startWriting(node.cluster, {
    endpoint: await release.endpoint(),
    accessKeyId: 'TESTTESTTESTTEST0001',
    secretAccessKey: 'test-secret-that-everybody-can-read-00',
    bucket: `node-${randomBytes(6).toString('hex')}`,
    ...options,
  });
}

function tellReport(what: string, { acknowledged, bytes, repeated, failed, slowestWrite }: Report): void {
  const mebibytes = Math.round(bytes / 1024 / 1024);
  tell(
    what,
    `${acknowledged} objects, ${mebibytes} MiB, ${repeated} requests repeated by the SDK, slowest write ${seconds(slowestWrite)}, ${failed.length} failed`,
  );
  for (const message of failed) tell('failed', message);
}

const nameOf = ({ metadata }: Pod): string => metadata.name;
const restartsOf = ({ status }: Pod): number => status.containerStatuses?.[0]?.restartCount ?? 0;
const isReady = ({ status }: Pod): boolean => status.containerStatuses?.[0]?.ready === true;

/** Two gateways, ready, and told to clients. */
async function untilBothServe(): Promise<{ found: Pod[]; took: number }> {
  return release.until('two gateways serve', async () => {
    const pods = await release.pods();
    return (
      pods.length === 2 &&
      pods.every(isReady) &&
      (await release.serving()).join() === pods.map(nameOf).toSorted().join() &&
      pods
    );
  });
}

describe.skipIf(possible === undefined)('on a node that runs pods', { timeout: 300_000 }, () => {
  beforeAll(async () => {
    node = await SingleNode.start((step, milliseconds) => tell(step, seconds(milliseconds)));
    release = new Release(node);
    const { code, output } = await timed('helm install --wait', () => release.install());
    expect({ code, output }).toMatchObject({ code: 0 });
    expect(output).not.toMatch(/would violate|[Ww]arning/);
  });

  afterAll(async () => {
    await (node as SingleNode | undefined)?.stop();
  });

  test('the gateways run as the chart says: a user that owns nothing, no capability, nothing to write to', async () => {
    const { found: pods } = await untilBothServe();
    for (const pod of pods) {
      const [process] = release.processes(pod);
      const status = readFileSync(`/proc/${process ?? 0}/status`, 'utf8');
      const value = (name: string): string => new RegExp(`^${name}:\\s+(\\S+)`, 'm').exec(status)?.[1] ?? '';
      expect({
        user: value('Uid'),
        capabilities: value('CapBnd'),
        seccomp: value('Seccomp'),
        noNewPrivileges: value('NoNewPrivs'),
      }).toEqual({ user: '65532', capabilities: '0000000000000000', seccomp: '2', noNewPrivileges: '1' });
      expect(readFileSync(`/proc/${process ?? 0}/mountinfo`, 'utf8')).toMatch(/^\S+ \S+ \S+ \S+ \/ ro[, ]/m);
    }
  });

  test('`helm test` makes its round trip through the Service, by name', async () => {
    const { code, output } = await timed('helm test --logs', () =>
      release.helm('test', 's3', '--logs', '--timeout', '120s'),
    );
    expect({ code, output }).toMatchObject({ code: 0 });
    expect(output).toContain('round trip done');
  });

  test('the sweeper runs to its end', async () => {
    expect(await release.kubectl('create', 'job', 'sweep', '--from=cronjob/s3-s3-cloud-gateway-sweeper')).toMatchObject(
      { code: 0 },
    );
    expect(
      await timed('sweeper', () => release.kubectl('wait', '--for=condition=Complete', 'job/sweep', '--timeout=120s')),
    ).toMatchObject({ code: 0 });
  });

  test('a killed gateway comes back, and nothing that was acknowledged is lost', async () => {
    const {
      found: [pod],
    } = await untilBothServe();
    if (pod === undefined) throw new Error('no gateway');
    const writing = await client();
    const before = restartsOf(pod);
    for (const id of release.processes(pod)) process.kill(id, 'SIGKILL');
    const { took } = await release.until('it was started again', async () =>
      (await release.pods()).some(
        (now) => nameOf(now) === nameOf(pod) && restartsOf(now) === before + 1 && isReady(now),
      ),
    );
    tell('a killed gateway is ready again', seconds(took));
    const report = await writing.stop();
    tellReport('written meanwhile', report);
    // A request may meet the dead gateway more often than the SDK tries, until the node has noticed. It fails, then.
    expect(report.wrong).toEqual([]);
  });

  test('a deleted pod drains: no request fails', async () => {
    const {
      found: [pod],
    } = await untilBothServe();
    if (pod === undefined) throw new Error('no gateway');
    const writing = await client();
    expect(
      await timed('a pod is deleted', () => release.kubectl('delete', 'pod', nameOf(pod), '--timeout=120s')),
    ).toMatchObject({ code: 0 });
    await untilBothServe();
    const report = await writing.stop();
    tellReport('written meanwhile', report);
    expect(report).toMatchObject({ failed: [], wrong: [] });
  });

  test('a gateway whose readiness probe fails gets no requests until it answers again', async () => {
    const {
      found: [pod],
    } = await untilBothServe();
    if (pod === undefined) throw new Error('no gateway');
    const stopped = release.processes(pod);
    for (const id of stopped) process.kill(id, 'SIGSTOP');
    try {
      const { took } = await release.until(
        'it is out of the EndpointSlice',
        async () => !(await release.serving()).includes(nameOf(pod)),
      );
      tell('a gateway that hangs gets no more requests', seconds(took));
      expect(await release.serving()).toHaveLength(1);
    } finally {
      for (const id of stopped) process.kill(id, 'SIGCONT');
    }
    tell('and gets them again', seconds((await untilBothServe()).took));
  });

  test('the default memory limit holds under load', async () => {
    const { found: before } = await untilBothServe();
    const writing = await client({ chains: LOAD_CHAINS, sizes: LARGE });
    await sleep(LOAD_MS);
    const report = await writing.stop();
    tellReport('under load', report);
    expect(report).toMatchObject({ failed: [], wrong: [] });
    const pods = await release.pods();
    expect(pods.map((pod) => [nameOf(pod), restartsOf(pod)]).toSorted()).toEqual(
      before.map((pod) => [nameOf(pod), restartsOf(pod)]).toSorted(),
    );
    for (const pod of pods) {
      const peak = release.peakMebibytes(pod);
      tell('peak memory of a gateway', `${peak} of ${MEMORY_LIMIT_MIB} MiB`);
      expect(peak).toBeLessThanOrEqual(MEMORY_LIMIT_MIB);
    }
  });

  test('a limit that is too small kills the new gateway; the old ones serve on, and the upgrade is taken back', async () => {
    const before = (await untilBothServe()).found.map(nameOf).toSorted();
    const writing = await client();
    const upgrade = timed('a bad upgrade, taken back', () =>
      release.upgrade(
        'resources.limits.memory=64Mi,resources.requests.memory=64Mi',
        '--timeout',
        '45s',
        '--rollback-on-failure',
      ),
    );
    const { took } = await release.until('a gateway is killed for its memory', async () =>
      (await release.pods()).some(({ status }) =>
        status.containerStatuses?.some(({ state, lastState }) =>
          [state, lastState].some(({ terminated }) => terminated?.reason === 'OOMKilled'),
        ),
      ),
    );
    tell('killed for its memory', seconds(took));
    expect((await upgrade).code).not.toBe(0);
    const { found: pods } = await untilBothServe();
    expect(pods.map(nameOf).toSorted()).toEqual(before);
    const report = await writing.stop();
    tellReport('written meanwhile', report);
    expect(report).toMatchObject({ failed: [], wrong: [] });
  });

  test('an upgrade and a rollback while a client writes: no request fails, and every object is there', async () => {
    const before = (await untilBothServe()).found;
    const imagesOf = (pods: readonly Pod[]): string[] => [
      ...new Set(pods.flatMap(({ spec }) => spec.containers.map(({ image }) => image))),
    ];
    expect(imagesOf(before)).toEqual([`${IMAGE}:${TAGS[0]}`]);
    const writing = await client();
    expect(
      await timed('helm upgrade --wait', () =>
        release.upgrade(`image.tag=${TAGS[1]},config.logLevel=warn,preflight.enabled=true`),
      ),
    ).toMatchObject({ code: 0 });
    const { found: upgraded } = await untilBothServe();
    for (const pod of upgraded) {
      expect((await release.kubectl('logs', nameOf(pod), '--container=preflight')).output).toContain('preflight: good');
    }
    expect(imagesOf(upgraded)).toEqual([`${IMAGE}:${TAGS[1]}`]);
    expect(await timed('helm rollback --wait', () => release.rollback())).toMatchObject({ code: 0 });
    const { found: after } = await untilBothServe();
    expect(imagesOf(after)).toEqual([`${IMAGE}:${TAGS[0]}`]);
    expect(new Set([...before, ...upgraded, ...after].map(nameOf)).size).toBe(6);
    const report = await writing.stop();
    tellReport('written meanwhile', report);
    expect(report.acknowledged).toBeGreaterThan(100);
    expect(report).toMatchObject({ failed: [], wrong: [] });
  });

  test('serves on the network of the node, too, for clusters that have no other', async () => {
    const alone = 'hostNetwork=true,replicas=1,rollout.maxSurge=0,rollout.maxUnavailable=2';
    await release.allow('privileged');
    expect(await timed('onto the network of the node', () => release.upgrade(alone))).toMatchObject({ code: 0 });
    expect(await release.helm('test', 's3', '--timeout', '120s')).toMatchObject({ code: 0 });
  });

  test('ends well within its grace when it is uninstalled', async () => {
    expect(await release.helm('uninstall', 's3')).toMatchObject({ code: 0 });
    expect(
      await timed('the pods end', () =>
        release.kubectl('wait', '--for=delete', 'pod', GATEWAYS, `--timeout=${GRACE_SECONDS - 5}s`),
      ),
    ).toMatchObject({ code: 0 });
  });
});
