import type { FileSize, FormBody, ObjectBody, OpenBodyOptions } from './body/object-body.ts';

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
   * @throws S3Error MaxMessageLengthExceeded above `limit`, SlowDown when too much is held already, or what
   * verification finds
   */
  readAll(limit: number, options?: ReadAllOptions): Promise<Buffer>;
  /**
   * Opens the body of an object or part; see `ObjectBody`.
   * @throws S3Error MissingContentLength, EntityTooLarge, and what the headers get wrong
   */
  open(options: OpenBodyOptions): Promise<ObjectBody>;
  /**
   * A body that is a form: its fields, as far as they come before the file.
   * @throws S3Error MissingContentLength, MalformedPOSTRequest, MaxPostPreDataLengthExceeded, InvalidArgument (no file)
   */
  openForm(): Promise<UploadForm>;
}

/** Fields of a form by lower-case name, each with one value. */
export interface FormFieldReader {
  get(name: string): string | undefined;
  entries(): Iterable<readonly [name: string, value: string]>;
}

/** A form of which the file has not been read yet. */
export interface UploadForm {
  readonly fields: FormFieldReader;
  /** As the client calls the file, without folders; undefined: it gave no name. */
  readonly filename: string | undefined;
  /**
   * As `RequestBody.open`, of the file alone; what is wrong with the rest of the form breaks it off, too.
   * @throws S3Error EntityTooLarge, EntityTooSmall
   */
  open(options: OpenFileOptions): Promise<FormBody>;
  /** Reads no more. */
  abandon(error: Error): void;
}

export interface OpenFileOptions extends OpenBodyOptions {
  readonly allowed: FileSize;
  /** Of the file: Content-MD5 and checksums. */
  readonly headers: HeaderReader;
  /** Whose share of memory the file counts to. */
  readonly holder: string;
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
  /** Signed by header, by query, by the policy of a form, or not at all. */
  readonly authMethod: 'header' | 'query' | 'form' | 'anonymous';
}
