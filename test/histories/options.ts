import { parseArgs } from 'node:util';

export interface HistoriesOptions {
  readonly backend: 'azure' | 'gcs';
  /** Calls to be recorded. */
  readonly operations: number;
  /** And for so long at least. */
  readonly seconds: number;
  readonly seed: number;
  readonly replicas: number;
  readonly clients: number;
  /** Only restarts by SIGTERM with a short drain; no other faults and nobody hangs up. */
  readonly rolling: boolean;
  /** Storage classes are tiers; objects are written in several, archived ones too, and restored. */
  readonly tiers: boolean;
  /** File for all that was asked and answered; none: only the verdict is kept. */
  readonly out: string | undefined;
}

const USAGE =
  'usage: npm run test:histories -- [--backend azure|gcs] [--operations N] [--seconds N] [--seed N] [--replicas N] [--clients N] [--rolling] [--tiers] [--out FILE]';

/** @throws Error that says what is wrong */
export function parseOptions(argv: readonly string[]): HistoriesOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      backend: { type: 'string', default: 'azure' },
      operations: { type: 'string' },
      seconds: { type: 'string' },
      seed: { type: 'string', default: String(1 + Math.floor(Math.random() * 1_000_000)) },
      replicas: { type: 'string', default: '3' },
      clients: { type: 'string', default: '12' },
      rolling: { type: 'boolean', default: false },
      tiers: { type: 'boolean', default: false },
      out: { type: 'string' },
    },
  });
  const { backend, seconds = '1', operations = values.seconds === undefined ? '4000' : '1' } = values;
  if (backend !== 'azure' && backend !== 'gcs') {
    throw new Error(`--backend: expected azure or gcs, got ${backend}\n${USAGE}`);
  }
  return {
    backend,
    operations: count('--operations', operations),
    seconds: count('--seconds', seconds),
    seed: count('--seed', values.seed),
    replicas: count('--replicas', values.replicas),
    clients: count('--clients', values.clients),
    rolling: values.rolling,
    tiers: values.tiers,
    out: values.out,
  };
}

function count(name: string, text: string): number {
  const value = Number(text);
  if (!/^\d{1,9}$/.test(text) || value < 1) throw new Error(`${name}: expected a number from 1, got ${text}\n${USAGE}`);
  return value;
}
