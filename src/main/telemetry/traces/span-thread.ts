import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { diag } from '@opentelemetry/api';
import type { Environment } from '../../../../config/load.ts';
import { Batch } from '../../../observe/batch.ts';
import type { Log } from '../../../observe/log.ts';
import type { SpanSink } from '../../../observe/tracing/span-export.ts';
import type { SpanRecord } from '../../../observe/tracing/span-record.ts';
import type { SpanOrder, SpanReport, SpanWorkerSettings } from './messages.ts';

interface SpanThreadOptions {
  readonly settings: SpanWorkerSettings;
  /** Of the thread: the exporters read it. */
  readonly environment: Environment;
  readonly log: Log;
  /** What runs there. */
  readonly script?: URL;
  /** A thread that died is started anew after so long. */
  readonly restartMs?: number;
}

const SCRIPT = new URL('./span-worker.ts', import.meta.url);
const RESTART_MS = 10_000;
/** A collector that does not answer must not keep the process. */
const CLOSE_MS = 5000;
/** Spans are small and short-lived: V8's usual young generation would hold megabytes of them. */
const YOUNG_MIB = 4;

/**
 * Hands spans to a thread of their own, which exports them. In the thread that serves requests the SDK would cost far
 * more than its own time: its HTTP client passes requests and answers of other shapes through the same functions of
 * Node as our server does, and the compiler then makes all of them slower (record 0009).
 */
export class SpanThread implements SpanSink {
  readonly #options: SpanThreadOptions;
  readonly #batch = new Batch<readonly SpanRecord[]>((requests) => this.#post(requests.flat()));
  #worker: Worker | undefined;
  /** Spans that the thread has not taken yet. */
  #waiting = 0;
  #dropped = 0;
  #closing = false;

  /** @throws what keeps the exporter from being made */
  static async start(options: SpanThreadOptions): Promise<SpanThread> {
    const thread = new SpanThread(options);
    const worker = thread.#start();
    const ended = once(worker, 'exit').then(() => {
      throw new Error('the thread that exports spans ended at once');
    });
    try {
      await Promise.race([once(worker, 'message'), ended]);
    } catch (error) {
      thread.#closing = true;
      throw error;
    }
    ended.catch(() => undefined);
    worker.unref();
    return thread;
  }

  private constructor(options: SpanThreadOptions) {
    this.#options = options;
  }

  add(spans: readonly SpanRecord[]): void {
    if (spans.length > 0) this.#batch.add(spans);
  }

  /** Exports what is still waiting, as far as the collector takes it within five seconds. Never rejects. */
  async close(): Promise<void> {
    this.#batch.flush();
    this.#closing = true;
    const worker = this.#worker;
    if (worker === undefined) return;
    worker.ref();
    worker.postMessage({ close: true } satisfies SpanOrder);
    const late = setTimeout(() => void worker.terminate(), CLOSE_MS);
    await new Promise<void>((done) => {
      worker.on('message', (message: SpanReport) => {
        if ('closed' in message) done();
      });
      worker.once('exit', () => done());
    });
    clearTimeout(late);
    await worker.terminate();
  }

  #start(): Worker {
    const { settings, environment, script = SCRIPT } = this.#options;
    const worker = new Worker(script, {
      workerData: settings,
      env: { ...environment },
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MIB },
    });
    worker.on('message', (message: SpanReport) => this.#heard(message));
    worker.on('error', (error: Error) =>
      this.#options.log.error({ err: error }, 'the thread that exports spans failed'),
    );
    worker.once('exit', () => this.#ended());
    this.#worker = worker;
    return worker;
  }

  #heard(message: SpanReport): void {
    if ('taken' in message) this.#waiting -= message.taken;
    else if ('level' in message) diag[message.level](message.text);
  }

  /** What it had is lost; spans of the meantime are dropped. */
  #ended(): void {
    this.#worker = undefined;
    this.#waiting = 0;
    if (this.#closing) return;
    setTimeout(() => {
      if (!this.#closing) this.#start().unref();
    }, this.#options.restartMs ?? RESTART_MS).unref();
  }

  /** As many wait before the thread as the SDK lets wait behind it; the rest is dropped, as the SDK does. */
  #post(spans: readonly SpanRecord[]): void {
    const room = this.#worker === undefined ? 0 : this.#options.settings.maxQueueSize - this.#waiting;
    const taken = spans.slice(0, room);
    const dropped = spans.length - taken.length;
    if (taken.length > 0) {
      if (this.#dropped > 0) {
        this.#options.log.warn(
          { spans: this.#dropped },
          'spans were dropped: the thread that exports them was not there or too slow',
        );
      }
      this.#dropped = 0;
      this.#waiting += taken.length;
      this.#worker?.postMessage({ spans: taken } satisfies SpanOrder);
    }
    this.#dropped += dropped;
  }
}
