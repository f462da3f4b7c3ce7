import type { BlobStore } from '../../src/store/blob-store.ts';
import { type PortMethod, wrapStore } from '../../src/store/wrap-store.ts';

interface LoggedCall {
  readonly method: PortMethod;
  readonly container?: string;
  readonly name?: string;
}

interface LoggingStore extends BlobStore {
  /** In the order in which they were made. */
  readonly calls: readonly LoggedCall[];
  /** Calls so far, or those of one method. */
  countCalls(method?: PortMethod): number;
  clearCalls(): void;
}

/** A store that notes what it is asked to do, for tests that count backend calls. */
export function withCallLog(store: BlobStore): LoggingStore {
  const calls: LoggedCall[] = [];
  const logged = wrapStore(store, ({ method, ref }, run) => {
    calls.push({
      method,
      ...(ref.container !== undefined && { container: ref.container }),
      ...(ref.name !== undefined && { name: ref.name }),
    });
    return run();
  });
  return {
    ...logged,
    calls,
    countCalls: (method) =>
      method === undefined ? calls.length : calls.filter((call) => call.method === method).length,
    clearCalls: () => {
      calls.length = 0;
    },
  };
}
