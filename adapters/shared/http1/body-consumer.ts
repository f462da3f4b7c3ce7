import type { StoreError } from '../../../src/store/store-error.ts';

/** Where the content goes once somebody wants it. */
export interface BodyConsumer {
  /** `data` is valid during the call only, but for bytes read into a buffer the consumer gave itself. */
  data(data: Buffer): void;
  /** All of one read has been handed over: the moment to say where the next one goes. */
  afterRead(): void;
  end(): void;
  fail(error: StoreError): void;
}
