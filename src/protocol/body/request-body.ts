import type { Readable } from 'node:stream';
import type { ChunkSigningContext } from '../../auth/chunk-signature.ts';
import { isStreaming, type PayloadMode } from '../../auth/payload-mode.ts';
import { S3Error, isS3Error } from '../../errors/s3-error.ts';
import type { RequestFacts } from '../../observe/request-facts.ts';
import type { HoldsFields } from '../form/form-reader.ts';
import { openForm } from '../form/open-form.ts';
import type { HeaderReader, ReadAllOptions, RequestBody, UploadForm } from '../request.ts';
import { AwsChunkedDeframer } from './aws-chunked.ts';
import { BodyFlow, type FlowOptions, type Restrainable } from './body-flow.ts';
import { collect } from './collect.ts';
import { declaredFacts, readDeclaredDigests, type DeclaredDigests } from './declared-digests.ts';
import { PLAIN, type Deframer } from './deframer.ts';
import type { HoldBudget, Holder } from './hold-budget.ts';
import type { ObjectBody, OpenBodyOptions } from './object-body.ts';
import { PayloadVerifier, bodyFacts } from './payload-verifier.ts';
import { VerifiedStream } from './verified-stream.ts';

export interface RequestBodyOptions {
  /** The request itself: bytes with HTTP's own chunking taken off, nothing read yet. */
  readonly source: Readable;
  readonly headers: HeaderReader;
  readonly payload: PayloadMode;
  /** From the verdict, when chunks or trailer are signed. */
  readonly signing?: ChunkSigningContext | undefined;
  /** Called once, before the first byte is asked for: the time for `100 Continue`. */
  readonly onFirstRead: () => void;
  readonly signal: AbortSignal;
  readonly holdBudget: HoldBudget;
  /** Under the source; see `FlowOptions`. */
  readonly socket?: Restrainable;
  /** Asked before the fields of a form are kept; absent: there is always room. */
  readonly holdsFields?: HoldsFields | undefined;
  /** Whose share of the budget the body counts to. */
  readonly holder?: Holder;
  /** What the body turns out to be is written down here. */
  readonly facts?: RequestFacts;
}

/** A body whose memory is accounted for. */
export interface OwnedRequestBody extends RequestBody {
  /** To be called when the request is answered: gives the bytes of a held body back to the budget. */
  release(): void;
}

/** The body of an authenticated request; reads nothing before `readAll` or `open` is called. */
export class HttpRequestBody implements OwnedRequestBody {
  readonly declaredSize: number | undefined;
  readonly #options: RequestBodyOptions;
  #read = false;
  #heldBytes = 0;
  /** Of the bytes that are held. */
  #holder: Holder | undefined;

  constructor(options: RequestBodyOptions) {
    this.#options = options;
    this.#holder = options.holder;
    const header = isStreaming(options.payload) ? 'x-amz-decoded-content-length' : 'content-length';
    this.declaredSize = byteCount(options.headers.get(header));
  }

  async readAll(limit: number, options: ReadAllOptions = {}): Promise<Buffer> {
    this.#readOnce();
    const size = this.declaredSize;
    if (size === undefined && isStreaming(this.#options.payload)) {
      throw new S3Error('MissingContentLength');
    }
    if (size !== undefined && size > limit) {
      throw new S3Error('MaxMessageLengthExceeded', { extra: { MaxMessageLengthBytes: limit } });
    }
    const declared = readDeclaredDigests(this.#options.headers, this.#options.payload, {
      checksums: options.checksumsOf !== 'object',
    });
    const verifier = this.#verifier(declared, { md5: 'ifDeclared' });
    try {
      const { bytes } = await collect(new BodyFlow(this.#flow(verifier, size, limit)), {
        size,
        reserve: this.#reserveDocument,
      });
      return bytes;
    } catch (error) {
      this.release();
      throw error;
    }
  }

  async open(options: OpenBodyOptions): Promise<ObjectBody> {
    this.#readOnce();
    const size = this.declaredSize;
    if (size === undefined) {
      return this.#holdUndeclared(options);
    }
    if (size > options.maxSize) {
      throw new S3Error('EntityTooLarge', { extra: { ProposedSize: size, MaxSizeAllowed: options.maxSize } });
    }
    const declared = readDeclaredDigests(this.#options.headers, this.#options.payload, { checksums: true });
    const isHeld = size <= options.holdBytes && this.#tryTake(size);
    const flow = this.#flow(this.#verifier(declared, isHeld ? asHeld(options) : options), size, size);
    if (isHeld) return this.#hold(flow, size, options);
    const stream = new VerifiedStream(new BodyFlow(flow, 'beside others'), size, options.beforeEnd);
    return { kind: 'streamed', size, stream, declared: declaredFacts(declared), facts: stream.facts };
  }

  /**
   * A plain body in HTTP chunks has no declared length, and neither cloud stores a body whose length is not known
   * before. So the body is read into memory up to the limit for held bodies. A longer one gets the answer that S3 gives
   * to every such body.
   */
  async #holdUndeclared(options: OpenBodyOptions): Promise<ObjectBody> {
    const { headers, payload } = this.#options;
    const isChunked = headers.get('transfer-encoding') !== undefined && !isStreaming(payload);
    if (!isChunked) throw new S3Error('MissingContentLength');
    if (!this.#tryTake(options.holdBytes)) throw new S3Error('SlowDown');
    const declared = readDeclaredDigests(headers, payload, { checksums: true });
    try {
      return await this.#hold(
        this.#flow(this.#verifier(declared, asHeld(options)), undefined, options.holdBytes),
        undefined,
        options,
      );
    } catch (error) {
      throw isS3Error(error, 'MaxMessageLengthExceeded')
        ? new S3Error('MissingContentLength', { cause: error })
        : error;
    }
  }

  /** Content-MD5 and checksums among the headers are those of the whole form. */
  async openForm(): Promise<UploadForm> {
    this.#readOnce();
    const size = this.declaredSize;
    if (size === undefined) throw new S3Error('MissingContentLength');
    const { headers, payload } = this.#options;
    const declared = readDeclaredDigests(headers, payload, { checksums: true });
    const { holdsFields = () => true } = this.#options;
    // Before its parser is made, which is large.
    if (!holdsFields(1)) throw new S3Error('SlowDown');
    const flow = this.#flow(this.#verifier(declared, { md5: 'ifDeclared' }), size, size);
    return openForm({
      flow: new BodyFlow(flow),
      size,
      contentType: headers.get('content-type') ?? '',
      holdsFields,
      tryTake: (bytes, holder) => {
        this.#holder = holder;
        return this.#tryTake(bytes);
      },
    });
  }

  release(): void {
    if (this.#heldBytes === 0) return;
    this.#options.holdBudget.giveBack(this.#heldBytes, this.#holder);
    this.#heldBytes = 0;
  }

  #tryTake(bytes: number): boolean {
    if (!this.#options.holdBudget.tryTake(bytes, this.#holder)) return false;
    this.#heldBytes = bytes;
    return true;
  }

  readonly #reserveDocument = (bytes: number, total: number): void => {
    if (!this.#options.holdBudget.tryTakeDocument(bytes, total, this.#holder)) throw new S3Error('SlowDown');
    this.#heldBytes += bytes;
  };

  async #hold(flow: FlowOptions, size: number | undefined, options: OpenBodyOptions): Promise<ObjectBody> {
    try {
      const { bytes, facts } = await collect(new BodyFlow(flow), { size });
      await options.beforeEnd?.(facts);
      return { kind: 'held', size: bytes.length, bytes, facts };
    } catch (error) {
      this.release();
      throw error;
    }
  }

  #verifier(declared: DeclaredDigests, wanted: Pick<OpenBodyOptions, 'md5' | 'wantChecksum'>): PayloadVerifier {
    const { payload, facts, headers } = this.#options;
    const { md5, wantChecksum } = wanted;
    if (facts !== undefined) {
      facts.body = bodyFacts({
        payload,
        declared,
        contentLength: byteCount(headers.get('content-length')),
        declaredSize: this.declaredSize,
      });
    }
    return new PayloadVerifier({
      payload,
      declared,
      md5,
      wantChecksum,
      size: this.declaredSize,
      facts: facts?.body,
    });
  }

  #flow(verifier: PayloadVerifier, size: number | undefined, limit: number): FlowOptions {
    const { source, socket, onFirstRead, signal, facts } = this.#options;
    return { source, socket, onFirstRead, signal, verifier, size, limit, deframer: this.#deframer(size ?? 0), facts };
  }

  #deframer(size: number): Deframer {
    const { payload, signing } = this.#options;
    switch (payload.kind) {
      case 'hash':
      case 'unsigned':
        return PLAIN;
      case 'streaming-unsigned-trailer':
        return new AwsChunkedDeframer({ size, trailer: true });
      case 'streaming-signed':
      case 'streaming-signed-trailer':
        if (signing === undefined) {
          throw new TypeError(`a ${payload.kind} body needs its signing context`);
        }
        return new AwsChunkedDeframer({ size, signing, trailer: payload.kind === 'streaming-signed-trailer' });
    }
  }

  #readOnce(): void {
    if (this.#read) {
      throw new TypeError('the body of a request can be read only once');
    }
    this.#read = true;
  }
}

/** What a body that is held need not leave to the backend. */
function asHeld<O extends Pick<OpenBodyOptions, 'md5'>>(options: O): O {
  return options.md5 === 'backend' ? { ...options, md5: 'ifDeclared' } : options;
}

/** Bytes as a header says; undefined when it is absent or not a count. */
function byteCount(header: string | undefined): number | undefined {
  const count = header !== undefined && /^\d+$/.test(header) ? Number(header) : undefined;
  return count !== undefined && Number.isSafeInteger(count) ? count : undefined;
}
