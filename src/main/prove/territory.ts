import { randomBytes } from 'node:crypto';
import type { Call } from '../../observe/call.ts';
import type { BlobStore, ContainerEntry } from '../../store/blob-store.ts';
import { isStoreError } from '../../store/store-error.ts';
import { wordsOf } from '../start-error.ts';

/** The mark of a run's own container: who made it, kept with it from the moment it is there. */
const MARK = 's3gw-prove';
/** Buckets' containers may get a random end, where the gateway finds their name taken. */
const NAME = /^prove-([0-9a-f]{8})-(?:own|passing|system|(?:bucket|speed)(?:-gw[0-9a-f]{12})?)$/;
const PAGE = 1000;

/** The containers of one run. No other name is ever made or removed. */
export interface Territory {
  readonly run: string;
  /** Made first and removed last. Its mark says that the others of the run are ours, too. */
  readonly own: string;
  /** Made and removed by a trial. */
  readonly passing: string;
  /** The system container of the gateway that is proved. */
  readonly system: string;
  /** The bucket of the acceptance run, which removes it itself. */
  readonly bucket: string;
  /** The bucket through which is measured. */
  readonly speed: string;
}

/** Names that no other run has. */
export function newTerritory(run = randomBytes(4).toString('hex')): Territory {
  const name = (part: string): string => `prove-${run}-${part}`;
  return {
    run,
    own: name('own'),
    passing: name('passing'),
    system: name('system'),
    bucket: name('bucket'),
    speed: name('speed'),
  };
}

export async function enter(store: BlobStore, { own }: Territory, call: Call): Promise<void> {
  await store.createContainer(own, { owner: MARK }, call);
}

/**
 * Runs of which something is left in the account, because they were killed. A container counts only beside one of the
 * same run that has our mark.
 */
export async function territoriesLeft(store: BlobStore, call: Call): Promise<Territory[]> {
  const found = await containersOfRuns(store, call);
  const marked = found.filter(({ name, owner }) => name.endsWith('-own') && owner === MARK);
  return marked.map(({ name }) => newTerritory(runOf(name)));
}

/** How many containers of these runs are there. */
export async function countContainers(store: BlobStore, runs: readonly Territory[], call: Call): Promise<number> {
  const wanted = new Set(runs.map(({ run }) => run));
  return (await containersOfRuns(store, call)).filter(({ name }) => wanted.has(runOf(name))).length;
}

interface Departure {
  readonly removed: number;
  /** Why containers are still there. */
  readonly problems: readonly string[];
}

/** Removes all containers of these runs, with everything in them, as far as that goes. Can be repeated. */
export async function leave(store: BlobStore, runs: readonly Territory[], call: Call): Promise<Departure> {
  const containers = await containersOfRuns(store, call);
  const problems: string[] = [];
  let removed = 0;
  for (const { run, own } of runs) {
    const names = containers.map(({ name }) => name).filter((name) => runOf(name) === run && name !== own);
    const before = problems.length;
    for (const name of [...names, own]) {
      // Its mark lets the next run find the others.
      if (name === own && problems.length > before) break;
      try {
        if (await removeWhole(store, name, call)) removed += 1;
      } catch (error) {
        problems.push(`${name}: ${wordsOf(error)}`);
      }
    }
  }
  return { removed, problems };
}

function runOf(container: string): string {
  return NAME.exec(container)?.[1] ?? '';
}

async function containersOfRuns(store: BlobStore, call: Call): Promise<ContainerEntry[]> {
  const found: ContainerEntry[] = [];
  let token: string | undefined;
  do {
    const page = await store.listContainers(token, call);
    found.push(...page.containers.filter(({ name }) => NAME.test(name)));
    token = page.nextToken;
  } while (token !== undefined);
  return found;
}

/** @returns false: it was not there */
async function removeWhole(store: BlobStore, name: string, call: Call): Promise<boolean> {
  try {
    if (store.capabilities.removesFullContainers !== true) await removeBlobs(store, name, call);
    await store.removeContainer(name, call);
    return true;
  } catch (error) {
    if (isStoreError(error, 'containerNotFound', 'containerBusy')) return false;
    throw error;
  }
}

async function removeBlobs(store: BlobStore, container: string, call: Call): Promise<void> {
  const limit = Math.min(PAGE, store.capabilities.maxListPage);
  for (;;) {
    const { entries } = await store.list(container, { limit }, call);
    const names = entries.map(({ name }) => ({ name }));
    if (names.length === 0) return;
    for (const outcome of await store.removeMany(container, names, call)) {
      if (outcome instanceof Error) throw outcome;
    }
  }
}
