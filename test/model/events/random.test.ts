import { describe, expect, test } from 'vitest';
import type { Versioning } from '../../../src/manifest/records/bucket.ts';
import type { ObjectEvent } from '../../../src/manifest/records/change-intent.ts';
import type { KeyRef } from '../../../src/manifest/records/key-ref.ts';
import type { UploadTarget } from '../../../src/manifest/records/upload-names.ts';
import type { ListedPart } from '../../../src/manifest/uploads/upload-plan.ts';
import { OWNER, putOf } from '../../support/manifest/manifest.ts';
import { testCall } from '../../support/test-call.ts';
import { md5Of } from '../../unit/manifest/upload-fixture.ts';
import { propertySeed } from '../../support/property-seed.ts';
import { Random } from '../../support/random.ts';
import { EventProcess, EventsWorld, type Misfortunes } from './events-world.ts';
import { type AskedChange, faultsOf } from './judge.ts';

const HISTORIES = 8;
const CHANGES = 60;
const KEYS = ['a', 'b/ä c'];
const AT_ONCE = 3;

const MISFORTUNES: Misfortunes = { kill: 60, lose: 25 };
const NONE: Misfortunes = { kill: 0, lose: 0 };

/** A history of changes by two processes, while two others send the events, and all but the receiver may die. */
class EventHistory {
  readonly world: EventsWorld;
  readonly asked: AskedChange[] = [];
  readonly #random: Random;
  readonly #processes: EventProcess[] = [];
  readonly #versions = new Map<string, string[]>();
  #clock = 0;
  #sending = 0;

  constructor(world: EventsWorld) {
    this.world = world;
    this.#random = world.random;
  }

  async run(): Promise<void> {
    let isOver = false;
    const clients = Array.from({ length: AT_ONCE }, async () => {
      for (let n = 0; n < CHANGES / AT_ONCE; n += 1) await this.#change();
    });
    const senders = [0, 1].map(async () => {
      while (!isOver) await this.#send();
    });
    await Promise.all(clients);
    isOver = true;
    await Promise.all(senders);
    this.world.isDown = false;
    await this.settle();
  }

  /** Sends what is left, as one process that nothing befalls. */
  async settle(): Promise<void> {
    await this.world.landed();
    // Each ends where an answer of the receiver is lost.
    for (let round = 0; round < 15; round += 1) {
      // The claims of those that died are over, and so is what receivers are left alone for.
      this.world.later();
      const last = new EventProcess(this.world, NONE);
      while ((await last.outbox.round(this.world.newCall('SENDER', ''))) > 0);
    }
  }

  #process(place: number): EventProcess {
    const known = this.#processes[place];
    if (known?.isAlive === true) return known;
    return (this.#processes[place] = new EventProcess(this.world, MISFORTUNES));
  }

  async #send(): Promise<void> {
    this.world.isDown = this.#random.oneIn(4) ? !this.world.isDown : this.world.isDown;
    // A claim outlives only a process that died: one that stalls for so long is not tried here.
    if (this.#sending === 0 && this.#random.oneIn(3)) this.world.later();
    const process = this.#process(2 + this.#random.below(2));
    const round = process.outbox.round(this.world.newCall('SENDER', '')).catch(() => 0);
    this.#sending += 1;
    await Promise.race([round, process.died]);
    this.#sending -= 1;
  }

  async #change(): Promise<void> {
    const key = this.#random.pick(KEYS);
    const { kind, operation, work } = this.#random.pick(this.#works(key));
    const requestId = `R${String(this.asked.length).padStart(4, '0')}`;
    const change: AskedChange = { requestId, key, kind, begun: (this.#clock += 1), ended: Infinity, isAnswered: false };
    this.asked.push(change);
    const process = this.#process(this.#random.below(2));
    const done = work(process, requestId, operation).then(
      () => true,
      () => false,
    );
    const outcome = await Promise.race([done, process.died]);
    change.isAnswered = outcome === true;
    // What was not answered may come to pass at any time.
    if (outcome === true) change.ended = this.#clock += 1;
  }

  #works(key: string): readonly Work[] {
    const bucket = (process: EventProcess) => this.world.bucketOver(process.store);
    const note = (versionId: string): void => {
      this.#versions.set(key, [...(this.#versions.get(key) ?? []), versionId]);
    };
    const call = (requestId: string, operation: string) => this.world.newCall(requestId, operation);
    const put = (more: Parameters<typeof putOf>[1] = {}): Work => ({
      kind: 'created',
      operation: 'PutObject',
      work: async (process, id, operation) =>
        note(
          (await process.objects.put({ bucket: bucket(process), key }, putOf(id, more), call(id, operation))).versionId,
        ),
    });
    const remove = (versionId?: string): Work => ({
      kind: 'removed',
      operation: 'DeleteObject',
      work: async (process, id, operation) => {
        const target = { bucket: bucket(process), key, versionId };
        await process.objects.remove(target, { conditions: {}, ownerId: OWNER }, call(id, operation));
      },
    });
    const known = this.#versions.get(key) ?? [];
    const describe = (versionId?: string): Work => ({
      kind: 'described',
      operation: 'PutObjectTagging',
      work: async (process, id, operation) => {
        const target = { bucket: bucket(process), key, versionId };
        await process.objects.amend(target, () => ({ tags: [{ key: 'by', value: id }] }), call(id, operation));
      },
    });
    const complete: Work = {
      kind: 'created',
      operation: 'CompleteMultipartUpload',
      work: async (process, id, operation) => {
        const { target, parts } = await uploadOf(process, { bucket: bucket(process), key }, id);
        const hooks = { beforeAssembly: () => undefined, beforePublication: async () => undefined };
        note(
          (
            await process.uploads.complete(
              target,
              { parts, expected: {}, conditions: {}, ...hooks },
              call(id, operation),
            )
          ).versionId,
        );
      },
    };
    return [
      describe(),
      describe(known.length === 0 ? 'null' : this.#random.pick(known)),
      put(),
      put(),
      put({ conditions: { ifNoneMatch: '*' } }),
      complete,
      complete,
      remove(),
      remove(known.length === 0 ? 'null' : this.#random.pick(known)),
      {
        kind: 'created',
        operation: 'CopyObject',
        work: async (process, id, operation) => {
          const place = { bucket: bucket(process), key };
          const view = await process.objects.find(place, call(`${id}-look`, ''));
          const source = { bucket: place.bucket, view };
          const { body: _body, ...request } = putOf('');
          note(
            (await process.objects.copy(place, { ...request, source, sameAttributes: false }, call(id, operation)))
              .versionId,
          );
        },
      },
    ];
  }
}

interface Work {
  readonly kind: AskedChange['kind'];
  readonly operation: string;
  readonly work: (process: EventProcess, requestId: string, operation: string) => Promise<void>;
}

/** An open upload with one part. */
async function uploadOf({ uploads }: EventProcess, place: KeyRef, text: string): Promise<OpenUpload> {
  const attributes = { headers: {}, userMetadata: {} };
  const target = await uploads.create(place, { ownerId: OWNER, attributes }, testCall());
  const upload = await uploads.find(target, testCall());
  const [body, etag] = [Buffer.from(text), md5Of(text)];
  await uploads.putPart(upload, { number: 1, body, facts: { md5: etag } }, testCall());
  return { target, parts: [{ number: 1, etag, checksums: {} }] };
}

interface OpenUpload {
  readonly target: UploadTarget;
  readonly parts: readonly ListedPart[];
}

async function historyOf(seed: number, versioning: Versioning): Promise<EventHistory> {
  const world = await EventsWorld.open(new Random(seed), versioning);
  const history = new EventHistory(world);
  await history.run();
  return history;
}

describe.each(['never', 'enabled', 'suspended'] as const)('events of a bucket with versioning %s', (versioning) => {
  test('are sent for each change that was made, and for no other, whoever dies', async () => {
    let events = 0;
    let dead = 0;
    for (let n = 0; n < HISTORIES; n += 1) {
      const seed = propertySeed + n;
      const { world, asked } = await historyOf(seed, versioning);
      const faults = faultsOf({ asked, changed: world.changed, described: world.described, sent: world.sent });
      expect(faults, `seed ${String(seed)}, versioning ${versioning}`).toEqual([]);
      events += world.sent.length;
      dead += world.dead;
    }
    expect(events).toBeGreaterThan(HISTORIES * CHANGES * 0.3);
    expect(dead).toBeGreaterThan(HISTORIES);
  }, 120_000);
});

test('the judge finds an event that was lost, one that was invented, one before its time, and a wrong number', async () => {
  const { world, asked } = await historyOf(propertySeed, 'never');
  const told = { asked, changed: world.changed, described: world.described, sent: world.sent };
  const [first] = world.sent;
  const without = world.sent.filter(({ requestId }) => requestId !== first?.requestId);
  expect(faultsOf({ ...told, sent: without })).toEqual([expect.stringContaining('lost')]);
  const failed = asked.find(({ requestId, kind }) => kind === 'created' && !world.changed.has(requestId));
  const invented = { ...first, requestId: failed?.requestId } as ObjectEvent;
  expect(faultsOf({ ...told, sent: [...world.sent, invented] })).toEqual([expect.stringContaining('invented')]);
  expect(faultsOf({ ...told, sent: world.sent.toReversed() })).toContainEqual(expect.stringContaining('disordered'));
  const numbers = world.sent.map(({ sequencer }) => sequencer).toReversed();
  const renumbered = world.sent.map((event, at) => ({ ...event, sequencer: numbers[at] ?? '' }));
  expect(faultsOf({ ...told, sent: renumbered })).toContainEqual(expect.stringContaining('misnumbered'));
});
