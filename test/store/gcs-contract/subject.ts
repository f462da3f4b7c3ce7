import { RawGcs } from './raw-gcs.ts';

/** What the tests of one server share: the wire and a bucket. */
export class Subject {
  #gcs: RawGcs | undefined;
  #bucket = '';

  async open(endpoint: string): Promise<void> {
    this.#gcs = new RawGcs(endpoint);
    this.#bucket = await this.#gcs.newBucket();
  }

  get gcs(): RawGcs {
    if (this.#gcs === undefined) throw new Error('not open yet');
    return this.#gcs;
  }

  get bucket(): string {
    return this.#bucket;
  }
}
