import type { StoreError } from '../../../src/store/store-error.ts';

/** Takes the content of a body once a reader wants it. */
export interface BodyConsumer {
  /** `data` is valid during the call only, but for bytes read into a buffer the consumer gave itself. */
  data(data: Buffer): void;
  /** Called when all bytes of one read have been handed over: now is the time to name the buffer for the next read. */
  afterRead(): void;
  end(): void;
  fail(error: StoreError): void;
}
