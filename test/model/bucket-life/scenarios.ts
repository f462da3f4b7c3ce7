import type { Scenario } from './run.ts';
import { type Process, TTL, type World } from './world.ts';

/** DeleteBucket by whoever has the bucket in memory. */
function deletes(world: World, process: Process, next?: () => void): void {
  const deletion = process.delete(world.first);
  world.tell({ kind: 'delete', uid: world.first.uid }, deletion);
  if (next !== undefined) void deletion.then((outcome) => outcome === 'ok' && next());
}

/** A PUT to the bucket that TENANT had at the beginning. */
function writes(world: World, process: Process, key: string): void {
  world.tell({ kind: 'put', uid: world.first.uid, key }, process.put(world.first, key));
}

/** CreateBucket, and a PUT as soon as it is answered. */
function makes(world: World, process: Process, owner: string): void {
  const made = process.create(owner);
  world.makers.push(owner);
  world.tell({ kind: 'create', owner }, made);
  void made.then(async (outcome) => {
    if (outcome !== 'ok') return;
    const bucket = await process.get().catch(() => undefined);
    if (bucket?.ownerId === owner) {
      world.tell({ kind: 'put', uid: bucket.uid, key: `by-${owner}` }, process.put(bucket, `by-${owner}`));
    }
  });
}

/** Both clocks of B, which deletes, are right; A's may be wrong either way, and both processes may stand still. */
const steps = [90_000, -90_000];
const faults = ['crash', 'loseAnswer', 'loseRequest', 'late'] as const;

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'a slow writer and DeleteBucket',
    steps,
    faults,
    begin(world) {
      writes(world, world.a, 'slow');
      deletes(world, world.b);
    },
  },
  {
    name: 'DeleteBucket, a held write, and the next owner of the name',
    steps,
    faults,
    begin(world) {
      writes(world, world.a, 'held');
      deletes(world, world.b, () => makes(world, world.a, 'ALT'));
    },
  },
  {
    name: 'the owner creates the bucket again while it is deleted',
    steps,
    faults,
    begin(world) {
      deletes(world, world.b);
    },
    whenAsleep: (world) => makes(world, world.a, 'TENANT'),
  },
  {
    name: 'two deleters and a writer',
    steps,
    faults,
    begin(world) {
      deletes(world, world.a);
      deletes(world, world.b);
      writes(world, world.a, 'beside');
    },
  },
  {
    name: 'two accounts want the name that is deleted',
    steps,
    faults,
    begin(world) {
      deletes(world, world.b, () => {
        makes(world, world.a, 'ALT');
        makes(world, world.b, 'OTHER');
      });
    },
  },
  {
    name: 'a reader that meets a mark for long, and a writer behind it',
    steps,
    faults,
    begin(world) {
      deletes(world, world.b);
    },
    whenAsleep(world) {
      const { a, first } = world;
      const looks = async (): Promise<void> => {
        for (const ms of [TTL, 61_000]) {
          await a.time.sleep(ms, new AbortController().signal);
          const bucket = await a.get().catch(() => undefined);
          if (bucket?.uid === first.uid) writes(world, a, `after-${ms}`);
        }
      };
      void looks();
    },
  },
];
