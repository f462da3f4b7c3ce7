import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import type { Counts } from './counting.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
/** A machine on which other tests run. */
const ANSWER_MS = 60_000;
/**
 * So large that nothing is collected while it is counted, and without optimising compilers, whose choices differ from
 * one start to the next: what is counted is what the source says.
 */
const NODE_FLAGS = ['--min-semi-space-size=256', '--max-semi-space-size=256', '--no-opt', '--no-maglev'];

/** `npm start` over the null backend of the bench, counting what it copies and allocates. */
export class CountedGateway {
  readonly port: number;
  readonly #gateway: ChildProcess;
  readonly #backend: ChildProcess;

  private constructor(gateway: ChildProcess, backend: ChildProcess, port: number) {
    this.#gateway = gateway;
    this.#backend = backend;
    this.port = port;
  }

  static async start(): Promise<CountedGateway> {
    const backend = fork(resolve(ROOT, 'test/bench/null-backend/null-backend.ts'));
    const { port } = (await next(backend)) as { port: number };
    const settings = {
      S3GW_LISTENERS: JSON.stringify([{ host: '127.0.0.1', port: 0 }]),
      // Looked up once: the record of the bucket is no part of what is counted.
      S3GW_BUCKET_CACHE_MS: '60000',
      COUNTED_KEY: Buffer.alloc(64).toString('base64'),
      S3GW_BACKENDS: JSON.stringify({
        main: {
          kind: 'azure',
          owner: 'main',
          endpoint: `http://127.0.0.1:${port}/devstoreaccount1`,
          credential: { kind: 'accountKey', keyEnv: 'COUNTED_KEY' },
        },
      }),
    };
    const gateway = fork(resolve(ROOT, 'src/start.mjs'), ['--config', resolve(ROOT, 'config/testbed.yaml')], {
      execArgv: [...NODE_FLAGS, '--import', resolve(import.meta.dirname, 'counting.ts')],
      env: { ...process.env, ...settings },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const { endpoints } = (await next(gateway)) as { endpoints: string[] };
    return new CountedGateway(gateway, backend, Number(new URL(endpoints[0] ?? '').port));
  }

  async counts(): Promise<Counts> {
    const answer = next(this.#gateway);
    this.#gateway.send('counts');
    return (await answer) as Counts;
  }

  async stop(): Promise<void> {
    this.#backend.disconnect();
    if (this.#gateway.exitCode !== null || this.#gateway.signalCode !== null) return;
    const ended = once(this.#gateway, 'exit');
    this.#gateway.kill('SIGKILL');
    await ended;
  }
}

async function next(child: ChildProcess): Promise<object> {
  const [message] = (await once(child, 'message', { signal: AbortSignal.timeout(ANSWER_MS) })) as [object];
  return message;
}
