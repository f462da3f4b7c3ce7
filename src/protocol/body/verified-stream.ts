import { Readable } from 'node:stream';
import type { BodyFlow } from './body-flow.ts';
import type { BodyFacts, OpenBodyOptions } from './object-body.ts';

/** Two reads of the socket. Only for a backend that takes nothing at the moment: else nothing waits here. */
const HIGH_WATER_MARK = 128 * 1024;

/**
 * The payload as a stream that ends only after everything about it was verified: the run of bytes that
 * makes its size whole waits here until then. On any mismatch it is destroyed with the S3Error instead, short of
 * the size it promised, so that no backend write fed by it can complete.
 */
export class VerifiedStream extends Readable {
  /** Settles when the stream is complete, or with what destroyed it. */
  readonly facts: Promise<BodyFacts>;
  readonly #flow: BodyFlow;
  readonly #beforeEnd: OpenBodyOptions['beforeEnd'];
  /** Bytes that have not come yet. */
  #left: number;
  readonly #settle: PromiseWithResolvers<BodyFacts>;
  #started = false;
  #last: Buffer | undefined;

  /** @param size bytes, to which the flow is held */
  constructor(flow: BodyFlow, size: number, beforeEnd: OpenBodyOptions['beforeEnd']) {
    super({ highWaterMark: HIGH_WATER_MARK });
    this.#flow = flow;
    this.#left = size;
    this.#beforeEnd = beforeEnd;
    this.#settle = Promise.withResolvers<BodyFacts>();
    this.facts = this.#settle.promise;
    // The failure also destroys the stream; a caller that only watches the stream must not crash the process.
    this.facts.catch(() => undefined);
  }

  override _read(): void {
    if (this.#started) {
      this.#flow.resume();
      return;
    }
    this.#started = true;
    this.#flow.start({
      payload: (bytes) => this.#take(bytes),
      done: (facts) => void this.#complete(facts),
      failed: (error) => this.destroy(error),
    });
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#flow.stop();
    this.#last = undefined;
    this.#settle.reject(error ?? new Error('the body was given up before its end'));
    callback(error);
  }

  #take(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#left -= bytes.length;
    if (this.#left === 0) {
      this.#last = bytes;
    } else if (!this.push(bytes)) {
      this.#flow.pause();
    }
  }

  async #complete(facts: BodyFacts): Promise<void> {
    try {
      await this.#beforeEnd?.(facts);
    } catch (error) {
      this.destroy(error instanceof Error ? error : new Error('the body was refused', { cause: error }));
      return;
    }
    if (this.destroyed) {
      return;
    }
    this.#settle.resolve(facts);
    if (this.#last !== undefined) {
      this.push(this.#last);
    }
    this.push(null);
  }
}
