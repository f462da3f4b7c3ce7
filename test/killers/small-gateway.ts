import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { ALLOCATOR, nodeFlags } from '../../src/main/workers/node-flags.ts';
import { ACCESS_KEY, OTHER_ACCESS_KEY, SECRET_KEY } from '../support/clients/sign-raw.ts';
import { type CertificateFiles, certificateFiles } from '../support/certificates.ts';
import { freePort } from '../support/free-port.ts';

/** What the chart gives a pod. */
export const LIMIT_MIB = 384;
const MIB = 1024 * 1024;
const START = resolve(import.meta.dirname, '../../src/start.mjs');
const BACKEND = resolve(import.meta.dirname, 'backend.ts');
const MEMORY = { kind: 'memory' };

/** A gateway as it runs in a pod of the chart's size, for the flood and for somebody honest. */
export interface SmallGateway {
  readonly port: number;
  /** Of a second listener, with TLS; absent: there is none. */
  readonly tlsPort?: number;
  readonly adminPort: number;
  /** Whether it has not ended. */
  alive(): boolean;
  /** For how long it could have run and had no processor, since it began, milliseconds. */
  waitedMs(): number;
  /** The most memory that the process has had at any time, MiB. */
  peakMiB(): number;
  /** What it printed last. */
  lastWords(): string;
  stop(): Promise<void>;
}

const account = (name: string, digit: string, accessKeyId: string): object => ({
  name,
  canonicalId: digit.repeat(64),
  displayName: name,
  email: `${name}@example.com`,
  accountNumber: digit.repeat(12),
  keys: [{ accessKeyId, secretAccessKey: SECRET_KEY }],
});

/** Of a gateway that others started: its ports, and its process on this machine. */
export interface RunningGateway {
  readonly port: number;
  readonly adminPort: number;
  readonly pid: number;
}

interface SmallSettings extends Pick<RunningGateway, 'port' | 'adminPort'> {
  /** A second listener. */
  readonly secure?: { readonly port: number; readonly tls: Pick<CertificateFiles, 'certFile' | 'keyFile'> };
  /** Without its owner; absent: the gateway's own memory, which then holds what clients have stored. */
  readonly backend?: object;
}

/** The settings of a gateway for the killers, YAML. */
export function smallSettings({ port, adminPort, secure, backend = MEMORY }: SmallSettings): string {
  const host = '127.0.0.1';
  return stringify({
    workers: 1,
    listeners: [{ host, port }, ...(secure === undefined ? [] : [{ host, ...secure }])],
    admin: { port: adminPort },
    accounts: [account('flood', '1', ACCESS_KEY), account('honest', '2', OTHER_ACCESS_KEY)],
    backends: { store: { ...backend, owner: 'flood' } },
  });
}

/** One that runs already, in a container for instance, and goes on to run. */
export function runningGateway({ port, adminPort, pid }: RunningGateway): SmallGateway {
  let peak = 0;
  return {
    port,
    adminPort,
    alive: () => peakOf({ pid }) > 0,
    waitedMs: () => waitedMs(pid),
    peakMiB: () => (peak = Math.max(peak, peakOf({ pid }))),
    lastWords: () => 'in the log of its container',
    stop: () => Promise.resolve(),
  };
}

async function startBackend(): Promise<{ child: ChildProcess; backend: object }> {
  const child = fork(BACKEND);
  const [{ endpoint }] = (await once(child, 'message')) as [{ endpoint: string }];
  return { child, backend: { kind: 'gcs', endpoint, bucketPrefix: 'small-', credential: { kind: 'anonymous' } } };
}

export async function startSmallGateway(): Promise<SmallGateway> {
  const folder = mkdtempSync(join(tmpdir(), 'small-gateway-'));
  const [port, adminPort, tlsPort] = [await freePort(), await freePort(), await freePort()];
  const { folder: certificates, certFile, keyFile } = await certificateFiles();
  const config = join(folder, 'gateway.yaml');
  const { child: beside, backend } = await startBackend();
  const secure = { port: tlsPort, tls: { certFile, keyFile } };
  writeFileSync(config, smallSettings({ port, adminPort, secure, backend }));
  const child = spawn(process.execPath, [...nodeFlags(LIMIT_MIB * MIB), START, '--config', config], {
    env: { ...ALLOCATOR, PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const note = (chunk: Buffer): void => {
    output = (output + chunk.toString()).slice(-20_000);
  };
  child.stdout.on('data', note);
  child.stderr.on('data', note);
  let peak = 0;
  return {
    port,
    tlsPort,
    adminPort,
    alive: () => child.exitCode === null && child.signalCode === null,
    waitedMs: () => waitedMs(child.pid),
    peakMiB: () => (peak = Math.max(peak, peakOf(child))),
    lastWords: () => output.slice(-2000),
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, 'exit');
        child.kill('SIGKILL');
        await ended;
      }
      beside.disconnect();
      rmSync(folder, { recursive: true });
      rmSync(certificates, { recursive: true });
    },
  };
}

/** Milliseconds that the main thread of a process has spent in the kernel's queue for a processor; 0: none is known. */
export function waitedMs(pid: number | undefined): number {
  try {
    return Number(readFileSync(`/proc/${pid ?? 0}/schedstat`, 'utf8').split(' ')[1] ?? 0) / 1e6;
  } catch {
    return 0;
  }
}

/** High-water mark of resident memory as the kernel keeps it, MiB; 0 when the process has ended. */
function peakOf({ pid }: { readonly pid?: ChildProcess['pid'] }): number {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid ?? 0}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
