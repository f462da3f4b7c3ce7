import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { type At, roundTrip } from '../support/clients/raw-http.ts';
import { ACCESS_KEY, OTHER_ACCESS_KEY, signedHead } from '../support/clients/sign-raw.ts';
import { KILLERS, LARGE } from './killers.ts';
import {
  LIMIT_MIB,
  type RunningGateway,
  runningGateway,
  startSmallGateway,
  type SmallGateway,
  waitedMs,
} from './small-gateway.ts';

/*
 * Every killer against a gateway of the chart's size: it lives, stays below its memory, answers its probe within a
 * second, and serves who is honest without a failure. `npm run test:killers` gives each more time.
 */
const MS = Number(process.env['KILLERS_SECONDS'] ?? 1) * 1000;
/** One that was started by `npm run test:image`; absent: these tests start their own. */
const RUNNING =
  process.env['KILLERS_GATEWAY'] === undefined
    ? undefined
    : (JSON.parse(process.env['KILLERS_GATEWAY']) as RunningGateway);
/** One that was started elsewhere has no listener for TLS. */
const NAMES = Object.entries(KILLERS).flatMap(([name, { tls }]) =>
  RUNNING !== undefined && tls === true ? [] : [name],
);
/** Strangers who do not go away, beside each other: `KILLERS_MIXED_SECONDS` gives them more time. */
const MIXED = [
  'readers of a large object at 64 KiB/s',
  'pipelined requests without bodies',
  'crowds of connections with half a head',
  'crowds of connections with half a form',
];
const MIXED_MS = Number(process.env['KILLERS_MIXED_SECONDS'] ?? MS / 1000) * 1000;
const LONGEST_MS = Math.max(MS, MIXED_MS);
/** Who comes together, and for how long. */
const SIEGES: readonly (readonly [string, readonly string[], number])[] = [
  ...NAMES.map((name) => [name, [name], MS] as const),
  ['all kinds together', MIXED, MIXED_MS],
];
/**
 * The kubelet's patience with a probe. Where more processes want to run than there are cores, all of them wait in turn.
 */
const PROBE_MS = 1000;
const patience = (): number => PROBE_MS * Math.max(1, (loadavg()[0] ?? 0) / availableParallelism());

let gateway: SmallGateway | undefined;
/** What the gateway has met. */
let family: string | undefined;
/**
 * Those of one family meet one gateway after each other. Another family gets a new one: the most memory that a process
 * has had stays, and what the last killer left is still being collected when the next one comes.
 */
const familyOf = (name: string): string => /^(?:pipelined requests|crowds of connections)/.exec(name)?.[0] ?? 'others';

/** One that lives: where a killer has ended it, a new one for the next, so that each is judged by itself. */
async function living(name: string): Promise<SmallGateway> {
  if (RUNNING === undefined && family !== familyOf(name)) {
    await gateway?.stop();
    gateway = undefined;
  }
  family = familyOf(name);
  if (gateway?.alive() === true) return gateway;
  if (gateway !== undefined && RUNNING !== undefined) throw new Error('the gateway has ended');
  await gateway?.stop();
  const started = RUNNING === undefined ? await startSmallGateway() : runningGateway(RUNNING);
  gateway = started;
  await vi.waitFor(async () => expect((await roundTrip(started.adminPort, OPEN)).status).toBe(200), {
    timeout: 120_000,
    interval: 200,
  });
  for (const [bucket, accessKey] of [
    ['flooded', ACCESS_KEY],
    ['honest', OTHER_ACCESS_KEY],
  ] as const) {
    expect(
      (
        await roundTrip(
          started.port,
          signedHead({ method: 'PUT', target: `/${bucket}`, accessKey, headers: { 'content-length': '0' } }),
        )
      ).status,
    ).toBe(200);
  }
  await storeLarge(started);
  return started;
}

async function storeLarge({ port }: SmallGateway): Promise<void> {
  const body = 'x'.repeat(16 * 1024 * 1024);
  const headers = { 'content-length': String(body.length) };
  const { status } = await roundTrip(port, signedHead({ method: 'PUT', target: `/flooded/${LARGE}`, headers }) + body);
  expect(status).toBe(200);
}

afterAll(() => gateway?.stop());

interface Watch {
  readonly probes: number[];
  readonly failures: string[];
  served: number;
}

/** Others keep processors busy, too: the time for which the gateway, or who asks it, waited for one is not its own. */
async function probe(gateway: SmallGateway, watch: Watch, signal: AbortSignal): Promise<void> {
  const ownTime = (): number => performance.now() - gateway.waitedMs() - waitedMs(process.pid);
  while (!signal.aborted) {
    const began = ownTime();
    const { status } = await roundTrip(gateway.adminPort, PROBE).catch(() => ({ status: 0 }));
    watch.probes.push(status === 200 ? ownTime() - began : Infinity);
    await sleep(100);
  }
}

const PROBE = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n';
/** Whether its listeners are there: the admin port is the first of all. */
const OPEN = 'GET /startupz HTTP/1.1\r\nHost: localhost\r\n\r\n';
const BODY = 'x'.repeat(4096);
const DELETION = '<Delete><Object><Key>gone</Key></Object></Delete>';

async function beHonest(at: At, watch: Watch, signal: AbortSignal): Promise<void> {
  const accessKey = OTHER_ACCESS_KEY;
  const requests: Readonly<Record<string, () => string>> = {
    PUT: () =>
      signedHead({
        method: 'PUT',
        target: '/honest/key',
        accessKey,
        headers: { 'content-length': String(BODY.length) },
      }) + BODY,
    GET: () => signedHead({ target: '/honest/key', accessKey }),
    list: () => signedHead({ target: '/honest?list-type=2', accessKey }),
    DeleteObjects: () =>
      signedHead({
        method: 'POST',
        target: '/honest?delete',
        accessKey,
        headers: {
          'content-length': String(DELETION.length),
          'content-md5': createHash('md5').update(DELETION).digest('base64'),
        },
      }) + DELETION,
  };
  while (!signal.aborted) {
    for (const [name, request] of Object.entries(requests)) {
      const outcome = await roundTrip(at, request()).then(
        ({ status, body }) => (status === 200 ? undefined : `${status} ${body}`),
        String,
      );
      if (outcome === undefined) watch.served += 1;
      else watch.failures.push(`${name}: ${outcome}`);
    }
    await sleep(10);
  }
}

/** @returns how many answers there were of each status */
async function flood(workerData: { name: string; port: number; ms: number }): Promise<Record<string, number>> {
  const worker = new Worker(new URL('./flood.ts', import.meta.url), { workerData });
  const [statuses] = (await once(worker, 'message')) as [Record<string, number>];
  await worker.terminate();
  return statuses;
}

describe.skipIf(!existsSync('/proc/self/status'))("a gateway of the chart's size", () => {
  test.each(SIEGES)(
    'survives %s',
    async (name, killers, ms) => {
      const gateway = await living(name);
      const { tls = false } = KILLERS[name] ?? {};
      const port = (tls ? gateway.tlsPort : undefined) ?? gateway.port;
      const watch: Watch = { probes: [], failures: [], served: 0 };
      const done = new AbortController();
      const beside = Promise.all([probe(gateway, watch, done.signal), beHonest({ port, tls }, watch, done.signal)]);
      const all = await Promise.all(killers.map((killer) => flood({ name: killer, port, ms })));
      const statuses: Record<string, number> = {};
      for (const [status, count] of all.flatMap((each) => Object.entries(each))) {
        statuses[status] = (statuses[status] ?? 0) + count;
      }
      done.abort();
      await beside;
      console.log(
        `${name}: ${JSON.stringify(statuses)}, slowest probe ${Math.round(Math.max(...watch.probes))} ms, ${watch.served} served, peak ${Math.round(gateway.peakMiB())} MiB`,
      );
      expect(gateway.alive(), gateway.lastWords()).toBe(true);
      expect(watch.failures).toEqual([]);
      expect(watch.served).toBeGreaterThan(0);
      expect(Object.keys(statuses).filter((status) => status.startsWith('5') && status !== '503')).toEqual([]);
      expect(Math.max(...watch.probes)).toBeLessThan(patience());
      expect(gateway.peakMiB()).toBeLessThan(LIMIT_MIB);
    },
    360_000 + 2 * LONGEST_MS,
  );
});
