import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { type Fault, type PlannedCall, withFaults } from '../../../adapters/doubles/faults.ts';
import { MemoryBlobStore } from '../../../adapters/memory/memory-blob-store.ts';
import type { PutRequest } from '../../../src/manifest/heads/object-requests.ts';
import { createObjects } from '../../../src/manifest/objects/objects.ts';
import { createSettler } from '../../../src/manifest/versions/settle.ts';
import { createClock } from '../../../src/manifest/records/clock.ts';
import { createListing } from '../../../src/manifest/listing/listing.ts';
import { createUploads } from '../../../src/manifest/uploads/uploads.ts';
import type { WriteConditions } from '../../../src/protocol/conditions.ts';
import { StoreError } from '../../../src/store/store-error.ts';
import { readAll } from '../../../src/streams/bytes.ts';
import { testCall } from '../../support/test-call.ts';
import { createHash } from 'node:crypto';
import { OWNER, putOf } from '../../support/manifest/manifest.ts';

/** Two gateways with clocks of their own over one store, one key in a bucket with versioning. */
class TwoGateways {
  readonly memory = new MemoryBlobStore();
  plan: (call: PlannedCall) => Fault | undefined = () => undefined;
  readonly #store = withFaults(this.memory, (call) => this.plan(call));
  readonly #settler = createSettler({
    concurrency: 2,
    maxQueue: 100,
    newCall: () => testCall(),
    onError: () => undefined,
  });
  readonly near = this.#gateway(0);
  readonly behind = this.#gateway(-600_000);
  versioning: 'never' | 'enabled' = 'enabled';

  static async open(): Promise<TwoGateways> {
    const both = new TwoGateways();
    for (const container of ['bucket', 'system']) await both.memory.createContainer(container, {}, testCall());
    return both;
  }

  get bucket() {
    const home = { backend: 'test', store: this.#store, container: 'bucket', system: 'system' };
    return {
      name: 'bucket',
      uid: 'uid',
      ownerId: OWNER,
      createdAt: 0,
      versioning: this.versioning,
      settings: {},
      home,
    } as const;
  }

  #gateway(skew: number) {
    const clock = createClock(() => Date.now() + skew);
    const objects = createObjects({ clock, settler: this.#settler });
    return { objects, uploads: createUploads({ clock, settler: this.#settler, objects, minPartSize: 1 }) };
  }

  async put(text: string, more: Partial<PutRequest> = {}): Promise<string> {
    return (await this.near.objects.put({ bucket: this.bucket, key: 'k' }, putOf(text, more), testCall())).versionId;
  }

  /** An upload that is not completed yet. */
  async started(at: 'near' | 'behind' = 'near'): Promise<(conditions?: WriteConditions) => Promise<string>> {
    const { uploads } = this[at];
    const target = await uploads.create(
      { bucket: this.bucket, key: 'k' },
      { ownerId: OWNER, attributes: { headers: {}, userMetadata: {} } },
      testCall(),
    );
    const body = Buffer.from('parts');
    const facts = { md5: createHash('md5').update(body).digest('hex') };
    const { etag } = await uploads.putPart(
      await uploads.find(target, testCall()),
      { number: 1, body, facts },
      testCall(),
    );
    const request = {
      parts: [{ number: 1, etag, checksums: {} }],
      expected: {},
      beforeAssembly: () => undefined,
      beforePublication: async () => undefined,
    };
    return async (conditions = {}) =>
      (await uploads.complete({ ...target, bucket: this.bucket }, { ...request, conditions }, testCall())).versionId;
  }

  /** What clients see, newest first: texts, and markers as such; and whether every version can be read by its id. */
  async history(): Promise<string[]> {
    await this.#settler.idle();
    const { entries } = await createListing().versions(
      this.bucket,
      { prefix: 'k', delimiter: '', after: '', limit: 100 },
      testCall(),
    );
    const own = entries.filter((entry) => entry.kind !== 'prefix');
    return Promise.all(
      own.map(async (entry) => {
        if (!('etag' in entry)) return 'marker';
        const { body } = await this.near.objects.open(
          { bucket: this.bucket, key: 'k', versionId: entry.versionId },
          {},
          testCall(),
        );
        return (await readAll(body)).toString();
      }),
    );
  }

  /** Blobs of versions and uploads that lie in the system container. */
  async blobs(): Promise<number> {
    await this.#settler.idle();
    return (await this.memory.list('system', { prefix: 'v/', limit: 100 }, testCall())).entries.length;
  }

  /** Before the next write of the head: what somebody else does meanwhile. */
  meanwhile(work: () => Promise<unknown>): void {
    this.plan = ({ method, ref }) => {
      if (method !== 'write' || ref.container !== 'bucket') return undefined;
      this.plan = () => undefined;
      return { kind: 'interleave', before: work };
    };
  }
}

function streamed(text: string): Partial<PutRequest> {
  const bytes = Buffer.from(text);
  return { body: { size: bytes.length, stream: Readable.from([bytes]) }, facts: Promise.resolve({}) };
}

const CONDITIONAL: Partial<PutRequest> = { conditions: { ifMatch: '*' } };

describe('one order of all writes of a key', () => {
  it('a PUT that was overtaken by another stands below it', async () => {
    const key = await TwoGateways.open();
    await key.behind.objects.put({ bucket: key.bucket, key: 'k' }, putOf('first'), testCall());
    key.meanwhile(() => key.put('other'));
    await key.put('slow');
    expect(await key.history()).toEqual(['other', 'slow', 'first']);
  });

  it('a PUT that began with a remembered head stands above what was acknowledged before it began', async () => {
    const key = await TwoGateways.open();
    const behind = (text: string): Promise<unknown> =>
      key.behind.objects.put({ bucket: key.bucket, key: 'k' }, putOf(text), testCall());
    await behind('first');
    await key.put('second');
    await behind('third');
    expect(await key.history()).toEqual(['third', 'second', 'first']);
    await key.put('fourth');
    key.meanwhile(() => key.put('fifth'));
    await behind('sixth');
    expect(await key.history()).toEqual(['sixth', 'fifth', 'fourth', 'third', 'second', 'first']);
    expect(await key.blobs()).toBe(6);
  });

  it('a deletion that began with a remembered head stands above what was acknowledged before it began', async () => {
    const key = await TwoGateways.open();
    await key.behind.objects.put({ bucket: key.bucket, key: 'k' }, putOf('first'), testCall());
    await key.put('second');
    await key.behind.objects.remove({ bucket: key.bucket, key: 'k' }, { conditions: {}, ownerId: OWNER }, testCall());
    expect(await key.history()).toEqual(['marker', 'second', 'first']);
  });

  it.each([
    ['held', {}],
    ['streamed', streamed('slow')],
  ])('a PUT (%s) that was overtaken by a conditional one stands above it', async (_name, body) => {
    const key = await TwoGateways.open();
    await key.put('first');
    key.meanwhile(() => key.put('conditional', CONDITIONAL));
    await key.put('slow', body);
    expect(await key.history()).toEqual(['slow', 'conditional', 'first']);
    expect(await key.blobs()).toBe(3);
  });

  it('a copy that was overtaken by a conditional write stands above it', async () => {
    const key = await TwoGateways.open();
    const { objects } = key.near;
    await key.put('first');
    await objects.put({ bucket: key.bucket, key: 'source' }, putOf('copied'), testCall());
    const view = await objects.find({ bucket: key.bucket, key: 'source' }, testCall());
    key.meanwhile(() => key.put('conditional', CONDITIONAL));
    const { body: _body, ...request } = putOf('');
    await objects.copy(
      { bucket: key.bucket, key: 'k' },
      { ...request, source: { bucket: key.bucket, view }, sameAttributes: true },
      testCall(),
    );
    expect(await key.history()).toEqual(['copied', 'conditional', 'first']);
  });

  it('a DELETE that was overtaken by a conditional PUT stands above it', async () => {
    const key = await TwoGateways.open();
    await key.put('first');
    key.meanwhile(() => key.put('conditional', CONDITIONAL));
    await key.near.objects.remove({ bucket: key.bucket, key: 'k' }, { conditions: {}, ownerId: OWNER }, testCall());
    expect(await key.history()).toEqual(['marker', 'conditional', 'first']);
    expect(await key.blobs()).toBe(3);
  });

  it('a conditional PUT whose condition still holds on what overtook it stands above that', async () => {
    const key = await TwoGateways.open();
    await key.put('first');
    key.meanwhile(() => key.put('other'));
    await key.put('conditional', { ...CONDITIONAL, ...streamed('conditional') });
    expect(await key.history()).toEqual(['conditional', 'other', 'first']);
  });

  it('a conditional PUT whose condition no longer holds changes nothing', async () => {
    const key = await TwoGateways.open();
    key.meanwhile(() => key.put('other'));
    await expect(key.put('conditional', { conditions: { ifNoneMatch: '*' } })).rejects.toMatchObject({
      code: 'PreconditionFailed',
    });
    expect(await key.history()).toEqual(['other']);
    expect(await key.blobs()).toBe(1);
  });

  it('what stands above a conditional version keeps others from coming below that one', async () => {
    const key = await TwoGateways.open();
    await key.put('first');
    const complete = await key.started();
    await key.put('conditional', CONDITIONAL);
    await key.put('on top');
    await complete();
    expect(await key.history()).toEqual(['parts', 'on top', 'conditional', 'first']);
  });

  it('so does a conditional version that was deleted', async () => {
    const key = await TwoGateways.open();
    await key.put('first');
    const complete = await key.started();
    await key.put('conditional', CONDITIONAL);
    const above = await key.put('on top');
    await key.put('highest');
    await key.near.objects.remove(
      { bucket: key.bucket, key: 'k', versionId: above },
      { conditions: {}, ownerId: OWNER },
      testCall(),
    );
    await complete();
    expect(await key.history()).toEqual(['parts', 'highest', 'conditional', 'first']);
  });

  it('an upload stands where it began, unless something conditional came since', async () => {
    const key = await TwoGateways.open();
    await key.put('first');
    const [early, late] = [await key.started(), await key.started()];
    await key.put('between');
    const below = await early();
    expect(await key.history()).toEqual(['between', 'parts', 'first']);
    await key.put('conditional', CONDITIONAL);
    const above = await late();
    expect(await key.history()).toEqual(['parts', 'conditional', 'between', 'parts', 'first']);
    // Sent again, each answers the same and adds nothing.
    expect([await early(), await late()]).toEqual([below, above]);
    expect(await key.blobs()).toBe(5);
  });

  it('a conditional Complete stands above what came since it began', async () => {
    const key = await TwoGateways.open();
    await key.put('first');
    const complete = await key.started();
    await key.put('between');
    const id = await complete({ ifMatch: '*' });
    expect(await key.history()).toEqual(['parts', 'between', 'first']);
    expect(await complete({ ifMatch: '*' })).toBe(id);
    await key.near.objects.remove(
      { bucket: key.bucket, key: 'k', versionId: id },
      { conditions: {}, ownerId: OWNER },
      testCall(),
    );
    expect(await complete()).toBe(id);
    expect(await key.history()).toEqual(['between', 'first']);
  });

  it.each([1, 2, 3, 4, 5, 6])(
    'a Complete that dies at its %s. change after it was overtaken is finished by its repetition',
    async (nth) => {
      const key = await TwoGateways.open();
      await key.put('first');
      const complete = await key.started();
      await key.put('conditional', CONDITIONAL);
      let [changes, dead] = [0, false];
      key.plan = ({ method }) => {
        if (['write', 'setMetadata', 'copy', 'assemble', 'remove'].includes(method)) changes += 1;
        dead ||= changes > nth;
        return dead ? { kind: 'fail', error: 'aborted' } : undefined;
      };
      await complete().catch((error: unknown) => expect(error).toBeInstanceOf(StoreError));
      key.plan = () => undefined;
      const id = await complete();
      expect(await key.history()).toEqual(['parts', 'conditional', 'first']);
      expect(await complete()).toBe(id);
    },
  );

  it('an upload that a replica whose clock is behind began stands above what was there', async () => {
    const key = await TwoGateways.open();
    await key.put('first');
    const complete = await key.started('behind');
    await complete();
    expect(await key.history()).toEqual(['parts', 'first']);
  });

  it('an upload from before versioning stands above all that came since', async () => {
    const key = await TwoGateways.open();
    key.versioning = 'never';
    const complete = await key.started('behind');
    key.versioning = 'enabled';
    await key.put('first');
    await complete();
    expect(await key.history()).toEqual(['parts', 'first']);
  });

  it('whoever is overtaken by conditional writes again and again is asked to slow down, and leaves nothing', async () => {
    const key = await TwoGateways.open();
    await key.put('first');
    let isOurs = true;
    key.plan = ({ method, ref }) => {
      if (!isOurs || method !== 'write' || ref.container !== 'bucket') return undefined;
      return {
        kind: 'interleave',
        before: async () => {
          isOurs = false;
          await key.put('conditional', CONDITIONAL);
          isOurs = true;
        },
      };
    };
    await expect(key.put('slow')).rejects.toMatchObject({ kind: 'throttled' });
    key.plan = () => undefined;
    const history = await key.history();
    expect(history.filter((text) => text === 'slow')).toEqual([]);
    expect(await key.blobs()).toBe(history.length);
  });
});
