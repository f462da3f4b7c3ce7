import type { Versioning } from '../../../src/manifest/records/bucket.ts';
import { keyState } from './key-state.ts';
import type { Operation } from './operation.ts';
import { Run } from './run.ts';
import { Violation } from './trace.ts';
import { type Snapshot, World } from './world.ts';

/** Calls of a lone operation, whatever was left to it (I10). */
const MOST_CALLS = 8;
/**
 * More of them for an entry of the log; and for one that an upload made, of which it has to be said what became of it.
 */
const CALLS_FOR_ENTRY = 1;
const CALLS_FOR_UPLOAD = 4;
const UPLOAD_TOKEN = /^.{14}[89ab]/;

/** What a lone client does with what a run left. */
const LONE: Readonly<Record<Versioning, readonly Omit<Operation, 'key'>[]>> = {
  never: [
    { kind: 'get', mode: 'never' },
    { kind: 'list', mode: 'never' },
    { kind: 'put', mode: 'never' },
    { kind: 'put', mode: 'never', condition: 'absent' },
    { kind: 'delete', mode: 'never' },
    { kind: 'settle', mode: 'never' },
  ],
  enabled: [
    { kind: 'get', mode: 'enabled' },
    { kind: 'list', mode: 'enabled' },
    { kind: 'listVersions', mode: 'enabled' },
    { kind: 'put', mode: 'enabled' },
    { kind: 'put', mode: 'suspended' },
    { kind: 'delete', mode: 'enabled' },
  ],
  suspended: [],
};

/** I9 and I10: alone, each operation ends soon, is right, and succeeds. @throws Violation */
export async function judgeRest(
  run: Run,
  { key, mode }: { readonly key: string; readonly mode: Versioning },
): Promise<void> {
  const start = await run.world.snapshot();
  const { log = [], kind } = (await keyState(run.world, key)).head ?? {};
  const uploads = log.filter((token) => UPLOAD_TOKEN.test(token)).length + (kind === 'assembled' ? 1 : 0);
  const most = MOST_CALLS + log.length * CALLS_FOR_ENTRY + uploads * CALLS_FOR_UPLOAD;
  for (const operation of LONE[mode]) {
    try {
      const calls = await callsOf({ ...operation, key }, start);
      if (calls > most) {
        run.trace.breakWith(`I10: ${operation.kind} alone makes ${calls} calls over a log of ${log.length}`);
      }
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
      run.trace.breakWith(`at rest: ${error.message}\n  after`, error);
    }
  }
}

/**
 * Behind everything that is not known to be needed any more, and behind what is kept longer because a tool of the cloud
 * may have been at work.
 */
const AGES_MS = [25 * 3_600_000, 8 * 24 * 3_600_000];

/** I9: sweeps change nothing that anybody sees, and leave nothing that nobody needs. @throws Violation */
export async function judgeSweep(
  run: Run,
  { key, mode }: { readonly key: string; readonly mode: Versioning },
): Promise<void> {
  const before = (await keyState(run.world, key)).text;
  let start = await run.world.snapshot();
  const steps: string[] = [];
  for (const age of AGES_MS) {
    start = { ...start, now: start.now + age };
    const lone = await Run.begin({
      start,
      clients: [{ skew: 0, operations: [{ kind: 'sweep', mode, key }] }],
      names: String.fromCharCode('X'.charCodeAt(0) + steps.length),
    });
    await finish(lone);
    steps.push(lone.trace.text);
    start = await lone.world.snapshot();
  }
  const world = await World.of(start);
  const after = await keyState(world, key);
  if (after.text !== before) run.trace.breakWith(`I9: a sweep changed what is seen:\n${steps.join('\n')}\n  after`);
  const garbage = [...after.unneeded, ...(after.head?.kind === 'void' ? ['the void'] : [])];
  if (garbage.length > 0) {
    run.trace.breakWith(`I9: left after a sweep: ${garbage.join(', ')}:\n${steps.join('\n')}\n  after`);
  }
}

async function callsOf(operation: Operation, start: Snapshot): Promise<number> {
  const lone = await Run.begin({ start, clients: [{ skew: -3_600_000, operations: [operation] }], names: 'Z' });
  await finish(lone);
  const [task] = lone.tasks;
  return task?.calls ?? 0;
}

/** Every call as it comes. */
export async function finish(run: Run): Promise<void> {
  for (let step = run.steps().regular[0]; step !== undefined; step = run.steps().regular[0]) await run.take(step);
}
