import type { RestRequest } from '../shared/rest-client.ts';

/** REST version sent with every request; the first that knows `startFrom` in listings. */
export const API_VERSION = '2026-02-06';

/** One REST call, before version, date, ids and authorisation are put on it. */
export interface AzureRequest extends RestRequest {
  /** Names and raw values, sorted by lower-case name. */
  readonly query?: readonly (readonly [name: string, value: string])[];
  /** `x-ms-*` headers: lower-case names and values in turn. */
  readonly ms?: readonly string[];
  readonly contentMd5?: string | undefined;
  readonly contentType?: string | undefined;
  readonly ifMatch?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
  /** RFC 1123 date. */
  readonly ifUnmodifiedSince?: string | undefined;
  /** Another REST version than `API_VERSION`. */
  readonly version?: string | undefined;
  /** The request names a copy source: its failures are told apart from the target's. */
  readonly copies?: boolean;
}
