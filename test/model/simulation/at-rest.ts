import type { ListedVersion } from '../history/event.ts';
import { type Answer, BUCKET, Clients, outcomeOf } from './client.ts';
import { Gateway } from './gateway.ts';
import type { Account, Plan, PlannedAction } from './plan.ts';
import { KEYS, type Recorder } from './recorder.ts';
import { bodyOf } from './request.ts';
import type { Timeline } from './timeline.ts';
import type { Wire } from './wire.ts';
import { perform } from './workload/perform.ts';
import { shownIn, tagIn, versionsIn } from './workload/reads.ts';

const DAY = 86_400_000;
/** A little more than a delete mark lasts that a process keeps meeting. Milliseconds. */
const MARK_MS = 61_000;

interface Rest {
  readonly timeline: Timeline;
  readonly wire: Wire;
  readonly recorder: Recorder;
  readonly note: (who: string, what: string, outcome: string) => void;
  readonly plan: Plan;
  readonly places: ReadonlyMap<string, string> | undefined;
}

/**
 * When nothing is under way any more: everything is read by a gateway that has nothing in memory, and again when a
 * sweeper has been there, a day and two later; then each key can be written and deleted.
 */
export async function rest(place: Rest): Promise<void> {
  const { timeline, wire, recorder, note, places } = place;
  const gateway = new Gateway({
    name: 'Z',
    timeline,
    skew: 0,
    storeOf: (self) => wire.storeFor(self),
    places,
    tiers: place.plan.tiers === true,
    onCrash: () => undefined,
  });
  const reader = new Reader(new Clients({ timeline, gateways: [gateway], recorder, note }), place);
  await reader.readAll('z1');
  for (const [name, days] of [
    ['z2', 1.1],
    ['z3', 9],
  ] as const) {
    timeline.now += days * DAY;
    await reader.does((clients) =>
      clients.sweep({ id: `${name}s`, at: 0, gateway: 0, account: 'A', key: 'k', what: { kind: 'sweep' } }),
    );
    await reader.readAll(name);
  }
  await reader.goOn();
}

class Reader {
  readonly #clients: Clients;
  readonly #place: Rest;
  #count = 0;

  constructor(clients: Clients, place: Rest) {
    this.#clients = clients;
    this.#place = place;
  }

  async does<T>(work: (clients: Clients) => Promise<T>): Promise<T> {
    const done = work(this.#clients);
    await this.#place.timeline.run();
    return done;
  }

  async readAll(name: string): Promise<void> {
    const owner = await this.#owner(name);
    for (const key of KEYS) {
      await this.#act({ id: `${name}.${key}.get`, key, account: owner, what: { kind: 'get' } });
      await this.#readHistory(name, key, owner);
    }
  }

  /** Whose the bucket is by now; who asks in vain is told that it is not there or not his. */
  async #owner(name: string): Promise<Account> {
    for (const account of ['A', 'B'] as const) {
      const head = (): Promise<Answer> =>
        this.does((clients) =>
          clients.send('HeadBucket', { id: `${name}.${account}`, gateway: 0, account, bucket: BUCKET }),
        );
      let answer = await head();
      if (answer.kind === 'error' && answer.code === 'OperationAborted') {
        // Its deletion was begun and not ended: whose it is does it again, and it is gone, or there as before.
        await this.#act({ id: `${name}.${account}.again`, key: 'k', account, what: { kind: 'deleteBucket' } });
        answer = await head();
        if (answer.kind === 'error' && answer.code === 'OperationAborted') {
          // Or whoever has met the mark for a minute takes it away.
          this.#place.timeline.now += MARK_MS;
          answer = await head();
        }
      }
      if (answer.kind === 'response') return account;
      if (answer.kind === 'error' && !['NoSuchBucket', 'AccessDenied'].includes(answer.code)) {
        this.#complain(`${name} the bucket answers ${account}`, answer);
      }
    }
    return 'A';
  }

  async #act(action: Pick<PlannedAction, 'id' | 'key' | 'account' | 'what'>): Promise<void> {
    await this.does((clients) => perform(clients, { ...action, at: 0, gateway: 0 }));
  }

  async #readHistory(name: string, key: string, account: Account): Promise<void> {
    const { recorder } = this.#place;
    const began = recorder.tick();
    const listed = await this.does((clients) =>
      clients.send('ListObjectVersions', { id: `${name}.${key}.list`, gateway: 0, account, bucket: BUCKET }),
    );
    const common = { id: `${name}.${key}.history`, key, account, began, action: { kind: 'readHistory' } } as const;
    if (listed.kind !== 'response') {
      if (!['NoSuchBucket'].includes(listed.kind === 'error' ? listed.code : '')) {
        this.#complain(`${name} cannot list versions`, listed);
      }
      recorder.add({ ...common, outcome: outcomeOf(listed) });
      return;
    }
    const versions: ListedVersion[] = [];
    for (const { versionId, marker } of versionsIn(this.#clients, key, listed)) {
      versions.push(
        marker
          ? { versionId, marker }
          : { versionId, marker, ...(await this.#readVersion(`${name}.${key}`, { key, account, versionId })) },
      );
    }
    recorder.add({ ...common, outcome: { kind: 'history', versions } });
  }

  /** A version that is listed can be read, with its tags and its lock. */
  async #readVersion(
    name: string,
    { key, account, versionId }: { key: string; account: Account; versionId: string },
  ): Promise<Pick<ListedVersion, 'writers' | 'said'>> {
    const common = { gateway: 0, account, bucket: BUCKET, key, query: { versionId } };
    const id = `${name}.${++this.#count}`;
    const read = await this.does((clients) => clients.sendAsNeeded('GetObject', { ...common, id }));
    if (read.kind !== 'response') {
      this.#complain(`${key} version ${versionId} is listed and cannot be read`, read);
      return { writers: [] };
    }
    const shown = shownIn(this.#clients, { id, at: 0, gateway: 0, account, key, what: { kind: 'get' } }, read);
    const tags = await this.does((clients) => clients.send('GetObjectTagging', { ...common, id: `${id}t` }));
    const { headers } = read.response;
    return {
      writers: shown.kind === 'shown' ? shown.writers : [],
      said: {
        ...(tags.kind === 'response' && { tags: tagIn(tags) }),
        hold: headers?.['x-amz-object-lock-legal-hold'],
        retention: headers?.['x-amz-object-lock-retain-until-date'] === undefined ? undefined : 'ON',
      },
    };
  }

  #complain(what: string, answer: Exclude<Answer, { kind: 'response' }>): void {
    const cause = answer.kind === 'error' && answer.cause instanceof Error ? `: ${answer.cause.message}` : '';
    this.#place.recorder.wrong.push(`at rest: ${what}: ${answer.kind === 'error' ? answer.code : answer.kind}${cause}`);
  }

  /** Nothing that happened before keeps anybody from going on. */
  async goOn(): Promise<void> {
    const account = await this.#owner('z4');
    for (const key of KEYS) {
      const common = { gateway: 0, account, bucket: BUCKET, key };
      const put = await this.does((clients) =>
        clients.send('PutObject', { ...common, id: `z4.${key}.put`, body: bodyOf('last'), headers: {} }),
      );
      if (put.kind === 'error' && put.code === 'NoSuchBucket') continue;
      if (put.kind !== 'response') this.#complain(`${key} cannot be written`, put);
      const got = await this.does((clients) => clients.send('GetObject', { ...common, id: `z4.${key}.get` }));
      if (got.kind !== 'response') {
        this.#complain(`${key} cannot be read after it was written`, got);
      } else if (got.text !== 'last') {
        this.#place.recorder.wrong.push(`at rest: ${key} was written and is not what was written`);
      }
    }
  }
}
