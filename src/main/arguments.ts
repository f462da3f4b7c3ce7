import { parseCommandLine, usageError } from './command-line.ts';
import { StartError } from './start-error.ts';

/** Backends that need nothing but this process, and their `kind` in a configuration. */
const EMBEDDED = { memory: 'memory', azurite: 'azurite', gcs: 'gcs-double' } as const;

type EmbeddedBackend = (typeof EMBEDDED)[keyof typeof EMBEDDED];

export interface Arguments {
  /** Configuration file; absent: the embedded default. */
  readonly config: string | undefined;
  /** Check the configuration and end. */
  readonly checkConfig: boolean;
  /** Look whether the backends are as the gateway needs them, and end. */
  readonly preflight: boolean;
  /** Replaces the backend of the embedded default. */
  readonly backend: EmbeddedBackend | undefined;
  /** Replaces the port of the first listener. */
  readonly port: number | undefined;
  readonly help: boolean;
}

export const USAGE = `usage: npm start -- [--config FILE] [--backend memory|azurite|gcs] [--port N]
       npm start -- --check-config [FILE]
       npm start -- --preflight [FILE]
Without --config (or S3GW_CONFIG) the gateway starts with Azurite behind it and demo keys, on loopback.`;

const OPTIONS = {
  config: { type: 'string', short: 'c' },
  'check-config': { type: 'boolean' },
  preflight: { type: 'boolean' },
  backend: { type: 'string' },
  port: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** @throws StartError naming what is wrong with the command line */
export function parseArguments(
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Arguments {
  const { values, positionals } = parseCommandLine(
    { args: [...argv], options: OPTIONS, allowPositionals: true },
    USAGE,
  );
  const checkConfig = values['check-config'] === true;
  const preflight = values.preflight === true;
  if (positionals.length > (checkConfig || preflight ? 1 : 0)) {
    throw usageError(`unexpected argument ${positionals.at(-1) ?? ''}`, USAGE);
  }
  const backend = backendOf(values.backend);
  const config = positionals[0] ?? values.config ?? environment['S3GW_CONFIG'];
  if (backend !== undefined && config !== undefined) {
    throw new StartError(['--backend: only without a configuration file, which names its backends itself']);
  }
  return { config, checkConfig, preflight, backend, port: portOf(values.port), help: values.help === true };
}

function backendOf(text: string | undefined): EmbeddedBackend | undefined {
  if (text === undefined) return undefined;
  const found = Object.entries(EMBEDDED).find(([name]) => name === text);
  if (found === undefined) throw new StartError([`--backend: expected memory, azurite or gcs, got ${text}`]);
  return found[1];
}

function portOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65535) {
    throw new StartError([`--port: expected a number up to 65535, got ${text}`]);
  }
  return port;
}
