import type { UploadBody } from '../../src/streams/bytes.ts';
import type { Pace } from '../shared/repeat.ts';
import type { WireMethod } from '../shared/wire/transport.ts';

/** REST version sent with every request; the first that knows `startFrom` in listings. */
export const API_VERSION = '2026-02-06';

/** One REST call, before version, date, ids and authorisation are put on it. */
export interface AzureRequest {
  /** Port method, for errors and spans. */
  readonly call: string;
  readonly method: WireMethod;
  /** Percent-encoded, with the endpoint's base path. */
  readonly path: string;
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
  readonly body?: UploadBody;
  /**
   * `read`: changes nothing, repeated freely. `change`: repeated only if it certainly never left;
   * otherwise a missing answer is `lost`.
   */
  readonly effect: 'read' | 'change';
  /** How long the service may take; by default `copy` for what copies, and `response`. */
  readonly pace?: Pace;
  /** The request names a copy source: its failures are told apart from the target's. */
  readonly copies?: boolean;
}
