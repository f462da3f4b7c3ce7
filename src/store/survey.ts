import type { Call } from '../observe/call.ts';
import type { Tier } from './blob-store.ts';
import type { ClockReading, ServiceClock } from './service-clock.ts';

export type { ClockReading } from './service-clock.ts';

/** A rule by which a service changes or removes blobs by itself. */
export interface LifecycleRule {
  readonly action: 'delete' | 'abortUploads' | 'changeTier' | 'other';
  /** Blobs whose names begin with one of these; empty: all. */
  readonly prefixes: readonly string[];
  /** Age at which it acts, as far as it says one. */
  readonly days: number | undefined;
}

/**
 * What a service tells of the place where a container lies. Absent: the credential does not let us see it, or nobody
 * can.
 */
export interface StoreSurvey {
  readonly region?: string;
  /** The service's own word for how many copies it keeps, and where. */
  readonly redundancy?: string;
  readonly hierarchicalNamespace?: boolean;
  /** Days for which removed blobs are kept all the same; 0: it is off. */
  readonly softDeleteDays?: number;
  /** The service keeps versions of its own. */
  readonly versioning?: boolean;
  /** Those that blobs can be kept in. */
  readonly tiers?: readonly Tier[];
  readonly lifecycle?: readonly LifecycleRule[];
  /** Seconds in which nothing can be overwritten or removed; 0: there is no such policy. */
  readonly retentionSeconds?: number;
}

/** One of the lanes in which requests share the connections to a service. */
export interface ConnectionLane {
  readonly lane: 'calls' | 'downloads' | 'uploads' | 'pieces';
  /** How many requests may have a place at a time. */
  readonly places: number;
  /** Requests that have a place, and those that wait for one. */
  readonly inUse: number;
  readonly waiting: number;
  /** Those who have or want most, most first. */
  readonly holders: readonly LaneHolder[];
}

/** One of those who share a lane. */
export interface LaneHolder {
  /** Whom requests are for: account and address of the client. */
  readonly holder: string;
  readonly inUse: number;
  readonly waiting: number;
}

/** What an adapter can say of its service before any request comes. Both throw `StoreError`. */
export interface SurveyedStore {
  /** What the service's answers say of our clock, as they come. */
  readonly clock?: ServiceClock;
  /** Who uses its connections now. */
  lanes?(): readonly ConnectionLane[];
  /** Asks without a credential, so that a clock that is wrong cannot keep it from being told. */
  readClock(call: Call): Promise<ClockReading>;
  survey(container: string, call: Call): Promise<StoreSurvey>;
}
