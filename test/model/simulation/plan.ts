import type { Mode } from '../history/event.ts';

/**
 * Everything that happens in a run, as data: what is left out of it does not happen, and the rest goes on. Times in
 * milliseconds.
 */
export interface Plan {
  readonly seed: number;
  /** What the bucket is when it begins; `B`, who has none, is there as well. */
  readonly versioning: Mode;
  /** With object lock (then versioning is enabled). */
  readonly lock: boolean;
  /** Storage classes are tiers, and the bucket has lifecycle rules. */
  readonly tiers?: true;
  /** How far each gateway's clock is ahead. */
  readonly skews: readonly number[];
  readonly actions: readonly PlannedAction[];
  readonly faults: readonly PlannedFault[];
  readonly incidents: readonly Incident[];
}

export type Account = 'A' | 'B';

export interface PlannedAction {
  /** Its requests are named after it. */
  readonly id: string;
  readonly at: number;
  readonly gateway: number;
  readonly account: Account;
  readonly key: string;
  readonly what: What;
}

/** `current`: If-Match with the newest ETag that any client knows; `stale`: with an older one. */
export type PlannedCondition = 'absent' | 'current' | 'stale';

/** The n-th newest version that any client knows, or the null version. */
export type VersionPick = number | 'null';

export type What =
  /**
   * `pause`: the client is so long silent in the midst of the body. `underKey`: what is written is encrypted with a key
   * that the client shows.
   */
  | {
      readonly kind: 'put';
      readonly size: 'small' | 'streamed';
      readonly condition?: PlannedCondition;
      readonly pause?: number;
      readonly underKey?: boolean;
      readonly storageClass?: string;
    }
  | {
      readonly kind: 'copy';
      readonly from: string;
      readonly condition?: PlannedCondition;
      readonly underKey?: boolean;
    }
  /**
   * Create, UploadPart and Complete through these gateways, so long apart. `again`: Complete is repeated when it was
   * not answered.
   */
  | {
      readonly kind: 'upload';
      readonly through: readonly [number, number, number];
      readonly apart: number;
      readonly condition?: PlannedCondition;
      readonly again: boolean;
      readonly underKey?: boolean;
    }
  | { readonly kind: 'delete'; readonly condition?: PlannedCondition }
  /** `again`: sent again, each time through another gateway, until it is answered; then the id is read through all. */
  | { readonly kind: 'deleteVersion'; readonly version: VersionPick; readonly again?: boolean }
  | {
      readonly kind: 'deleteObjects';
      readonly keys: readonly string[];
      readonly version?: VersionPick;
      readonly again?: boolean;
    }
  | { readonly kind: 'get' | 'head'; readonly version?: VersionPick }
  | {
      readonly kind: 'tag' | 'getTags' | 'acl' | 'hold' | 'retain' | 'unhold' | 'restore';
      readonly version?: VersionPick;
    }
  | { readonly kind: 'list' | 'listVersions' }
  | { readonly kind: 'createBucket' | 'deleteBucket' }
  | { readonly kind: 'setVersioning'; readonly to: 'Enabled' | 'Suspended' }
  | { readonly kind: 'sweep' }
  /** What lifecycle rules ask for, carried out. */
  | { readonly kind: 'lifecycle' };

export type FaultKind =
  /** Neither takes effect nor is answered. */
  | 'loseRequest'
  | 'loseAnswer'
  /** Given up after a moment; takes effect `ms` later. */
  | 'late'
  /** Takes `ms` on its way there, or back. */
  | 'slow'
  | 'slowAnswer'
  /** Refused: certainly not applied. */
  | 'refuse'
  | 'throttle'
  /** The body of what is read breaks off. */
  | 'cutBody'
  /** The client leaves: before the call is made, while it is under way, when it was answered. */
  | 'leaveBefore'
  | 'leaveDuring'
  | 'leaveAfter'
  /** The gateway dies with the call on its way; back after `ms`. */
  | 'crash'
  /** The gateway stands still for `ms`, with the call on its way. */
  | 'pause';

export interface PlannedFault {
  /** Id of a request. */
  readonly request: string;
  /**
   * Which of its backend calls, from 0; counted from the first that changes the head of a key, or from the first of
   * all.
   */
  readonly call: number;
  readonly from?: 'commit';
  /** And so many after it. */
  readonly more?: number;
  readonly kind: FaultKind;
  readonly ms?: number;
}

/** What befalls a gateway. */
export type Incident =
  | { readonly kind: 'step'; readonly gateway: number; readonly at: number; readonly by: number }
  | { readonly kind: 'crash' | 'pause'; readonly gateway: number; readonly at: number; readonly ms: number };

function describeAction({ id, at, gateway, account, key, what }: PlannedAction): string {
  const { kind, ...rest } = what;
  return `${id} at ${at} through G${gateway} as ${account}: ${kind} ${key} ${Object.keys(rest).length === 0 ? '' : JSON.stringify(rest)}`;
}

/** To be read, and to be copied into a test. */
export function describePlan({ seed, versioning, lock, skews, actions, faults, incidents }: Plan): string {
  return [
    `seed ${seed}, bucket ${versioning}${lock ? ' with object lock' : ''}, clocks ahead by ${skews.join(', ')} ms`,
    ...actions.map((action) => `  ${describeAction(action)}`),
    ...faults.map((fault) => `  fault ${JSON.stringify(fault)}`),
    ...incidents.map((incident) => `  incident ${JSON.stringify(incident)}`),
  ].join('\n');
}
