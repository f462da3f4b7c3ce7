import { BackendCall } from '../../../src/observe/backend-call.ts';
import type { Call } from '../../../src/observe/call.ts';
import type { StoreError } from '../../../src/store/store-error.ts';
import { bodySize } from '../../../src/streams/bytes.ts';
import type { ServiceClock } from '../../../src/store/service-clock.ts';
import { headerText, type Transport, type WireHeaders, type WireRequest, type WireResponse } from './transport.ts';
import { unreadableError, wireFailureError } from './wire-failure.ts';
import type { FailedRequest } from './wire-failure.ts';

/** The service behind an adapter, as far as one attempt depends on it. */
export interface CalledService {
  /** Its name in spans: `azure`, `gcs`. */
  readonly system: string;
  /** Answer header with the service's own id of the request. */
  readonly requestIdHeader: string;
  /** Is told the `Date` of some of the answers. */
  readonly clock: ServiceClock;
}

/** @param within milliseconds for a document in the body */
export type Take<T> = (response: WireResponse, within: number) => T | Promise<T>;

interface Attempt<T> {
  readonly request: FailedRequest & { readonly path: string };
  /** 1 for the first time the call is sent. */
  readonly number: number;
  readonly wire: WireRequest;
  /** Reads an answer of 300 and more; the body is its to read or discard. @param within milliseconds for a document */
  readonly refusalOf: (response: WireResponse, within: number) => Promise<StoreError>;
  /** Turns a successful answer into the caller's result. If it throws, the answer was useless. */
  readonly take: Take<T>;
}

/**
 * Sends one request once and notes it among the call's facts. Returns what `take` made of a successful answer.
 * @throws StoreError
 */
export async function sendOnce<T>(
  transport: Transport,
  service: CalledService,
  attempt: Attempt<T>,
  call: Call,
): Promise<T> {
  const { request, wire } = attempt;
  const made = new BackendCall(call, {
    system: service.system,
    operation: request.call,
    method: wire.method,
    path: request.path,
    attempt: attempt.number,
    bytesSent: wire.body === undefined ? 0 : bodySize(wire.body),
  });
  const sent = Date.now();
  let response: WireResponse;
  try {
    made.addTraceHeaders(wire.headers);
    response = await transport.send(wire, call.signal);
  } catch (cause) {
    const error = wireFailureError(request, cause);
    made.failed(error);
    throw error;
  }
  const { status, headers, body } = response;
  noteClock(service.clock, sent, { made, headers });
  const answer = { status, requestId: headerText(headers, service.requestIdHeader), bytesReceived: body.size };
  try {
    if (status >= 300) throw await attempt.refusalOf(response, wire.responseTimeout);
    const taken = attempt.take(response, wire.responseTimeout);
    const result = taken instanceof Promise ? await taken : taken;
    made.answered(answer);
    return result;
  } catch (cause) {
    const error = status < 300 ? unreadableError(request, status, cause) : cause;
    made.answered(answer, error as StoreError);
    throw error;
  }
}

function noteClock(
  clock: ServiceClock,
  sent: number,
  { made, headers }: { made: BackendCall; headers: WireHeaders },
): void {
  const now = performance.now();
  if (!clock.wants(now)) return;
  const service = Date.parse(headerText(headers, 'date') ?? '');
  clock.note({ sent, received: Date.now(), elapsed: now - made.started, service }, now);
}
