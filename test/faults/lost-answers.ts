import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RawAnswer } from '../support/clients/raw-http.ts';
import type { Fault, ProxiedCall, Service } from '../support/backends/fault-proxy/fault.ts';
import { onNth } from '../support/backends/fault-proxy/plans.ts';
import { World, element } from '../wire/spec/world.ts';
import { type FaultyBackend, startFaultyBackend } from './backends.ts';
import { CHANGES, type Change } from './changes.ts';
import {
  type Scene,
  type Versioning,
  historyOf,
  observe,
  outcomeOf,
  sendTo,
  shownKey,
  stagedInTheOpen,
  targetOf,
} from './scene.ts';

const ALL: readonly Versioning[] = ['never', 'enabled', 'suspended', 'locked'];
const UNLOCKED = ALL.filter((versioning) => versioning !== 'locked');
/** Keys that have a version from before versioning was suspended, made at a time. */
const OLD_KEYS = 40;
const SYSTEM = 'faults-system';

const LOSSES: Readonly<Record<string, Fault>> = {
  'its answer is lost': { kind: 'loseAnswer' },
  'it is lost on the way': { kind: 'loseRequest' },
  'it arrives late': { kind: 'loseAnswer', lateBy: 15 },
  'its answer is cut behind its head': { kind: 'breakBody', after: 0, how: 'reset' },
};

/**
 * On the double every loss meets every call. Azurite takes five times as long to say the same: there each call meets
 * one of them, the next call the next, unless `LOST_ANSWERS=all`, as every night.
 */
function lossesOf(service: Service, turn: number): [string, Fault][] {
  const all = Object.entries(LOSSES);
  if (service === 'gcs' || process.env['LOST_ANSWERS'] === 'all') return all;
  return all.slice(turn % all.length).slice(0, 1);
}

interface Played {
  readonly answer: RawAnswer;
  /** Calls that change something. */
  readonly changing: number;
  /** The call that the plan was for, if it came. */
  readonly met: ProxiedCall | undefined;
}

/** Success, or an answer that says nothing about the outcome. Everything else would be false: nobody else is there. */
const HONEST =
  /^(?:20\d|500 InternalError|503 ServiceUnavailable|503 SlowDown|200 (?:InternalError|ServiceUnavailable|SlowDown))$/;

/**
 * Every change, every one of its calls that change something in the backend: its answer is lost, it is lost itself, it
 * arrives late. What clients see afterwards is compared with what they see of a twin to which the same was done without
 * a fault, and of one to which nothing was.
 */
export function describeLostAnswers(service: Service): void {
  let backend: FaultyBackend;
  let world: World;
  const buckets = new Map<Versioning, string>();
  const oldKeys: { key: string; version: string }[] = [];
  let made = 0;

  beforeAll(async () => {
    backend = await startFaultyBackend(service);
    world = await World.open(
      { versioningDrainMs: 1, systemContainer: SYSTEM, customerKeysOverHttp: true },
      backend.open(),
    );
    for (const versioning of ALL) await makeBucket(versioning);
  });
  afterAll(async () => {
    await world.close();
    await backend.stop();
  });

  async function makeBucket(versioning: Versioning): Promise<void> {
    const bucket = await world.bucket(versioning === 'locked' ? { 'x-amz-bucket-object-lock-enabled': 'true' } : {});
    buckets.set(versioning, bucket);
    if (versioning === 'enabled' || versioning === 'suspended') await setVersioning(bucket, 'Enabled');
    if (versioning === 'suspended') await setVersioning(bucket, 'Suspended');
    await world.put(`/${bucket}/source`, 'copied');
    await world.put(`/${bucket}/encrypted-source`, 'copied', shownKey());
  }

  async function setVersioning(bucket: string, status: 'Enabled' | 'Suspended'): Promise<void> {
    await world.must('PUT', `/${bucket}?versioning`, {
      body: `<VersioningConfiguration><Status>${status}</Status></VersioningConfiguration>`,
    });
  }

  async function oldKey(bucket: string): Promise<{ key: string; version: string }> {
    const left = oldKeys.pop();
    if (left !== undefined) return left;
    await setVersioning(bucket, 'Enabled');
    for (let i = 0; i < OLD_KEYS; i++) {
      const key = `old-${++made}-`;
      const { headers } = await world.put(`/${bucket}/${key}`, 'older');
      oldKeys.push({ key, version: headers['x-amz-version-id'] ?? '' });
    }
    await setVersioning(bucket, 'Suspended');
    return oldKey(bucket);
  }

  async function prepare({ absent = false, encrypted = false, name }: Change, versioning: Versioning): Promise<Scene> {
    const bucket = buckets.get(versioning) ?? '';
    const old = !absent && versioning === 'suspended' ? await oldKey(bucket) : undefined;
    const key = old?.key ?? `key-${++made}-`;
    const versions = old === undefined ? [] : [old.version];
    const shown = encrypted ? shownKey() : {};
    let etag = '';
    const bodies = old === undefined ? ['older', 'before'] : ['before'];
    for (const body of absent ? [] : bodies) {
      const { headers } = await world.put(targetOf({ bucket, key }), body, {
        'x-amz-tagging': 'old=v',
        ...shown,
      });
      versions.push(headers['x-amz-version-id'] ?? 'null');
      etag = headers['etag'] ?? '';
    }
    const upload =
      /Part|Upload/.test(name) && !name.startsWith('Create')
        ? await newUpload(targetOf({ bucket, key }), shown)
        : { id: '', etag: '' };
    return { world, bucket, key, source: 'source', encryptedSource: 'encrypted-source', versions, etag, upload };
  }

  async function newUpload(target: string, shown: Record<string, string>): Promise<Scene['upload']> {
    const upload = await world.upload(target, shown);
    const { headers } = await world.put(`${upload}&partNumber=1`, 'after', shown);
    return { id: upload.split('uploadId=')[1] ?? '', etag: headers['etag'] ?? '' };
  }

  /** The gateway has nothing left to do, and what is late has arrived. */
  async function quiet(): Promise<void> {
    await world.gateway.idle();
    await backend.proxy.quiet();
  }

  /** Sends the change while the n-th changing call fails, background work included. */
  async function play(change: Change, scene: Scene, plan?: ReturnType<typeof onNth>): Promise<Played> {
    await quiet();
    backend.proxy.follow(plan);
    const answer = await sendTo(world.gateway.port, change.request(scene));
    await quiet();
    const changing = backend.proxy.calls.filter(({ changes }) => changes).length;
    expect(stagedInTheOpen(backend.proxy.calls, SYSTEM)).toEqual([]);
    const met = plan?.met();
    backend.proxy.follow();
    return { answer, changing, met };
  }

  const cases = CHANGES.flatMap((change) =>
    (change.where ?? UNLOCKED).map((versioning) => [change.name, versioning, change] as const),
  ).map(([name, versioning, change], turn) => [name, versioning, change, turn] as const);

  test.each(cases)(
    '%s, %s',
    async (_name, versioning, change, turn) => {
      const untouched = await observe(await prepare(change, versioning));
      const twin = await prepare(change, versioning);
      const { answer: right, changing } = await play(change, twin);
      const done = await observe(twin);
      expect(outcomeOf(right)).toMatch(/^20\d$/);
      expect(done).not.toEqual(untouched);
      expect(changing).toBeGreaterThan(0);

      let missed = 0;
      for (let n = 1; n <= changing; n++) {
        for (const [what, fault] of lossesOf(service, turn + n)) {
          const scene = await prepare(change, versioning);
          const { answer, met } = await play(
            change,
            scene,
            onNth(n, fault, ({ changes }) => changes),
          );
          const label = `call ${n} of ${changing}, ${what}: ${outcomeOf(answer)}`;
          if (met === undefined) missed += 1;
          expect(outcomeOf(answer), label).toMatch(HONEST);
          if (isDone(fault) && isCommit(met, scene)) expect(outcomeOf(answer), label).toBe(outcomeOf(right));
          const seen = await observe(scene);
          if (outcomeOf(answer) === outcomeOf(right)) {
            expect(seen, label).toEqual(done);
            await expectVersion(scene, answer, label);
          } else {
            expect(possible(change, untouched, done), label).toContainEqual(seen);
            if (change.idempotent === true) await repeat(change, scene, { done, label });
          }
        }
      }
      // Of what follows the answer, there may be one call more or less.
      expect(missed).toBeLessThanOrEqual(Object.keys(LOSSES).length);
    },
    240_000,
  );

  /**
   * The backend has served the call before the gateway saw it fail. Azure's answers to changes have no body: it is the
   * call after it that is cut off.
   */
  function isDone(fault: Fault): boolean {
    return (
      (fault.kind === 'breakBody' && service === 'gcs') || (fault.kind === 'loseAnswer' && fault.lateBy === undefined)
    );
  }

  /**
   * A head that was written on condition proves who wrote it: such a write is known to have happened, whatever was
   * heard of it.
   */
  function isCommit(met: ProxiedCall | undefined, { key }: Scene): boolean {
    return met?.conditional === true && met.name === key;
  }

  /** What an answer without an outcome may leave; of a Complete also the upload, for its repetition to find. */
  function possible({ name }: Change, untouched: string[], done: string[]): string[][] {
    return [untouched, done, ...(name.startsWith('Complete') ? [[...done, 'upload 1']] : [])];
  }

  /** A version that the answer names is there. */
  async function expectVersion({ bucket, key }: Scene, { headers }: RawAnswer, label: string): Promise<void> {
    const id = headers['x-amz-version-id'];
    if (id === undefined) return;
    const ids = (await historyOf(world, bucket, key)).map((entry) => entry.id);
    // Deleted for good, it is not.
    if (headers['etag'] !== undefined) expect(ids, label).toContain(id);
  }

  async function repeat(
    change: Change,
    scene: Scene,
    { done, label }: { done: string[]; label: string },
  ): Promise<void> {
    const again = await sendTo(world.gateway.port, change.request(scene));
    await quiet();
    expect(outcomeOf(again), `${label}, repeated`).toMatch(/^20\d$/);
    expect(await observe(scene), `${label}, repeated`).toEqual(done);
    if (change.name.startsWith('Complete')) expect(element(again.body, 'ETag')).not.toBe('');
  }
}
