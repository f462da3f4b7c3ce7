import type { Event, ListedVersion } from './event.ts';

/** What one ListObjectVersions said of one key, over all its pages. */
export interface VersionsListing {
  readonly id: string;
  readonly key: string;
  readonly account?: string;
  readonly began: number;
  readonly ended: number;
  /** In the order in which they were listed. */
  readonly versions: readonly (ListedVersion & { readonly latest: boolean })[];
}

/**
 * A listing against the changes of its key. It is no snapshot: a version that is written or deleted meanwhile may be in
 * it or not. But one that was there all the time is in it once, none is that was never there or was gone before, newest
 * come first, and one is the latest.
 * @returns what is wrong
 */
export function wrongInListing(events: readonly Event[], listing: VersionsListing): string | undefined {
  const made = new Map(events.flatMap((event) => entriesOf(event)));
  const writers = new Map(events.map((event) => [event.id, event]));
  const says = new Judge(events, listing, made);
  const wrong = [
    ...says.twice(),
    ...says.missing(),
    ...says.gone(),
    ...says.never(writers),
    ...says.disordered(writers),
    ...says.latest(),
  ];
  return wrong.length === 0
    ? undefined
    : `${listing.id} of ${listing.key} [${listing.began}..${listing.ended}]: ${wrong.join('; ')}`;
}

/** What was current at some moment of the listing, as a read. */
export function currentInListing({ id, key, account, began, ended, versions }: VersionsListing): Event {
  const latest = versions.find((version) => version.latest);
  const shown =
    latest?.marker === false
      ? ({ kind: 'shown', writers: latest.writers ?? [], versionId: latest.versionId } as const)
      : ({ kind: 'absent', ...(latest !== undefined && { versionId: latest.versionId }) } as const);
  return {
    id: `${id} latest`,
    key,
    began,
    ended,
    action: { kind: 'read' },
    outcome: shown,
    ...(account !== undefined && { account }),
  };
}

/** Versions with an id of their own that were acknowledged. */
function entriesOf(event: Event): [string, Event][] {
  const { action, outcome } = event;
  const isMade = (action.kind === 'put' || action.kind === 'delete') && outcome.kind === 'done';
  const id = isMade ? outcome.versionId : undefined;
  return id === undefined || id === 'null' ? [] : [[id, event]];
}

class Judge {
  readonly #events: readonly Event[];
  readonly #listing: VersionsListing;
  readonly #made: ReadonlyMap<string, Event>;

  constructor(events: readonly Event[], listing: VersionsListing, made: ReadonlyMap<string, Event>) {
    this.#events = events;
    this.#listing = listing;
    this.#made = made;
  }

  twice(): string[] {
    const ids = this.#listing.versions.map(({ versionId }) => versionId);
    return ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `${id} is listed twice`);
  }

  missing(): string[] {
    const listed = new Set(this.#listing.versions.map(({ versionId }) => versionId));
    return [...this.#made].flatMap(([id, { ended, id: writer }]) => {
      const wasThere = ended < this.#listing.began && !this.#mayBeDeleted(id);
      return wasThere && !listed.has(id) ? [`${id} of ${writer} was there all the time and is not listed`] : [];
    });
  }

  #mayBeDeleted(id: string): boolean {
    return this.#events.some(
      ({ action, outcome, began }) =>
        action.kind === 'deleteVersion' &&
        action.versionId === id &&
        outcome.kind !== 'nothing' &&
        began <= this.#listing.ended,
    );
  }

  gone(): string[] {
    return this.#listing.versions.flatMap(({ versionId }) => {
      const by = this.#events.find(
        ({ action, outcome, ended }) =>
          versionId !== 'null' &&
          action.kind === 'deleteVersion' &&
          action.versionId === versionId &&
          outcome.kind === 'done' &&
          ended < this.#listing.began,
      );
      return by === undefined ? [] : [`${versionId} was deleted by ${by.id} before`];
    });
  }

  never(writers: ReadonlyMap<string, Event>): string[] {
    return this.#listing.versions.flatMap(({ versionId, writers: names = [], marker }) => {
      if (marker) return [];
      const known = names.flatMap((name) => writers.get(name) ?? []);
      if (
        known.some(({ began, outcome }) => began <= this.#listing.ended && ['done', 'unknown'].includes(outcome.kind))
      ) {
        return [];
      }
      return [`${versionId} of ${names.join(' or ') || 'nobody'} was never there`];
    });
  }

  /** Of two that were written one after the other, the later comes first. */
  disordered(writers: ReadonlyMap<string, Event>): string[] {
    const listed = this.#listing.versions.map(({ versionId, writers: names = [] }) => {
      const [name, other] = names;
      return this.#made.get(versionId) ?? (name !== undefined && other === undefined ? writers.get(name) : undefined);
    });
    return listed.flatMap((upper, index) =>
      listed.slice(index + 1).flatMap((lower) => {
        const isWrong =
          upper !== undefined && lower !== undefined && upper.outcome.kind === 'done' && upper.ended < lower.began;
        return isWrong ? [`${upper.id} stands above ${lower.id}, which came after it`] : [];
      }),
    );
  }

  latest(): string[] {
    const { versions } = this.#listing;
    const latest = versions.filter((version) => version.latest).length;
    return latest === Math.min(versions.length, 1) ? [] : [`${latest} versions are the latest`];
  }
}
