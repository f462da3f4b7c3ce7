import process from 'node:process';
import { type Cost, costOf, leastCost } from '../support/strangers/cost.ts';
import { GatewayProcess } from '../support/strangers/gateway-process.ts';
import { FURTHER_REQUESTS } from '../support/strangers/bodies.ts';
import { STRANGERS_REQUESTS } from '../support/strangers/requests.ts';

/*
 * What requests that nobody signed cost the gateway: processor time and memory of each of a generated set, the worst
 * first. `npm run bench:strangers`. The bound of record 0019 is 20 ms and 5 MiB.
 */
const SIZE = 15_000;
const SHOWN = 25;

const gateway = await GatewayProcess.start(['--max-old-space-size=192', '--max-semi-space-size=16']);
try {
  const plain = Buffer.from('GET /bucket/key HTTP/1.1\r\nHost: localhost\r\n\r\n').toString('latin1');
  await costOf(gateway, plain, 500);
  const base = await costOf(gateway, plain, 200);
  console.log(`a plain anonymous GET: ${base.cpuMs.toFixed(2)} ms of CPU`);
  const costs: (Cost & { readonly name: string })[] = [];
  for (const request of [...STRANGERS_REQUESTS, ...FURTHER_REQUESTS]) {
    costs.push({ name: request.name, ...(await leastCost(gateway, request, { bytes: SIZE, repeats: 3, rounds: 3 })) });
  }
  const line = ({ name, cpuMs, bytes }: Cost & { readonly name: string }): string =>
    `${cpuMs.toFixed(2).padStart(8)} ms ${(bytes / 2 ** 20).toFixed(2).padStart(7)} MiB  ${name}`;
  console.log(`\n${costs.length} requests of ${SIZE} bytes and more; most CPU:`);
  for (const cost of costs.toSorted((a, b) => b.cpuMs - a.cpuMs).slice(0, SHOWN)) console.log(line(cost));
  console.log('\nmost memory:');
  for (const cost of costs.toSorted((a, b) => b.bytes - a.bytes).slice(0, SHOWN)) console.log(line(cost));
  const beyond = costs.filter(({ cpuMs, bytes }) => cpuMs > 20 || bytes > 5 * 2 ** 20);
  console.log(`\nbeyond 20 ms or 5 MiB: ${beyond.length}`);
  process.exitCode = beyond.length === 0 ? 0 : 1;
} finally {
  await gateway.stop();
}
