/** What a request asks of a backend, in the words of the port where it has some. */
export type CallKind =
  | 'container'
  | 'list'
  | 'head'
  | 'read'
  | 'write'
  | 'setMetadata'
  | 'remove'
  /** A batch of removals. */
  | 'removeMany'
  | 'copy'
  | 'stagePart'
  | 'assemble'
  /** Listings of containers, keys: whatever is about no blob. */
  | 'other';

export type Service = 'azure' | 'gcs';

/** A request on its way from a gateway to a backend. */
export interface ProxiedCall {
  readonly service: Service;
  readonly method: string;
  /** Raw, with query. */
  readonly target: string;
  readonly kind: CallKind;
  /** As the backend knows it; absent for calls about none. */
  readonly container?: string;
  /** The blob that is read or changed, decoded; of a copy, its target. Absent for batches. */
  readonly name?: string;
  /** It asks for a change. */
  readonly changes: boolean;
  /** A change that depends on the state of its blob. */
  readonly conditional: boolean;
  /** How many calls of this kind have come, this one included. */
  readonly count: number;
}

/** What goes wrong with one call. */
export type Fault =
  /** Waits before the call is passed on. Milliseconds. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** Answered here; the backend never sees it. `retryAfter` in seconds. */
  | { readonly kind: 'refuse'; readonly status: 429 | 500 | 503; readonly retryAfter?: number }
  /** Of copies by URL: the service says that it may not read their source. The backend never sees the call. */
  | { readonly kind: 'refuseSource' }
  /**
   * The connection is reset; the backend never sees the call. `after`: bytes of its body that were taken before;
   * default: all.
   */
  | { readonly kind: 'loseRequest'; readonly after?: number }
  /**
   * The backend serves the call and the gateway hears nothing of it: its connection is reset, or it gets `status`. With
   * `lateBy` (milliseconds) the backend gets the call only that long after the gateway saw it fail; the body is kept in
   * memory so long.
   */
  | { readonly kind: 'loseAnswer'; readonly status?: 500 | 503; readonly lateBy?: number }
  /** The answer's body breaks off after so many bytes, by a reset or by an end that looks orderly. */
  | { readonly kind: 'breakBody'; readonly after: number; readonly how: 'reset' | 'end' }
  /** The answer's body stops after so many bytes, and the connection stays. */
  | { readonly kind: 'stallBody'; readonly after: number }
  /** The answer lacks these headers, named in lower case. */
  | { readonly kind: 'dropHeaders'; readonly names: readonly string[] }
  /** Of listings: a page without rows, whose marker goes on where this page should have begun. */
  | { readonly kind: 'emptyPage' };

/** Looks at each call and says what goes wrong with it, if anything. */
export type FaultPlan = (call: ProxiedCall) => Fault | undefined;
