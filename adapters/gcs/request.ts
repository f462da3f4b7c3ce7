import type { StoreErrorKind } from '../../src/store/store-error.ts';
import type { RestRequest } from '../shared/rest-client.ts';
import type { Query } from './revision.ts';

/** One call, before ids and authorisation are put on it. */
export interface GcsRequest extends RestRequest {
  /** Names and raw values. */
  readonly query?: Query;
  /** Lower-case names and values in turn. */
  readonly headers?: readonly string[];
  /** What the call changes, where the service limits the rate of changes: object or bucket. */
  readonly changes?: string;
  /** What a 404 says is missing, where the answer itself does not. */
  readonly missing: 'object' | 'bucket';
  /** What a 409 says; otherwise that another change was under way. */
  readonly conflict?: StoreErrorKind;
}

/** A body of JSON with its content type. */
export function jsonBody(value: unknown): Pick<GcsRequest, 'headers' | 'body'> {
  return { headers: ['content-type', 'application/json'], body: Buffer.from(JSON.stringify(value)) };
}
