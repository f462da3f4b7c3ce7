import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MemoryBlobStore } from '../../../adapters/memory/memory-blob-store.ts';
import type { BlobStore } from '../../../src/store/blob-store.ts';
import { type PortCall, wrapStore } from '../../../src/store/wrap-store.ts';
import { World } from '../spec/world.ts';

/** Turns of the event loop in which calls that were made together are all there. */
const TURNS = 4;
const MIN_PART = 5 * 1024 * 1024;

/** What a request cost. */
interface Cost {
  /** Calls of the backend before the answer. */
  readonly calls: number;
  /** Times that the backend had to be waited for before the answer: calls made at once are one. */
  readonly rounds: number;
  /** Calls before and behind the answer. */
  readonly all: number;
}

/**
 * The bucket's record is read when what is remembered of it has grown old, whoever comes then; its container now and
 * then.
 */
function isAboutBucket({ method, ref }: PortCall): boolean {
  return method === 'headContainer' || ref.name?.startsWith('b/') === true;
}

/** Lets calls through in rounds: all that wait at a time, when nothing more comes. */
class Meter {
  #waiting: (() => void)[] = [];
  #seen: { readonly facts: unknown; readonly round: number }[] = [];
  #round = 0;

  through(store: BlobStore): BlobStore {
    return wrapStore(store, async (portCall, run) => {
      if (!isAboutBucket(portCall)) await this.#arrive(portCall);
      return run();
    });
  }

  begin(): void {
    this.#seen = [];
    this.#round = 0;
  }

  /** Of the request that made the first call since `begin`. */
  cost(): Cost {
    const own = this.#seen.filter(({ facts }) => facts === this.#seen[0]?.facts);
    return { calls: own.length, rounds: new Set(own.map(({ round }) => round)).size, all: this.#seen.length };
  }

  #arrive({ call: { facts } }: PortCall): Promise<void> {
    if (this.#waiting.length === 0) this.#release(TURNS);
    this.#seen.push({ facts, round: this.#round });
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #release(turns: number): void {
    setImmediate(() => {
      if (turns > 0) {
        this.#release(turns - 1);
        return;
      }
      this.#round += 1;
      const now = this.#waiting;
      this.#waiting = [];
      for (const resolve of now) resolve();
    });
  }
}

interface Scene {
  readonly world: World;
  readonly bucket: string;
}

interface Row {
  readonly operation: string;
  /** Most that it may cost: what is less is welcome, and then this is to be lowered. No versions, and versions. */
  readonly never: readonly [calls: number, rounds: number, all: number];
  readonly enabled: readonly [calls: number, rounds: number, all: number];
  /** @returns what is measured */
  readonly prepare: (scene: Scene) => Promise<() => Promise<unknown>>;
}

const at = ({ bucket }: Scene, key: string): string => `/${bucket}/${key}`;

/** An upload of so many parts, over an object that was put, or is made of parts itself. */
async function uploadOf(
  scene: Scene,
  parts: number,
  over: 'put' | 'parts' = 'put',
): Promise<{ upload: string; etags: string[] }> {
  const { world } = scene;
  if (over === 'put') {
    await world.put(at(scene, 'upload'), 'before');
  } else {
    const before = await uploadOf(scene, parts);
    await world.complete(before.upload, before.etags);
    await world.gateway.idle();
  }
  const upload = await world.upload(at(scene, 'upload'));
  const etags: string[] = [];
  const body = 'x'.repeat(MIN_PART);
  for (let number = 1; number <= parts; number += 1) {
    const last = number === parts ? 'end' : body;
    const { headers } = await world.must('PUT', `${upload}&partNumber=${number}`, { body: last });
    etags.push(headers['etag'] ?? '');
  }
  return { upload, etags };
}

async function listOf(scene: Scene, count: number): Promise<string[]> {
  const keys = Array.from({ length: count }, (_, n) => `many/${String(n).padStart(4, '0')}`);
  for (const key of keys) await scene.world.put(at(scene, key));
  return keys;
}

const ROWS: readonly Row[] = [
  {
    operation: 'PUT of a new key',
    never: [1, 1, 1],
    enabled: [3, 3, 3],
    prepare: async (scene) => () => scene.world.put(at(scene, 'new')),
  },
  {
    operation: 'PUT over an object',
    never: [1, 1, 1],
    enabled: [3, 2, 3],
    prepare: async (scene) => {
      await scene.world.put(at(scene, 'k'));
      return () => scene.world.put(at(scene, 'k'));
    },
  },
  {
    operation: 'GET',
    never: [1, 1, 1],
    enabled: [2, 1, 2],
    prepare: async (scene) => {
      await scene.world.put(at(scene, 'k'));
      return () => scene.world.must('GET', at(scene, 'k'));
    },
  },
  {
    operation: 'HEAD',
    never: [1, 1, 1],
    enabled: [2, 1, 2],
    prepare: async (scene) => {
      await scene.world.put(at(scene, 'k'));
      return () => scene.world.must('HEAD', at(scene, 'k'));
    },
  },
  {
    operation: 'DELETE',
    never: [2, 2, 2],
    enabled: [4, 2, 4],
    prepare: async (scene) => {
      await scene.world.put(at(scene, 'k'));
      return () => scene.world.must('DELETE', at(scene, 'k'));
    },
  },
  {
    operation: 'DELETE of 100 keys, one after the other',
    never: [2, 2, 109],
    enabled: [4, 2, 400],
    prepare: async (scene) => {
      const keys = await listOf(scene, 100);
      return async () => {
        for (const key of keys) await scene.world.must('DELETE', at(scene, key));
      };
    },
  },
  {
    operation: 'DeleteObjects of 100 keys side by side',
    never: [2, 2, 2],
    enabled: [401, 7, 401],
    prepare: async (scene) => {
      const keys = await listOf(scene, 100);
      const body = `<Delete>${keys.map((key) => `<Object><Key>${key}</Key></Object>`).join('')}</Delete>`;
      const headers = { 'content-md5': createHash('md5').update(body).digest('base64') };
      return () => scene.world.must('POST', `/${scene.bucket}?delete`, { body, headers });
    },
  },
  {
    operation: 'ListObjectsV2 of 100 keys',
    never: [1, 1, 1],
    enabled: [1, 1, 1],
    prepare: async (scene) => {
      await listOf(scene, 100);
      return () => scene.world.must('GET', `/${scene.bucket}?list-type=2`);
    },
  },
  {
    operation: 'CopyObject of an object that the process looked at',
    never: [1, 1, 1],
    enabled: [6, 4, 6],
    prepare: async (scene) => {
      await scene.world.put(at(scene, 'source'));
      await scene.world.put(at(scene, 'copy'));
      await scene.world.must('HEAD', at(scene, 'source'));
      return () => scene.world.copy(at(scene, 'copy'), `/${scene.bucket}/source`);
    },
  },
  {
    operation: 'CopyObject of 100 keys, one after the other',
    never: [2, 2, 109],
    enabled: [5, 4, 500],
    prepare: async (scene) => {
      const keys = await listOf(scene, 100);
      return async () => {
        for (const key of keys) await scene.world.copy(at(scene, `copies/${key}`), `/${scene.bucket}/${key}`);
      };
    },
  },
  {
    operation: 'CopyObject',
    never: [2, 2, 2],
    enabled: [6, 4, 6],
    prepare: async (scene) => {
      await scene.world.put(at(scene, 'source'));
      await scene.world.put(at(scene, 'copy'));
      return () => scene.world.copy(at(scene, 'copy'), `/${scene.bucket}/source`);
    },
  },
  {
    operation: 'CreateMultipartUpload',
    never: [1, 1, 1],
    enabled: [2, 2, 2],
    prepare: async (scene) => () => scene.world.upload(at(scene, 'upload')),
  },
  {
    operation: 'UploadPart',
    never: [2, 2, 2],
    enabled: [2, 2, 2],
    prepare: async (scene) => {
      const upload = await scene.world.upload(at(scene, 'upload'));
      return () => scene.world.must('PUT', `${upload}&partNumber=1`, { body: 'part' });
    },
  },
  {
    operation: 'UploadPartCopy of an object that the process looked at',
    never: [2, 2, 2],
    enabled: [4, 3, 4],
    prepare: async (scene) => {
      await scene.world.put(at(scene, 'source'));
      await scene.world.must('HEAD', at(scene, 'source'));
      const upload = await scene.world.upload(at(scene, 'upload'));
      return () => scene.world.copyPart(upload, `/${scene.bucket}/source`);
    },
  },
  {
    operation: 'UploadPartCopy',
    never: [3, 3, 3],
    enabled: [4, 3, 4],
    prepare: async (scene) => {
      await scene.world.put(at(scene, 'source'));
      const upload = await scene.world.upload(at(scene, 'upload'));
      return () => scene.world.copyPart(upload, `/${scene.bucket}/source`);
    },
  },
  {
    operation: 'ListParts',
    never: [2, 2, 2],
    enabled: [2, 2, 2],
    prepare: async (scene) => {
      const { upload } = await uploadOf(scene, 2);
      return () => scene.world.must('GET', upload);
    },
  },
  ...[1, 3].map(
    (parts): Row => ({
      operation: `CompleteMultipartUpload of ${parts}`,
      never: [6, 4, 9],
      enabled: [7, 5, 9],
      prepare: async (scene) => {
        const { upload, etags } = await uploadOf(scene, parts);
        return () => scene.world.complete(upload, etags);
      },
    }),
  ),
  {
    operation: 'CompleteMultipartUpload over an object that is made of parts',
    never: [6, 4, 9],
    enabled: [8, 6, 10],
    prepare: async (scene) => {
      const { upload, etags } = await uploadOf(scene, 2, 'parts');
      return () => scene.world.complete(upload, etags);
    },
  },
  {
    // One of them throws away what was staged behind the claim: without it, an aborted upload could be completed.
    operation: 'AbortMultipartUpload',
    never: [8, 6, 8],
    enabled: [8, 6, 8],
    prepare: async (scene) => {
      const { upload } = await uploadOf(scene, 1);
      return () => scene.world.must('DELETE', upload);
    },
  },
];

describe('what requests cost', () => {
  const meter = new Meter();
  let world: World;

  beforeAll(async () => {
    world = await World.open({ bucketCacheMs: 200, versioningDrainMs: 0 }, meter.through(new MemoryBlobStore()));
  });
  afterAll(() => world.close());

  describe.each(['never', 'enabled'] as const)('%s versioned', (versioning) => {
    test.each(ROWS)('$operation', async ({ prepare, [versioning]: most }) => {
      const bucket = await world.bucket();
      if (versioning === 'enabled') {
        const body = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';
        await world.must('PUT', `/${bucket}?versioning`, { body });
      }
      const run = await prepare({ world, bucket });
      await world.gateway.idle();
      meter.begin();
      await run();
      await world.gateway.idle();
      const { calls, rounds, all } = meter.cost();
      expect(calls, 'calls before the answer').toBeLessThanOrEqual(most[0]);
      expect(rounds, 'rounds before the answer').toBeLessThanOrEqual(most[1]);
      expect(all, 'calls, those behind the answer too').toBeLessThanOrEqual(most[2]);
    });
  });
});
