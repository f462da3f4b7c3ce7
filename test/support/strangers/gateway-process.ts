import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

/** `collect`: after the garbage is collected. */
export type Question = 'usage' | 'collect';

interface Usage {
  /** Of the whole process since it began, milliseconds. */
  readonly cpuMs: number;
  readonly heldBytes: number;
  readonly rss: number;
}

export type Answer = Usage | { readonly port: number };

/** A gateway with all its observers, in a process of its own. */
export class GatewayProcess {
  readonly port: number;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
  }

  /** @param flags of Node, e.g. `--max-old-space-size=192` */
  static async start(flags: readonly string[] = []): Promise<GatewayProcess> {
    const child = fork(resolve(import.meta.dirname, 'child.ts'), {
      execArgv: ['--expose-gc', ...flags],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const { port } = (await nextMessage(child)) as { port: number };
    return new GatewayProcess(child, port);
  }

  get alive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** What it has used, after everything that ended was looked at. */
  async usage(question: Question = 'usage'): Promise<Usage> {
    const answer = nextMessage(this.#child);
    this.#child.send(question);
    return (await answer) as Usage;
  }

  async stop(): Promise<void> {
    if (!this.alive) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }
}

async function nextMessage(child: ChildProcess): Promise<object> {
  const controller = new AbortController();
  const { signal } = controller;
  const ended = once(child, 'exit', { signal }).then(([code, by]) => {
    throw new Error(`the gateway ended with ${String(code ?? by)}`);
  });
  try {
    return ((await Promise.race([once(child, 'message', { signal }), ended])) as [object])[0];
  } finally {
    controller.abort();
    ended.catch(() => undefined);
  }
}
