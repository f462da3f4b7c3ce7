import type { Versioning } from '../../../src/manifest/records/bucket.ts';
import { finish } from './at-rest.ts';
import { isChange } from './gate.ts';
import type { Operation } from './operation.ts';
import { Run } from './run.ts';
import type { Pending } from './steps.ts';
import { type Snapshot, World } from './world.ts';

/** 2023: when the tests play. */
const BEGINNING = 1_700_000_000_000;
const STEP_MS = 1000;
/** Behind the last of it: what is there is old enough for a sweeper. */
const AGE_MS = 25 * 3_600_000;
const FIRST_NAME = 'F';

/** One thing that happened before the test begins. */
interface Past extends Omit<Operation, 'key'> {
  /** Its client crashed right after its change of the head. */
  readonly crashed?: true;
  /** Before its change of the head came, another PUT was begun and answered. */
  readonly overtaken?: true;
}

const PUT = { kind: 'put', mode: 'enabled' } as const;
const NULL_PUT = { kind: 'put', mode: 'suspended' } as const;
const DELETE = { kind: 'delete', mode: 'enabled' } as const;

/** What a key can be when a test begins, told by what was done to it. */
const NEVER: Readonly<Record<string, readonly Past[]>> = {
  absent: [],
  inline: [{ kind: 'put', mode: 'never' }],
  unsettled: [{ kind: 'complete', mode: 'never' }],
};

const VERSIONED: Readonly<Record<string, readonly Past[]>> = {
  absent: [],
  inline: [{ kind: 'put', mode: 'never' }],
  link: [PUT],
  'link over link': [PUT, PUT],
  'link over null': [{ kind: 'put', mode: 'never' }, PUT],
  marker: [PUT, DELETE],
  'link over marker': [PUT, DELETE, PUT],
  'inline over link': [PUT, NULL_PUT],
  'null marker': [PUT, { kind: 'delete', mode: 'suspended' }],
  'unsettled over link': [PUT, { kind: 'complete', mode: 'suspended' }],
  'null that came back': [{ kind: 'put', mode: 'never' }, PUT, { kind: 'deleteVersion', mode: 'enabled', version: 0 }],
  'log of a deletion': [PUT, PUT, PUT, { kind: 'deleteVersion', mode: 'enabled', version: 1, crashed: true }],
  'log of a late PUT': [PUT, { ...PUT, overtaken: true }],
  'log of a replaced null': [PUT, { kind: 'complete', mode: 'suspended' }, { ...NULL_PUT, crashed: true }],
  void: [PUT, { kind: 'deleteVersion', mode: 'enabled', version: 0, crashed: true }],
};

/** What is asked for by name only. */
const MORE: Readonly<Record<string, readonly Past[]>> = {
  'link over upload': [{ kind: 'complete', mode: 'enabled' }, PUT],
  'log of a deletion of an upload': [
    { kind: 'complete', mode: 'enabled' },
    PUT,
    { kind: 'deleteVersion', mode: 'enabled', version: 0, crashed: true },
  ],
  'void of one that came back': [
    PUT,
    PUT,
    { kind: 'deleteVersion', mode: 'enabled', version: 1 },
    { kind: 'deleteVersion', mode: 'enabled', version: 0, crashed: true },
  ],
};

export const STARTS: Readonly<Record<'never' | 'versioned', readonly string[]>> = {
  never: Object.keys(NEVER),
  versioned: Object.keys(VERSIONED),
};

const built = new Map<string, Promise<Snapshot>>();

/** The store as it lies there then, a day later. */
export function startOf(world: 'never' | 'versioned', name: string, key = 'k'): Promise<Snapshot> {
  const id = `${world} ${name} ${key}`;
  const start = built.get(id) ?? build((world === 'never' ? NEVER : { ...VERSIONED, ...MORE })[name] ?? [], key);
  built.set(id, start);
  return start;
}

async function build(pasts: readonly Past[], key: string): Promise<Snapshot> {
  let start = await (await World.empty(BEGINNING)).snapshot();
  let letter = FIRST_NAME.charCodeAt(0);
  for (const { crashed, overtaken, ...rest } of pasts) {
    const operation = { ...rest, key };
    const late =
      overtaken === true
        ? [
            { skew: 0, operations: [operation] },
            { skew: 100, operations: [operation] },
          ]
        : [{ skew: 0, operations: [operation] }];
    const run = await Run.begin({ start, clients: late, names: String.fromCharCode(letter) });
    if (overtaken === true) await overtake(run, key);
    else if (crashed === true) await untilHeadChanges(run, key);
    else await finish(run);
    const end = await run.world.snapshot();
    start = { ...end, now: end.now + STEP_MS };
    letter += late.length;
  }
  return { ...start, now: start.now + AGE_MS };
}

function changesHead({ method, text }: Pending, key: string): boolean {
  return isChange(method) && text.startsWith(`${key} `);
}

async function untilHeadChanges(run: Run, key: string): Promise<void> {
  for (const [step] = run.steps().regular; step?.kind === 'call'; ) {
    await run.take(step);
    if (changesHead(step.pending, key)) return;
    return untilHeadChanges(run, key);
  }
}

/**
 * The first client comes up to its change of the head; the second does all of its work; then the first goes on until it
 * has changed the head.
 */
async function overtake(run: Run, key: string): Promise<void> {
  const nextOf = (client: number): Pending | undefined =>
    run
      .steps()
      .regular.flatMap((step) =>
        step.kind === 'call' && step.pending.task.client === client ? [step.pending] : [],
      )[0];
  for (let next = nextOf(0); next !== undefined && !changesHead(next, key); next = nextOf(0)) {
    await run.take({ kind: 'call', pending: next });
  }
  for (let next = nextOf(1); next !== undefined; next = nextOf(1)) await run.take({ kind: 'call', pending: next });
  for (let next = nextOf(0); next !== undefined; next = nextOf(0)) {
    await run.take({ kind: 'call', pending: next });
    if ((run.states.get(key)?.head?.log.length ?? 0) > 0) return;
  }
}

export type { Versioning };
