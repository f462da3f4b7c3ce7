import type { StoreErrorKind } from '../../src/store/store-error.ts';
import type { UploadBody } from '../../src/streams/bytes.ts';
import type { Pace } from '../shared/repeat.ts';
import type { BodyFrame, WireMethod } from '../shared/wire/transport.ts';
import type { Query } from './revision.ts';

/** One call, before ids and authorisation are put on it. */
export interface GcsRequest {
  /** Port method, for errors and spans. */
  readonly call: string;
  readonly method: WireMethod;
  /** Percent-encoded. */
  readonly path: string;
  /** Names and raw values. */
  readonly query?: Query;
  /** Lower-case names and values in turn. */
  readonly headers?: readonly string[];
  readonly body?: UploadBody;
  readonly frame?: BodyFrame;
  /**
   * `read`: changes nothing, repeated freely. `change`: repeated only if it certainly never left;
   * otherwise a missing answer is `lost`.
   */
  readonly effect: 'read' | 'change';
  /** What the call changes, where the service limits the rate of changes: object or bucket. */
  readonly changes?: string;
  /** What a 404 says is missing, where the answer itself does not. */
  readonly missing: 'object' | 'bucket';
  /** What a 409 says; otherwise that another change was under way. */
  readonly conflict?: StoreErrorKind;
  /** How long the service may take; default `response`. */
  readonly pace?: Pace;
}

/** A body of JSON with its content type. */
export function jsonBody(value: unknown): Pick<GcsRequest, 'headers' | 'body'> {
  return { headers: ['content-type', 'application/json'], body: Buffer.from(JSON.stringify(value)) };
}
