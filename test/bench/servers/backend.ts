import { rmSync } from 'node:fs';
import { certificateFiles } from '../../support/certificates.ts';
import { freePort } from '../../support/free-port.ts';
import { type RunningTestbed, startTestbedWith } from '../../support/gateway/testbed.ts';
import { findNginx, startNginxWith } from '../../replicas/nginx.ts';
import type { BenchOptions } from '../options.ts';
import { NullBackend, portOf } from './processes.ts';
import { tlsFront } from './tls-front.ts';

/** The null backend, and how gateway and proxy reach it. */
export interface BenchBackend {
  readonly store: NullBackend;
  readonly wire: BenchOptions['backend'];
  readonly origin: string;
  /** Of the certificate that it shows, which nobody else knows; absent: plain http. */
  readonly caFile?: string;
  stop(): Promise<void>;
}

type BackendOptions = Pick<BenchOptions, 'backend' | 'backendTls' | 'backendPort'>;

/** With TLS, nginx stands before it where there is one; else it speaks https itself. */
export async function startBenchBackend(options: BackendOptions): Promise<BenchBackend> {
  return options.backendTls ? startSecure(options) : startPlain(options);
}

async function startPlain({ backend: wire, backendPort }: BackendOptions): Promise<BenchBackend> {
  const store = new NullBackend({ port: backendPort, wire });
  const origin = `http://127.0.0.1:${await portOf(store)}`;
  return { store, wire, origin, stop: async () => store.stop() };
}

async function startSecure(options: BackendOptions): Promise<BenchBackend> {
  const { backend: wire, backendPort } = options;
  const { folder, certFile, keyFile } = await certificateFiles();
  const nginx = findNginx();
  process.stderr.write(`TLS to the backend: ${nginx === undefined ? 'its own, no nginx here' : 'nginx before it'}\n`);
  const tls = nginx === undefined ? { certFile, keyFile } : undefined;
  const store = new NullBackend({ port: backendPort, wire, ...(tls !== undefined && { tls }) });
  const stopStore = (): void => {
    store.stop();
    rmSync(folder, { recursive: true });
  };
  try {
    const own = await portOf(store);
    if (nginx === undefined) {
      return { store, wire, origin: `https://127.0.0.1:${own}`, caFile: certFile, stop: async () => stopStore() };
    }
    const front = { port: await freePort(), to: `http://127.0.0.1:${own}`, certFile, keyFile };
    const running = await startNginxWith(nginx, front.port, (place) => tlsFront(front, place));
    const stop = async (): Promise<void> => {
      await running.stop();
      stopStore();
    };
    return { store, wire, origin: `https://127.0.0.1:${front.port}`, caFile: certFile, stop };
  } catch (error) {
    stopStore();
    throw error;
  }
}

interface GatewayOptions {
  readonly workers?: number;
  readonly maxConnections?: number;
  /** Environment: settings besides the test bed's. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** The gateway as the test bed starts it, with the inspector. */
export function startGateway(
  { wire, origin, caFile }: BenchBackend,
  { workers = 1, maxConnections, settings = {} }: GatewayOptions = {},
): Promise<RunningTestbed> {
  const trusted = caFile === undefined ? {} : { S3GW_OUTBOUND: JSON.stringify({ caFile }) };
  const over = ['--backend', wire, '--backend-endpoint', origin, '--workers', String(workers)];
  if (maxConnections !== undefined) over.push('--max-connections', String(maxConnections));
  return startTestbedWith({ ...trusted, ...settings }, ...over, '--admin-port', '0');
}
