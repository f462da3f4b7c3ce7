import { Transform, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Call } from '../../src/observe/call.ts';
import type {
  BlobStore,
  ListPage,
  ListRequest,
  ReadResult,
  RemoveItem,
  RemoveOutcome,
} from '../../src/store/blob-store.ts';
import { StoreError, type StoreErrorDetail, type StoreErrorKind } from '../../src/store/store-error.ts';
import type { ByteSource } from '../../src/streams/bytes.ts';
import { type PortCall, type PortMethod, wrapStore } from '../../src/store/wrap-store.ts';

/**
 * What the caller sees when an answer is lost: the service is unavailable, or the caller's own signal ended the call
 * after it had been sent.
 */
type Loss = 'unavailable' | 'aborted';

/** What goes wrong with one call. */
export type Fault =
  /** Fails before anything is applied; by default `unavailable`, certainly not applied. */
  | { readonly kind: 'fail'; readonly error?: StoreErrorKind; readonly detail?: StoreErrorDetail }
  /** Like `fail`, as the service does when it is asked too much. `retryAfter` in seconds. */
  | { readonly kind: 'throttle'; readonly retryAfter?: number }
  /** Applied, but the answer is lost. With `lateBy` (ms) it is applied only that long after the failure was seen. */
  | { readonly kind: 'loseAnswer'; readonly lateBy?: number; readonly as?: Loss }
  /** Not applied and the answer lost: the caller cannot tell it from `loseAnswer`. */
  | { readonly kind: 'loseRequest'; readonly as?: Loss }
  /**
   * The answer breaks off behind its message head. A success can no longer be read, and counts as lost if the call was
   * a change. A refusal says all it has to in the head.
   */
  | { readonly kind: 'cutAnswer' }
  /** Waits before the call is made. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** Does something, e.g. what another client does meanwhile, before or after the call is applied. */
  | { readonly kind: 'interleave'; readonly before?: () => Promise<unknown>; readonly after?: () => Promise<unknown> }
  /** `list` only: an empty page, whose token continues where this page should have begun. */
  | { readonly kind: 'emptyPage' }
  /** `removeMany` only: every other item is removed, and nobody knows of the rest, which stays. */
  | { readonly kind: 'removeSome' }
  /** `read` only: the body breaks after this many bytes. */
  | { readonly kind: 'breakBody'; readonly after: number };

export interface PlannedCall {
  readonly method: PortMethod;
  readonly ref: PortCall['ref'];
  /** Number of this call among the calls of its method, from 1. */
  readonly count: number;
}

/** Looks at each call and says what goes wrong with it, if anything. */
export type FaultPlan = (call: PlannedCall) => Fault | undefined;

const EMPTY_PAGE = 'empty-page:';

/** Makes a store whose calls fail as the plan says. It wraps any store, also one that is wrapped already. */
export function withFaults(store: BlobStore, plan: FaultPlan): BlobStore {
  const counts = new Map<PortMethod, number>();
  const faultOf = ({ method, ref }: PortCall): Fault | undefined => {
    const count = (counts.get(method) ?? 0) + 1;
    counts.set(method, count);
    return plan({ method, ref, count });
  };
  const calls = wrapStore(store, (portCall, run) => applyFault(faultOf(portCall), portCall, run));
  return {
    ...calls,
    list: (container, request, call) => {
      const portCall: PortCall = { method: 'list', ref: { container }, call };
      const fault = faultOf(portCall);
      if (fault?.kind === 'emptyPage') return emptyPage(request, call);
      return applyFault(fault, portCall, () => store.list(container, withoutMark(request), call));
    },
    removeMany: async (container, items, call) => {
      const portCall: PortCall = { method: 'removeMany', ref: { container }, call };
      const fault = faultOf(portCall);
      if (fault?.kind === 'removeSome') return removeSome(store, { container, items }, call);
      return applyFault(fault, portCall, () => store.removeMany(container, items, call));
    },
    read: async (ref, request, call) => {
      const portCall: PortCall = { method: 'read', ref, call };
      const fault = faultOf(portCall);
      const result = await applyFault(fault, portCall, () => store.read(ref, request, call));
      return fault?.kind === 'breakBody' ? breakBody(result, fault.after) : result;
    },
  };
}

async function applyFault<T>(fault: Fault | undefined, { method, call }: PortCall, run: () => Promise<T>): Promise<T> {
  switch (fault?.kind) {
    case 'fail':
      throw new StoreError(fault.error ?? 'unavailable', { call: method, ...fault.detail });
    case 'throttle':
      throw new StoreError('throttled', {
        call: method,
        status: 503,
        ...(fault.retryAfter !== undefined && { retryAfter: fault.retryAfter }),
      });
    case 'loseRequest':
      throw lostError(method, fault.as);
    case 'loseAnswer':
      return loseAnswer(run, { call: method, ...fault });
    case 'cutAnswer':
      await run();
      throw new StoreError('unavailable', {
        call: method,
        status: 200,
        code: 'UnusableAnswer',
        ...(!READING.has(method) && { lost: true }),
      });
    case 'delay':
      await pause(fault.ms, method, call);
      return run();
    case 'interleave': {
      await fault.before?.();
      const result = await run();
      await fault.after?.();
      return result;
    }
    default:
      return run();
  }
}

const READING: ReadonlySet<PortMethod> = new Set(['headContainer', 'listContainers', 'head', 'read', 'list', 'ping']);

function lostError(method: string, as: Loss = 'unavailable'): StoreError {
  return new StoreError(as, { call: method, lost: true });
}

/** Loses the answer of a call, also when the call failed: the caller sees the same in either case. */
async function loseAnswer(
  run: () => Promise<unknown>,
  options: { call: string; lateBy?: number; as?: Loss },
): Promise<never> {
  const { call, lateBy, as } = options;
  if (lateBy === undefined) await run().catch(() => undefined);
  else setTimeout(() => void run().catch(() => undefined), lateBy);
  throw lostError(call, as);
}

async function pause(ms: number, method: string, call: Call): Promise<void> {
  try {
    await delay(ms, undefined, { signal: call.signal });
  } catch (cause) {
    throw new StoreError('aborted', { call: method, cause });
  }
}

async function emptyPage(request: ListRequest, call: Call): Promise<ListPage> {
  if (call.signal.aborted) throw new StoreError('aborted', { call: 'list', cause: call.signal.reason });
  return { entries: [], nextToken: EMPTY_PAGE + (withoutMark(request).token ?? '') };
}

/** As when a service is sent several batches, and the answers to some never come. */
async function removeSome(
  store: BlobStore,
  { container, items }: { readonly container: string; readonly items: readonly RemoveItem[] },
  call: Call,
): Promise<RemoveOutcome[]> {
  const isSent = (place: number): boolean => place % 2 === 0;
  const sent = await store.removeMany(
    container,
    items.filter((_, place) => isSent(place)),
    call,
  );
  return items.map((_, place) => (isSent(place) ? sent[place / 2] : undefined) ?? lostError('removeMany'));
}

function withoutMark({ token, ...request }: ListRequest): ListRequest {
  const own = token?.startsWith(EMPTY_PAGE) === true ? token.slice(EMPTY_PAGE.length) : token;
  return own === undefined || own === '' ? request : { ...request, token: own };
}

function breakBody({ properties, body }: ReadResult, after: number): ReadResult {
  const broken = (): Transform =>
    breakAfter(after, new StoreError('unavailable', { call: 'read', code: 'BodyBroken' }));
  const source: ByteSource = {
    size: body.size,
    pipeTo: (sink: Writable, signal: AbortSignal) => pipeline(body.stream(), broken(), sink, { signal }),
    stream: () => {
      const end = broken();
      // The reader learns of the failure by an event of `end`.
      pipeline(body.stream(), end).catch(() => undefined);
      return end;
    },
    discard: () => body.discard(),
  };
  return { properties, body: source };
}

/** Lets this many bytes pass, then fails. A body that is shorter fails at its end. */
export function breakAfter(bytes: number, error: Error): Transform {
  let left = bytes;
  return new Transform({
    transform(chunk: Buffer, _encoding, done): void {
      if (left > 0) this.push(chunk.subarray(0, left));
      left -= chunk.byteLength;
      done(left < 0 ? error : null);
    },
    flush(done): void {
      done(error);
    },
  });
}
