import { randomBytes } from 'node:crypto';
import type { LoadedConfig } from '../../../config/load.ts';
import { CONFIG, type Config } from '../../../config/schema.ts';
import { openIdentities, type ReplaceableIdentities, replaceableIdentities } from '../accounts/identities.ts';
import { type OpenBackend, openBackends } from '../backends.ts';
import { createLog } from '../log.ts';
import type { SecretSources } from '../secrets.ts';
import { type RunningGateway, startService } from '../service.ts';
import { startTelemetry, type Telemetry } from '../telemetry/telemetry.ts';
import { S3Client, type S3Key } from './s3-client.ts';
import type { Territory } from './territory.ts';

const ACCOUNT = 'prove';

interface ProofSettings {
  readonly loaded: LoadedConfig;
  readonly environment: SecretSources['environment'];
  /** Name of the backend in the configuration. */
  readonly backend: string;
  readonly territory: Territory;
}

/**
 * The gateway that is proved: this process's own, on a free port of loopback, with an account of its own. Of the
 * configuration it takes the backend and how that is reached; its system container is the run's own.
 */
export class ProvedGateway {
  readonly config: Config;
  readonly backend: OpenBackend;
  readonly #key: S3Key;
  readonly #sources: SecretSources;
  readonly #identities: ReplaceableIdentities;
  #running: { readonly service: RunningGateway; readonly telemetry: Telemetry; readonly client: S3Client } | undefined;

  private constructor(
    config: Config,
    backend: OpenBackend,
    around: { readonly key: S3Key; readonly sources: SecretSources; readonly identities: ReplaceableIdentities },
  ) {
    this.config = config;
    this.backend = backend;
    this.#key = around.key;
    this.#sources = around.sources;
    this.#identities = around.identities;
  }

  /** Opens the backend; nothing listens yet. @throws StartError */
  static async open({ loaded, environment, backend, territory }: ProofSettings): Promise<ProvedGateway> {
    const key = {
      accessKeyId: `PROVE${territory.run.toUpperCase()}`,
      secretAccessKey: randomBytes(20).toString('hex'),
      region: loaded.config.region,
    };
    const config = provedConfig(loaded.config, { name: backend, territory, key });
    const sources = { folder: loaded.folder, environment };
    const identities = replaceableIdentities(openIdentities({ ...loaded, config, accountPlaces: [] }, sources));
    const [opened] = await openBackends(config, identities.accounts, sources);
    if (opened === undefined) throw new Error('a configuration with one backend opened none');
    return new ProvedGateway(config, opened, { key, sources, identities });
  }

  /** Starts, or starts anew: another gateway over the same cloud, which remembers nothing. @throws StartError */
  async start(signal: AbortSignal): Promise<S3Client> {
    await this.stop();
    const { config } = this;
    const log = createLog('silent');
    const telemetry = await startTelemetry({ config, folder: this.#sources.folder, environment: {}, log });
    const service = await startService({
      ...{ config, sources: this.#sources, identities: this.#identities, backends: [this.backend] },
      ...{ log, telemetry, sharedPorts: false, speaksForAll: true },
      ...{ currentQuotas: () => config.quotas, managed: undefined },
    });
    const client = new S3Client(service.endpoints[0] ?? '', this.#key, signal);
    this.#running = { service, telemetry, client };
    return client;
  }

  async stop(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    running?.client.close();
    await running?.service.drain();
    await running?.telemetry.close();
  }

  async close(): Promise<void> {
    await this.stop();
    await this.backend.close();
  }
}

interface Proved {
  readonly name: string;
  readonly territory: Territory;
  readonly key: S3Key;
}

function provedConfig({ region, outbound, limits, backends }: Config, { name, territory, key }: Proved): Config {
  const { accessKeyId, secretAccessKey } = key;
  return CONFIG.parse({
    ...{ region, outbound, limits },
    listeners: [{ host: '127.0.0.1', port: 0 }],
    admin: { enabled: false },
    accounts: [{ name: ACCOUNT, keys: [{ accessKeyId, secretAccessKey }] }],
    backends: { [name]: { ...backends[name], owner: ACCOUNT, systemContainer: territory.system } },
    timeouts: { drainMs: 5000 },
  });
}
