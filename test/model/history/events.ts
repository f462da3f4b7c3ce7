import type { Action, Event, Outcome } from './event.ts';

/** Short ways to write histories by hand: `at(1, 4)` is a request that began at 1 and was answered at 4. */
let last = 0;

interface Times {
  readonly began: number;
  readonly ended: number;
}

export function at(began: number, ended: number): Times {
  return { began, ended };
}

export function event(times: Times, action: Action, outcome: Outcome, id = `e${++last}`): Event {
  return { id, key: 'k', ...times, action, outcome };
}

const MODES = ['enabled'] as const;

export function put(
  id: string,
  times: Times,
  more: {
    versionId?: string;
    outcome?: Outcome;
    condition?: Extract<Action, { kind: 'put' }>['condition'];
    modes?: Extract<Action, { kind: 'put' }>['modes'];
  } = {},
): Event {
  const {
    versionId,
    condition,
    modes = MODES,
    outcome = { kind: 'done', ...(versionId !== undefined && { versionId }) },
  } = more;
  return event(
    times,
    { kind: 'put', modes, etag: `etag-${id}`, ...(condition !== undefined && { condition }) },
    outcome,
    id,
  );
}

export function get(times: Times, writer: string | undefined, versionId?: string): Event {
  return event(
    times,
    { kind: 'read', ...(versionId !== undefined && { versionId }) },
    writer === undefined ? { kind: 'absent' } : { kind: 'shown', writers: [writer] },
  );
}

export function remove(id: string, times: Times, versionId?: string): Event {
  return event(
    times,
    { kind: 'delete', modes: MODES },
    { kind: 'done', ...(versionId !== undefined && { versionId }) },
    id,
  );
}

export function removeVersion(times: Times, versionId: string, outcome: Outcome = { kind: 'done' }): Event {
  return event(times, { kind: 'deleteVersion', versionId }, outcome);
}

export const UNKNOWN: Outcome = { kind: 'unknown' };
