import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../../../config/schema.ts';
import { ConfigError, type Environment, loadConfig } from '../../../config/load.ts';
import type { Call } from '../../observe/call.ts';
import type { Backend, Realm } from '../../manifest/index.ts';
import type { Log } from '../../observe/log.ts';
import type { SurveyedStore } from '../../store/survey.ts';
import { accountDirectory } from '../accounts/account-settings.ts';
import { type OpenBackend, openBackends } from '../backends.ts';
import { backgroundCall } from '../background-call.ts';
import { createRealm } from '../bucket-rules.ts';
import { printLines } from '../command-line.ts';
import { openManifest, type OpenManifest } from '../manifest.ts';
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

/** The manifest of a command, as of the gateways beside it. */
export function manifestOf({ config, realm, call }: OpenedBackends, log: Log): OpenManifest {
  const { bucketCacheMs, versioningDrainMs } = config;
  return openManifest({ realm, bucketCacheMs, versioningDrainMs, log, signal: call.signal });
}

/** What tells the time of a backend's service; undefined: it is not asked. */
export function clocksOf(backends: readonly OpenBackend[]): (backend: Backend) => SurveyedStore | undefined {
  const clocks = new Map<Backend, SurveyedStore | undefined>(backends.map((backend) => [backend, backend.surveyed]));
  return (backend) => clocks.get(backend);
}

/** Work under way is broken off, which is what a crash would do as well: it loses nothing. */
function stopSignal(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort());
  return stop.signal;
}

interface Repetition<R> {
  /** From the beginning of one run to that of the next. */
  readonly everyMs: number;
  readonly exitCode: (report: R) => number;
}

/** Makes run after run until the command is told to stop. @returns the exit code */
export async function runRepeatedly<R extends { readonly complete: boolean }>(
  run: () => Promise<R>,
  { everyMs, exitCode }: Repetition<R>,
  { signal }: Call,
): Promise<number> {
  for (;;) {
    const begun = performance.now();
    const report = await run();
    if (!report.complete) return exitCode(report);
    const left = everyMs - (performance.now() - begun);
    try {
      await sleep(Math.max(left, 0), undefined, { signal });
    } catch (error) {
      if (!signal.aborted) throw error;
      return EXIT.stopped;
    }
  }
}
