import { createServer, request as forward, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { createAzureStore, startAzurite } from '../../../adapters/azure/index.ts';
import { loadConfig } from '../../../config/load.ts';
import { startTelemetry, type Telemetry } from '../../../src/main/telemetry/telemetry.ts';
import type { BlobStore } from '../../../src/store/blob-store.ts';
import { freshContainer } from '../../support/azurite.ts';
import { startGatewayOver, type TestGateway } from '../../support/gateway.ts';
import { type OtlpProtocol, type OtlpReceiver, startOtlpReceiver } from '../../support/otlp-receiver.ts';
import { SILENT } from '../../support/silent-log.ts';

/** What a backend was asked. */
interface BackendRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

export interface Backend {
  /** In the order in which they came. */
  readonly requests: readonly BackendRequest[];
  open(): BlobStore;
  stop(): Promise<void>;
}

/** Azurite behind a proxy that writes down what it is asked. */
export async function startRecordedAzurite(): Promise<Backend> {
  const azurite = await startAzurite();
  const target = new URL(azurite.endpoint);
  const requests: BackendRequest[] = [];
  const proxy = createServer((incoming, answer) => {
    const { method = '', url = '', headers } = incoming;
    requests.push({ method, url, headers });
    const outgoing = forward({ host: target.hostname, port: target.port, method, path: url, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.rawHeaders);
      response.pipe(answer);
    });
    outgoing.on('error', () => answer.destroy());
    incoming.pipe(outgoing);
  });
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
  const endpoint = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}${target.pathname}`;
  return {
    requests,
    open: () => createAzureStore({ ...azurite.storeOptions, endpoint }),
    async stop() {
      proxy.close();
      proxy.closeAllConnections();
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
