import type { Config } from '../../../config/schema.ts';
import { ConfigError, type Environment, loadConfig } from '../../../config/load.ts';
import type { Call } from '../../observe/call.ts';
import type { Realm } from '../../manifest/index.ts';
import { accountDirectory } from '../accounts/account-settings.ts';
import { type OpenBackend, openBackends } from '../backends.ts';
import { backgroundCall } from '../background-call.ts';
import { createRealm } from '../bucket-rules.ts';
import { printLines } from '../command-line.ts';
import type { SecretSources } from '../secrets.ts';
import { StartError } from '../start-error.ts';

/** Exit codes of commands that work through a store: the rest of what they should have done is for the next run. */
export const EXIT = { done: 0, notStarted: 1, problems: 2, stopped: 3 } as const;

/** What a command works with. */
export interface OpenedBackends {
  readonly config: Config;
  readonly realm: Realm;
  /** All of the configuration, or the one that was asked for. */
  readonly backends: readonly OpenBackend[];
  /** Ends with SIGINT or SIGTERM. */
  readonly call: Call;
  /** Where secrets of the configuration are. */
  readonly sources: SecretSources;
}

export interface SweptBackends {
  readonly config: string;
  /** Name of a backend. */
  readonly backend: string | undefined;
}

/**
 * Opens the backends of a gateway's configuration for a command, and closes them behind it. Sets the exit code; what is
 * wrong with configuration or command line is said in a line each.
 * @param select undefined: there is nothing to be done
 */
export async function runCommand(
  select: () => SweptBackends | undefined,
  environment: Environment,
  work: (opened: OpenedBackends) => Promise<number>,
): Promise<void> {
  try {
    const selection = select();
    if (selection !== undefined) process.exitCode = await withBackends(selection, environment, work);
  } catch (error) {
    if (!(error instanceof StartError) && !(error instanceof ConfigError)) throw error;
    printLines(process.stderr, error.lines);
    process.exitCode = EXIT.notStarted;
  }
}

async function withBackends(
  selection: SweptBackends,
  environment: Environment,
  work: (opened: OpenedBackends) => Promise<number>,
): Promise<number> {
  const { config: file, backend: name } = selection;
  const { config, folder } = loadConfig(file, environment);
  const sources = { folder, environment };
  if (name !== undefined && !(name in config.backends)) {
    throw new StartError([
      `--backend: the configuration has no ${name}, only ${Object.keys(config.backends).join(', ')}`,
    ]);
  }
  const stop = stopSignal();
  const backends = await openBackends(config, accountDirectory(config.accounts, sources), sources);
  try {
    const realm = createRealm(backends, config.buckets.rules, config.buckets.default);
    const wanted = backends.filter((backend) => name === undefined || backend.name === name);
    return await work({ config, realm, backends: wanted, call: backgroundCall(stop), sources });
  } finally {
    await Promise.all(backends.map((backend) => backend.close()));
  }
}

/** Work under way is broken off, which is what a crash would do as well: it loses nothing. */
function stopSignal(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort());
  return stop.signal;
}
