import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Fault, type FaultPlan, withFaults } from '../../adapters/doubles/faults.ts';
import { BACKENDS, type Cloud, startCloud } from '../support/backends/clouds.ts';
import { contentMd5 } from '../support/clients/acl-client.ts';
import { type Answer, World } from '../wire/spec/world.ts';
import { outcomeOf } from './scene.ts';

/*
 * A DELETE of a version by its id is not answered, or with 503, because a call of it failed or its gateway was cut off
 * from the backend. It is sent again, and answered with 204. From then on nobody reads the version by its id, through
 * whichever gateway: one that stood below another for a while, one that came back, one that an upload made.
 */
const CHANGES = new Set(['write', 'setMetadata', 'remove', 'removeMany', 'copy', 'assemble', 'discardParts']);

interface Trouble {
  /** What becomes of the n-th change. */
  readonly fault: Fault;
  /** Nothing comes through after it. */
  readonly forGood: boolean;
}

const CALM = { n: 0, fault: { kind: 'fail' }, forGood: false } as const;
const TROUBLES: Readonly<Record<string, Trouble>> = {
  'its answer is lost': { fault: { kind: 'loseAnswer' }, forGood: false },
  'it is lost': { fault: { kind: 'loseRequest' }, forGood: false },
  'nothing comes through from there on': { fault: { kind: 'loseRequest' }, forGood: true },
};

interface Scene {
  readonly world: World;
  readonly bucket: string;
  readonly key: string;
  put(body: string): Promise<string>;
  upload(body: string): Promise<string>;
  remove(versionId: string): Promise<unknown>;
}

/** How a key came about of which a version is deleted. @returns its id */
const KEYS: Readonly<Record<string, (scene: Scene) => Promise<string>>> = {
  'below another one': async ({ put }) => {
    const id = await put('deleted');
    await put('kept');
    return id;
  },
  'the current one, above another': async ({ put }) => {
    await put('kept');
    return put('deleted');
  },
  'one that came back, above another': async ({ put, remove }) => {
    await put('kept');
    const id = await put('deleted');
    await remove(await put('above'));
    return id;
  },
  'the last one': ({ put }) => put('deleted'),
  'the last one, which came back': async ({ put, remove }) => {
    const id = await put('deleted');
    await remove(await put('above'));
    return id;
  },
  'of an upload, below another one': async ({ put, upload }) => {
    const id = await upload('deleted');
    await put('kept');
    return id;
  },
  'of an upload, the last one, which came back': async ({ put, upload, remove }) => {
    const id = await upload('deleted');
    await remove(await put('above'));
    return id;
  },
};

interface Target {
  readonly bucket: string;
  readonly key: string;
  readonly id: string;
}

type Send = (world: World, target: Target) => Promise<Answer>;

const SENDS: Readonly<Record<string, Send>> = {
  DELETE: (world, { bucket, key, id }) => world.ask('DELETE', `/${bucket}/${key}?versionId=${id}`),
  DeleteObjects: (world, { bucket, key, id }) => {
    const body = `<Delete><Object><Key>${key}</Key><VersionId>${id}</VersionId></Object></Delete>`;
    return world.ask('POST', `/${bucket}?delete`, { body, headers: { 'content-md5': contentMd5(body) } });
  },
};

describe.each(BACKENDS)('a DELETE by id that is sent again, over %s', (name) => {
  let cloud: Cloud;
  let plan: FaultPlan;
  let worlds: World[];
  let bucket: string;
  let made = 0;

  beforeAll(async () => {
    cloud = await startCloud(name);
    const options = { versioningDrainMs: 1, systemContainer: 'deletes-system' };
    worlds = [
      await World.open(
        options,
        withFaults(cloud.open(), (call) => plan(call)),
      ),
      await World.open(options, cloud.open()),
    ];
    plan = () => undefined;
    const [world] = worlds;
    bucket = (await world?.bucket()) ?? '';
    const body = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';
    await world?.must('PUT', `/${bucket}?versioning`, { body });
  }, 120_000);
  afterAll(async () => {
    for (const world of worlds) await world.close();
    await cloud.stop();
  });

  function newScene(world: World): Scene {
    const key = `key-${++made}`;
    const target = `/${bucket}/${key}`;
    return {
      world,
      bucket,
      key,
      put: async (body) => (await world.put(target, body)).headers['x-amz-version-id'] ?? '',
      upload: async (body) => {
        const upload = await world.upload(target);
        const { headers } = await world.put(`${upload}&partNumber=1`, body);
        return (await world.complete(upload, [headers['etag'] ?? ''])).headers['x-amz-version-id'] ?? '';
      },
      remove: (versionId) => world.must('DELETE', `${target}?versionId=${versionId}`),
    };
  }

  const idle = async (): Promise<void> => {
    for (const { gateway } of worlds) await gateway.idle();
  };

  /** Sends the first DELETE into trouble at its n-th change. @returns its answer, and how many changes there were */
  async function sendInto(
    send: () => Promise<Answer>,
    { n, fault, forGood }: Trouble & { readonly n: number },
  ): Promise<{ answer: Answer; changes: number }> {
    await idle();
    let changes = 0;
    let isCut = false;
    plan = ({ method }) => {
      if (isCut) return { kind: 'fail' };
      if (!CHANGES.has(method)) return undefined;
      changes += 1;
      isCut = forGood && changes === n;
      return changes === n ? fault : undefined;
    };
    const answer = await send();
    await idle();
    plan = () => undefined;
    return { answer, changes };
  }

  /** @returns what each gateway says of the version to those who name it */
  async function readings({ key, id }: Target): Promise<string[]> {
    const outcomes: string[] = [];
    for (const world of worlds) {
      const target = `/${bucket}/${key}?versionId=${id}`;
      outcomes.push(await world.outcome('GET', target), await world.outcome('HEAD', target));
      outcomes.push((await world.copy(`/${bucket}/copy`, target)).outcome);
    }
    return outcomes;
  }

  const GONE = ['404 NoSuchVersion', '404', '404 NoSuchVersion'];
  const cases = Object.keys(KEYS).flatMap((key) => Object.keys(SENDS).map((send) => [key, send] as const));

  test.each(cases)('%s, by %s', { timeout: 240_000 }, async (which, how) => {
    const [world, other] = worlds;
    const [prepare, send] = [KEYS[which], SENDS[how]];
    if (world === undefined || other === undefined || prepare === undefined || send === undefined) {
      throw new Error('no such case');
    }
    const target = async (): Promise<Target> => {
      const scene = newScene(world);
      return { bucket, key: scene.key, id: await prepare(scene) };
    };
    const calm = await target();
    const { changes } = await sendInto(() => send(world, calm), CALM);
    expect(await readings(calm)).toEqual([...GONE, ...GONE]);
    let unanswered = 0;
    for (const [what, trouble] of Object.entries(TROUBLES)) {
      for (let n = 1; n <= changes; n += 1) {
        const named = await target();
        const { answer } = await sendInto(() => send(world, named), { n, ...trouble });
        const label = `change ${n} of ${changes}, ${what}: ${outcomeOf(answer)}`;
        if (!/^20[04]$/.test(outcomeOf(answer))) {
          unanswered += 1;
          expect(outcomeOf(await send(n % 2 === 0 ? world : other, named)), label).toMatch(/^20[04]$/);
        }
        expect(await readings(named), label).toEqual([...GONE, ...GONE]);
        const left = await other.must('GET', `/${bucket}?versions&prefix=${named.key}`);
        expect([...left.body.matchAll(/<VersionId>/g)].length, label).toBe(which.includes('another') ? 1 : 0);
      }
    }
    expect(unanswered).toBeGreaterThan(0);
  });
});
