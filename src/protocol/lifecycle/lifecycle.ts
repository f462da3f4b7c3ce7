import type { Tag } from '../tagging.ts';

/** What a bucket's owner wants to happen to objects as they age (S3 API reference, BucketLifecycleConfiguration). */
export interface Lifecycle {
  /** In the order in which they were put; 1 to 1,000. */
  readonly rules: readonly S3LifecycleRule[];
  /** `x-amz-transition-default-minimum-object-size`, as it was put. Absent: `all_storage_classes_128K`. */
  readonly minimumSize?: MinimumSize;
}

/** Which objects are too small to be moved to another storage class, unless a rule's own filter says a size. */
export const MINIMUM_SIZES = ['all_storage_classes_128K', 'varies_by_storage_class'] as const;
export type MinimumSize = (typeof MINIMUM_SIZES)[number];

export interface S3LifecycleRule {
  /** As it was put, or generated. */
  readonly id: string;
  readonly isEnabled: boolean;
  /** The old form: `Prefix` beside `ID`. */
  readonly prefix?: string;
  /** The new form. A rule has one of the two. */
  readonly filter?: LifecycleFilter;
  readonly expiration?: Expiration;
  /** Of current versions. */
  readonly transitions?: readonly Transition[];
  readonly noncurrentExpiration?: Noncurrent;
  readonly noncurrentTransitions?: readonly (Noncurrent & { readonly storageClass: string })[];
  /** Days after the initiation at which open uploads are aborted. */
  readonly abortDays?: number;
}

/** Of `Filter`: one predicate at most, or `and`. */
export interface LifecycleFilter extends Predicates {
  readonly tag?: Tag;
  readonly and?: Predicates & { readonly tags: readonly Tag[] };
}

interface Predicates {
  readonly prefix?: string;
  /** Bytes; both are exclusive. */
  readonly sizeAbove?: number;
  readonly sizeBelow?: number;
}

/** One of the three. */
export interface Expiration {
  readonly days?: number;
  /** Milliseconds since the epoch, a midnight in UTC. */
  readonly date?: number;
  /** `ExpiredObjectDeleteMarker`: a delete marker that is the only version of its key goes. False does nothing. */
  readonly loneMarkers?: boolean;
}

/** Days or date. */
interface Transition {
  readonly days?: number;
  readonly date?: number;
  readonly storageClass: string;
}

interface Noncurrent {
  /** Since the version was displaced. */
  readonly days: number;
  /** So many newer noncurrent versions are kept, however old they are. */
  readonly newer?: number;
}

/** The filter of either form as one list of predicates, all of which must hold. */
export interface Scope {
  /** Empty: all keys. */
  readonly prefix: string;
  readonly tags: readonly Tag[];
  readonly sizeAbove?: number;
  readonly sizeBelow?: number;
}

export function ruleScope({ prefix: old = '', filter = {} }: Pick<S3LifecycleRule, 'prefix' | 'filter'>): Scope {
  const { and, tag } = filter;
  const { prefix = old, sizeAbove, sizeBelow } = and ?? filter;
  return {
    prefix,
    tags: and?.tags ?? (tag === undefined ? [] : [tag]),
    ...(sizeAbove !== undefined && { sizeAbove }),
    ...(sizeBelow !== undefined && { sizeBelow }),
  };
}

/** Storage classes that rules move to, the cheaper ones later. */
export const TRANSITION_CLASSES: readonly string[] = [
  'STANDARD_IA',
  'INTELLIGENT_TIERING',
  'ONEZONE_IA',
  'GLACIER_IR',
  'GLACIER',
  'DEEP_ARCHIVE',
];
