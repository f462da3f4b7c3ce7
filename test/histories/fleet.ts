import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { freePort } from '../support/free-port.ts';
import { type Replica, startReplica } from '../testbed/gateway-process.ts';

const CLOCK = pathToFileURL(resolve(import.meta.dirname, 'skewed-clock.mjs')).href;

const LAUNCHES = 5;

/** One replica at a port of its own, where it comes back after each end. */
interface Place {
  readonly port: number;
  readonly clockFile: string;
  replica: Replica | undefined;
  /** Something is being done to it: nobody else shall. */
  busy: boolean;
}

interface FleetOptions {
  readonly replicas: number;
  /** Environment of every gateway: the backend, limits, times. */
  readonly settings: Readonly<Record<string, string>>;
}

/** Gateway processes over one backend, to which bad things can be done. */
export class Fleet {
  readonly #options: FleetOptions;
  readonly #folder = mkdtempSync(join(tmpdir(), 's3gw-histories-'));
  readonly #places: Place[] = [];
  /** What was done, by name. */
  readonly done: Record<string, number> = {};

  private constructor(options: FleetOptions) {
    this.#options = options;
  }

  static async start(options: FleetOptions): Promise<Fleet> {
    const fleet = new Fleet(options);
    try {
      for (let index = 0; index < options.replicas; index += 1) {
        const place: Place = {
          port: await freePort(),
          clockFile: join(fleet.#folder, `clock-${index}`),
          replica: undefined,
          busy: false,
        };
        writeFileSync(place.clockFile, '0');
        place.replica = await fleet.#launch(place);
        fleet.#places.push(place);
      }
    } catch (error) {
      await fleet.stop();
      throw error;
    }
    return fleet;
  }

  get ports(): readonly number[] {
    return this.#places.map(({ port }) => port);
  }

  /** SIGKILL, and a new process at the same port. */
  kill(index: number): Promise<void> {
    return this.#doing('kill', index, async (place) => {
      const { replica } = place;
      for (const pid of replica?.pids ?? []) process.kill(pid, 'SIGKILL');
      await replica?.ended;
      place.replica = await this.#launch(place);
    });
  }

  /** SIGSTOP, and SIGCONT a while later. */
  pause(index: number, ms: number): Promise<void> {
    return this.#doing('pause', index, async ({ replica }) => {
      for (const pid of replica?.pids ?? []) process.kill(pid, 'SIGSTOP');
      await sleep(ms);
      for (const pid of replica?.pids ?? []) process.kill(pid, 'SIGCONT');
    });
  }

  /** SIGTERM, as an orchestrator does it, and a new process at the same port. */
  restart(index: number): Promise<void> {
    return this.#doing('restart', index, async (place) => {
      await place.replica?.stop();
      place.replica = await this.#launch(place);
    });
  }

  /** Its clock is off by so much from now on. */
  skew(index: number, ms: number): Promise<void> {
    return this.#doing('clock step', index, async ({ clockFile }) => {
      writeFileSync(clockFile, String(ms));
    });
  }

  /** Resolves when nothing is being done to any replica. */
  async quiet(): Promise<void> {
    while (this.#places.some(({ busy }) => busy)) await sleep(20);
  }

  async stop(): Promise<void> {
    await this.quiet();
    await Promise.all(this.#places.map(async ({ replica }) => replica?.stop()));
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #doing(name: string, index: number, work: (place: Place) => Promise<void>): Promise<void> {
    const place = this.#places[index];
    if (place === undefined || place.busy) return;
    place.busy = true;
    try {
      await work(place);
      this.done[name] = (this.done[name] ?? 0) + 1;
    } finally {
      place.busy = false;
    }
  }

  /** A gateway whose backend does not answer when it starts ends, and an orchestrator starts it again. */
  async #launch(place: Place): Promise<Replica> {
    for (let left = LAUNCHES; ; left -= 1) {
      try {
        return await this.#launchOnce(place);
      } catch (error) {
        if (left <= 1) throw error;
        this.done['start again'] = (this.done['start again'] ?? 0) + 1;
      }
    }
  }

  #launchOnce({ port, clockFile }: Place): Promise<Replica> {
    const own = {
      S3GW_LISTENERS: JSON.stringify([{ host: '127.0.0.1', port }]),
      NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --import=${CLOCK}`.trim(),
      HISTORIES_CLOCK_FILE: clockFile,
    };
    return startReplica({ ...this.#options.settings, ...own }, 1);
  }
}
