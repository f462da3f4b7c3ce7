import type { Readable, Writable } from 'node:stream';
import type { BlobProperties, ByteRange, ReadRequest, ReadResult, Revision } from '../../../src/store/blob-store.ts';
import { StoreError, isStoreError } from '../../../src/store/store-error.ts';
import { bulkPacer } from '../../../src/streams/bulk-pacer.ts';
import type { ByteSource, SinkClock } from '../../../src/streams/bytes.ts';
import type { WireBody } from './transport.ts';

const KIB = 1024;
/** A shorter body is read to its end over the connection on which it began. */
const LEAST_SIZE = 1024 * KIB;
/** What a slow client gets at a time: one call of the service, whose answer is held in memory until it is taken. */
const PIECE = 64 * KIB;
/** A client that takes more than so many bytes a second over `WINDOW_MS` is slow no longer. */
const QUICK_RATE = 1024 * KIB;
const WINDOW_MS = 4000;

/** How an adapter reads the blob: an answer with its body, and the properties alone. */
interface BlobReader {
  read(
    request: ReadRequest,
    isPiece: boolean,
  ): Promise<{ readonly properties: BlobProperties; readonly body: WireBody }>;
  head(): Promise<BlobProperties>;
}

/** One read, whose body holds no connection while its client is slow. @throws StoreError as `reader.read` */
export async function patientRead(reader: BlobReader, request: ReadRequest): Promise<ReadResult> {
  const { properties, body } = await reader.read(request, false);
  if (body.size < LEAST_SIZE) return { properties, body };
  return { properties, body: new PatientBody(body, { reader, request, properties }) };
}

interface Origin {
  readonly reader: BlobReader;
  readonly request: ReadRequest;
  readonly properties: BlobProperties;
}

/**
 * A large body that gives its connection back when its client proves slow, and goes on in small pieces: each is a call
 * for a range of the same revision, made when the client has taken the one before. A client that has become quick gets
 * the rest in one answer (docs/decisions/0042-lanes-to-the-backend.md).
 */
class PatientBody implements ByteSource {
  readonly size: number;
  readonly #body: WireBody;
  readonly #origin: Origin;
  /** Whose bytes these are: a change of its metadata gives a blob another one. */
  #revision: Revision;
  #onTurn: (() => void) | undefined;
  readonly #place = bulkPacer.enter(() => this.#onTurn?.(), 'while others wait');

  constructor(body: WireBody, origin: Origin) {
    this.size = body.size;
    this.#body = body;
    this.#origin = origin;
    this.#revision = origin.properties.revision;
  }

  async pipeTo(sink: Writable, signal: AbortSignal, clock?: SinkClock): Promise<void> {
    const moved = await this.#body.pour(sink, signal, clock);
    if (moved < this.size) await this.#goOn(moved, sink, signal, clock);
  }

  async #goOn(begun: number, sink: Writable, signal: AbortSignal, clock: SinkClock | undefined): Promise<void> {
    let moved = begun;
    try {
      while (moved < this.size) {
        moved += await this.#pieces(moved, sink, signal, clock);
        if (moved < this.size) {
          moved += await (await this.#rest(moved, this.size, false)).pour(sink, signal, clock);
          if (moved === this.size) return;
        }
      }
      sink.end();
    } catch (error) {
      sink.destroy();
      throw isStoreError(error) ? error : new StoreError('aborted', { call: 'read', cause: error });
    } finally {
      this.#place.leave();
    }
  }

  stream(): Readable {
    return this.#body.stream();
  }

  discard(): void {
    this.#body.discard();
  }

  /** Waits while others go first: pieces move as many bytes as any body. */
  async #inTurn(bytes: number): Promise<void> {
    const turn = Promise.withResolvers<undefined>();
    this.#onTurn = () => turn.resolve(undefined);
    if (!this.#place.mayGoOn(bytes)) await turn.promise;
  }

  /** @returns bytes that were moved when the client had become quick, or all */
  async #pieces(from: number, sink: Writable, signal: AbortSignal, clock: SinkClock | undefined): Promise<number> {
    let at = from;
    let since = performance.now();
    let before = at;
    while (at < this.size) {
      const body = await this.#rest(at, Math.min(this.size, at + PIECE), true);
      const bytes = await body.bytes(PIECE);
      const began = performance.now();
      await taken(sink, bytes, signal);
      const now = performance.now();
      if (clock !== undefined) clock.clientWaitMs += now - began;
      at += bytes.byteLength;
      await this.#inTurn(bytes.byteLength);
      if (now - since < WINDOW_MS) continue;
      if ((at - before) * 1000 > QUICK_RATE * (now - since) && this.size - at >= LEAST_SIZE) break;
      since = now;
      before = at;
    }
    return at - from;
  }

  async #rest(from: number, to: number, isPiece: boolean): Promise<WireBody> {
    const start = this.#origin.request.range?.first ?? 0;
    const body = await this.#again({ first: start + from, last: start + to - 1 }, isPiece);
    if (body.size === to - from) return body;
    body.discard();
    throw new StoreError('unexpected', { call: 'read', cause: new Error('the answer is not the rest of the body') });
  }

  async #again(range: ByteRange, isPiece: boolean): Promise<WireBody> {
    const { reader, request, properties } = this.#origin;
    const read = async (): Promise<WireBody> =>
      (await reader.read({ ...request, range, revision: this.#revision }, isPiece)).body;
    try {
      return await read();
    } catch (error) {
      if (!isStoreError(error, 'conditionFailed')) throw error;
      const now = await reader.head();
      if (!isSameContent(now, properties)) throw error;
      this.#revision = now.revision;
      return read();
    }
  }
}

/** Only the metadata has changed: tags, for example. */
function isSameContent(now: BlobProperties, then: BlobProperties): boolean {
  return now.size === then.size && now.md5 !== undefined && now.md5 === then.md5;
}

/** Resolves when the kernel has the bytes. Rejects when the sink is closed before, or the signal is aborted. */
function taken(sink: Writable, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: unknown): void => {
      sink.off('close', onClose).off('error', settle);
      signal.removeEventListener('abort', onAbort);
      if (error === undefined || error === null) resolve();
      else reject(error instanceof Error ? error : new Error('aborted', { cause: error }));
    };
    const onClose = (): void => settle(new Error('sink closed'));
    const onAbort = (): void => settle(signal.reason ?? new Error('aborted'));
    if (signal.aborted || sink.destroyed) {
      reject(new Error('sink closed', { cause: signal.reason }));
      return;
    }
    sink.on('close', onClose).on('error', settle);
    signal.addEventListener('abort', onAbort);
    // A write that fails is followed by `close`.
    sink.write(bytes, (error) => (error ? undefined : settle()));
  });
}
