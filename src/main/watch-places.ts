import { type FSWatcher, readdirSync, realpathSync, statSync, watch } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const SETTLE_MS = 250;
/** Some file systems tell of nothing, and a link further up can be turned to another folder. */
const LOOK_MS = 10_000;
/** The link that Kubernetes swaps when a mounted Secret or ConfigMap changes. */
const MOUNTED = '..data';

/**
 * Calls `changed` once files, or what is in folders, have changed and then stayed as they are for a moment. Editors and
 * Kubernetes replace files (and the links to them) instead of writing into them, so folders are watched; and now and
 * then all of them are looked at.
 * @param places absolute paths
 * @returns ends the watch
 */
export function watchPlaces(places: readonly string[], changed: () => void): () => void {
  let seen = fingerprint(places);
  let timer: NodeJS.Timeout | undefined;
  const look = (): void => {
    const now = fingerprint(places);
    if (now === seen) return;
    seen = now;
    changed();
  };
  const soon = (): void => {
    clearTimeout(timer);
    timer = setTimeout(look, SETTLE_MS).unref();
  };
  const watchers = foldersOf(places).flatMap(([folder, names]) => watchFolder(folder, names, soon));
  const looking = setInterval(look, LOOK_MS).unref();
  return () => {
    clearTimeout(timer);
    clearInterval(looking);
    for (const watcher of watchers) watcher.close();
  };
}

/** Each folder to watch, with the names in it that count; undefined: all. */
function foldersOf(places: readonly string[]): [string, ReadonlySet<string> | undefined][] {
  const folders = new Set(places.filter((place) => statOf(place)?.isDirectory() === true));
  const files = Map.groupBy(
    places.filter((place) => !folders.has(place)),
    dirname,
  );
  const found: [string, ReadonlySet<string> | undefined][] = [...folders].map((folder) => [folder, undefined]);
  for (const [folder, members] of files) {
    if (!folders.has(folder)) found.push([folder, new Set(members.map((file) => basename(file)))]);
  }
  return found;
}

function watchFolder(folder: string, names: ReadonlySet<string> | undefined, soon: () => void): FSWatcher[] {
  try {
    const watcher = watch(folder, { persistent: false }, (_, name) => {
      if (name === null || name === MOUNTED || names === undefined || names.has(name)) soon();
    });
    watcher.on('error', () => watcher.close());
    return [watcher];
  } catch {
    // It is not there, or there are no watches left: looking now and then must do.
    return [];
  }
}

/** What changes when any of them does: where links lead, and time, size and number of the files. */
function fingerprint(places: readonly string[]): string {
  return places
    .map((place) =>
      (statOf(place)?.isDirectory() === true ? [markOf(place), ...membersOf(place)] : [markOf(place)]).join('|'),
    )
    .join('\n');
}

function membersOf(folder: string): string[] {
  try {
    return readdirSync(folder)
      .sort()
      .map((name) => `${name}=${markOf(join(folder, name))}`);
  } catch {
    return ['gone'];
  }
}

function markOf(file: string): string {
  try {
    const { mtimeMs, size, ino, ctimeMs } = statSync(file);
    return [realpathSync(file), ino, size, mtimeMs, ctimeMs].join(',');
  } catch {
    return 'gone';
  }
}

function statOf(place: string): ReturnType<typeof statSync> {
  return statSync(place, { throwIfNoEntry: false });
}
