import process from 'node:process';
import { parseArgs } from 'node:util';
import { MemoryBlobStore } from '../../adapters/memory/memory-blob-store.ts';
import { CLOUDS, startCloud } from '../support/backends/clouds.ts';
import { fuzz } from './fuzz.ts';
import { restingMemory } from './held.ts';

const USAGE = `usage: npm run fuzz -- [options]
  --requests N                random requests; 100000 unless given
  --seed N                    which ones; 1 unless given
  --first N                   begin with the request of this number; 0 unless given
  --backend memory|azure|gcs  what stands behind the gateway; memory unless given
  --tls                       reach the gateway over TLS
Ends with 0, and with 1 when a request did harm.`;

const BACKENDS: Readonly<Record<string, string>> = { azure: 'Azurite', gcs: 'the double of Cloud Storage' };

const mib = (bytes: number): string => (bytes / 2 ** 20).toFixed(1);
const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    first: { type: 'string', default: '0' },
    backend: { type: 'string', default: 'memory' },
    tls: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}
const start = Number(values.first);
const requests = start + Number(values.requests);
const cloudName = BACKENDS[values.backend];
if (values.backend !== 'memory' && cloudName === undefined) {
  throw new Error(
    `no backend is called ${values.backend}: memory, ${Object.keys(BACKENDS).join(', ')} (${Object.keys(CLOUDS).length} clouds)`,
  );
}

/**
 * Azurite stands still for a minute when it looks through all that it has, every ten minutes: each round has a new one.
 */
const ROUND = cloudName === undefined ? requests - start : 25_000;
const began = performance.now();
const statuses: Record<string, number> = {};

/** @returns whether nothing was harmed */
async function round(first: number): Promise<boolean> {
  const cloud = cloudName === undefined ? undefined : await startCloud(cloudName);
  try {
    const report = await fuzz({
      requests: Math.min(ROUND, requests - first),
      first,
      seed: Number(values.seed),
      tls: values.tls,
      store: cloud?.open() ?? new MemoryBlobStore(),
      progress: (done, held) => console.log(`${first + done} requests, ${mib(held)} MiB held`),
    });
    const { failures, damage, grownBytes, servedAfter } = report;
    for (const [status, count] of Object.entries(report.statuses)) statuses[status] = (statuses[status] ?? 0) + count;
    console.log(
      `memory: ${mib(grownBytes)} MiB more than before; served in the end: ${servedAfter}; sentinels ${damage === '' ? 'intact' : 'CHANGED'}; failures ${failures.length}`,
    );
    for (const failure of failures) console.log(`FAILED ${failure}`);
    if (damage !== '') console.log(`SENTINELS CHANGED\n${damage}`);
    return failures.length === 0 && damage === '' && servedAfter;
  } finally {
    await cloud?.stop();
  }
}

const shown = ({ heapUsed, external, rss }: NodeJS.MemoryUsage): string =>
  `heap ${mib(heapUsed)}, external ${mib(external)}, resident ${mib(rss)} MiB`;

console.log(`at rest in the beginning: ${shown(await restingMemory())}`);
let harmless = true;
for (let first = start; first < requests && harmless; first += ROUND) {
  harmless = await round(first);
  console.log(`at rest after ${Math.min(first + ROUND, requests)} requests: ${shown(await restingMemory())}`);
}
const sent = Object.values(statuses).reduce((sum, count) => sum + count, 0);
console.log(
  `${sent} requests over ${values.tls ? 'TLS to ' : ''}${values.backend}, seed ${values.seed}, in ${Math.round((performance.now() - began) / 1000)} s; by status:`,
  statuses,
);
process.exitCode = harmless ? 0 : 1;
