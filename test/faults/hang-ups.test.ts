import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { isS3Error } from '../../src/errors/s3-error.ts';
import type { Versioning } from '../../src/manifest/records/bucket.ts';
import { isStoreError } from '../../src/store/store-error.ts';
import type { PortMethod } from '../../src/store/wrap-store.ts';
import { testCall } from '../support/test-call.ts';
import { type HangUpOperation, OPERATIONS, STARTS } from './hang-up-operations.ts';
import { HangUpWorld, type Mishap, MOMENTS, type Picture, faultsOf } from './hang-up-world.ts';

/** An operation on a key in one state. */
interface Scene {
  readonly versioning: Versioning;
  readonly start: string;
  readonly operation: HangUpOperation;
  readonly settling: boolean;
}

/** What the client was told: `open` is every answer that leaves it to him to ask again, and none at all. */
type Told = 'done' | 'open' | `refused ${string}`;

interface Outcome {
  readonly told: Told;
  readonly before: Picture;
  readonly after: Picture;
  readonly calls: readonly PortMethod[];
  /** What the same request brought when it was sent again, undisturbed. */
  readonly again?: { readonly told: Told; readonly after: Picture };
}

async function play({ versioning, start, operation, settling }: Scene, mishap?: Mishap): Promise<Outcome> {
  const world = await HangUpWorld.open(settling);
  world.versioning = versioning;
  await STARTS[versioning][start]?.(world);
  const ask = await operation.prepare(world);
  await world.idle();
  const before = await world.picture();
  const told = await tell(() => ask(world.line.arm(mishap)));
  // What goes on without its client is over when nothing calls any more.
  for (let calls = -1; calls !== world.line.calls.length; ) {
    calls = world.line.calls.length;
    await nextTurn();
  }
  await world.line.disarm();
  await world.idle();
  const outcome = { told, before, after: await world.picture(), calls: [...world.line.calls] };
  if (operation.once === undefined || told !== 'open') return outcome;
  const toldAgain = await tell(() => ask(testCall()));
  await world.idle();
  return { ...outcome, again: { told: toldAgain, after: await world.picture() } };
}

async function tell(work: () => Promise<unknown>): Promise<Told> {
  try {
    await work();
    return 'done';
  } catch (error) {
    if (isS3Error(error)) return error.status >= 500 ? 'open' : `refused ${error.code}`;
    if (isStoreError(error) || (error instanceof Error && error.name === 'AbortError')) return 'open';
    throw error;
  }
}

/** Why the outcome must never be; undefined: it may. `clean` is what comes of it when nothing goes wrong. */
function wrong(clean: Outcome, { told, before, after, again }: Outcome): string | undefined {
  const isSame = (one: Picture, other: Picture): boolean => one.join('\n') === other.join('\n');
  const show = (what: string, picture: Picture): string => `${what}\n    ${picture.join('\n    ')}`;
  if (after.some((line) => line.includes('UNREADABLE'))) return show('not readable', after);
  if (told === 'done' && !isSame(after, clean.after)) {
    return show('acknowledged, and not what it should have come to', after);
  }
  if (told.startsWith('refused') && told !== clean.told) return `${told}, where undisturbed it is ${clean.told}`;
  if (told.startsWith('refused') && !isSame(after, before)) return show('refused, and changed all the same', after);
  // Deletions of several keys may come half way.
  const parts = [before, clean.after];
  const isHalf = after.every((line) => parts.some((picture) => picture.includes(line)));
  if (told === 'open' && !isHalf) return show('neither what was before nor what should be', after);
  if (again === undefined) return undefined;
  if (again.told !== clean.told) return `sent again: ${again.told}, where undisturbed it is ${clean.told}`;
  return isSame(again.after, clean.after) ? undefined : show('sent again', again.after);
}

function scenesOf(versioning: Versioning): Scene[] {
  const operations = OPERATIONS.filter((operation) => operation.in?.includes(versioning) !== false);
  const startsOf = (operation: HangUpOperation, settling: boolean): Scene[] =>
    Object.keys(STARTS[versioning]).map((start) => ({ versioning, start, operation, settling }));
  return operations.flatMap((operation, index) => startsOf(operation, index % 2 === 0));
}

describe('a client that leaves before, during or after any backend call of any change, and a fault of that call', () => {
  const sizes: string[] = [];
  afterAll(() => {
    process.stdout.write(`hang-ups: ${sizes.join('; ')}\n`);
  });

  it.each(['never', 'enabled', 'suspended'] as const)(
    '%s versioned: what is acknowledged happened, what is refused did not, and everything can be read',
    async (versioning) => {
      const found: string[] = [];
      let [runs, points] = [0, 0];
      const scenes = scenesOf(versioning);
      for (const scene of scenes) {
        const clean = await play(scene);
        points += clean.calls.length;
        for (const [index, method] of clean.calls.entries()) {
          const at = index + 1;
          for (const fault of faultsOf(method)) {
            // With an answer that fails anyway there is no while on the way.
            for (const moment of MOMENTS.filter((each) => each !== 'during' || fault === 'none')) {
              runs += 1;
              const why = wrong(clean, await play(scene, { at, moment, fault }));
              if (why !== undefined) {
                found.push(
                  `${scene.operation.name} on ${scene.start}, call ${at} (${method}), client leaves ${moment}, ${fault}: ${why}`,
                );
              }
            }
          }
        }
      }
      sizes.push(`${versioning} ${scenes.length} scenes, ${points} calls, ${runs} runs`);
      expect(found.slice(0, 12).join('\n'), `${found.length} of ${runs}`).toBe('');
    },
    300_000,
  );
});
