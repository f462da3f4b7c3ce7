import type { Event, ListedVersion } from './event.ts';
import type { Op } from './register.ts';

/** That a version was seen: by whom it was written, under which id. */
export interface Sighting {
  /** Undefined: not told. */
  readonly versionId: string | undefined;
  /** Undefined: a delete marker. */
  readonly writers: readonly string[] | undefined;
  /** When the answer that showed it came. */
  readonly ended: number;
}

/** What is known of ids from everything that showed a version. */
export class Sightings {
  readonly #ids = new Map<string, string>();
  /** By writer: ids under which something was seen that he or another may have written. */
  readonly #perhaps = new Map<string, Set<string>>();
  readonly #firstSeen = new Map<string, number>();
  readonly #values = new Set<string>();
  readonly #etags = new Set<string>();
  readonly #events: readonly Event[];
  readonly #isWhole: boolean;
  /** Ids of delete markers that no answered DELETE has made. */
  readonly markersOfNobody: readonly string[];
  /** Ids that were named without saying who wrote the version, and that no answered write had. */
  readonly #versionsOfNobody: readonly string[];
  /**
   * By id: what stood below it in a whole history, and so was there before it. Not the null version: it may be another
   * one.
   */
  readonly below: ReadonlyMap<string, readonly string[]>;

  constructor(events: readonly Event[], more: readonly Sighting[]) {
    this.#events = events;
    const all = [...more, ...events.flatMap(sightingsOf)];
    for (const { versionId, writers, ended } of all) {
      const [writer, other] = writers ?? [];
      if (other !== undefined) this.#noteDoubt(writers ?? [], versionId);
      if (writer === undefined || other !== undefined) continue;
      if (versionId !== undefined) this.#ids.set(writer, versionId);
      this.#firstSeen.set(writer, Math.min(ended, this.#firstSeen.get(writer) ?? Infinity));
    }
    for (const { action } of events) {
      if ('condition' in action && action.condition.kind === 'etag') this.#etags.add(action.condition.etag);
    }
    const made = new Set(
      events.map(({ action, outcome }) =>
        action.kind === 'delete' && outcome.kind === 'done' ? outcome.versionId : undefined,
      ),
    );
    const markers = new Set(all.filter(({ writers }) => writers === undefined).map(({ versionId }) => versionId));
    this.markersOfNobody = [...markers].flatMap((id) =>
      id === undefined || id === 'null' || made.has(id) ? [] : [id],
    );
    const explained = new Set([...this.#ids.values(), ...events.flatMap(madeBy)]);
    this.#versionsOfNobody = [...new Set(events.flatMap(namedBy))].filter(
      (id) => !explained.has(id) && !markers.has(id),
    );
    for (const ids of this.#perhaps.values()) for (const id of explained) ids.delete(id);
    this.below = belowIn(events);
    this.#isWhole = events.some(({ action }) => action.kind === 'readHistory');
    for (const { outcome } of events) {
      if (outcome.kind === 'aspect' && outcome.value !== undefined) this.#values.add(outcome.value);
      if (outcome.kind === 'history') {
        for (const { said } of outcome.versions) {
          for (const value of Object.values(said ?? {})) if (value !== undefined) this.#values.add(value);
        }
      }
    }
  }

  #noteDoubt(writers: readonly string[], versionId: string | undefined): void {
    if (versionId === undefined || versionId === 'null') return;
    for (const writer of writers) {
      this.#perhaps.set(writer, (this.#perhaps.get(writer) ?? new Set()).add(versionId));
    }
  }

  /**
   * Where the whole history was read in the end, a version of its own that nobody ever saw was never made: nobody can
   * have deleted it. Whoever was told no more than its id has seen it.
   */
  idsOfPut(writer: string, modes: readonly string[]): Op['ids'] {
    const id = this.#ids.get(writer);
    const isNull = modes.includes('never') || modes.includes('suspended');
    if (id !== undefined) return [id];
    const seen = new Set([...this.#versionsOfNobody, ...(this.#perhaps.get(writer) ?? [])]);
    const own = this.#isWhole ? [...seen] : [undefined];
    return [...(modes.includes('enabled') ? own : []), ...(isNull ? ['null'] : [])];
  }

  /** When at the latest it must have happened. Undefined: nobody has seen it, for certain. */
  firstSeen(writer: string): number | undefined {
    return this.#firstSeen.get(writer);
  }

  /** Whoever deletes a version does so after every whole history that shows it. */
  earliest({ action, began }: Event): number {
    if (action.kind !== 'deleteVersion' || action.versionId === 'null') return began;
    const shown = this.#events.filter(({ outcome }) => idsIn(outcome).includes(action.versionId));
    return Math.max(began, ...shown.map((history) => history.began));
  }

  /** What tells the writer from others: the answers that may have shown what it wrote. */
  whoShows(writer: string): readonly number[] {
    return this.#events.flatMap(({ outcome }, index) => (mayShow(outcome, writer) ? [index] : []));
  }

  /** Of an ETag that no condition names nobody can tell which it is. */
  etagAsKnown(etag: string | undefined): string | undefined {
    return etag === undefined || this.#etags.has(etag) ? etag : '*';
  }

  wasRead(value: string): boolean {
    return this.#values.has(value);
  }
}

/** The version that an answered write made. */
function madeBy({ action, outcome }: Event): readonly string[] {
  const makes = action.kind === 'put' || action.kind === 'delete';
  return makes && outcome.kind === 'done' && outcome.versionId !== undefined ? [outcome.versionId] : [];
}

/** The version that an answer about tags, locks or the like named, or that somebody removed by its id. */
function namedBy({ action, outcome }: Event): readonly string[] {
  const isAbout = (action.kind === 'amend' && outcome.kind === 'done') || outcome.kind === 'aspect';
  const removed = action.kind === 'deleteVersion' ? action.versionId : undefined;
  const id = isAbout ? outcome.versionId : removed;
  return id === undefined || id === 'null' ? [] : [id];
}

/** Newest first, without the null version; none: it is no history. */
function idsIn(outcome: Event['outcome']): readonly string[] {
  if (outcome.kind !== 'history') return [];
  return outcome.versions.flatMap(({ versionId }) => (versionId === 'null' ? [] : [versionId]));
}

function belowIn(events: readonly Event[]): ReadonlyMap<string, readonly string[]> {
  const below = new Map<string, readonly string[]>();
  for (const { outcome } of events) {
    for (const [index, id] of idsIn(outcome).entries()) {
      below.set(id, [...new Set([...(below.get(id) ?? []), ...idsIn(outcome).slice(index + 1)])]);
    }
  }
  return below;
}

function mayShow(outcome: Event['outcome'], writer: string): boolean {
  if (outcome.kind === 'shown') return outcome.writers.includes(writer);
  return outcome.kind === 'history' && outcome.versions.some(({ writers }) => writers?.includes(writer) !== false);
}

function sightingsOf({ action, outcome, ended }: Event): Sighting[] {
  const named = 'versionId' in action ? action.versionId : undefined;
  switch (outcome.kind) {
    case 'shown': {
      const versionId = outcome.versionId ?? named;
      return [{ versionId, writers: outcome.writers, ended }];
    }
    case 'absent':
      return outcome.versionId === undefined ? [] : [{ versionId: outcome.versionId, writers: undefined, ended }];
    case 'marker':
      return named === undefined ? [] : [{ versionId: named, writers: undefined, ended }];
    case 'history':
      return outcome.versions.map(({ versionId, marker, writers }: ListedVersion) => ({
        versionId,
        writers: marker ? undefined : (writers ?? []),
        ended,
      }));
    default:
      return [];
  }
}
