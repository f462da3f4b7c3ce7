import { type Answer, type Facts, ok, Refusal } from './answer.ts';
import type { Bypass, CallOf, NamedVersion } from './calls.ts';
import { judgeRead } from './content.ts';
import { refuseBypass, refuseLocked } from './locking.ts';
import type { BucketState } from './state.ts';

interface Removed {
  /** Of the marker that was made, or of what was named; absent in a bucket that never had versions. */
  readonly versionId?: string;
  /** A marker was made, or removed. */
  readonly isMarker: boolean;
}

export function deleteObject(state: BucketState, call: CallOf<'DeleteObject'>): Answer {
  refuseBypass(state, call.bypass);
  const { versionId, isMarker } = remove(state, call);
  const headers = {
    ...(versionId !== undefined && { 'x-amz-version-id': versionId }),
    ...(isMarker && { 'x-amz-delete-marker': 'true' }),
  };
  return { status: 204, headers };
}

interface Removal extends NamedVersion, Bypass {
  readonly ifMatch?: string;
}

function remove(state: BucketState, removal: Removal): Removed {
  return removal.versionId === undefined ? removeCurrent(state, removal) : removeVersion(state, removal);
}

function removeCurrent(state: BucketState, { key, ifMatch }: Removal): Removed {
  if (ifMatch !== undefined) {
    const current = state.live(key);
    if (current === undefined) return { isMarker: false };
    judgeRead({ ifMatch }, current);
  }
  if (state.versioning === 'never') {
    state.history(key).remove('null');
    return { isMarker: false };
  }
  return { isMarker: true, versionId: state.add(key, undefined, { ifMatch }).id };
}

function removeVersion(state: BucketState, { key, versionId = '', ifMatch, bypass }: Removal): Removed {
  state.checkVersionId(versionId);
  const history = state.history(key);
  const version = history.find(versionId);
  if (ifMatch !== undefined && version?.content !== undefined) judgeRead({ ifMatch }, version.content);
  if (version?.content !== undefined) refuseLocked(version.content.lock, bypass);
  history.remove(versionId);
  return {
    isMarker: version !== undefined && version.content === undefined,
    ...(state.versioning !== 'never' && { versionId }),
  };
}

/** It takes the bypass header in every bucket: clients send it to be sure. */
export function deleteObjects(state: BucketState, { objects, quiet, bypass = false }: CallOf<'DeleteObjects'>): Answer {
  const distinct = new Map(objects.map((name) => [`${name.versionId ?? ''} ${name.key}`, name]));
  const results = [...distinct.values()].map((name) => deleteOne(state, { ...name, bypass }));
  return ok({}, inOrder(results.filter((result) => !quiet || 'code' in result)));
}

/** S3 gives the results in no order: here by key, failures last. */
export function inOrder(results: readonly Facts[]): Facts[] {
  const rank = ({ code, key }: Facts): string => `${code === undefined ? 0 : 1}${JSON.stringify(key)}`;
  return [...results].sort((a, b) => (rank(a) < rank(b) ? -1 : rank(a) > rank(b) ? 1 : 0));
}

function deleteOne(state: BucketState, name: Removal): Facts {
  const named = { key: name.key, ...(name.versionId !== undefined && { versionId: name.versionId }) };
  try {
    if (name.versionId !== undefined && !state.isVersionId(name.versionId)) throw new Refusal(404, 'NoSuchVersion');
    const { isMarker, versionId } = remove(state, name);
    return isMarker ? { ...named, deleteMarker: true, deleteMarkerVersionId: versionId ?? '' } : named;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { ...named, code: error.answer.code ?? '' };
  }
}
