import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';

const USAGE = `usage: npm run simulate -- [options]
  --seeds N      simulations; 1000 unless given
  --seed N       seed of the first one; 1 unless given
  --stop N       end after so many that fail; 1 unless given
  --themes A,B   only of these themes; all unless given
  --plant NAME   with an old fault, which must be found
  --placed       buckets are parts of containers
  --no-shrink    do not make failures smaller
  --out FILE     write failures there
Ends with 0, and with 1 when a simulation failed.`;

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    stop: { type: 'string', default: '1' },
    themes: { type: 'string', default: 'all' },
    plant: { type: 'string', default: '' },
    placed: { type: 'boolean', default: false },
    'no-shrink': { type: 'boolean', default: false },
    out: { type: 'string', default: '' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}

const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
const child = spawn(
  process.execPath,
  [vitest, 'run', 'test/model/simulation/simulate.test.ts', '--project=model', '--disableConsoleIntercept'],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      SIMULATE_SEEDS: values.seeds,
      SIMULATE_SEED: values.seed,
      SIMULATE_STOP: values.stop,
      SIMULATE_THEMES: values.themes,
      SIMULATE_PLANT: values.plant,
      SIMULATE_PLACED: values.placed ? 'yes' : 'no',
      SIMULATE_SHRINK: values['no-shrink'] ? 'no' : 'yes',
      SIMULATE_OUT: values.out,
    },
  },
);
child.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
