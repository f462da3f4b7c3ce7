import type { Action, Condition, Event, ListedVersion, Mode, Outcome, Said } from './event.ts';
import type { Register, Timed } from './linearize.ts';

export interface Version {
  /** The event that made it. */
  readonly writer: string;
  /** `null`, or an id; absent: nobody has ever seen it. */
  readonly id?: string | undefined;
  readonly marker: boolean;
  readonly etag?: string | undefined;
  readonly said: Said;
}

/** A key of a bucket, and whether there is the bucket. */
export interface State {
  /** Undefined: there is no bucket; `*`: of whoever asks. */
  readonly owner: string | undefined;
  /** Newest first. */
  readonly versions: readonly Version[];
  /**
   * Deleted by id, by a request that is answered only then, or never: until its blob is gone it may be read by that id.
   * An answered repetition says that it is gone.
   */
  readonly lingering: readonly { readonly version: Version; readonly until: number }[];
}

export interface Op extends Timed {
  readonly event: Event;
  /** Ids that the version which it makes, if it happened, may have. `undefined`: one that nobody saw. */
  readonly ids: readonly (string | undefined)[];
  /** By id: which versions must be there when it is made, because a whole history showed them below it. */
  readonly below: ReadonlyMap<string, readonly string[]>;
}

/** Before anything happened, in a bucket that was always there. */
export const EMPTY: State = { owner: '*', versions: [], lingering: [] };
export const NO_BUCKET: State = { owner: undefined, versions: [], lingering: [] };

export function registerOf(start: State): Register<State, Op> {
  return { start, step, textOf };
}

function textOf({ owner, versions, lingering }: State): string {
  const line = ({ writer, id, said }: Version): string => `${writer}=${id ?? '?'}${JSON.stringify(said)}`;
  const gone = lingering.map(({ version, until }) => `${line(version)} until ${until}`);
  return `${owner} ${versions.map(line).join(' ')} / ${gone.join(' ')}`;
}

function step(state: State, op: Op): readonly State[] {
  const { event } = op;
  if (event.outcome.kind === 'noBucket') return state.owner === undefined ? [state] : [];
  if (event.action.kind === 'createBucket') return created(state, event);
  if (event.action.kind === 'deleteBucket') {
    return owns(state, event) && state.versions.length === 0 ? [{ ...state, owner: undefined, lingering: [] }] : [];
  }
  if (!owns(state, event)) return event.outcome.kind === 'absent' && state.owner === undefined ? [state] : [];
  const steps = STEPS[event.action.kind] as (state: State, op: Op, action: Action) => readonly State[];
  return steps(state, op, event.action);
}

function owns({ owner }: State, { account }: Event): boolean {
  return owner === '*' || (owner !== undefined && owner === account);
}

function created(state: State, { account = '*' }: Event): readonly State[] {
  if (state.owner === undefined) return [{ owner: account, versions: [], lingering: [] }];
  return state.owner === account ? [state] : [];
}

type KeyAction = Exclude<Action, { kind: 'createBucket' | 'deleteBucket' }>;
type Steps = {
  readonly [Kind in KeyAction['kind']]: (
    state: State,
    op: Op,
    action: Extract<Action, { kind: Kind }>,
  ) => readonly State[];
};

const STEPS: Steps = {
  put: (state, op, action) => {
    const { event } = op;
    const judged = conditional(state, event, action.condition);
    if (judged !== undefined) return judged;
    return fitting(state, op).map((id) =>
      withVersion(state, { writer: event.id, id, marker: false, etag: action.etag, said: action.said ?? {} }),
    );
  },
  delete: (state, op, action) => {
    const { event } = op;
    if (action.condition?.kind === 'etag' && isNothing(state) && says204(event)) return [state];
    const judged = conditional(state, event, action.condition);
    if (judged !== undefined) return judged;
    const marked = fitting(state, op).map((id) => withVersion(state, { writer: event.id, id, marker: true, said: {} }));
    return removesNull(event, action.modes) ? [...marked, withoutNull(state)] : marked;
  },
  deleteVersion: (state, { event }, { versionId }) => {
    const until = event.outcome.kind === 'unknown' ? Infinity : event.ended;
    const version = state.versions.find(({ id }) => id === versionId);
    if (version === undefined) return [goneBy(state, versionId, until)];
    if (isLocked(version)) return [];
    const lingering = [...state.lingering, { version, until }];
    return [{ ...state, versions: state.versions.filter((other) => other !== version), lingering }];
  },
  read: (state, { event }, { versionId }) => (reads(state, event, versionId) ? [state] : []),
  amend: (state, op, { aspect, value, versionId }) => {
    const { event, ids } = op;
    if (event.outcome.kind === 'absent' || event.outcome.kind === 'marker') {
      return reads(state, event, versionId) ? [state] : [];
    }
    return amendable(state, event, ids).map((version) => amended(state, version, { ...version.said, [aspect]: value }));
  },
  readAspect: (state, { event }, { aspect, versionId }) => {
    const { outcome } = event;
    if (outcome.kind !== 'aspect') return reads(state, event, versionId) ? [state] : [];
    const fits = candidates(state, event, versionId ?? outcome.versionId).some(
      ({ marker, said }) => !marker && said[aspect] === outcome.value,
    );
    return fits ? [state] : [];
  },
  readHistory: (state, { event: { outcome } }) =>
    outcome.kind === 'history' && isHistory(state.versions, outcome.versions) ? [state] : [],
};

/** The same state where nothing changes. */
function goneBy(state: State, versionId: string, until: number): State {
  const isLonger = (one: State['lingering'][number]): boolean => one.version.id === versionId && one.until > until;
  if (!state.lingering.some(isLonger)) return state;
  return { ...state, lingering: state.lingering.map((one) => (isLonger(one) ? { ...one, until } : one)) };
}

/** Ids under which a version can be made now. */
function fitting({ versions }: State, { ids, below }: Op): Op['ids'] {
  const there = new Set(versions.map(({ id }) => id));
  return ids.filter((id) => id === undefined || (below.get(id) ?? []).every((older) => there.has(older)));
}

function isNothing({ versions: [top] }: State): boolean {
  return top?.marker !== false;
}

/**
 * If-Match on what is not there is no failure to DELETE, and leaves no marker (API_DeleteObject: "or if the object does
 * not exist").
 */
function says204({ outcome }: Event): boolean {
  return outcome.kind === 'done' && outcome.versionId === undefined;
}

/** What becomes of a conditional change; undefined: it takes effect. */
function conditional(
  { versions, ...rest }: State,
  { outcome }: Event,
  condition: Condition | undefined,
): readonly State[] | undefined {
  const state = { versions, ...rest };
  const [top] = versions;
  const live = top?.marker === false ? top : undefined;
  const holds = condition === undefined ? 'yes' : judge(condition, live);
  switch (outcome.kind) {
    case 'conditionFailed':
      return live !== undefined && holds !== 'yes' ? [state] : [];
    case 'absent':
      return live === undefined && condition !== undefined && condition.kind !== 'absent' ? [state] : [];
    default:
      return holds === 'no' ? [] : undefined;
  }
}

function judge(condition: Condition, live: Version | undefined): 'yes' | 'no' | 'perhaps' {
  if (condition.kind === 'absent') return live === undefined ? 'yes' : 'no';
  if (live === undefined) return 'no';
  if (condition.kind === 'exists') return 'yes';
  if (live.etag === undefined) return 'perhaps';
  return live.etag === condition.etag ? 'yes' : 'no';
}

/** The null version goes, the new one comes on top. */
function withVersion(state: State, version: Version): State {
  const kept = version.id === 'null' ? state.versions.filter(({ id }) => id !== 'null') : state.versions;
  return { ...state, versions: [version, ...kept] };
}

/** The same state where there is none. */
function withoutNull(state: State): State {
  if (!state.versions.some(({ id }) => id === 'null')) return state;
  return { ...state, versions: state.versions.filter(({ id }) => id !== 'null') };
}

/** Without versioning a DELETE leaves nothing. */
function removesNull({ outcome }: Event, modes: readonly Mode[]): boolean {
  return outcome.kind === 'done' ? outcome.versionId === undefined : modes.includes('never');
}

function isLocked({ said }: Version): boolean {
  return [said.hold, said.retention].some((value) => value?.startsWith('ON') === true);
}

/** All versions that an id may name at the time of the event; without one: the current version. */
function candidates(
  { versions, lingering }: State,
  { began }: Event,
  versionId: string | undefined,
): readonly Version[] {
  if (versionId === undefined) return versions.slice(0, 1);
  const gone = lingering
    .filter(({ version, until }) => version.id === versionId && until >= began)
    .map(({ version }) => version);
  return [...versions.filter(({ id }) => id === versionId), ...gone];
}

/** Without an id: whichever was current when it began, so any. */
function amendable(state: State, event: Event, ids: Op['ids']): readonly Version[] {
  const [id] = ids;
  return (id === undefined ? state.versions : candidates(state, event, id)).filter(({ marker }) => !marker);
}

function amended(state: State, version: Version, said: Said): State {
  const changed = { ...version, said };
  const replace = (other: Version): Version => (other === version ? changed : other);
  const lingering = state.lingering.map(({ version: other, until }) => ({ version: replace(other), until }));
  return { ...state, versions: state.versions.map(replace), lingering };
}

function reads(state: State, event: Event, versionId: string | undefined): boolean {
  const { outcome } = event;
  const seen = candidates(state, event, versionId);
  switch (outcome.kind) {
    case 'shown':
      return seen.some(
        ({ marker, writer, id }) => !marker && outcome.writers.includes(writer) && isSame(id, outcome.versionId),
      );
    case 'absent':
      if (versionId !== undefined) return !state.versions.some(({ id }) => id === versionId);
      return state.versions.length === 0 || seen.some(({ marker, id }) => marker && isSame(id, outcome.versionId));
    case 'marker':
      return seen.some(({ marker }) => marker);
    default:
      return false;
  }
}

function isSame(id: string | undefined, told: string | undefined): boolean {
  return id === undefined || told === undefined || id === told;
}

function isHistory(versions: readonly Version[], listed: readonly ListedVersion[]): boolean {
  return (
    versions.length === listed.length &&
    versions.every((version, index) => {
      const { versionId, marker, writers, said } = listed[index] ?? { versionId: '', marker: false };
      return (
        isSame(version.id, versionId) &&
        version.marker === marker &&
        (marker || writers?.includes(version.writer) !== false) &&
        isSaid(version.said, said)
      );
    })
  );
}

function isSaid(has: Said, told: Said | undefined): boolean {
  return Object.entries(told ?? {}).every(([aspect, value]) => has[aspect as keyof Said] === value);
}

export type { Outcome };
