/**
 * Clients that read slowly, a process of its own: takes a `SlowJob` from its parent, answers with a `SlowResult` or
 * `{ error }`.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

interface SlowJob {
  readonly port: number;
  readonly readers: number;
  readonly milliseconds: number;
  /** What each of them takes. */
  readonly bytesPerSecond: number;
  /** Heads of requests, sent in turn. */
  readonly heads: readonly string[];
  /** Milliseconds over which they arrive. */
  readonly arriveWithin?: number;
  /** Addresses of the loopback network that they come from. */
  readonly addresses?: number;
}

export interface SlowResult {
  /** Whose connection is still there at the end, with an answer that began with 200. */
  readonly alive: number;
  /** First lines of other answers, and how many readers got them; those that waited in vain are under an empty one. */
  readonly others: Readonly<Record<string, number>>;
  /** That all of them took. */
  readonly bytes: number;
}

const STEP_MS = 100;

/** Takes what it may, and leaves the rest with the kernel. */
class SlowReader {
  readonly #socket: Socket;
  readonly #step: number;
  bytes = 0;
  #start = '';

  constructor({ port, bytesPerSecond, addresses = 1 }: SlowJob, head: string, index: number) {
    this.#step = Math.floor((bytesPerSecond * STEP_MS) / 1000);
    const localAddress = `127.0.0.${1 + (index % addresses)}`;
    this.#socket = connect({ host: '127.0.0.1', port, localAddress, noDelay: true });
    this.#socket.on('error', () => this.#socket.destroy());
    this.#socket.write(head, 'latin1');
  }

  get isAlive(): boolean {
    return !this.#socket.destroyed && !this.#socket.readableEnded && this.#start.startsWith('HTTP/1.1 200');
  }

  get firstLine(): string {
    return this.#start.split('\r\n')[0] ?? '';
  }

  step(): void {
    const length = Math.min(this.#step, this.#socket.readableLength);
    // Asks for bytes of the kernel, too.
    const bytes = this.#socket.read(length) as Buffer | null;
    this.bytes += bytes?.length ?? 0;
    if (this.#start === '' && bytes !== null) this.#start = bytes.toString('latin1', 0, 60);
  }

  async close(): Promise<void> {
    if (this.#socket.destroyed) return;
    const closed = once(this.#socket, 'close');
    this.#socket.destroy();
    await closed;
  }
}

async function run(job: SlowJob): Promise<SlowResult> {
  const { readers, milliseconds, heads, arriveWithin = 0 } = job;
  const all: SlowReader[] = [];
  const began = performance.now();
  while (performance.now() < began + milliseconds) {
    const due = arriveWithin === 0 ? readers : Math.floor((readers * (performance.now() - began)) / arriveWithin);
    for (let at = all.length; at < Math.min(readers, due); at += 1) {
      all.push(new SlowReader(job, heads[at % heads.length] ?? '', at));
    }
    await sleep(STEP_MS);
    for (const reader of all) reader.step();
  }
  const others: Record<string, number> = {};
  for (const { isAlive, firstLine } of all) if (!isAlive) others[firstLine] = (others[firstLine] ?? 0) + 1;
  const result = {
    alive: all.filter(({ isAlive }) => isAlive).length,
    others,
    bytes: all.reduce((sum, { bytes }) => sum + bytes, 0),
  };
  await Promise.all(all.map((reader) => reader.close()));
  return result;
}

process.on('message', (job: SlowJob) => {
  run(job).then(
    (result) => process.send?.(result),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
process.on('disconnect', () => process.exit(0));
