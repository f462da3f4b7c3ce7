import process from 'node:process';
import { resolve } from 'node:path';
import { ConfigError, type Environment, type LoadedConfig, loadConfig } from '../../config/load.ts';
import { accountOf } from './accounts/account-names.ts';
import { openIdentities } from './accounts/identities.ts';
import { type Arguments, USAGE, parseArguments } from './arguments.ts';
import { printLines } from './command-line.ts';
import { createLog } from './log.ts';
import { openAccounts, requireFolder } from './managed/open-managed.ts';
import { ExposedSecrets } from './secrets.ts';
import type { Beginning } from './serve.ts';
import { StartError } from './start-error.ts';
import { ownPlace } from './workers/place.ts';
import { superviseWorkers } from './workers/supervise.ts';
import { workerCount } from './workers/worker-count.ts';

const DEFAULT_CONFIG = resolve(import.meta.dirname, '../../config/default.yaml');

/**
 * The process: reads the configuration, opens backends, serves until it is told to stop.
 * Sets the exit code and prints one line for each thing that is wrong.
 */
export async function main(argv: readonly string[], environment: Environment): Promise<void> {
  try {
    await run(parseArguments(argv, environment), environment);
  } catch (error) {
    if (!(error instanceof StartError) && !(error instanceof ConfigError)) throw error;
    printLines(process.stderr, error.lines);
    process.exitCode = 1;
    if (process.connected) process.disconnect();
  }
}

async function run(args: Arguments, environment: Environment): Promise<void> {
  if (args.help) {
    process.stdout.write(`${USAGE}\n`);
    return;
  }
  const loaded = readConfig(args, environment);
  const exposed = exposedSecrets(loaded, args.config === undefined);
  const sources = { folder: loaded.folder, environment, exposed };
  const own = openIdentities(loaded, sources);
  if (args.checkConfig || args.preflight) requireFolder(loaded.config.managedAccounts, sources);
  if (args.checkConfig) {
    printChecked(loaded, exposed);
    return;
  }
  if (args.preflight) {
    const { preflightBackends } = await import('./preflight/preflight.ts');
    process.exitCode = (await preflightBackends(loaded.config, own.accounts, sources)) ? 0 : 1;
    return;
  }
  const accounts = await openAccounts(loaded, sources);
  await serveOrSupervise(args, { loaded, sources, exposed, accounts, environment });
}

/** One process that serves, or the one that starts and watches several of them. */
async function serveOrSupervise(args: Arguments, beginning: Beginning): Promise<void> {
  const { config } = beginning.loaded;
  const log = createLog(config.logLevel);
  const place = ownPlace();
  const count = workerCount(config);
  if (place === undefined && count > 1) return superviseWorkers({ count, config, log });
  // Not for the supervisor: what serves takes half of the memory of a process at rest.
  const { serve } = await import('./serve.ts');
  await serve({ ...beginning, place, log, embedded: args.config === undefined });
}

function printChecked({ config, file }: LoadedConfig, exposed: ExposedSecrets): void {
  printLines(process.stderr, exposed.lines);
  printLines(
    process.stdout,
    config.accounts
      .map(accountOf)
      .map(
        ({ name, canonicalId, accountNumber }) =>
          `account ${name}: number ${accountNumber}, canonical id ${canonicalId}`,
      ),
  );
  printLines(process.stdout, [`${file}: good`]);
}

/**
 * A file that a secret is written into is one itself; those that come with the gateway are known to everybody.
 * @throws StartError
 */
function exposedSecrets({ config, writtenSecrets }: LoadedConfig, isOurs: boolean): ExposedSecrets {
  const exposed = new ExposedSecrets(config.exposedSecrets);
  if (isOurs) return exposed;
  for (const { file, setting } of writtenSecrets) exposed.look(file, setting);
  return exposed;
}

function readConfig(args: Arguments, environment: Environment): LoadedConfig {
  const overrides = {
    ...(args.port !== undefined && { S3GW_LISTENERS__0__PORT: String(args.port) }),
    ...(args.backend !== undefined && { S3GW_BACKENDS__EMBEDDED: `{ kind: ${args.backend}, owner: demo }` }),
  };
  return loadConfig(args.config ?? DEFAULT_CONFIG, { ...environment, ...overrides });
}
