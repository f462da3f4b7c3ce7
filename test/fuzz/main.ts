import process from 'node:process';
import { parseArgs } from 'node:util';
import { MemoryBlobStore } from '../../adapters/memory/memory-blob-store.ts';
import { CLOUDS, startCloud } from '../support/clouds.ts';
import { fuzz, type FuzzOptions } from './fuzz.ts';

/** `npm run fuzz -- --requests N --seed S --backend memory|azure|gcs`: exit code 1 when a request did harm. */
const BACKENDS: Readonly<Record<string, string>> = { azure: 'Azurite', gcs: 'the double of Cloud Storage' };

const mib = (bytes: number): string => (bytes / 2 ** 20).toFixed(1);
const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    backend: { type: 'string', default: 'memory' },
  },
});
const options: Omit<FuzzOptions, 'store'> = {
  requests: Number(values.requests), seed: Number(values.seed), progress: (done, heldBytes) => console.log(`${done} requests, ${mib(heldBytes)} MiB held`),
};
const cloudName = BACKENDS[values.backend];
if (values.backend !== 'memory' && cloudName === undefined) throw new Error(`no backend is called ${values.backend}: memory, ${Object.keys(BACKENDS).join(', ')} (${Object.keys(CLOUDS).length} clouds)`);
const cloud = cloudName === undefined ? undefined : await startCloud(cloudName);
try {
  const began = performance.now();
  const { statuses, failures, damage, grownBytes, servedAfter } = await fuzz({ ...options, store: cloud?.open() ?? new MemoryBlobStore() });
  console.log(`${options.requests} requests over ${values.backend}, seed ${options.seed}, in ${Math.round((performance.now() - began) / 1000)} s; by status:`, statuses);
  console.log(`memory: ${mib(grownBytes)} MiB more than before; served in the end: ${servedAfter}`);
  for (const failure of failures) console.log(`FAILED ${failure}`);
  if (damage !== '') console.log(`SENTINELS CHANGED\n${damage}`);
  process.exitCode = failures.length === 0 && damage === '' && servedAfter ? 0 : 1;
} finally {
  await cloud?.stop();
}
