import { type Event, describeEvent } from './event.ts';
import { linearize } from './linearize.ts';
import { EMPTY, type Op, type State, type Version, registerOf } from './register.ts';
import { type Sighting, Sightings } from './sightings.ts';

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
  const { action, outcome } = event;
  if (outcome.kind === 'nothing') return undefined;
  // What somebody has seen has happened by then, whether it was answered or not.
  const seenAt = action.kind === 'put' && outcome.kind === 'unknown' ? seen.firstSeen(event.id) : undefined;
  const ended = Math.min(event.ended, seenAt ?? Infinity);
  const certain = outcome.kind !== 'unknown' || seenAt !== undefined;
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
  return mayHappen
    ? {
        event,
        began: seen.earliest(event),
        ended,
        certain,
        looks,
        ids,
        below: seen.below,
        like: certain ? undefined : likeness(event, ids, seen),
      }
    : undefined;
}

/**
 * Requests without an answer of the same likeness leave states between which nothing that was told distinguishes; who
 * of them did it does not matter.
 */
function likeness({ id, account, action }: Event, ids: Op['ids'], seen: Sightings): string | undefined {
  switch (action.kind) {
    case 'put': {
      const { etag, ...rest } = action;
      return JSON.stringify({ account, ...rest, ids, etag: seen.etagAsKnown(etag), shown: seen.whoShows(id) });
    }
    case 'delete':
      return JSON.stringify({ account, ...action, ids });
    case 'deleteVersion':
      return JSON.stringify({ account, ...action });
    default:
      return undefined;
  }
}

/** Of the version that a change makes or is about. None: it cannot have happened. */
function idsOf({ id, action, outcome }: Event, seen: Sightings): Op['ids'] {
  const told = outcome.kind === 'done' ? outcome.versionId : undefined;
  switch (action.kind) {
    case 'put':
      if (outcome.kind === 'done' && outcome.untold === undefined) return [told ?? 'null'];
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
