import type { Call } from '../observe/call.ts';
import type { BlobStore } from './blob-store.ts';

/** The calls of the port that reach a backend. */
export type PortMethod = Exclude<keyof BlobStore, 'kind' | 'capabilities' | 'partDigests' | 'fits' | 'close'>;

export interface PortCall {
  readonly method: PortMethod;
  /** What the call is about; `name` is absent for calls on containers, both for calls on none. */
  readonly ref: { readonly container?: string; readonly name?: string };
  readonly call: Call;
}

/** Stands around every call of a store; `run` makes the call. */
type Around = <T>(portCall: PortCall, run: () => Promise<T>) => Promise<T>;

/** The same store as a plain object, for others to be made of: its calls are its own, and need no `this`. */
export function plainStore(store: BlobStore): BlobStore {
  return {
    kind: store.kind,
    capabilities: store.capabilities,
    ...(store.staged !== undefined && { staged: store.staged }),
    ...(store.copyFallback !== undefined && { copyFallback: store.copyFallback }),
    ...(store.partDigests !== undefined && { partDigests: store.partDigests }),
    ...(store.fits !== undefined && { fits: store.fits.bind(store) }),
    createContainer: store.createContainer.bind(store),
    headContainer: store.headContainer.bind(store),
    removeContainer: store.removeContainer.bind(store),
    listContainers: store.listContainers.bind(store),
    head: store.head.bind(store),
    read: store.read.bind(store),
    write: store.write.bind(store),
    setMetadata: store.setMetadata.bind(store),
    remove: store.remove.bind(store),
    removeMany: store.removeMany.bind(store),
    list: store.list.bind(store),
    copy: store.copy.bind(store),
    ...(store.rehydrate !== undefined && { rehydrate: store.rehydrate.bind(store) }),
    stagePart: store.stagePart.bind(store),
    stagePartFrom: store.stagePartFrom.bind(store),
    assemble: store.assemble.bind(store),
    discardParts: store.discardParts.bind(store),
    ping: store.ping.bind(store),
    close: store.close.bind(store),
  };
}

/** A store whose calls all go through `around`. */
export function wrapStore(store: BlobStore, around: Around): BlobStore {
  return {
    ...plainStore(store),
    createContainer: (container, request, call) =>
      around({ method: 'createContainer', ref: { container }, call }, () =>
        store.createContainer(container, request, call),
      ),
    headContainer: (container, call) =>
      around({ method: 'headContainer', ref: { container }, call }, () => store.headContainer(container, call)),
    removeContainer: (container, call) =>
      around({ method: 'removeContainer', ref: { container }, call }, () => store.removeContainer(container, call)),
    listContainers: (token, call) =>
      around({ method: 'listContainers', ref: {}, call }, () => store.listContainers(token, call)),
    head: (ref, call) => around({ method: 'head', ref, call }, () => store.head(ref, call)),
    read: (ref, request, call) => around({ method: 'read', ref, call }, () => store.read(ref, request, call)),
    write: (ref, body, request, call) =>
      around({ method: 'write', ref, call }, () => store.write(ref, body, request, call)),
    setMetadata: (ref, metadata, condition, call) =>
      around({ method: 'setMetadata', ref, call }, () => store.setMetadata(ref, metadata, condition, call)),
    remove: (ref, revision, call) => around({ method: 'remove', ref, call }, () => store.remove(ref, revision, call)),
    removeMany: (container, items, call) =>
      around({ method: 'removeMany', ref: { container }, call }, () => store.removeMany(container, items, call)),
    list: (container, request, call) =>
      around({ method: 'list', ref: { container }, call }, () => store.list(container, request, call)),
    copy: (ref, request, call) => around({ method: 'copy', ref, call }, () => store.copy(ref, request, call)),
    ...(store.rehydrate !== undefined && {
      rehydrate: (ref, request, call) =>
        around({ method: 'rehydrate', ref, call }, async () => store.rehydrate?.(ref, request, call)),
    }),
    stagePart: (ref, body, request, call) =>
      around({ method: 'stagePart', ref, call }, () => store.stagePart(ref, body, request, call)),
    stagePartFrom: (ref, source, range, call) =>
      around({ method: 'stagePartFrom', ref, call }, () => store.stagePartFrom(ref, source, range, call)),
    assemble: (ref, request, call) =>
      around({ method: 'assemble', ref, call }, () => store.assemble(ref, request, call)),
    discardParts: (ref, call) => around({ method: 'discardParts', ref, call }, () => store.discardParts(ref, call)),
    ping: (call) => around({ method: 'ping', ref: {}, call }, () => store.ping(call)),
  };
}
