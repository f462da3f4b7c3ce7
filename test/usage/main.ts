import process from 'node:process';
import { parseArgs } from 'node:util';
import { CLOUDS } from '../support/backends/clouds.ts';
import { countedRun } from './counted.ts';
import { writersRun } from './writers.ts';

const BACKENDS: Readonly<Record<string, string>> = { azure: 'Azurite', gcs: 'the double of Cloud Storage' };
const RUNS = ['quota', 'count'] as const;

const USAGE = `usage: npm run test:usage -- [options]
  --only quota|count   both unless given
  --backend azure|gcs  what stands behind the gateways; azure unless given
  --writers N          with quota: clients that write into one bucket, over two gateways; 32 unless given
  --keys N             with count: keys whose usage is counted and listed; 100000 unless given
Writes under a quota, which may be exceeded by no more than docs/usage.md says; and compares what a pass over usage has
counted with what S3's listings show. Ends with 0, and with 1 when either does not hold.`;

/** `npm run test:usage` */
export async function main(argv: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      only: { type: 'string' },
      backend: { type: 'string', default: 'azure' },
      writers: { type: 'string', default: '32' },
      keys: { type: 'string', default: '100000' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const cloud = BACKENDS[values.backend];
  const [writers, keys] = [Number(values.writers), Number(values.keys)];
  const runs = RUNS.filter((run) => (values.only ?? run) === run);
  if (values.help || cloud === undefined || !(cloud in CLOUDS) || runs.length === 0 || !(writers > 0 && keys > 0)) {
    process.stdout.write(`${USAGE}\n`);
    process.exitCode = values.help ? 0 : 1;
    return;
  }
  for (const run of runs) {
    const { lines, holds } =
      run === 'quota' ? await writersRun(values.backend, writers) : await countedRun(cloud, keys);
    process.stdout.write(`${run} over ${cloud}: ${holds ? 'holds' : 'DOES NOT HOLD'}\n  ${lines.join('\n  ')}\n`);
    if (!holds) process.exitCode = 1;
  }
}
