import process from 'node:process';
import type { Writable } from 'node:stream';
import type { Environment, LoadedConfig } from '../../config/load.ts';
import type { Config } from '../../config/schema.ts';
import type { Log } from '../observe/log.ts';
import { followAccounts } from './accounts/follow-accounts.ts';
import { type OpenBackend, openBackends } from './backends.ts';
import { type OpenedAccounts, type RunningManaged, runManaged } from './managed/open-managed.ts';
import { type RunningGateway, startService } from './service.ts';
import type { ExposedSecrets, SecretSources } from './secrets.ts';
import { startTelemetry } from './telemetry/telemetry.ts';
import { ownPlace, type Place, settingsOf } from './workers/place.ts';

/** What a start begins with. */
export interface Beginning {
  readonly loaded: LoadedConfig;
  readonly sources: SecretSources;
  readonly exposed: ExposedSecrets;
  readonly accounts: OpenedAccounts;
  readonly environment: Environment;
}

interface Serving extends Beginning {
  /** Undefined: this is the only process. */
  readonly place: Place | undefined;
  readonly log: Log;
  /** Started without a configuration file. */
  readonly embedded: boolean;
}

/**
 * Serves until the process is told to stop, then drains.
 * @throws StartError
 */
export async function serve(serving: Serving): Promise<void> {
  const { loaded, sources, exposed, accounts, environment, place, log } = serving;
  const { inForce } = accounts;
  const { identities } = inForce;
  const managed = runManaged(accounts, log);
  const config = settingsOf(loaded.config, place);
  const stopping = stopSignal();
  const telemetry = await startTelemetry({ config, folder: loaded.folder, environment, log });
  const backends = await openBackends(config, identities.accounts, sources);
  const speaksForAll = place === undefined || place.slot === 1;
  try {
    const service = await startService({
      config,
      sources,
      identities,
      currentQuotas: () => inForce.quotas,
      managed,
      backends,
      log,
      telemetry,
      sharedPorts: place !== undefined,
      speaksForAll,
    });
    if (speaksForAll) for (const line of exposed.lines) log.warn({}, line);
    await untilStopped(service, stopping, { ...serving, managed });
  } finally {
    if (process.connected) process.disconnect();
    await Promise.all(backends.map((backend: OpenBackend) => backend.close()));
    await telemetry.close();
  }
}

async function untilStopped(
  service: RunningGateway,
  stopping: Promise<string>,
  { loaded, accounts, managed, environment, log, embedded }: Serving & { readonly managed: RunningManaged | undefined },
): Promise<void> {
  const unfollow = followAccounts({ inForce: accounts.inForce, environment, log });
  const serves = new AbortController();
  void managed?.followed.follow(loaded.config.managedAccounts?.followMs ?? 0, serves.signal);
  if (embedded) printWelcome(loaded.config, service, process.stdout);
  else log.info({ endpoints: service.endpoints, admin: service.adminEndpoint }, 'serving');
  process.send?.({ endpoints: service.endpoints, admin: service.adminEndpoint, pid: process.pid });
  const signal = await stopping;
  log.info({ signal }, 'draining');
  unfollow();
  serves.abort();
  await service.drain();
}

/**
 * Resolves with the reason why this process is to stop: a signal, or the end of the channel to the process that started
 * it. A second signal ends the process at once. It does not end a worker, which may get the signal of its terminal or
 * service manager besides that of its supervisor.
 */
function stopSignal(): Promise<string> {
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
function printWelcome(
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
