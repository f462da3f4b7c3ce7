/**
 * What clients asked of a service and what it told them, as the checker wants it: no gateway, no store, no SDK.
 * Histories of a simulation and of real processes are brought into this form.
 */

/** Which versioning a bucket may have had while a request was under way. */
export type Mode = 'never' | 'enabled' | 'suspended';

/** On the current object. `etag`: If-Match. */
export type Condition =
  | { readonly kind: 'absent' }
  | { readonly kind: 'exists' }
  | { readonly kind: 'etag'; readonly etag: string };

/**
 * What is set on a version and read back: tags, ACL, retention, hold. A hold or retention that begins with `ON` forbids
 * its deletion.
 */
type Aspect = 'tags' | 'acl' | 'retention' | 'hold';

export type Action =
  /** PUT, COPY, or an upload in parts, whose time is from Create to Complete. The event's id names what was written. */
  | {
      readonly kind: 'put';
      readonly modes: readonly Mode[];
      readonly condition?: Condition;
      readonly etag?: string;
      readonly said?: Said;
    }
  | { readonly kind: 'delete'; readonly modes: readonly Mode[]; readonly condition?: Condition }
  | { readonly kind: 'deleteVersion'; readonly versionId: string }
  /** GET, HEAD, or what a listing said of the current object; with an id: of that version. */
  | { readonly kind: 'read'; readonly versionId?: string }
  | { readonly kind: 'amend'; readonly aspect: Aspect; readonly value: string; readonly versionId?: string }
  | { readonly kind: 'readAspect'; readonly aspect: Aspect; readonly versionId?: string }
  /** All versions at a moment when nothing else happens. */
  | { readonly kind: 'readHistory' }
  | { readonly kind: 'createBucket' }
  | { readonly kind: 'deleteBucket' };

export type Said = Readonly<Partial<Record<Aspect, string | undefined>>>;

export type Outcome =
  /**
   * Of a change: it happened. `versionId`: of the version or marker that was made (`null`, too), or that was changed.
   * `untold`: the head of the answer went before it was known (a copy that takes long).
   */
  | { readonly kind: 'done'; readonly versionId?: string; readonly untold?: true }
  /** Of a read: written by one of these (several, where the answer does not tell). */
  | { readonly kind: 'shown'; readonly writers: readonly string[]; readonly versionId?: string }
  | { readonly kind: 'aspect'; readonly value: string | undefined; readonly versionId?: string }
  /** 404: no such object or version; `versionId`: of the marker on top. */
  | { readonly kind: 'absent'; readonly versionId?: string }
  /** 405: the version named is a delete marker. */
  | { readonly kind: 'marker' }
  /** 412. */
  | { readonly kind: 'conditionFailed' }
  | { readonly kind: 'noBucket' }
  /** Certainly nothing happened (409, 403, 400); says nothing about the state. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'history'; readonly versions: readonly ListedVersion[] }
  /** 5xx or no answer: may have happened, may happen any time until `ended`, or never. */
  | { readonly kind: 'unknown' };

/** Newest first. */
export interface ListedVersion {
  readonly versionId: string;
  readonly marker: boolean;
  /** Who may have written it; of a marker: nobody. */
  readonly writers?: readonly string[];
  readonly said?: Said;
}

/**
 * One request on one key. Times in whatever unit grows; two events with `a.ended < b.began` came one after the other.
 */
export interface Event {
  readonly id: string;
  readonly key: string;
  /** Who asks: the account. */
  readonly account?: string;
  readonly began: number;
  /** When its answer came; of an unknown outcome: when it can land no more (`Infinity` where nobody knows). */
  readonly ended: number;
  readonly action: Action;
  readonly outcome: Outcome;
}

/** For messages. */
export function describeEvent({ id, began, ended, action, outcome, account }: Event): string {
  const { kind, ...rest } = action;
  const { kind: answer, ...said } = outcome;
  const short = (value: object): string => (Object.keys(value).length === 0 ? '' : ` ${JSON.stringify(value)}`);
  return `[${began}..${ended}] ${id}${account === undefined ? '' : ` by ${account}`}: ${kind}${short(rest)} -> ${answer}${short(said)}`;
}
