import type { BlobRef, BlobStore } from '../../../src/store/blob-store.ts';
import { type PortMethod, wrapStore } from '../../../src/store/wrap-store.ts';

const STAGING: ReadonlySet<PortMethod> = new Set(['stagePart', 'stagePartFrom', 'assemble', 'discardParts']);

/** A store over which nothing may be staged on a name that clients see: whoever tries fails. */
export function withPrivateStaging(store: BlobStore, systemContainer = 'system'): BlobStore {
  return wrapStore(store, ({ method, ref }, run) => {
    if (STAGING.has(method) && ref.container !== systemContainer) throw new StagedInTheOpen(method, ref);
    return run();
  });
}

class StagedInTheOpen extends Error {
  constructor(method: PortMethod, { container = '', name = '' }: Partial<BlobRef>) {
    super(`${method} on ${container}/${name}: nothing is staged on a name that clients see`);
    this.name = 'StagedInTheOpen';
  }
}
