import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Cluster } from '../cluster.ts';
import { type Orders, type Report, WRITING } from './client.ts';

const MAIN = join(import.meta.dirname, 'client-main.ts');

export interface Writing {
  /** Lets it read back all that was acknowledged. */
  stop(): Promise<Report>;
}

/**
 * Starts a client where the cluster is. Resolves when its first object is written.
 * @throws Error when it ends before
 */
export async function startWriting(cluster: Cluster, orders: Orders): Promise<Writing> {
  const [program = '', ...args] = cluster.command(process.execPath, MAIN, JSON.stringify(orders));
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<string> => {
    const { value, done } = await lines.next();
    if (done === true) throw new Error(`the client ended with ${child.exitCode ?? 'a signal'}`);
    return value;
  };
  if ((await next()) !== WRITING) throw new Error('the client says something else');
  return {
    async stop() {
      child.stdin.end();
      const report = JSON.parse(await next()) as Report;
      await ended;
      return report;
    },
  };
}
