// npm run simulate -- --seeds N --seed S [--stop N] [--themes a,b] [--plant NAME] [--placed] [--no-shrink] [--out FILE]
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';

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
  },
});

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
