import { setTimeout as sleep } from 'node:timers/promises';
import type { Peer } from '../measuring/measure.ts';
import type { PeerOption } from '../options.ts';
import type { LoadGenerator } from './processes.ts';
import { RequestSigner, signAll } from '../load/sign.ts';
import type { S3Request } from '../load/sign.ts';
import { beginUpload, ofUpload } from '../load/upload.ts';
import { BUCKETS, SETUP, type Work } from '../load/work.ts';

const READY_MS = 60_000;

/** With its processes, if they are the bench's own. */
type KnownPeer = PeerOption & { readonly pids: readonly number[] };

/** Another S3 server under the same load. It has buckets of its own: it may share a backend with the gateway. */
export class BenchPeer {
  readonly #option: KnownPeer;
  readonly #signer: RequestSigner;
  #uploadId: string | undefined;

  constructor(option: KnownPeer) {
    this.#option = option;
    this.#signer = new RequestSigner({
      endpoints: [`http://127.0.0.1:${option.port}`],
      region: option.region,
      accounts: [option],
    });
  }

  /** Waits until it answers, and writes what is read later. What it refuses shows in its rows. */
  async setUp(load: LoadGenerator): Promise<void> {
    await this.#answers();
    const { port } = this.#option;
    for (const request of [...BUCKETS, ...SETUP]) {
      const requests = await signAll(this.#signer, [this.#own(request)]);
      await load.run({ port, connections: 1, milliseconds: 0, requests }).catch(() => undefined);
    }
    this.#uploadId = await beginUpload(this.#signer, (request) => this.#own(request)).catch(() => undefined);
  }

  async readyFor(work: Work): Promise<Peer> {
    const requests = work.requests.map((request) => this.#own(ofUpload(request, this.#uploadId ?? 'none')));
    const { name, port, pids } = this.#option;
    return { name, port, pids, signed: await signAll(this.#signer, requests) };
  }

  #own(request: S3Request): S3Request {
    const { path, copyOf } = request;
    const moved = (to: string): string => `/${this.#option.name}-${to.slice(1)}`;
    return { ...request, path: moved(path), ...(copyOf !== undefined && { copyOf: moved(copyOf) }) };
  }

  async #answers(): Promise<void> {
    const until = performance.now() + READY_MS;
    for (;;) {
      try {
        await fetch(`http://127.0.0.1:${this.#option.port}/`, { signal: AbortSignal.timeout(5000) });
        return;
      } catch (cause) {
        if (performance.now() > until) throw new Error(`${this.#option.name} does not answer`, { cause });
        await sleep(500);
      }
    }
  }
}
