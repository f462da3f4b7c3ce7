import { randomUUID } from 'node:crypto';
import type { Call } from '../../observe/call.ts';
import { ABSENT, at, type BlobRef, type BlobStore, type Revision } from '../../store/blob-store.ts';
import { isStoreError } from '../../store/store-error.ts';
import { SYSTEM_MARK } from '../../manifest/index.ts';
import { readAll } from '../../streams/bytes.ts';
import { reasonOf, refusalAdvice } from './error-words.ts';
import { type PreflightFinding, ok } from './finding.ts';

const BYTES = Buffer.from('preflight');

interface Trial {
  readonly store: BlobStore;
  readonly system: string;
  readonly call: Call;
  /** A blob of our own, and one for what is made of it. */
  readonly blob: BlobRef;
  readonly other: BlobRef;
  revision: Revision | undefined;
  /** One that it had before. */
  stale: Revision | undefined;
}

interface Step {
  readonly check: string;
  readonly run: (trial: Trial) => Promise<unknown>;
}

/** One after the other: each needs what the ones before have left. */
const STEPS: readonly Step[] = [
  { check: 'write blobs', run: write },
  { check: 'conditional writes', run: writeOnCondition },
  { check: 'read blobs', run: read },
  { check: 'change metadata', run: setMetadata },
  {
    check: 'list blobs',
    run: ({ store, system, call }) => store.list(system, { prefix: 'preflight/', limit: 1 }, call),
  },
  { check: 'copy blobs', run: copy },
  { check: 'conditions of copies', run: copyOnCondition },
  { check: 'stage and assemble parts', run: assemble },
  { check: 'remove blobs', run: removeBoth },
];

/**
 * What the gateway does to blobs all day, tried on two of its own in the system container. Leaves nothing, unless it
 * may not remove.
 */
export async function tryBlobs(store: BlobStore, system: string, call: Call): Promise<PreflightFinding[]> {
  const id = randomUUID();
  const ref = (name: string): BlobRef => ({ container: system, name: `preflight/${id}-${name}` });
  const blobs = { blob: ref('blob'), other: ref('other') };
  const trial: Trial = { store, system, call, ...blobs, revision: undefined, stale: undefined };
  const findings: PreflightFinding[] = [];
  for (const { check, run } of STEPS) {
    findings.push(await outcome(store, check, () => run(trial)));
    if (trial.revision === undefined) break;
  }
  return findings;
}

/**
 * Tries the calls on containers, without touching existing ones. It makes a container that exists already, and removes
 * one that does not exist: a service that grants the permission refuses both for that reason.
 */
export async function tryContainers(store: BlobStore, system: string, call: Call): Promise<PreflightFinding[]> {
  const findings = [await outcome(store, 'list containers', () => store.listContainers(undefined, call))];
  findings.push(await outcome(store, 'system container', () => haveContainer(store, system, call)));
  for (const [check, run] of [
    ['create containers', () => expecting(store.createContainer(system, {}, call), 'containerExists')],
    [
      'remove containers',
      () => expecting(store.removeContainer(`preflight-${randomUUID().slice(0, 18)}`, call), 'containerNotFound'),
    ],
  ] as const) {
    const finding = await outcome(store, check, run);
    findings.push(
      finding.level === 'fail'
        ? {
            ...finding,
            level: 'warn',
            detail: `${finding.detail} (needed for buckets to be made and removed through S3)`,
          }
        : finding,
    );
  }
  return findings;
}

async function outcome(store: BlobStore, check: string, run: () => Promise<unknown>): Promise<PreflightFinding> {
  try {
    const words = await run();
    return ok(check, typeof words === 'string' ? words : 'allowed');
  } catch (error) {
    const advice = isStoreError(error, 'denied') ? refusalAdvice(store.kind, error) : 'look at the message';
    return {
      level: 'fail',
      check,
      detail: `${isStoreError(error) ? `${error.kind}: ` : ''}${reasonOf(error)}`,
      advice,
    };
  }
}

async function haveContainer(store: BlobStore, system: string, call: Call): Promise<string> {
  try {
    await store.headContainer(system, call);
    return `${system} is there`;
  } catch (error) {
    if (!isStoreError(error, 'containerNotFound')) throw error;
    await store.createContainer(system, { owner: SYSTEM_MARK }, call);
    return `${system} was made`;
  }
}

async function expecting(work: Promise<unknown>, refusal: 'containerExists' | 'containerNotFound'): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!isStoreError(error, refusal)) throw error;
  }
}

async function write(trial: Trial): Promise<void> {
  trial.revision = (await trial.store.write(trial.blob, BYTES, { metadata: { preflight: '1' } }, trial.call)).revision;
}

async function writeOnCondition({ store, blob, call }: Trial): Promise<string> {
  try {
    await store.write(blob, BYTES, { metadata: {}, condition: ABSENT }, call);
  } catch (error) {
    if (isStoreError(error, 'conditionFailed')) return 'kept';
    throw error;
  }
  throw new Error('the service replaced a blob that it should not: conditions do not reach it');
}

async function read({ store, blob, call }: Trial): Promise<void> {
  const { body } = await store.read(blob, {}, call);
  if (!(await readAll(body)).equals(BYTES)) throw new Error('other bytes came back than were written');
}

async function setMetadata(trial: Trial): Promise<void> {
  const { revision } = await trial.store.head(trial.blob, trial.call);
  trial.stale = revision;
  trial.revision = (await trial.store.setMetadata(trial.blob, { preflight: '2' }, at(revision), trial.call)).revision;
}

async function copy(trial: Trial): Promise<void> {
  if (trial.revision !== undefined) await copyFrom(trial.revision, trial);
}

async function copyFrom(revision: Revision, { store, blob, other, call }: Trial): Promise<void> {
  await store.copy(
    other,
    { source: { ...blob, revision }, size: BYTES.length, headers: {}, metadata: { preflight: '3' }, sameHeaders: true },
    call,
  );
}

/** Copies are judged from memory, on condition that their source is still what it was. */
async function copyOnCondition(trial: Trial): Promise<string> {
  if (trial.stale === undefined || !trial.store.capabilities.pinsSources) return 'not asked for: sources are looked at';
  try {
    await copyFrom(trial.stale, trial);
  } catch (error) {
    if (isStoreError(error, 'sourceConditionFailed')) return 'kept';
    throw error;
  }
  throw new Error('the service copied a blob that had changed: conditions on sources do not reach it');
}

async function assemble({ store, other, call }: Trial): Promise<void> {
  const { tokens } = await store.stagePart(other, BYTES, {}, call);
  await store.assemble(other, { tokens, metadata: { preflight: '4' } }, call);
}

/** Both, whatever there is of them. */
async function removeBoth({ store, blob, other, call }: Trial): Promise<void> {
  for (const ref of [other, blob]) {
    await store.remove(ref, undefined, call).catch((error: unknown) => {
      if (!isStoreError(error, 'notFound')) throw error;
    });
  }
}
