import type { ObjectBody, OpenBodyOptions } from './body/object-body.ts';

/** Where a request points, after one parse of the raw target (address.ts). */
export interface S3Address {
  /** Absent: the service itself. */
  readonly bucket?: string;
  /** Absent: the bucket. Exactly as sent, decoded once; never normalised. */
  readonly key?: string;
  /** True when the bucket came from the Host header. */
  readonly virtualHost: boolean;
  /** A call of S3 Control about the bucket (control-address.ts). */
  readonly control?: true;
}

/** Query parameters, decoded once. */
export interface QueryReader {
  has(name: string): boolean;
  /** Values of a name that may be repeated. */
  all(name: string): readonly string[];
  /** Empty string for a name without `=`. */
  get(name: string): string | undefined;
  names(): Iterable<string>;
}

/** Request headers by lower-case name; repeated ones joined by `,`. */
export interface HeaderReader {
  get(name: string): string | undefined;
  /** All headers whose name starts with the prefix, prefix kept. */
  startingWith(prefix: string): Iterable<readonly [name: string, value: string]>;
}

export interface ReadAllOptions {
  /**
   * What `x-amz-checksum-*` headers describe: the body (default), or the object that the request is
   * about, as in CompleteMultipartUpload, where the body is not checked against them.
   */
  readonly checksumsOf?: 'body' | 'object';
}

/** Body of a request whose authentication already passed; framing is taken off, nothing is verified until read. */
export interface RequestBody {
  /** Size of the payload without framing; absent when the client declared none. */
  readonly declaredSize: number | undefined;
  /**
   * All of it, verified (length, payload hash, chunk signatures, checksums, Content-MD5).
   * @throws S3Error MaxMessageLengthExceeded above `limit`, SlowDown when too much is held already, or what verification finds
   */
  readAll(limit: number, options?: ReadAllOptions): Promise<Buffer>;
  /** Opens the body of an object or part; see `ObjectBody`. @throws S3Error MissingContentLength, EntityTooLarge, and what the headers get wrong */
  open(options: OpenBodyOptions): Promise<ObjectBody>;
}

/** A request as operations see it: no Fastify, no socket. */
export interface S3Request {
  readonly method: string;
  readonly address: S3Address;
  readonly query: QueryReader;
  readonly headers: HeaderReader;
  readonly body: RequestBody;
  /** `http` or `https`, and the host as the client named it: for `Location`. */
  readonly scheme: string;
  readonly host: string;
  /** Signed by header, by query, or not at all. */
  readonly authMethod: 'header' | 'query' | 'anonymous';
}
