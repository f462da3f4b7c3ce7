import process from 'node:process';
import { startTestGateway } from '../gateway/gateway.ts';
import { everythingThatWatches } from '../gateway/watchers.ts';
import type { Answer, Question } from './gateway-process.ts';

/*
 * A gateway over memory with everything that watches requests, in a process of its own: what it uses of the processor
 * is the gateway's and nobody else's. It says so when asked.
 */
const { observers, options, watch } = everythingThatWatches(8 * 1024 * 1024);
const gateway = await startTestGateway({ ...options, presignedV2: true });
watch(gateway.dispatcher);

process.on('message', (question: Question) => {
  observers.flush();
  if (question === 'collect') global.gc?.();
  const { user, system } = process.cpuUsage();
  const { heapUsed, external, rss } = process.memoryUsage();
  send({ cpuMs: (user + system) / 1000, heldBytes: heapUsed + external, rss });
});
process.on('disconnect', () => process.exit(0));
send({ port: gateway.port });

function send(answer: Answer): void {
  process.send?.(answer);
}
