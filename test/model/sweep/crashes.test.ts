import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { readHead } from '../../../src/manifest/heads/object-read.ts';
import { isVisible, readVersion } from '../../../src/manifest/versions/version-blob.ts';
import { seqOfToken, tokenOfNull } from '../../../src/manifest/records/version-token.ts';
import { versionOfUpload } from '../../../src/manifest/records/upload-id.ts';
import { encryptedBy } from '../../../src/manifest/heads/keep-apart.ts';
import { parsePieceName } from '../../../src/manifest/records/piece-names.ts';
import { testCall } from '../../support/test-call.ts';
import { MIN_PART, OWNER, md5Of } from '../../unit/manifest/upload-fixture.ts';
import { CUSTOMER_KEY, SweepFixture, findings, problemsOf } from '../../unit/manifest/sweep/sweep-fixture.ts';

afterEach(() => {
  vi.useRealTimers();
});

const LONG = 'x'.repeat(1500);
const CAPABILITIES = { maxWrite: 1000 } as const;
/** An operation that has not come to its end after so many calls runs in circles. */
const MOST_CALLS = 60;

interface Scenario {
  readonly start: (world: SweepFixture) => Promise<void>;
  /** What the process does that dies. */
  readonly work: (world: SweepFixture) => Promise<unknown>;
}

const attributes = { headers: {}, userMetadata: {} };

function streamed(world: SweepFixture, text: string): Promise<unknown> {
  const body = { size: text.length, stream: Readable.from([Buffer.from(text)]) };
  const facts = Promise.resolve({ md5: md5Of(text) });
  return world.gateway.objects.put(
    { bucket: world.bucket, key: 'k' },
    { body, facts, attributes, ownerId: OWNER, conditions: {} },
    testCall(),
  );
}

async function upload(world: SweepFixture): Promise<unknown> {
  const { target, parts } = await world.gateway.started('k', 'p'.repeat(MIN_PART), 'end');
  await world.gateway.complete(target, parts);
  return world.gateway.idle();
}

async function aborted(world: SweepFixture): Promise<unknown> {
  const { target } = await world.gateway.started('k', 'p'.repeat(MIN_PART), 'end');
  return world.gateway.uploads.abort(target, testCall());
}

const keepApart = { kind: 'customer', key: CUSTOMER_KEY } as const;

function encrypted(world: SweepFixture): Promise<unknown> {
  const request = { body: Buffer.from('encrypted'), attributes, ownerId: OWNER, conditions: {}, keepApart };
  return world.gateway.objects.put({ bucket: world.bucket, key: 'k' }, request, testCall());
}

/** A part that is sent twice, and perhaps the end. */
async function encryptedUpload(world: SweepFixture, completes: boolean): Promise<unknown> {
  const { bucket } = world;
  const { uploads } = world.gateway;
  const creation = { attributes, ownerId: OWNER, encryption: encryptedBy(keepApart) };
  const target = await uploads.create({ bucket, key: 'k' }, creation, testCall());
  const upload = await uploads.find(target, testCall());
  let etag = '';
  for (const text of ['first', 'again']) {
    const part = { number: 1, body: Buffer.from(text), facts: { md5: md5Of(text) }, keepApart };
    ({ etag } = await uploads.putPart(upload, part, testCall()));
  }
  if (!completes) return uploads.abort(target, testCall());
  const before = { beforeAssembly: () => undefined, beforePublication: async () => undefined };
  const parts = [{ number: 1, etag, checksums: {} }];
  await uploads.complete(target, { parts, expected: {}, conditions: {}, ...before }, testCall());
  return world.gateway.idle();
}

async function nth(world: SweepFixture, n: number): Promise<string> {
  const ids = Object.keys(await world.view())
    .filter((id) => id !== 'current' && id !== 'null')
    .sort();
  return ids[n] ?? 'none';
}

const STARTS: Readonly<Record<string, Scenario['start']>> = {
  'an empty key that was never versioned': async () => undefined,
  'an object that was never versioned': async (world) => {
    await world.put('native');
  },
  'a multipart object that was never versioned': async (world) => {
    await upload(world);
  },
  'an empty key with versions': async (world) => world.version('enabled'),
  'two versions over a native object': async (world) => {
    await world.put('native');
    await world.version('enabled');
    await world.put('one');
    await world.put('two');
  },
  'one version': async (world) => {
    await world.version('enabled');
    await world.put('one');
  },
  'a version under a marker': async (world) => {
    await world.version('enabled');
    await world.put('one');
    await world.remove();
  },
  'a null version over a version, suspended': async (world) => {
    await world.version('enabled');
    await world.put('one');
    await world.version('suspended');
    await world.put('null');
  },
  'an object under a key': async (world) => {
    await encrypted(world);
  },
  'a version under a key, and one above it': async (world) => {
    await world.version('enabled');
    await encrypted(world);
    await world.put('one');
  },
  'a null version that is published, under a version': async (world) => {
    await world.version('suspended');
    await upload(world);
    await world.version('enabled');
    await world.put('one');
    await world.version('suspended');
  },
};

const WORKS: Readonly<Record<string, Scenario['work']>> = {
  PUT: (world) => world.put('put'),
  'PUT of a stream': (world) => streamed(world, 'stream'),
  'PUT beyond one write': (world) => streamed(world, LONG),
  DELETE: (world) => world.remove(),
  'DELETE of the current version': async (world) => world.remove(await nth(world, 0)),
  'DELETE of the version before': async (world) => world.remove(await nth(world, 1)),
  'DELETE of the null version': (world) => world.remove('null'),
  'an upload that is completed': upload,
  'an upload that is aborted': aborted,
  'PUT under a key': encrypted,
  'an upload under a key that is completed': (world) => encryptedUpload(world, true),
  'an upload under a key that is aborted': (world) => encryptedUpload(world, false),
  'change of tags': (world) =>
    world.gateway.objects.amend(
      { bucket: world.bucket, key: 'k' },
      () => ({ tags: [{ key: 'a', value: 'b' }] }),
      testCall(),
    ),
};

/** What became of the call at which the process died. `some`: of a batch of removals some, and not the others. */
const DONE = ['nothing', 'all', 'some'] as const;

/** Runs the work; from its n-th call on the process is dead. @returns that call; undefined: it did not come so far */
async function crash(
  world: SweepFixture,
  work: Scenario['work'],
  at: { n: number; done: (typeof DONE)[number] },
): Promise<string | undefined> {
  const { gateway } = world;
  let count = 0;
  let last: string | undefined;
  gateway.plan = ({ method }) => {
    count += 1;
    if (count < at.n) return undefined;
    if (count === at.n) last = method;
    if (count > at.n || at.done === 'nothing') return { kind: 'fail' };
    return { kind: at.done === 'some' && method === 'removeMany' ? 'removeSome' : 'loseAnswer' };
  };
  await work(world).catch(() => undefined);
  await gateway.idle();
  for (let turn = 0; turn < 20; turn++) await nextTurn(); // what was under way dies too
  gateway.plan = () => undefined;
  gateway.backgroundErrors.length = 0;
  return last;
}

/** Marks what a tool of the cloud may have done, then takes it for garbage. */
async function sweepOut(world: SweepFixture): Promise<void> {
  for (const hours of [25, 8 * 24]) {
    world.advance(hours);
    expect(problemsOf(await world.sweep())).toEqual([]);
  }
}

/** Tokens and ids of the encrypted bytes of all that clients can read. */
async function piecesInUse(world: SweepFixture): Promise<Set<string>> {
  const { bucket } = world;
  const used = new Set<string>();
  for (const versionId of Object.keys(await world.view())) {
    const at = { bucket, key: 'k', versionId: versionId === 'current' ? undefined : versionId };
    const view = await world.gateway.objects.find(at, testCall()).catch(() => undefined);
    for (const { id } of view?.pieces ?? []) used.add(`${view?.encryption?.token ?? ''} ${id}`);
  }
  return used;
}

/** What may be left when all is swept: the history, the index of a deleted key, and what an open upload needs. */
async function expectClean(world: SweepFixture): Promise<void> {
  const { bucket } = world;
  const open = await world.gateway.openUploads();
  const head = await readHead({ bucket, key: 'k' }, testCall());
  const staged = open.map(versionOfUpload);
  const used = await piecesInUse(world);
  for (const name of await world.leftovers()) {
    if (name.startsWith('v/')) {
      const token = name.slice(-32);
      const version = await readVersion({ bucket, key: 'k' }, token, testCall());
      const isNamed = staged.includes(token) || (version !== undefined && isVisible(head, version));
      const isCopyOfHead = head !== undefined && tokenOfNull(seqOfToken(token), head.properties.revision) === token;
      expect(isNamed || isCopyOfHead, name).toBe(true);
    } else if (name.startsWith('e/')) {
      const piece = parsePieceName(bucket, name);
      const token = piece?.token ?? '';
      expect(used.has(`${token} ${piece?.id ?? ''}`) || staged.includes(token), name).toBe(true);
    } else if (name.startsWith('x/')) {
      expect(head?.record?.kind, name).toBe('marker');
    } else {
      expect(
        open.some((uploadId) => name.includes(uploadId)),
        name,
      ).toBe(true);
    }
  }
  expect(head?.record?.kind).not.toBe('void');
  expect(findings(await world.sweep())).toEqual({});
}

describe.each(Object.keys(STARTS))('%s', (start) => {
  it.each(Object.keys(WORKS))(
    '%s: whatever call the process dies at, a sweep leaves what clients see, and nothing else',
    async (work) => {
      for (let n = 1, died: string | undefined = ''; died !== undefined; n++) {
        expect(n).toBeLessThan(MOST_CALLS);
        for (const done of DONE) {
          if (done === 'some' && died !== 'removeMany') continue;
          const world = await SweepFixture.open({ capabilities: CAPABILITIES });
          await STARTS[start]?.(world);
          await world.gateway.idle();
          died = await crash(world, WORKS[work] ?? (() => Promise.resolve()), { n, done });
          const before = await world.view();
          await sweepOut(world);
          expect(await world.view(), `dead at call ${n}, done ${done}`).toEqual(before);
          await expectClean(world);
          vi.useRealTimers();
        }
      }
    },
  );
});
