import { MemoryBlobStore } from '../../../adapters/memory/memory-blob-store.ts';
import { type PortCall, wrapStore } from '../../../src/store/wrap-store.ts';
import type { Caller } from '../../support/clients/acl-client.ts';
import { type Answer, type Headers, World } from '../spec/world.ts';

const OPTIONS = { bucketCacheMs: 1, versioningDrainMs: 0 };

type Around = (portCall: PortCall, run: () => Promise<unknown>) => Promise<unknown>;

/** Two replicas over one backend. `here` has looked at the source, and is asked for the copy. */
export class CopyScene {
  readonly here: World;
  readonly there: World;
  readonly from: string;
  readonly to: string;
  readonly #wire: { seen: PortCall[]; around: Around };

  private constructor(worlds: readonly [World, World], names: readonly [string, string], wire: CopyScene['wire']) {
    [this.here, this.there] = worlds;
    [this.from, this.to] = names;
    this.#wire = wire;
  }

  static async open(headers: Headers = {}): Promise<CopyScene> {
    const store = new MemoryBlobStore();
    const wire: CopyScene['wire'] = { seen: [], around: (_call, run) => run() };
    const watched = wrapStore(store, (portCall, run) => {
      if (portCall.method === 'headContainer' || portCall.ref.name?.startsWith('b/') === true) return run();
      wire.seen.push(portCall);
      return wire.around(portCall, run) as ReturnType<typeof run>;
    });
    const here = await World.open(OPTIONS, watched);
    const there = await World.open(OPTIONS, store);
    const bucket = await there.bucket({ 'x-amz-acl': 'public-read-write' });
    const scene = new CopyScene([here, there], [`/${bucket}/source`, `/${bucket}/copy`], wire);
    await there.put(scene.from, 'first', headers);
    await here.must('HEAD', scene.from);
    wire.seen = [];
    return scene;
  }

  get wire(): { seen: PortCall[]; around: Around } {
    return this.#wire;
  }

  get bucket(): string {
    return `/${this.from.split('/')[1] ?? ''}`;
  }

  /** Methods of the calls since the last time. */
  calls(): string[] {
    return this.#wire.seen.splice(0).map(({ method }) => method);
  }

  copy(headers: Headers = {}, as: Caller = 'owner'): Promise<Answer> {
    return this.here.copy(this.to, this.from, headers, as);
  }

  /** Text of the copy, or why there is none. */
  async copied(as: Caller = 'owner'): Promise<string> {
    const { status, body } = await this.there.ask('GET', this.to, { as });
    return status === 200 ? body : String(status);
  }

  async close(): Promise<void> {
    await this.here.close();
    await this.there.close();
  }
}

const open: CopyScene[] = [];
/** Closed by `closeScenes`. */
export async function scene(headers: Headers = {}): Promise<CopyScene> {
  const made = await CopyScene.open(headers);
  open.push(made);
  return made;
}

export async function closeScenes(): Promise<void> {
  for (const one of open.splice(0)) await one.close();
}
