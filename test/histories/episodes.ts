import type { Account, Recorded } from './client.ts';
import { Client } from './client.ts';
import type { Call } from '../model/reference/calls.ts';
import type { Random } from '../support/random.ts';
import { KeyStory, nextCall, type Versioning } from './workload.ts';

/** Calls to one key: long enough for odd orders, short enough for a search through all of them. */
const CALLS_PER_KEY = 24;
const KEYS_PER_BUCKET = 36;
/** Keys that are worked on at the same time: several clients meet at each. */
const KEYS_AT_ONCE = 8;
/** When nothing goes wrong any more, a read is answered by then. */
const READS_AT_REST = 3;
/** Of all calls before which an archived object is restored. */
const RESTORES = 0.1;
const MODES: readonly Versioning[] = ['never', 'Enabled', 'Suspended'];

export interface Episode {
  readonly bucket: string;
  readonly versioning: Versioning;
  readonly stories: readonly KeyStory[];
}

interface EpisodesOptions {
  readonly account: Account;
  readonly ports: readonly number[];
  readonly clients: number;
  /** Probability that a client leaves before the answer. */
  readonly leaves: number;
  /** Objects are of several storage classes, some archived. */
  readonly tiers: boolean;
  readonly random: Random;
}

interface Work {
  readonly operations: number;
  readonly seconds: number;
  readonly signal: AbortSignal;
  readonly onProgress: (line: string) => void;
}

/** Many clients on few keys, bucket after bucket; all that they did and heard is recorded. */
export class Episodes {
  readonly #options: EpisodesOptions;
  readonly #clients: readonly Client[];
  readonly recorded: Recorded[] = [];
  readonly episodes: Episode[] = [];

  constructor(options: EpisodesOptions) {
    this.#options = options;
    const { clients, random, tiers: _tiers, ...each } = options;
    this.#clients = Array.from({ length: clients }, (_, name) => new Client({ ...each, name, random }));
  }

  get left(): number {
    return this.#clients.reduce((sum, client) => sum + client.left, 0);
  }

  /** Works until so many calls are recorded and so long has passed, or it is told to stop. */
  async run({ operations, seconds, signal, onProgress }: Work): Promise<void> {
    const began = performance.now();
    const passed = (): number => (performance.now() - began) / 1000;
    const isEnough = (): boolean => signal.aborted || (this.recorded.length >= operations && passed() >= seconds);
    for (let index = 0; !isEnough(); index += 1) {
      const versioning = MODES[index % MODES.length] ?? 'never';
      const stories = Array.from(
        { length: KEYS_PER_BUCKET },
        (_, key) => new KeyStory(`key-${key}-`, this.#options.tiers),
      );
      const episode = { bucket: `histories-${index}`, versioning, stories };
      await this.#prepare(episode);
      this.episodes.push(episode);
      await Promise.all(this.#clients.map((client) => this.#work(client, episode, signal)));
      onProgress(`${this.recorded.length} calls after ${Math.round(passed())} s`);
    }
  }

  /**
   * What everything is in the end, when nothing goes wrong any more: current objects, all versions, each by its id, and
   * those that are deleted, by theirs.
   */
  async readAll(): Promise<void> {
    for (const client of this.#clients) client.leaves = 0;
    const work = this.episodes.flatMap(({ bucket, stories }) => stories.map((story) => ({ bucket, story })));
    await Promise.all(
      this.#clients.map(async (client) => {
        for (let next = work.pop(); next !== undefined; next = work.pop()) {
          await this.#readKey(client, next.bucket, next.story);
        }
      }),
    );
  }

  close(): void {
    for (const client of this.#clients) client.close();
  }

  async #prepare({ bucket, versioning }: Episode): Promise<void> {
    const [client] = this.#clients;
    if (client === undefined) throw new Error('there are no clients');
    const { leaves } = client;
    client.leaves = 0;
    await patiently(async () => [200, 409].includes((await client.createBucket(bucket)) ?? 0));
    for (const status of versioning === 'never'
      ? []
      : versioning === 'Enabled'
        ? ['Enabled' as const]
        : ['Enabled' as const, 'Suspended' as const]) {
      await patiently(
        async () => (await client.send(bucket, { op: 'PutBucketVersioning', status })).answer?.status === 200,
      );
    }
    client.leaves = leaves;
  }

  async #work(client: Client, { bucket, stories }: Episode, signal: AbortSignal): Promise<void> {
    const { random, tiers } = this.#options;
    while (!signal.aborted) {
      const open = stories.filter(({ calls }) => calls < CALLS_PER_KEY).slice(0, KEYS_AT_ONCE);
      if (open.length === 0) return;
      const story = random.pick(open);
      story.calls += 1;
      if (tiers && random.chance(RESTORES)) await client.restore(bucket, story.key);
      const recorded = await client.send(bucket, nextCall(story, random));
      this.recorded.push(recorded);
      story.learn(recorded);
    }
  }

  async #readKey(client: Client, bucket: string, { key, deleted }: KeyStory): Promise<void> {
    const read = async (call: Call): Promise<Recorded> => {
      // A connection that was kept may have ended in the meantime.
      let answer = await client.send(bucket, call);
      for (let tries = 1; answer.answer === undefined && tries < READS_AT_REST; tries += 1) {
        answer = await client.send(bucket, call);
      }
      const recorded = { ...answer, atRest: true } as const;
      this.recorded.push(recorded);
      return recorded;
    };
    // Archived bytes cannot be read; what is said of them can.
    const op = this.#options.tiers ? 'HeadObject' : 'GetObject';
    await read({ op, key });
    const list = await read({ op: 'ListObjectVersions', prefix: key });
    const { versions = [] } = (list.answer?.body ?? {}) as { versions?: readonly { readonly versionId?: string }[] };
    for (const { versionId } of versions) if (versionId !== undefined) await read({ op, key, versionId });
    for (const versionId of deleted) await read({ op, key, versionId });
  }
}

/** Until it succeeds: what a bucket needs before its history begins. */
async function patiently(attempt: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    if (await attempt()) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error('the bucket could not be prepared');
}
