import process from 'node:process';
import { type ChildProcess, fork } from 'node:child_process';
import type { Config, ListenerConfig } from '../../../config/schema.ts';
import type { Log } from '../../observe/log.ts';
import { workerFlags } from './node-flags.ts';
import { placeVariable } from './place.ts';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { bindError } from '../start-error.ts';

/** What a worker says when it serves. */
interface Serving {
  readonly pid: number;
  /** In the order of its listeners. */
  readonly endpoints: readonly string[];
  /** Base URL of its admin port, if it has one. */
  readonly admin?: string;
}

/** What workers are told whenever one of them begins or ends: base URLs of the admin ports, by slot. */
export interface SiblingsMessage {
  readonly siblings: readonly { readonly slot: number; readonly admin: string }[];
}

interface Worker {
  readonly child: ChildProcess;
  serving: Serving | undefined;
}

interface End {
  readonly pid: number | undefined;
  readonly code: number | null;
  readonly signal: string | null;
}

interface SupervisorOptions {
  readonly count: number;
  readonly config: Pick<Config, 'listeners' | 'accessLog'>;
  readonly log: Log;
}

/**
 * Runs the workers of this replica until it is told to stop, and replaces those that end by themselves. It serves
 * nothing and holds no socket: the workers share their ports through the kernel. Sets the exit code.
 * @throws StartError when a port is taken
 */
export async function superviseWorkers(options: SupervisorOptions): Promise<void> {
  await requireFreePorts(options.config.listeners);
  await new Supervisor(options).run();
}

class Supervisor {
  readonly #count: number;
  /** Without one a hang-up ends the process, as it ends one that serves alone. */
  readonly #hasLogFile: boolean;
  readonly #log: Log;
  readonly #workers = new Map<number, Worker>();
  readonly #restarts: Restarts;
  readonly #waiting = new Set<NodeJS.Timeout>();
  readonly #done = Promise.withResolvers<undefined>();
  #ports: readonly number[] = [];
  #stopping = false;

  constructor({ count, config, log }: SupervisorOptions) {
    this.#count = count;
    this.#hasLogFile = config.accessLog.format !== 'off' && config.accessLog.file !== undefined;
    this.#log = log;
    this.#restarts = new Restarts(count);
  }

  /** The first worker alone, so that what is wrong is said once, and ports are known; then the others. */
  async run(): Promise<void> {
    const onSignal = (signal: NodeJS.Signals): void => {
      if (this.#stopping) this.#kill();
      else this.#stop(signal);
    };
    const onDisconnect = (): void => this.#stop('disconnect');
    const onHangUp = (): void => this.#passOn('SIGHUP');
    process.on('SIGTERM', onSignal).on('SIGINT', onSignal).once('disconnect', onDisconnect);
    if (this.#hasLogFile) process.on('SIGHUP', onHangUp);
    this.#start(1);
    await this.#done.promise;
    process.off('SIGTERM', onSignal).off('SIGINT', onSignal).off('SIGHUP', onHangUp).off('disconnect', onDisconnect);
    if (process.connected) process.disconnect();
  }

  #start(slot: number): void {
    const place = { slot, count: this.#count, ports: this.#ports };
    const child = fork(process.argv[1] ?? '', process.argv.slice(2), {
      execArgv: workerFlags(this.#count),
      env: { ...process.env, ...placeVariable(place) },
    });
    const worker: Worker = { child, serving: undefined };
    this.#workers.set(slot, worker);
    child.once('message', (message: Serving) => {
      worker.serving = message;
      process.send?.(message);
      if (this.#ports.length === 0 && !this.#stopping) this.#startOthers(message);
      this.#tellSiblings();
    });
    child.once('exit', (code, signal) => {
      this.#workers.delete(slot);
      this.#ended(slot, { pid: child.pid, code, signal });
    });
  }

  #startOthers({ endpoints }: Serving): void {
    this.#ports = endpoints.map((url) => Number(url.slice(url.lastIndexOf(':') + 1)));
    for (let slot = 2; slot <= this.#count; slot += 1) this.#start(slot);
  }

  #ended(slot: number, end: End): void {
    if (this.#stopping) {
      if (this.#workers.size === 0) this.#done.resolve(undefined);
      return;
    }
    // The first of all has said itself why it cannot start; nothing else will make it.
    if (this.#ports.length === 0) {
      this.#giveUp(end.code ?? 1);
      return;
    }
    const delay = this.#restarts.next(Date.now());
    if (delay === undefined) {
      this.#log.error({ slot, ...end }, 'workers end again and again: giving up');
      this.#giveUp(1);
      return;
    }
    this.#log.error({ slot, ...end, restartMs: delay }, 'a worker ended by itself and is replaced');
    this.#tellSiblings();
    const timer = setTimeout(() => {
      this.#waiting.delete(timer);
      this.#start(slot);
    }, delay);
    this.#waiting.add(timer);
  }

  #tellSiblings(): void {
    const siblings = [...this.#workers].flatMap(([slot, { serving }]) =>
      serving?.admin === undefined ? [] : [{ slot, admin: onThisMachine(serving.admin) }],
    );
    const message: SiblingsMessage = { siblings };
    for (const { child } of this.#workers.values()) if (child.connected) child.send(message, () => undefined);
  }

  #giveUp(code: number): void {
    process.exitCode = code;
    this.#stop('failure');
  }

  #stop(reason: string): void {
    if (this.#stopping) return;
    this.#stopping = true;
    if (this.#workers.size > 0) this.#log.info({ reason, workers: this.#workers.size }, 'stopping the workers');
    for (const timer of this.#waiting) clearTimeout(timer);
    this.#passOn('SIGTERM');
    if (this.#workers.size === 0) this.#done.resolve(undefined);
  }

  #kill(): void {
    process.exitCode = 1;
    this.#passOn('SIGKILL');
  }

  /** One that is still starting has no log to open anew, and a hang-up would end it. */
  #passOn(signal: NodeJS.Signals): void {
    for (const { child, serving } of this.#workers.values()) {
      if (signal !== 'SIGHUP' || serving !== undefined) child.kill(signal);
    }
  }
}

/** An address that stands for all of this machine's is none to ask. */
function onThisMachine(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}

/**
 * Makes sure that no other process listens on the ports. Workers open them for sharing, so another gateway that was
 * left running could share them too and would get half of the connections. So each port is opened once without sharing,
 * and closed again.
 * @throws StartError
 */
async function requireFreePorts(listeners: readonly ListenerConfig[]): Promise<void> {
  for (const { host, port } of listeners) {
    const server = createServer();
    server.listen({ host, port });
    await once(server, 'listening').catch((error: unknown) => {
      throw bindError('gateway', host, port, error);
    });
    server.close();
    await once(server, 'close');
  }
}

const WINDOW_MS = 60_000;
const FIRST_DELAY_MS = 250;
const LARGEST_DELAY_MS = 15_000;
/** Ends of one worker within the window after which it is not the worker that is ill. */
const PER_WORKER = 6;

/** How soon a worker that ended is replaced: at once the first time, later and later when it happens often. */
export class Restarts {
  readonly #most: number;
  #ends: number[] = [];

  /** @param workers how many there are */
  constructor(workers: number) {
    this.#most = PER_WORKER * workers;
  }

  /**
   * A worker has ended.
   * @param now milliseconds @returns milliseconds to wait; undefined: too often, give up
   */
  next(now: number): number | undefined {
    this.#ends = [...this.#ends.filter((end) => now - end < WINDOW_MS), now];
    if (this.#ends.length > this.#most) return undefined;
    return Math.min(LARGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (this.#ends.length - 1));
  }
}
