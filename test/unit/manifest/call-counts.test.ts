import { describe, expect, it } from 'vitest';
import { ABSENT } from '../../../src/store/blob-store.ts';
import { createClock } from '../../../src/manifest/records/clock.ts';
import { type Objects, createObjects } from '../../../src/manifest/objects/objects.ts';
import { newToken } from '../../../src/manifest/records/version-token.ts';
import { versionRef } from '../../../src/manifest/records/version-names.ts';
import { publicationOf, putOf } from '../../support/manifest/manifest.ts';
import { testCall } from '../../support/test-call.ts';
import { VersionedBucket } from '../../support/manifest/versioned.ts';

/** One operation on a key in a state, and the backend calls it may make before it answers. */
interface Row {
  readonly operation: string;
  /**
   * From docs/decisions/0007-versions.md and the commit protocol it repeats. A smaller number is welcome, a greater one
   * is a regression.
   */
  readonly calls: number;
  /** Brings the key into the state; what it returns is handed to `run`. */
  readonly given: (key: VersionedBucket) => Promise<string | undefined>;
  readonly run: (key: VersionedBucket, call: ReturnType<typeof testCall>, id: string | undefined) => Promise<unknown>;
}

const nothing = async (): Promise<undefined> => undefined;

/** A process that has seen nothing of the key. */
function another(key: VersionedBucket): Objects {
  return createObjects({ clock: createClock(), settler: key.manifest.settler });
}

async function never(key: VersionedBucket): Promise<undefined> {
  key.set('never');
  await key.put('native');
}

async function untouched(key: VersionedBucket): Promise<undefined> {
  key.set('never');
}

async function currentOfTwo(key: VersionedBucket): Promise<string> {
  await key.put('one');
  return key.put('two');
}

async function marked(key: VersionedBucket): Promise<undefined> {
  await key.put('one');
  await key.remove();
}

async function aboveMarker(key: VersionedBucket): Promise<string> {
  await marked(key);
  return key.put('two');
}

async function versioned(key: VersionedBucket): Promise<string> {
  return key.put('one');
}

async function twoVersions(key: VersionedBucket): Promise<string> {
  const first = await key.put('one');
  await key.put('two');
  return first;
}

async function fromBefore(key: VersionedBucket): Promise<undefined> {
  await never(key);
  key.set('enabled');
}

async function suspendedOver(
  key: VersionedBucket,
  fill: (key: VersionedBucket) => Promise<unknown>,
): Promise<undefined> {
  await fill(key);
  key.set('suspended');
}

const conditional = (
  key: VersionedBucket,
  call: ReturnType<typeof testCall>,
  etag: string | undefined,
): Promise<unknown> => key.put('x', { conditions: { ifMatch: etag ?? '*' } }, call);

const amend = (key: VersionedBucket, call: ReturnType<typeof testCall>, versionId?: string): Promise<unknown> =>
  key.manifest.objects.amend(
    { bucket: key.bucket, key: 'k', versionId },
    () => ({ tags: [{ key: 'a', value: 'b' }] }),
    call,
  );

async function publish(key: VersionedBucket, call: ReturnType<typeof testCall>): Promise<unknown> {
  const { bucket, manifest } = key;
  const version = newToken((Date.now() + 60_000) * 1000);
  await manifest.store.assemble(
    versionRef({ bucket, key: 'k' }, version),
    { tokens: [], metadata: {}, condition: ABSENT },
    testCall(),
  );
  return manifest.objects.publish({ bucket, key: 'k' }, publicationOf({ version, size: 0, etag: 'abc-1' }), call);
}

/** Onto itself, as an operation does it that looked at the source before. */
async function copyOf(key: VersionedBucket, call: ReturnType<typeof testCall>): Promise<unknown> {
  const { bucket, manifest } = key;
  const view = manifest.objects.recall({ bucket, key: 'k' });
  if (view === undefined) throw new Error('the process has forgotten the object that it looked at');
  const attributes = { headers: view.headers, userMetadata: { a: 'b' } };
  const request = { source: { bucket, view }, attributes, ownerId: view.ownerId, conditions: {}, sameAttributes: true };
  return manifest.objects.copy({ bucket, key: 'k' }, request, call);
}

async function lookedAt(key: VersionedBucket): Promise<undefined> {
  await never(key);
  await key.find();
}

async function lookedAtBefore(key: VersionedBucket): Promise<undefined> {
  await lookedAt(key);
  key.set('enabled');
}

const ROWS: readonly Row[] = [
  { operation: 'copy of what was looked at, never versioned', calls: 1, given: lookedAt, run: copyOf },
  { operation: 'copy of an object from before, enabled', calls: 4, given: lookedAtBefore, run: copyOf },
  { operation: 'PUT, never versioned', calls: 1, given: untouched, run: (key, call) => key.put('x', {}, call) },
  {
    operation: 'PUT If-None-Match: *, never versioned',
    calls: 1,
    given: untouched,
    run: (key, call) => key.put('x', { conditions: { ifNoneMatch: '*' } }, call),
  },
  { operation: 'PUT If-Match, never versioned', calls: 2, given: never, run: conditional },
  { operation: 'DELETE, never versioned', calls: 2, given: never, run: (key, call) => key.remove(undefined, call) },
  { operation: 'GET, never versioned', calls: 1, given: never, run: (key, call) => key.text(undefined, call) },
  { operation: 'tags, never versioned', calls: 2, given: never, run: amend },

  { operation: 'PUT, enabled, of a new key', calls: 3, given: nothing, run: (key, call) => key.put('x', {}, call) },
  { operation: 'PUT, enabled, over a version', calls: 3, given: versioned, run: (key, call) => key.put('x', {}, call) },
  {
    operation: 'PUT, enabled, over a version of another process',
    calls: 4,
    given: versioned,
    run: (key, call) => another(key).put({ bucket: key.bucket, key: 'k' }, putOf('x'), call),
  },
  { operation: 'PUT If-Match, enabled', calls: 4, given: versioned, run: (key, call) => conditional(key, call, '*') },
  {
    operation: 'PUT, enabled, over an object from before',
    calls: 4,
    given: fromBefore,
    run: (key, call) => key.put('x', {}, call),
  },
  { operation: 'publishing an upload, enabled', calls: 3, given: versioned, run: publish },
  { operation: 'DELETE, enabled', calls: 4, given: versioned, run: (key, call) => key.remove(undefined, call) },
  {
    operation: 'DELETE, enabled, of nothing',
    calls: 4,
    given: nothing,
    run: (key, call) => key.remove(undefined, call),
  },
  {
    operation: 'DELETE of a version that is not current',
    calls: 4,
    given: twoVersions,
    run: (key, call, id) => key.remove(id, call),
  },
  {
    operation: 'DELETE of the current version',
    calls: 4,
    given: currentOfTwo,
    run: (key, call, id) => key.remove(id, call),
  },
  {
    operation: 'DELETE of the current version above a marker',
    calls: 5,
    given: aboveMarker,
    run: (key, call, id) => key.remove(id, call),
  },
  { operation: 'DELETE of the last version', calls: 6, given: versioned, run: (key, call, id) => key.remove(id, call) },
  {
    operation: 'GET of the current version',
    calls: 2,
    given: versioned,
    run: (key, call) => key.text(undefined, call),
  },
  { operation: 'GET by id, displaced', calls: 1, given: twoVersions, run: (key, call, id) => key.text(id, call) },
  { operation: 'GET by id, current', calls: 2, given: versioned, run: (key, call, id) => key.text(id, call) },
  { operation: 'GET behind a marker', calls: 1, given: marked, run: (key, call) => key.text(undefined, call) },
  { operation: 'tags of the current version', calls: 3, given: versioned, run: (key, call) => amend(key, call) },
  { operation: 'tags of a version by id', calls: 3, given: twoVersions, run: amend },

  {
    operation: 'PUT, suspended, over the null version',
    calls: 2,
    given: (key) => suspendedOver(key, fromBefore),
    run: (key, call) => key.put('x', {}, call),
  },
  {
    operation: 'PUT, suspended, over a version',
    calls: 3,
    given: (key) => suspendedOver(key, versioned),
    run: (key, call) => key.put('x', {}, call),
  },
  {
    operation: 'DELETE, suspended',
    calls: 5,
    given: (key) => suspendedOver(key, versioned),
    run: (key, call) => key.remove(undefined, call),
  },
];

describe('backend calls before the answer', () => {
  it.each(ROWS)('$operation: $calls', async ({ calls, given, run }) => {
    const key = await VersionedBucket.create({ settling: false });
    const id = await given(key);
    await key.manifest.settler.idle();
    const call = testCall();
    await run(key, call, id);
    expect(call.facts.backendCalls).toBe(calls);
  });
});
