import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';

const SETTLE_MS = 250;

/**
 * Calls `changed` once a set of files has changed and then stayed as it is for a moment. Watches
 * their folders: editors and Kubernetes replace files (and the links to them) instead of writing into them.
 *
 * @returns ends the watch
 */
export function watchFiles(files: readonly string[], changed: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const soon = (): void => {
    clearTimeout(timer);
    timer = setTimeout(changed, SETTLE_MS).unref();
  };
  const names = Map.groupBy(files, dirname);
  const watchers: FSWatcher[] = [...names].map(([folder, members]) => {
    const interesting = new Set(members.map((file) => basename(file)));
    // `..data` is the link that Kubernetes swaps when a mounted secret or config map changes.
    const watcher = watch(folder, { persistent: false }, (_, name) => {
      if (name === null || interesting.has(name) || name === '..data') soon();
    });
    watcher.on('error', () => watcher.close());
    return watcher;
  });
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
}
