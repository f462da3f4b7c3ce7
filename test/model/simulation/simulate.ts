import { vi } from 'vitest';
import { MemoryBlobStore } from '../../../adapters/memory/memory-blob-store.ts';
import type { BlobStore } from '../../../src/store/blob-store.ts';
import { placeIds, placedStore } from '../../../src/store/placed-store.ts';
import { checkHistory } from '../history/check-history.ts';
import { EMPTY } from '../history/register.ts';
import type { Mode } from '../history/event.ts';
import { restartRandom } from '../interleaving/seeded-random.ts';
import { rest } from './at-rest.ts';
import { BUCKET, Clients, digestOf } from './client.ts';
import { Dice } from './dice.ts';
import { Gateway, serviceClock } from './gateway.ts';
import type { Plan, PlannedAction } from './plan.ts';
import type { Plant } from './plants.ts';
import { around, layAround, PLACES } from './placed.ts';
import { Recorder } from './recorder.ts';
import { bodyOf } from './request.ts';
import { Timeline } from './timeline.ts';
import { Wire, type WireOptions } from './wire.ts';
import { perform } from './workload/perform.ts';

export interface Simulated {
  /** What was wrong; none: it was right. */
  readonly wrong: readonly string[];
  readonly undecided: readonly string[];
  readonly trace: readonly string[];
  /** Requests and backend calls, and calls that met a fault. */
  readonly requests: number;
  readonly calls: number;
  readonly faults: number;
}

export interface SimulateOptions {
  /** Something between the gateways and the store that spoils it. */
  readonly spoil?: (store: BlobStore) => BlobStore;
  readonly plant?: Plant | undefined;
  /** The bucket is part of a container, with another one beside it. For plans that make and remove no buckets. */
  readonly placed?: boolean | undefined;
}

/** After the first Enable plain writes from before are reckoned with for a while; here none is under way. */
const AFTER_WINDOW = 3_600_000;
const MOST_LINES = 3000;

/** Runs a plan from its beginning to rest, and judges it. The same plan does the same. */
export async function simulate(plan: Plan, options: SimulateOptions = {}): Promise<Simulated> {
  restartRandom();
  const dice = new Dice(plan.seed);
  let draws = 0;
  const random = vi.spyOn(Math, 'random').mockImplementation(() => dice.roll('Math.random', draws++));
  try {
    return await new Simulation(plan, dice, options).run();
  } finally {
    random.mockRestore();
  }
}

class Simulation {
  readonly #plan: Plan;
  readonly #timeline = new Timeline();
  readonly #trace: string[] = [];
  readonly #recorder: Recorder;
  readonly #wire: Wire;
  readonly #gateways: Gateway[];
  readonly #clients: Clients;
  /** Below the places. */
  readonly #base: BlobStore;
  readonly #places: ReadonlyMap<string, string> | undefined;
  #calls = 0;

  constructor(plan: Plan, dice: Dice, { spoil = (store) => store, plant, placed = false }: SimulateOptions) {
    this.#plan = plan;
    this.#recorder = new Recorder(modesOf(plan));
    const timeline = this.#timeline;
    const note = (who: string, what: string, outcome: string): void => this.#note(who, what, outcome);
    const faultOf: WireOptions['faultOf'] = (request, call, sinceCommit) =>
      plan.faults.find((fault) => {
        const number = fault.from === 'commit' ? sinceCommit : call;
        return (
          fault.request === request &&
          number !== undefined &&
          fault.call <= number &&
          number <= fault.call + (fault.more ?? 0)
        );
      });
    this.#base = new MemoryBlobStore({
      now: serviceClock(timeline),
      ...(plan.tiers && { capabilities: { archiveIsOffline: false } }),
    });
    this.#places = placed ? placeIds(PLACES) : undefined;
    const store = spoil(placed ? placedStore(this.#base, PLACES) : this.#base);
    this.#wire = new Wire({
      timeline,
      dice,
      store,
      faultOf,
      leave: (request) => this.#clients.leave(request),
      note,
      plant,
    });
    const gateway = (skew: number, index: number): Gateway =>
      new Gateway({
        name: `G${index}`,
        timeline,
        skew,
        storeOf: (self) => this.#wire.storeFor(self),
        places: this.#places,
        tiers: plan.tiers === true,
        onCrash: (self) => this.#clients.abandon(self),
      });
    this.#gateways = plan.skews.map(gateway);
    this.#clients = new Clients({ timeline, gateways: this.#gateways, recorder: this.#recorder, note });
  }

  async run(): Promise<Simulated> {
    try {
      const before = await this.#around(true);
      await this.#setUp();
      this.#schedule();
      await this.#timeline.run();
      this.#recorder.settled();
      await rest({
        timeline: this.#timeline,
        wire: this.#wire,
        recorder: this.#recorder,
        note: (...line) => this.#note(...line),
        plan: this.#plan,
        places: this.#places,
      });
      this.#recorder.wrong.push(...notIn(before, await this.#around(false)));
    } catch (error) {
      this.#recorder.wrong.push(
        `the simulation broke: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      );
    }
    const { events, listings, wrong } = this.#recorder;
    const verdict = checkHistory({ events, listings }, { start: { ...EMPTY, owner: 'A' } });
    return {
      wrong: [...wrong, ...verdict.wrong],
      undecided: verdict.undecided,
      trace: this.#trace,
      requests: this.#plan.actions.length,
      calls: this.#calls,
      faults: this.#wire.faults,
    };
  }

  /** What lies around a bucket that is part of a container; made first, when `lay`. */
  async #around(lay: boolean): Promise<string[]> {
    if (this.#places === undefined) return [];
    if (lay) await layAround(this.#base);
    return around(this.#base);
  }

  #note(who: string, what: string, outcome: string): void {
    if (/^G\d+ /.test(who)) this.#calls += 1;
    // Reading everything at rest is of interest where it fails.
    if (who.startsWith('Z ') || /^z\d.*answers 20/.test(`${who} ${outcome}`)) return;
    if (this.#trace.length < MOST_LINES) {
      this.#trace.push(`${this.#timeline.now.toFixed(1).padStart(10)} ${who}: ${what} -> ${outcome}`);
    }
  }

  async #setUp(): Promise<void> {
    const [gateway] = this.#gateways;
    const { skew } = gateway ?? { skew: 0 };
    if (gateway !== undefined) gateway.skew = 0;
    const common = { gateway: 0, account: 'A', bucket: BUCKET } as const;
    const headers = this.#plan.lock ? { 'x-amz-bucket-object-lock-enabled': 'true' } : {};
    void this.#clients.send('CreateBucket', { ...common, id: 'set.1', headers });
    await this.#timeline.run();
    for (const status of this.#plan.lock ? [] : STATES[this.#plan.versioning]) {
      const body = bodyOf(`<VersioningConfiguration><Status>${status}</Status></VersioningConfiguration>`);
      void this.#clients.send('PutBucketVersioning', { ...common, id: `set.${status}`, body });
      await this.#timeline.run();
    }
    if (this.#plan.tiers) {
      const headers = digestOf(RULES);
      const body = bodyOf(RULES);
      void this.#clients.send('PutBucketLifecycleConfiguration', { ...common, id: 'set.rules', headers, body });
      await this.#timeline.run();
    }
    if (gateway !== undefined) gateway.skew = skew;
    this.#timeline.now += AFTER_WINDOW;
    this.#trace.length = 0;
  }

  #schedule(): void {
    for (const action of this.#plan.actions) this.#timeline.after(action.at, () => this.#begin(action));
    for (const incident of this.#plan.incidents) {
      const gateway = this.#clients.gateway(incident.gateway);
      this.#timeline.after(incident.at, () => {
        this.#note(gateway.name, incident.kind, JSON.stringify(incident));
        if (incident.kind === 'step') gateway.skew += incident.by;
        else if (incident.kind === 'pause') gateway.pause(incident.ms);
        else gateway.crash(incident.ms);
      });
    }
  }

  #begin(action: PlannedAction): void {
    perform(this.#clients, action).catch((error: unknown) => {
      this.#recorder.wrong.push(
        `${action.id} broke the simulation: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      );
    });
  }
}

const move = (days: number, to: string): string =>
  `<Transition><Days>${days}</Days><StorageClass>${to}</StorageClass></Transition>`;

/** Everything that rules can ask for, soon; a day of these runs is short. */
const RULES = `<LifecycleConfiguration>
<Rule><ID>move</ID><Filter><ObjectSizeGreaterThan>0</ObjectSizeGreaterThan></Filter><Status>Enabled</Status>
${move(0, 'GLACIER_IR')}${move(2, 'GLACIER')}${move(6, 'DEEP_ARCHIVE')}
<NoncurrentVersionTransition><NoncurrentDays>1</NoncurrentDays><StorageClass>GLACIER</StorageClass></NoncurrentVersionTransition></Rule>
<Rule><ID>expire</ID><Filter/><Status>Enabled</Status><Expiration><Days>30</Days></Expiration>
<NoncurrentVersionExpiration><NoncurrentDays>15</NoncurrentDays><NewerNoncurrentVersions>1</NewerNoncurrentVersions></NoncurrentVersionExpiration></Rule>
<Rule><ID>markers</ID><Filter/><Status>Enabled</Status><Expiration><ExpiredObjectDeleteMarker>true</ExpiredObjectDeleteMarker></Expiration></Rule>
</LifecycleConfiguration>`;

function notIn(before: readonly string[], after: readonly string[]): string[] {
  return [
    ...before.filter((one) => !after.includes(one)).map((one) => `around the bucket is gone: ${one}`),
    ...after.filter((one) => !before.includes(one)).map((one) => `around the bucket there is: ${one}`),
  ];
}

const STATES: Readonly<Record<Mode, readonly string[]>> = {
  never: [],
  enabled: ['Enabled'],
  suspended: ['Enabled', 'Suspended'],
};

/** All that the bucket may be in the course of the run. */
function modesOf({ versioning, actions }: Plan): Mode[] {
  const later = actions.flatMap(({ what }): Mode[] => {
    if (what.kind === 'createBucket') return ['never'];
    if (what.kind === 'setVersioning') return [what.to === 'Enabled' ? 'enabled' : 'suspended'];
    return [];
  });
  return [...new Set([versioning, ...later])];
}
