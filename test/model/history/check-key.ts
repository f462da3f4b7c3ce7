import { type Event, type ListedVersion, describeEvent } from './event.ts';
import { linearize } from './linearize.ts';
import { EMPTY, type Op, type State, type Version, registerOf } from './register.ts';

/** That a version was seen: by whom it was written, under which id. */
interface Sighting {
  readonly versionId: string;
  /** Undefined: a delete marker. */
  readonly writers: readonly string[] | undefined;
}

export interface CheckOptions {
  readonly start?: State;
  /** What listings showed of this key. */
  readonly sightings?: readonly Sighting[];
  readonly budget?: number;
}

type KeyVerdict = { readonly kind: 'right' } | { readonly kind: 'wrong' | 'undecided'; readonly why: string };

/**
 * Whether one order explains everything that clients were told of one key: each change once, at a moment between its
 * request and its answer, everything read what was there then; what was not answered may have happened, once, or not.
 */
export function checkKey(
  events: readonly Event[],
  { start = EMPTY, sightings = [], budget }: CheckOptions = {},
): KeyVerdict {
  const seen = new Sightings(events, sightings);
  const ops = events.flatMap((event) => opOf(event, seen) ?? []);
  const verdict = linearize(ops, registerOf(start), budget);
  if (verdict.kind === 'order') return { kind: 'right' };
  if (verdict.kind === 'undecided') return { kind: 'undecided', why: `not decided after ${verdict.states} states` };
  const { order, state, stuck } = verdict;
  const lines = [
    'no order of these requests explains their answers. The longest:',
    ...order.map(({ event }) => `    ${describeEvent(event)}`),
    `  leaves ${describeState(state)}; then none of these is true:`,
    ...stuck.map(({ event }) => `    ${describeEvent(event)}`),
  ];
  return { kind: 'wrong', why: lines.join('\n') };
}

function describeState({ owner, versions }: State): string {
  const line = ({ writer, id, marker }: Version): string => `${id ?? '?'}=${marker ? 'MARKER' : ''}${writer}`;
  return owner === undefined ? 'no bucket' : `[${versions.map(line).join(', ')}]`;
}

/** @returns undefined where it can explain nothing */
function opOf(event: Event, seen: Sightings): Op | undefined {
  const { action, outcome, began, ended } = event;
  if (outcome.kind === 'nothing') return undefined;
  const certain = outcome.kind !== 'unknown';
  const looks =
    ['read', 'readAspect', 'readHistory'].includes(action.kind) || !['done', 'unknown'].includes(outcome.kind);
  if (!certain && looks) return undefined;
  const ids = idsOf(event, seen);
  const mayHappen =
    certain ||
    ids.length > 0 ||
    action.kind === 'deleteVersion' ||
    action.kind === 'createBucket' ||
    action.kind === 'deleteBucket' ||
    (action.kind === 'delete' && action.modes.includes('never'));
  return mayHappen ? { event, began, ended, certain, looks, ids } : undefined;
}

/** Of the version that a change makes or is about. None: it cannot have happened. */
function idsOf({ id, action, outcome }: Event, seen: Sightings): Op['ids'] {
  const told = outcome.kind === 'done' ? outcome.versionId : undefined;
  switch (action.kind) {
    case 'put':
      if (outcome.kind === 'done') return [told ?? 'null'];
      return seen.idsOfPut(id, action.modes);
    case 'delete':
      if (outcome.kind === 'done') return told === undefined ? [] : [told];
      return [
        ...(action.modes.includes('enabled') ? seen.markersOfNobody : []),
        ...(action.modes.includes('suspended') ? ['null'] : []),
      ];
    case 'amend':
      // Nobody need have read that a lock was taken off: a deletion shows it.
      if (outcome.kind === 'unknown' && !LOCKS.has(action.aspect) && !seen.wasRead(action.value)) return [];
      return [action.versionId ?? told];
    default:
      return [];
  }
}

/** What stands in the way of deletions. */
const LOCKS: ReadonlySet<string> = new Set(['hold', 'retention']);

/** What is known of ids from everything that showed a version. */
class Sightings {
  readonly #ids = new Map<string, string>();
  readonly #values = new Set<string>();
  readonly #isWhole: boolean;
  /** Ids of delete markers that no answered DELETE has made. */
  readonly markersOfNobody: readonly string[];

  constructor(events: readonly Event[], more: readonly Sighting[]) {
    const all = [...more, ...events.flatMap(sightingsOf)];
    for (const { versionId, writers } of all) {
      const [writer, other] = writers ?? [];
      if (writer !== undefined && other === undefined) this.#ids.set(writer, versionId);
    }
    const made = new Set(
      events.map(({ action, outcome }) =>
        action.kind === 'delete' && outcome.kind === 'done' ? outcome.versionId : undefined,
      ),
    );
    const markers = new Set(all.filter(({ writers }) => writers === undefined).map(({ versionId }) => versionId));
    this.markersOfNobody = [...markers].filter((id) => !made.has(id) && id !== 'null');
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

  /**
   * Where the whole history was read in the end, a version of its own that nobody ever saw was never made: nobody can
   * have deleted it.
   */
  idsOfPut(writer: string, modes: readonly string[]): Op['ids'] {
    const id = this.#ids.get(writer);
    const isNull = modes.includes('never') || modes.includes('suspended');
    if (id !== undefined) return [id];
    return [...(modes.includes('enabled') && !this.#isWhole ? [undefined] : []), ...(isNull ? ['null'] : [])];
  }

  wasRead(value: string): boolean {
    return this.#values.has(value);
  }
}

function sightingsOf({ action, outcome }: Event): Sighting[] {
  const named = 'versionId' in action ? action.versionId : undefined;
  switch (outcome.kind) {
    case 'shown': {
      const versionId = outcome.versionId ?? named;
      return versionId === undefined ? [] : [{ versionId, writers: outcome.writers }];
    }
    case 'absent':
      return outcome.versionId === undefined ? [] : [{ versionId: outcome.versionId, writers: undefined }];
    case 'marker':
      return named === undefined ? [] : [{ versionId: named, writers: undefined }];
    case 'history':
      return outcome.versions.map(({ versionId, marker, writers }: ListedVersion) => ({
        versionId,
        writers: marker ? undefined : (writers ?? []),
      }));
    default:
      return [];
  }
}
