import { type Asked, type Operation, markOf } from './operation.ts';
import { type KeyState, type Version, lineOf } from './key-state.ts';

/** A change of what S3 shows of a key, by one backend call. */
export interface Change {
  readonly before: KeyState;
  readonly after: KeyState;
  /** What the key was when the operation began. */
  readonly atStart: KeyState;
  /** Every state since then, the one before the change included. */
  readonly seen: readonly KeyState[];
}

interface Difference extends Change {
  readonly added: readonly Version[];
  readonly removed: readonly Version[];
}

/** I1: why this change is not exactly what the operation is for; undefined: it is. */
export function unlawful(operation: Operation | undefined, asked: Asked, change: Change): string | undefined {
  const difference = { ...change, ...compare(change) };
  if (!keepsOrder(difference)) return 'versions changed places';
  switch (operation?.kind) {
    case 'put':
    case 'complete':
    case 'copy':
      return notAWrite(operation, asked, difference);
    case 'delete':
      return notADelete(operation, difference);
    case 'deleteVersion':
      return notADeleteOf(asked, difference);
    case 'tag':
    case 'acl':
    case 'hold':
      return notAnAmendment(operation, asked, difference);
    default:
      return 'it must change nothing';
  }
}

function compare({ before, after }: Change): { added: Version[]; removed: Version[] } {
  const had = new Set(before.versions.map(lineOf));
  const has = new Set(after.versions.map(lineOf));
  return {
    added: after.versions.filter((version) => !had.has(lineOf(version))),
    removed: before.versions.filter((version) => !has.has(lineOf(version))),
  };
}

function keepsOrder({ before, after, added, removed }: Difference): boolean {
  const left = before.versions.filter((version) => !removed.includes(version)).map(lineOf);
  const kept = after.versions.filter((version) => !added.includes(version)).map(lineOf);
  return left.join('\n') === kept.join('\n');
}

function notAWrite(operation: Operation, { name, etag }: Asked, difference: Difference): string | undefined {
  const { before, after, added, removed, atStart } = difference;
  const [made] = added;
  if (made === undefined || added.length > 1) return `a write makes one version, not ${added.length}`;
  if (made.marker || made.body !== name) return 'the version is not the one that was written';
  const misplaced = operation.mode === 'enabled' ? notAVersion(made, removed) : notTheNull(made, difference);
  if (misplaced !== undefined) return misplaced;
  if (operation.kind !== 'complete' && !isNewerThan(made, atStart, after)) {
    return 'it is not newer than what was there when it began';
  }
  if (operation.condition === undefined) return undefined;
  if (after.current !== made) return 'a conditional write must be the newest';
  const current = before.current?.marker === false ? before.current : undefined;
  const holds =
    operation.condition === 'absent' ? current === undefined : current !== undefined && current.etag === etag;
  return holds ? undefined : 'its condition did not hold';
}

/** Whoever begins after another was answered comes after it. */
function isNewerThan(made: Version, atStart: KeyState, after: KeyState): boolean {
  const nameOf = (version: Version): string => lineOf({ ...version, said: '' });
  const older = new Set(atStart.versions.map(nameOf));
  return after.versions.every(
    (version) => version === made || !older.has(nameOf(version)) || made.place < version.place,
  );
}

function notADelete({ mode }: Operation, difference: Difference): string | undefined {
  const { after, added, removed, atStart } = difference;
  const [made] = added;
  if (mode === 'never') {
    return added.length === 0 && removed.every(({ id }) => id === 'null')
      ? undefined
      : 'it must remove the object, nothing else';
  }
  if (made === undefined || added.length > 1 || !made.marker) return 'it must put one delete marker';
  if (!isNewerThan(made, atStart, after)) return 'the marker is not newer than what was there when it began';
  return mode === 'enabled' ? notAVersion(made, removed) : notTheNull(made, difference);
}

function notAVersion(made: Version, removed: readonly Version[]): string | undefined {
  if (made.id === 'null') return 'it must not be the null version';
  return removed.length === 0 ? undefined : 'a version was lost';
}

function notTheNull(made: Version, { before, after, removed }: Difference): string | undefined {
  if (made.id !== 'null') return 'it must be the null version';
  if (after.current !== made) return 'the new null version must be the newest';
  const nulls = before.versions.filter(({ id }) => id === 'null');
  return removed.length === nulls.length && removed.every(({ id }) => id === 'null')
    ? undefined
    : 'it must replace the null version, nothing else';
}

function notADeleteOf({ versionId }: Asked, { added, removed }: Difference): string | undefined {
  const isExact = added.length === 0 && removed.length === 1 && removed[0]?.id === versionId;
  return isExact ? undefined : 'it must remove the version that it names, nothing else';
}

function notAnAmendment(
  { kind }: Operation,
  { name, versionId }: Asked,
  { seen, added, removed }: Difference,
): string | undefined {
  const [now] = added;
  const [was] = removed;
  if (now === undefined || was === undefined || added.length > 1 || removed.length > 1) {
    return 'it must change one version';
  }
  // What was current when it looked: that it is displaced meanwhile does not matter.
  const isMeant = versionId === undefined ? seen.some(({ current }) => current?.id === was.id) : was.id === versionId;
  if (!isMeant) return 'it must change the version that it names';
  if (lineOf({ ...now, said: '' }) !== lineOf({ ...was, said: '' })) return 'it must change what is said, nothing else';
  return now.said.includes(markOf(kind, name)) ? undefined : 'what it says did not come to be said';
}
