import { HeaderLines } from './header-lines.ts';
import { parseRawQuery, type QueryPair } from './canonical-query.ts';

/** A request exactly as it came off the wire: signatures are computed over nothing else. */
export interface RawRequest {
  readonly method: string;
  /** The request target as sent (`req.raw.url`), never decoded or normalised; latin1 text. */
  readonly rawTarget: string;
  /** Name, value, name, value ... as Node gives them (`rawHeaders`); latin1 text. */
  readonly rawHeaders: readonly string[];
  /** Time of arrival, milliseconds since 1970. */
  readonly now: number;
}

/** The same request cut into the pieces that canonicalisation looks at. */
export interface SignableRequest {
  readonly method: string;
  readonly rawPath: string;
  readonly query: readonly QueryPair[];
  readonly headers: HeaderLines;
  /** Time of arrival, milliseconds since 1970. */
  readonly now: number;
  /** Bucket that the Host header names; only version 2 asks. */
  readonly virtualBucket?: string | undefined;
}

export function signableRequest(raw: RawRequest): SignableRequest {
  const mark = raw.rawTarget.indexOf('?');
  return {
    method: raw.method,
    rawPath: mark < 0 ? raw.rawTarget : raw.rawTarget.slice(0, mark),
    query: mark < 0 ? [] : parseRawQuery(raw.rawTarget.slice(mark + 1)),
    headers: new HeaderLines(raw.rawHeaders),
    now: raw.now,
  };
}
