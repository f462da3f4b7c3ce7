import process from 'node:process';
import { resolve } from 'node:path';
import { ConfigError, type Environment, type LoadedConfig, loadConfig } from '../../config/load.ts';
import type { AccountDirectory } from '../access/accounts.ts';
import type { Log } from '../observe/log.ts';
import { accountOf } from './accounts/account-names.ts';
import { type Arguments, USAGE, parseArguments } from './arguments.ts';
import { type OpenBackend, openBackends } from './backends.ts';
import { bucketNames } from './bucket-rules.ts';
import { followAccounts } from './accounts/follow-accounts.ts';
import { type ReplaceableIdentities, openIdentities, replaceableIdentities } from './accounts/identities.ts';
import { createLog } from './log.ts';
import { preflightBackends } from './preflight/preflight.ts';
import { printLines } from './command-line.ts';
import { type RunningGateway, startService } from './service.ts';
import { ExposedSecrets, type SecretSources } from './secrets.ts';
import { StartError } from './start-error.ts';
import { startTelemetry } from './telemetry/telemetry.ts';
import { ownPlace, settingsOf } from './workers/place.ts';
import { superviseWorkers } from './workers/supervise.ts';
import { workerCount } from './workers/worker-count.ts';
import type { Writable } from 'node:stream';
import type { Config } from '../../config/schema.ts';

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
  const identities = replaceableIdentities(openIdentities(loaded, sources));
  if (args.checkConfig) {
    printChecked(loaded, exposed);
    return;
  }
  if (args.preflight) {
    process.exitCode = (await lookAtBackends(loaded, identities.accounts, sources)) ? 0 : 1;
    return;
  }
  await runService(args, { loaded, sources, exposed, identities, environment });
}

/** What a start begins with. */
interface Beginning {
  readonly loaded: LoadedConfig;
  readonly sources: SecretSources;
  readonly exposed: ExposedSecrets;
  readonly identities: ReplaceableIdentities;
  readonly environment: Environment;
}

/** One process that serves, or the one that starts and watches several of them. */
async function runService(args: Arguments, beginning: Beginning): Promise<void> {
  const { loaded, sources, exposed, identities, environment } = beginning;
  const log = createLog(loaded.config.logLevel);
  const place = ownPlace();
  const count = workerCount(loaded.config.workers);
  if (place === undefined && count > 1) return superviseWorkers({ count, listeners: loaded.config.listeners, log });
  const config = settingsOf(loaded.config, place);
  const stopping = stopSignal();
  const telemetry = await startTelemetry({ config, folder: loaded.folder, environment, log });
  const backends = await openBackends(config, identities.accounts, sources);
  try {
    const service = await startService({
      config,
      sources,
      identities,
      backends,
      log,
      telemetry,
      sharedPorts: place !== undefined,
    });
    for (const line of exposed.lines) log.warn({}, line);
    await serve(service, { loaded, identities, environment, log, stopping, embedded: args.config === undefined });
  } finally {
    if (process.connected) process.disconnect();
    await Promise.all(backends.map((backend: OpenBackend) => backend.close()));
    await telemetry.close();
  }
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

/** @returns whether the gateway could work with all of them */
async function lookAtBackends(
  { config }: LoadedConfig,
  accounts: AccountDirectory,
  sources: SecretSources,
): Promise<boolean> {
  const backends = await openBackends(config, accounts, sources);
  try {
    return await preflightBackends(backends, bucketNames(backends, config.buckets), (line) =>
      printLines(process.stdout, [line]),
    );
  } finally {
    await Promise.all(backends.map((backend) => backend.close()));
  }
}

interface Running extends Pick<Beginning, 'loaded' | 'identities' | 'environment'> {
  readonly log: Log;
  readonly stopping: Promise<string>;
  /** Started without a configuration file. */
  readonly embedded: boolean;
}

/** Until the process is told to stop; then drains. */
async function serve(
  service: RunningGateway,
  { loaded, identities, environment, log, stopping, embedded }: Running,
): Promise<void> {
  const unfollow = followAccounts({ loaded, identities, environment, log });
  if (embedded) printWelcome(loaded.config, service, process.stdout);
  else log.info({ endpoints: service.endpoints, admin: service.adminEndpoint }, 'serving');
  process.send?.({ endpoints: service.endpoints, admin: service.adminEndpoint, pid: process.pid });
  const signal = await stopping;
  log.info({ signal }, 'draining');
  unfollow();
  await service.drain();
}

function readConfig(args: Arguments, environment: Environment): LoadedConfig {
  const overrides = {
    ...(args.port !== undefined && { S3GW_LISTENERS__0__PORT: String(args.port) }),
    ...(args.backend !== undefined && { S3GW_BACKENDS__EMBEDDED: `{ kind: ${args.backend}, owner: demo }` }),
  };
  return loadConfig(args.config ?? DEFAULT_CONFIG, { ...environment, ...overrides });
}

/**
 * Resolves with the reason why this process is to stop: a signal, or the end of the channel to the process that started
 * it. A second signal ends the process at once. It does not end a worker, which may get the signal of its terminal or
 * service manager besides that of its supervisor.
 */
export function stopSignal(): Promise<string> {
  const isWorker = ownPlace() !== undefined;
  return new Promise((resolved) => {
    let told = false;
    const onSignal = (signal: NodeJS.Signals): void => {
      if (told && !isWorker) process.exit(1);
      told = true;
      resolved(signal);
    };
    process.on('SIGINT', onSignal);
    process.on('SIGTERM', onSignal);
    // Nobody is left to send a signal.
    process.once('disconnect', () => resolved('disconnect'));
  });
}

/** Tells a newcomer what to do after the first start. The last line works when pasted. */
export function printWelcome(
  config: Config,
  { endpoints, adminEndpoint }: Pick<RunningGateway, 'endpoints' | 'adminEndpoint'>,
  out: Writable,
): void {
  const key = config.accounts[0]?.keys[0];
  const endpoint = endpoints[0] ?? '';
  const backends = Object.values(config.backends)
    .map((backend) => backend.kind)
    .join(', ');
  out.write(`S3 endpoint  ${endpoint}  (backend: ${backends})\n`);
  if (adminEndpoint !== undefined && config.admin.inspector) {
    out.write(`inspector    ${adminEndpoint}  (requests as they happen)\n`);
  }
  if (key?.secretAccessKey === undefined) return;
  out.write(`access key   ${key.accessKeyId}\nsecret key   ${key.secretAccessKey}\n\n`);
  const environment = `AWS_ACCESS_KEY_ID=${key.accessKeyId} AWS_SECRET_ACCESS_KEY=${key.secretAccessKey} AWS_DEFAULT_REGION=${config.region}`;
  out.write(`${environment} aws --endpoint-url ${endpoint} s3 ls\n`);
}
