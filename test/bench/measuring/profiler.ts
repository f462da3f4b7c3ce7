import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CpuProfile } from './profile-summary.ts';

const READY_MS = 10_000;
const ANSWER_MS = 30_000;
/** Microseconds between two looks. */
const INTERVAL = 200;

/** Another Node process, asked through its inspector, which a signal opens: it costs nothing before. */
export class Profiler {
  readonly #socket: WebSocket;
  #id = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  /** @param port of the process's `--inspect-port` */
  static async attach(pid: number, port: number): Promise<Profiler> {
    process.kill(pid, 'SIGUSR1');
    const socket = new WebSocket(await inspectorOf(port));
    await once(socket, 'open', { signal: AbortSignal.timeout(READY_MS) });
    const profiler = new Profiler(socket);
    await profiler.#ask('Profiler.enable');
    await profiler.#ask('Profiler.setSamplingInterval', { interval: INTERVAL });
    return profiler;
  }

  async start(): Promise<void> {
    await this.#ask('Profiler.start');
  }

  async stop(): Promise<CpuProfile> {
    return ((await this.#ask('Profiler.stop')) as { profile: CpuProfile }).profile;
  }

  close(): void {
    this.#socket.close();
  }

  async #ask(method: string, params: object = {}): Promise<unknown> {
    const id = (this.#id += 1);
    const signal = AbortSignal.timeout(ANSWER_MS);
    this.#socket.send(JSON.stringify({ id, method, params }));
    for (;;) {
      const [event] = (await once(this.#socket, 'message', { signal })) as [{ readonly data: string }];
      const answer = JSON.parse(event.data) as { id?: number; result?: unknown; error?: { message: string } };
      if (answer.id !== id) continue;
      if (answer.error !== undefined) throw new Error(`${method}: ${answer.error.message}`);
      return answer.result;
    }
  }
}

async function inspectorOf(port: number): Promise<string> {
  const until = performance.now() + READY_MS;
  for (;;) {
    try {
      const answer = await fetch(`http://127.0.0.1:${port}/json/list`, { signal: AbortSignal.timeout(1000) });
      const [target] = (await answer.json()) as { webSocketDebuggerUrl: string }[];
      if (target !== undefined) return target.webSocketDebuggerUrl;
    } catch (cause) {
      if (performance.now() > until) throw new Error('the inspector of the gateway does not answer', { cause });
    }
    await sleep(100);
  }
}
