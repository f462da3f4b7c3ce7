import type { Readings } from '../../observe/metrics/process-metrics.ts';
import type { OpenBackend } from '../backends.ts';

/** How copies inside backends are done, as metrics; of those that may be done in two ways. */
export function copyReadings(backends: readonly OpenBackend[]): Readings {
  const fallbacks = backends.flatMap(({ name, store: { copyFallback } }) =>
    copyFallback === undefined ? [] : [{ backend: name, copyFallback }],
  );
  return {
    s3gw_copies_streamed: () => fallbacks.map(({ backend, copyFallback }) => [copyFallback.streamed, { backend }]),
    s3gw_copy_sources_refused: () =>
      fallbacks.map(({ backend, copyFallback }) => [copyFallback.active ? 1 : 0, { backend }]),
  };
}
