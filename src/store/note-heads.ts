import type { CallFacts } from '../observe/call-facts.ts';
import type { BlobStore } from './blob-store.ts';
import { isStoreError } from './store-error.ts';
import { type PortCall, type PortMethod, wrapStore } from './wrap-store.ts';

type Note = (facts: CallFacts, name: string, result: unknown) => void;

const found: Note = (facts, name, result) => facts.noteHeadRead(name, revisionOf(result));
const written: Note = (facts, name, result) => facts.noteHeadWritten(name, revisionOf(result));
const NOTES: ReadonlyMap<PortMethod, Note> = new Map<PortMethod, Note>([
  ['head', found],
  ['read', (facts, name, result) => found(facts, name, isObject(result) ? result['properties'] : undefined)],
  ['write', written],
  ['setMetadata', written],
  ['copy', written],
  ['remove', written],
]);

/**
 * The same store; what happens to heads, the blobs in the containers of buckets, is noted among the facts of the
 * request on whose behalf it happens: the revision that was found first, and the one that was left.
 */
export function noteHeads(store: BlobStore, systemContainer: string): BlobStore {
  return wrapStore(store, (portCall, run) => {
    const note = NOTES.get(portCall.method);
    return note === undefined || portCall.ref.container === systemContainer ? run() : noted(portCall, note, run);
  });
}

function noted<T>({ ref: { name = '' }, call: { facts } }: PortCall, note: Note, run: () => Promise<T>): Promise<T> {
  return run().then(
    (result) => {
      note(facts, name, result);
      return result;
    },
    (error: unknown) => {
      if (note === found && isStoreError(error, 'notFound')) facts.noteHeadRead(name, undefined);
      throw error;
    },
  );
}

function revisionOf(result: unknown): string | undefined {
  const revision = isObject(result) ? result['revision'] : undefined;
  return typeof revision === 'string' ? revision : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
