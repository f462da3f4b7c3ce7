import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { LoadJob, LoadResult } from '../load/load.ts';

/** A process of the bench that talks to this one in messages. */
export class BenchProcess {
  readonly #child: ChildProcess;

  /** @param file below `test/bench` */
  constructor(file: string, ...args: string[]) {
    this.#child = fork(resolve(import.meta.dirname, '..', file), args);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** The next message. Rejects when the process ends instead. */
  async next(): Promise<object> {
    const controller = new AbortController();
    const { signal } = controller;
    try {
      const ended = once(this.#child, 'exit', { signal }).then(([code]) => {
        throw new Error(`${this.#child.spawnargs[1] ?? 'process'} ended with ${String(code)}`);
      });
      const [message] = (await Promise.race([once(this.#child, 'message', { signal }), ended])) as [object];
      return message;
    } finally {
      controller.abort();
    }
  }

  ask(question: object): Promise<object> {
    const answer = this.next();
    this.#child.send(question);
    return answer;
  }

  stop(): void {
    if (this.#child.connected) this.#child.disconnect();
  }
}

export class LoadGenerator extends BenchProcess {
  constructor() {
    super('load/load.ts');
  }

  /** @throws Error when a request was refused or a connection broke */
  async run(job: LoadJob): Promise<LoadResult> {
    const answer = (await this.ask(job)) as LoadResult | { error: string };
    if ('error' in answer) throw new Error(answer.error);
    return answer;
  }
}

interface NullBackendOptions {
  /** Where it listens; 0: anywhere. */
  readonly port?: number;
  readonly wire?: 'azure' | 'gcs';
  readonly tls?: { readonly certFile: string; readonly keyFile: string };
}

export class NullBackend extends BenchProcess {
  constructor({ port = 0, wire = 'azure', tls }: NullBackendOptions = {}) {
    super(
      'null-backend/null-backend.ts',
      String(port),
      wire,
      ...(tls === undefined ? [] : [tls.certFile, tls.keyFile]),
    );
  }

  /** Requests received since it started. */
  async calls(): Promise<number> {
    return ((await this.ask({})) as { calls: number }).calls;
  }

  /** Has it wait before each answer. @param latency milliseconds */
  async delay(latency: number): Promise<void> {
    await this.ask({ latency });
  }
}

export async function portOf(child: BenchProcess): Promise<number> {
  return ((await child.next()) as { port: number }).port;
}

/** Takes spans and forgets them. */
export class NullCollector extends BenchProcess {
  constructor() {
    super('servers/null-collector.ts');
  }
}

/** `utime` and `stime` are fields 14 and 15 (proc(5)), in hundredths of a second on every Linux. */
export function cpuSeconds(pids: readonly number[]): number {
  let ticks = 0;
  for (const pid of pids) {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name, in parentheses, may hold spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    ticks += Number(fields[11]) + Number(fields[12]);
  }
  return ticks / 100;
}

/** Of all cores together, since the machine started: nothing to do, or waiting for a disk (proc(5), `/proc/stat`). */
export function idleSeconds(): number {
  const [, , , , idle = '0', iowait = '0'] = (readFileSync('/proc/stat', 'latin1').split('\n')[0] ?? '').split(/ +/);
  return (Number(idle) + Number(iowait)) / 100;
}

/** Most memory that was ever resident at a time since `forgetPeak`, in MiB. */
export function peakMebibytes(pids: readonly number[]): number {
  let total = 0;
  for (const pid of pids) {
    total += Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0);
  }
  return total / 1024;
}

export function forgetPeak(pids: readonly number[]): void {
  for (const pid of pids) writeFileSync(`/proc/${pid}/clear_refs`, '5');
}
