import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FaultPlan } from '../support/backends/fault-proxy/fault.ts';
import { World } from '../wire/spec/world.ts';
import { type FaultyBackend, startFaultyBackend } from './backends.ts';

/** Above 1 MiB a body is streamed. */
const BODIES: Readonly<Record<string, string>> = { held: 'x'.repeat(10), streamed: 'y'.repeat(1_100_000) };

let backend: FaultyBackend;
let world: World;
const buckets: string[] = [];

beforeAll(async () => {
  backend = await startFaultyBackend('azure');
  world = await World.open({ versioningDrainMs: 1, systemContainer: 'headers-system' }, backend.open());
  for (const status of ['', 'Enabled', 'Suspended']) {
    const bucket = await world.bucket();
    if (status !== '') {
      await world.must('PUT', `/${bucket}?versioning`, {
        body: `<VersioningConfiguration><Status>${status}</Status></VersioningConfiguration>`,
      });
    }
    buckets.push(bucket);
  }
});
afterAll(async () => {
  await world.close();
  await backend.stop();
});

const CHANGES_ONLY: FaultPlan = ({ changes }) =>
  changes ? { kind: 'dropHeaders', names: ['content-md5'] } : undefined;
const EVERYWHERE: FaultPlan = () => ({ kind: 'dropHeaders', names: ['content-md5', 'x-ms-blob-content-md5'] });

test.each([
  ['answers to changes', CHANGES_ONLY, true],
  ['all answers', EVERYWHERE, false],
] as const)(
  'no Content-MD5 on %s: a PUT is answered 200, with the ETag that reads show',
  async (_what, plan, isMd5) => {
    backend.proxy.follow(plan);
    for (const bucket of buckets) {
      for (const [how, body] of Object.entries(BODIES)) {
        for (const headers of [{}, { 'if-none-match': '*' }] as Record<string, string>[]) {
          const target = `/${bucket}/${how}-${Object.keys(headers).length}-${String(isMd5)}`;
          const put = await world.ask('PUT', target, { body, headers });
          expect(put.outcome, target).toBe('200');
          const got = await world.must('GET', target);
          expect([got.headers['etag'], got.body]).toEqual([put.headers['etag'], body]);
          const md5 = `"${createHash('md5').update(body).digest('hex')}"`;
          expect(put.headers['etag'] === md5, target).toBe(isMd5 || how === 'held');
          if (!isMd5 && how === 'streamed') expect(put.headers['etag']).toMatch(/^"[0-9a-f]{32}-\d+"$/);
        }
      }
    }
    backend.proxy.follow();
  },
);

test.each(['etag', 'last-modified', 'date'])(
  'no %s on answers to changes: published, or 503 and nothing said of it',
  async (name) => {
    for (const bucket of buckets) {
      for (const [how, body] of Object.entries(BODIES)) {
        for (const headers of [{}, { 'if-none-match': '*' }] as Record<string, string>[]) {
          const target = `/${bucket}/${name}-${how}-${Object.keys(headers).length}`;
          backend.proxy.follow(({ changes }) => (changes ? { kind: 'dropHeaders', names: [name] } : undefined));
          const put = await world.ask('PUT', target, { body, headers });
          backend.proxy.follow();
          expect(put.outcome, target).toMatch(name === 'etag' ? /^(?:200|503 ServiceUnavailable)$/ : /^200$/);
          const got = await world.ask('GET', target);
          if (put.outcome === '200') {
            expect([got.body, got.headers['etag']], target).toEqual([body, put.headers['etag']]);
          } else {
            expect(got.outcome, target).toMatch(/^(?:200|404 NoSuchKey)$/);
          }
        }
      }
    }
  },
);
