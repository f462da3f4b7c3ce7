import type { KeyState, Version } from './key-state.ts';
import { type Answer, type Asked, type Operation, type ShownVersion, isReader } from './operation.ts';

/** What became of an operation, and what the key was meanwhile. */
interface Course {
  readonly operation: Operation;
  readonly asked: Asked;
  readonly answer: Answer;
  /** The version, if any, that its one change made, changed or removed. */
  readonly effects: readonly (readonly Version[])[];
  /** Every state of the key between its first call and its answer. */
  readonly seen: readonly KeyState[];
  /** The key when it is answered. */
  readonly now: KeyState;
  /** It may have taken effect beneath something that was written since. */
  readonly isBeneath: boolean;
}

/** I4, I5 and I6: why the answer is not true; undefined: it is. */
export function untrue(course: Course): string | undefined {
  const { operation, answer } = course;
  if (isReader(operation.kind)) return untrueReading(course);
  if (answer.kind === 'unknown') return undefined;
  if (answer.kind === 'refused') return untrueRefusal(course, answer.code);
  return operation.kind === 'settle' || operation.kind === 'sweep' ? undefined : untrueSuccess(course, answer);
}

function untrueSuccess(course: Course, answer: Answer): string | undefined {
  const { operation, asked, effects, seen, now } = course;
  const [touched] = effects;
  if (operation.kind === 'deleteVersion' && now.readable.includes(asked.versionId ?? '')) {
    return 'deleteVersion is acknowledged, and the version can still be read by its id';
  }
  if (touched === undefined) {
    return mayDoNothing(course) ? undefined : `${operation.kind} is acknowledged and did nothing`;
  }
  const named = answer.kind === 'done' ? answer.versionId : undefined;
  const isNamed = named === undefined || touched.some(({ id }) => id === named);
  return isNamed || seen.length === 0
    ? undefined
    : `the answer names version ${named}, which is not the one it touched`;
}

/** An acknowledged operation need not have done anything when there was a moment with nothing to do. */
function mayDoNothing(course: Course): boolean {
  const { operation, asked, seen } = course;
  switch (operation.kind) {
    case 'delete':
      return operation.mode === 'never' && seen.some(({ versions }) => versions.length === 0);
    case 'deleteVersion':
      return seen.some((state) => versionIn(state, asked.versionId) === undefined);
    case 'tag':
    case 'acl':
      return wasReplaced(course);
    case 'hold':
      return asked.versionId === 'null' && wasReplaced(course);
    case 'complete':
      return course.isBeneath;
    default:
      return false;
  }
}

/** What it was said of has gone meanwhile: then it has come just before that. */
function wasReplaced({ asked, seen }: Course): boolean {
  const { versionId } = asked;
  const meant = seen.flatMap(({ current, versions }) =>
    versionId === undefined ? (current ?? []) : versions.filter(({ id }) => id === versionId),
  );
  return meant.some(({ place }) => seen.some(({ versions }) => !versions.some((version) => version.place === place)));
}

const CONDITION_CODES: ReadonlySet<string> = new Set(['PreconditionFailed', 'ConditionalRequestConflict']);
const GONE_CODES: ReadonlySet<string> = new Set(['NoSuchKey', 'NoSuchVersion', 'MethodNotAllowed']);

function untrueRefusal(course: Course, code: string): string | undefined {
  const { operation, asked, effects, seen } = course;
  if (effects.length > 0 && !cameTooLate(course, code)) return `${operation.kind} answered ${code} and took effect`;
  if (operation.condition !== undefined && (CONDITION_CODES.has(code) || code === 'NoSuchKey')) {
    if (code === 'ConditionalRequestConflict') return undefined;
    return seen.some((state) => !holds(operation, asked, state))
      ? undefined
      : `${code} although the condition held throughout`;
  }
  if (GONE_CODES.has(code) && ['tag', 'acl', 'hold'].includes(operation.kind)) {
    const isGone = (state: KeyState): boolean => namedIn(state, operation, asked)?.marker !== false;
    return seen.some(isGone) ? undefined : `${code} although the version was there throughout`;
  }
  const known = seen.flatMap((state) => [...state.versions, ...state.lingering]);
  const wasLocked = known.some(({ id, said }) => id === asked.versionId && said.includes('"retention"'));
  return operation.kind === 'deleteVersion' && code === 'AccessDenied' && wasLocked
    ? undefined
    : `${operation.kind} answered ${code}`;
}

/** A lock is written before it is certain that the version is not being deleted: then it goes with it. */
function cameTooLate({ operation, asked, seen }: Course, code: string): boolean {
  const last = seen.at(-1);
  return (
    operation.kind === 'hold' &&
    GONE_CODES.has(code) &&
    last !== undefined &&
    namedIn(last, operation, asked) === undefined
  );
}

function holds({ condition }: Operation, { etag }: Asked, { current }: KeyState): boolean {
  const live = current?.marker === false ? current : undefined;
  return condition === 'absent' ? live === undefined : live !== undefined && live.etag === etag;
}

function versionIn({ versions }: KeyState, id: string | undefined): Version | undefined {
  return versions.find((version) => version.id === id);
}

function namedIn(state: KeyState, { version }: Operation, { versionId }: Asked): Version | undefined {
  return version === undefined ? state.current : versionIn(state, versionId);
}

function untrueReading(course: Course): string | undefined {
  const { operation, answer } = course;
  if (answer.kind === 'unknown') return undefined;
  if (operation.kind === 'list') return untrueListing(course);
  if (operation.kind === 'listVersions') return untrueVersionListing(course);
  return operation.version === undefined ? untrueCurrent(course) : untrueVersion(course);
}

/** I5 of GET: tags may be newer than the choice of the version. */
function untrueCurrent({ answer, seen }: Course): string | undefined {
  if (answer.kind === 'refused') {
    if (answer.code !== 'NoSuchKey') return `GET answered ${answer.code}`;
    return seen.some(({ current }) => current?.marker !== false)
      ? undefined
      : 'NoSuchKey although there was an object throughout';
  }
  if (answer.kind !== 'shown') return 'GET answered without an object';
  const { version } = answer;
  const wasCurrent = seen.some(({ current }) => current?.marker === false && isSame(version, current, false));
  const wasSo = seen.some((state) =>
    [...state.versions, ...state.lingering].some((candidate) => isSame(version, candidate, true)),
  );
  return wasCurrent && wasSo ? undefined : `GET answered ${version.body ?? '?'}, which was not current`;
}

function untrueVersion({ answer, asked, seen }: Course): string | undefined {
  const states = seen.map((state) =>
    [state.versions, state.lingering].flat().filter(({ id }) => id === asked.versionId),
  );
  if (answer.kind === 'refused') {
    if (answer.code === 'MethodNotAllowed') {
      return states.some((versions) => versions.some(({ marker }) => marker))
        ? undefined
        : 'MethodNotAllowed without a marker';
    }
    if (!GONE_CODES.has(answer.code)) return `GET ?versionId answered ${answer.code}`;
    return seen.some((state) => versionIn(state, asked.versionId) === undefined)
      ? undefined
      : `${answer.code} although the version was there throughout`;
  }
  if (answer.kind !== 'shown') return 'GET ?versionId answered without a version';
  const { version } = answer;
  return states.flat().some((candidate) => isSame(version, candidate, true))
    ? undefined
    : `GET ?versionId answered ${version.body ?? '?'}, which was not there so`;
}

function untrueListing({ answer, seen }: Course): string | undefined {
  if (answer.kind !== 'listed' || answer.versions.length > 1) return 'a key is listed more than once';
  const [shown] = answer.versions;
  if (shown === undefined) {
    return seen.some(({ current }) => current?.marker !== false)
      ? undefined
      : 'an object that was there throughout is not listed';
  }
  return seen.some(({ current }) => current?.marker === false && isSame(shown, current, false))
    ? undefined
    : 'an object is listed that was not current';
}

/** I6. */
function untrueVersionListing({ answer, seen }: Course): string | undefined {
  if (answer.kind !== 'listed') return 'a listing answered without a list';
  const { versions } = answer;
  const ids = versions.map(({ id }) => id);
  if (new Set(ids).size < ids.length) return 'a version is listed twice';
  const always = (seen[0]?.versions ?? []).filter(({ id }) =>
    seen.every((state) => versionIn(state, id) !== undefined),
  );
  const missed = always.find(({ id }) => !ids.includes(id));
  if (missed !== undefined) return `version ${missed.id} was there throughout and is not listed`;
  const ever = seen.flatMap((state) => [...state.versions, ...state.lingering]);
  const invented = versions.find(
    (shown) => !ever.some((candidate) => candidate.id === shown.id && isSame(shown, candidate, false)),
  );
  if (invented !== undefined) return `version ${invented.id} is listed as it never was`;
  const latest = versions.filter((shown) => shown.latest === true);
  if (latest.length !== (versions.length === 0 ? 0 : 1)) return `${latest.length} versions are the latest`;
  const [newest] = latest;
  if (newest !== undefined && versions[0] !== newest) return 'the latest version is not listed first';
  return newest === undefined || seen.some(({ current }) => current?.id === newest.id)
    ? undefined
    : 'IsLatest names a version that was not current';
}

function isSame(shown: ShownVersion, version: Version, withSaid: boolean): boolean {
  return (
    (shown.id === undefined || shown.id === version.id) &&
    shown.marker === version.marker &&
    (shown.body === undefined || shown.body === version.body) &&
    (shown.etag === undefined || shown.etag === version.etag) &&
    shown.mtime === version.mtime &&
    (!withSaid || shown.said === undefined || shown.said === version.said)
  );
}
