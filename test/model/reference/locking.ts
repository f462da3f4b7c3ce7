import { type Answer, ANY, ok, Refusal } from './answer.ts';
import type { Attributes, CallOf, LockMode, NamedVersion, Retention } from './calls.ts';
import type { Lock } from './lock.ts';
import type { BucketState } from './state.ts';

/** The lock that a new version gets. */
export function newLock(state: BucketState, { retention, hold }: Attributes): Lock {
  const { byDefault } = state.objectLock ?? {};
  return {
    ...(retention !== undefined
      ? { retention }
      : byDefault !== undefined && { retention: startingNow(byDefault), isDefault: true }),
    ...(hold !== undefined && { hold }),
  };
}

const DAY = 24 * 60 * 60 * 1000;

function startingNow({ mode, days }: { readonly mode: LockMode; readonly days: number }): Retention {
  return { mode, until: new Date(Date.now() + days * DAY).toISOString() };
}

/** Asking for a lock takes a bucket that has object lock. */
export function refuseUnlockable(state: BucketState, { retention, hold }: Attributes): void {
  if (retention !== undefined || hold !== undefined) requireObjectLock(state);
}

function requireObjectLock(state: BucketState): void {
  if (state.objectLock === undefined) throw new Refusal(400, 'InvalidRequest');
}

/** What a version id may be is said before what its bucket lacks, and that before which versions there are. */
function requireLockable(state: BucketState, { versionId }: NamedVersion): void {
  if (versionId !== undefined) state.checkVersionId(versionId);
  requireObjectLock(state);
}

/** A version that is kept is not deleted, but for those who may bypass governance. */
export function refuseLocked({ retention, hold }: Lock, bypass = false): void {
  const isKept = retention !== undefined && !(retention.mode === 'GOVERNANCE' && bypass);
  if (hold === 'ON' || isKept) throw new Refusal(403, 'AccessDenied');
}

/** The header alone is refused where nothing can be locked. */
export function refuseBypass(state: BucketState, bypass = false): void {
  if (bypass && state.objectLock === undefined) throw new Refusal(400, 'InvalidArgument');
}

export function putObjectLockConfiguration(
  state: BucketState,
  { byDefault }: CallOf<'PutObjectLockConfiguration'>,
): Answer {
  if (state.versioning !== 'enabled') throw new Refusal(409, 'InvalidBucketState');
  state.objectLock = byDefault === undefined ? {} : { byDefault };
  return ok();
}

export function getObjectLockConfiguration({ objectLock }: BucketState): Answer {
  if (objectLock === undefined) throw new Refusal(404, 'ObjectLockConfigurationNotFoundError');
  return ok({}, { ...objectLock.byDefault });
}

export function getObjectRetention(state: BucketState, call: CallOf<'GetObjectRetention'>): Answer {
  const { retention, isDefault } = state.findToAmend(call).content.lock;
  requireObjectLock(state);
  if (retention === undefined) throw new Refusal(404, 'NoSuchObjectLockConfiguration');
  return ok({}, { mode: retention.mode, until: isDefault === true ? ANY : retention.until });
}

/** Retention that is on is not shortened and keeps its mode, unless it is governance and bypassed. */
export function putObjectRetention(
  state: BucketState,
  { retention, bypass = false, ...name }: CallOf<'PutObjectRetention'>,
): Answer {
  requireLockable(state, name);
  const { content } = state.findToAmend(name);
  const before = content.lock.retention;
  const isWeaker =
    before !== undefined && (retention.mode !== before.mode || Date.parse(retention.until) < Date.parse(before.until));
  if (isWeaker && !(before.mode === 'GOVERNANCE' && bypass)) throw new Refusal(403, 'AccessDenied');
  const { hold } = content.lock;
  content.lock = { retention, ...(hold !== undefined && { hold }) };
  return ok();
}

export function getObjectLegalHold(state: BucketState, call: CallOf<'GetObjectLegalHold'>): Answer {
  const { hold } = state.findToAmend(call).content.lock;
  requireObjectLock(state);
  if (hold === undefined) throw new Refusal(404, 'NoSuchObjectLockConfiguration');
  return ok({}, hold);
}

export function putObjectLegalHold(state: BucketState, { hold, ...name }: CallOf<'PutObjectLegalHold'>): Answer {
  requireLockable(state, name);
  const { content } = state.findToAmend(name);
  content.lock = { ...content.lock, hold };
  return ok();
}
