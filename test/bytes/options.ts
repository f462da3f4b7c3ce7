import { parseArgs } from 'node:util';

export interface BytesOptions {
  readonly backend: 'azure' | 'gcs';
  readonly backendTls: 'on' | 'off';
  /** Clients reach the gateway by https. */
  readonly tls: boolean;
  readonly gets: number;
  /** At a time. */
  readonly clients: number;
  readonly seed: number;
  readonly plant: string | undefined;
}

const USAGE =
  'usage: npm run test:bytes -- [--backend azure|gcs] [--backend-tls on|off] [--tls] [--gets N] [--clients N] [--seed N] [--plant old-next-slab|premature-give-back]';

/** @throws Error that says what is wrong */
export function parseOptions(argv: readonly string[]): BytesOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      backend: { type: 'string', default: 'azure' },
      'backend-tls': { type: 'string', default: 'on' },
      tls: { type: 'boolean', default: false },
      gets: { type: 'string', default: '500' },
      clients: { type: 'string', default: '32' },
      seed: { type: 'string', default: String(1 + Math.floor(Math.random() * 1_000_000)) },
      plant: { type: 'string' },
    },
  });
  return {
    backend: oneOf('--backend', values.backend, ['azure', 'gcs']),
    backendTls: oneOf('--backend-tls', values['backend-tls'], ['on', 'off']),
    tls: values.tls,
    gets: count('--gets', values.gets),
    clients: count('--clients', values.clients),
    seed: count('--seed', values.seed),
    plant: values.plant,
  };
}

function oneOf<T extends string>(name: string, text: string, allowed: readonly T[]): T {
  const found = allowed.find((one) => one === text);
  if (found === undefined) throw new Error(`${name}: expected one of ${allowed.join(', ')}, got ${text}\n${USAGE}`);
  return found;
}

function count(name: string, text: string): number {
  const value = Number(text);
  if (!/^\d{1,9}$/.test(text) || value < 1) throw new Error(`${name}: expected a number from 1, got ${text}\n${USAGE}`);
  return value;
}
