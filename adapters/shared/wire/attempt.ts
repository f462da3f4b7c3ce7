import { BackendCall } from '../../../src/observe/backend-call.ts';
import type { Call } from '../../../src/observe/call.ts';
import type { StoreError } from '../../../src/store/store-error.ts';
import { bodySize } from '../../../src/streams/bytes.ts';
import { headerText } from './header-text.ts';
import type { Transport, WireRequest, WireResponse } from './transport.ts';
import { wireFailureError } from './wire-failure.ts';
import type { FailedRequest } from './wire-failure.ts';

/** The service behind an adapter, as far as one attempt depends on it. */
export interface Service {
  /** Its name in spans: `azure`, `gcs`. */
  readonly system: string;
  /** Answer header with the service's own id of the request. */
  readonly requestIdHeader: string;
}

export interface Attempt {
  readonly request: FailedRequest & { readonly path: string };
  /** 1 for the first time the call is sent. */
  readonly number: number;
  readonly wire: WireRequest;
  /** Reads an answer of 300 and more; the body is its to read or discard. */
  readonly refusalOf: (response: WireResponse) => Promise<StoreError>;
}

/** Sends one request once, noted among the call's facts. The answer, if it is a success. @throws StoreError */
export async function sendOnce(transport: Transport, service: Service, attempt: Attempt, call: Call): Promise<WireResponse> {
  const { request, wire } = attempt;
  const made = new BackendCall(call, {
    system: service.system,
    operation: request.call,
    method: wire.method,
    path: request.path,
    attempt: attempt.number,
    bytesSent: wire.body === undefined ? 0 : bodySize(wire.body),
  });
  let response: WireResponse;
  try {
    made.addTraceHeaders(wire.headers);
    response = await transport.send(wire, call.signal);
  } catch (cause) {
    const error = wireFailureError(request, cause);
    made.failed(error);
    throw error;
  }
  const error = response.status < 300 ? undefined : await attempt.refusalOf(response);
  const { status, headers, body } = response;
  made.answered({ status, requestId: headerText(headers, service.requestIdHeader), bytesReceived: body.size }, error);
  if (error !== undefined) throw error;
  return response;
}
