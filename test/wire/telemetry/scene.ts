import { resolve } from 'node:path';
import { createAzureStore } from '../../../adapters/azure/index.ts';
import { startAzurite } from '../../../adapters/doubles/index.ts';
import { loadConfig } from '../../../config/load.ts';
import { startTelemetry, type Telemetry } from '../../../src/main/telemetry/telemetry.ts';
import type { BlobStore } from '../../../src/store/blob-store.ts';
import { freshContainer } from '../../support/backends/azurite.ts';
import { startGatewayOver, type TestGateway } from '../../support/gateway/gateway.ts';
import { type OtlpProtocol, type OtlpReceiver, startOtlpReceiver } from '../../support/observe/otlp-receiver.ts';
import { type BackendRequest, startRecordingProxy } from '../../support/backends/recording-proxy.ts';
import { SILENT } from '../../support/silent-log.ts';

export interface Backend {
  /** In the order in which they came. */
  readonly requests: readonly BackendRequest[];
  open(): BlobStore;
  stop(): Promise<void>;
}

/** Azurite behind a proxy that writes down what it is asked. */
export async function startRecordedAzurite(): Promise<Backend> {
  const azurite = await startAzurite();
  const { endpoint, requests, stop } = await startRecordingProxy(azurite.endpoint);
  return {
    requests,
    open: () => createAzureStore({ ...azurite.storeOptions, endpoint }),
    async stop() {
      stop();
      await azurite.stop();
    },
  };
}

export interface Traced {
  readonly receiver: OtlpReceiver;
  readonly gateway: TestGateway<BlobStore>;
  readonly telemetry: Telemetry;
  stop(): Promise<void>;
}

/** A gateway that exports its spans to a receiver, as the standard variables say; they are set while it starts only. */
export async function startTraced(
  store: BlobStore,
  protocol: OtlpProtocol,
  settings: Readonly<Record<string, string>> = {},
): Promise<Traced> {
  const receiver = await startOtlpReceiver(protocol);
  const variables = {
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint,
    OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=tests',
    OTEL_BSP_SCHEDULE_DELAY: '50',
    OTEL_SERVICE_NAME: 'gateway-under-test',
    ...settings,
  };
  Object.assign(process.env, variables);
  const { config, folder } = loadConfig(resolve(import.meta.dirname, '../../../config/default.yaml'), variables);
  const telemetry = await startTelemetry({ config, folder, environment: variables, log: SILENT });
  for (const name of Object.keys(variables)) Reflect.deleteProperty(process.env, name);
  const { observers, calls, sampler } = telemetry;
  // Records of buckets stay known, so that a request makes the same calls whenever it comes.
  const gateway = await startGatewayOver(store, {
    telemetry: { observers, calls, sampler },
    systemContainer: freshContainer(),
    bucketCacheMs: 60_000,
  });
  return {
    receiver,
    gateway,
    telemetry,
    async stop() {
      await gateway.close();
      await telemetry.close();
      await receiver.close();
    },
  };
}
