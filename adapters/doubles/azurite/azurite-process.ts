import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createRequire } from 'node:module';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { DEVELOPMENT_ACCOUNT, DEVELOPMENT_KEY } from '../../azure/credentials.ts';
import type { AzuriteFront } from './azurite-front.ts';
import { FOLDER_HELD_EXIT, FolderHeldError } from './folder-lock.ts';
import { startKeyKeeper } from './azurite-keys.ts';
import { startTierKeeper, type TierKeeperOptions } from './azurite-tiers.ts';
import type { AzureStoreOptions } from '../../azure/options.ts';

export interface AzuriteOptions {
  /** Folder for the data, for this one alone; absent: in memory, gone with the process. */
  readonly folder?: string;
  /** Serve https with this certificate (paths of PEM files), as tokens require. */
  readonly tls?: { readonly certFile: string; readonly keyFile: string };
  /** Accept bearer tokens: checks their claims, not their signature. Needs `tls`. */
  readonly oauth?: boolean;
  /** Know customer-provided keys, which it does not by itself: something stands before it that does. Not with `tls`. */
  readonly customerKeys?: boolean;
  /** Keep tiers as the service does, by something that stands before it. Not with `tls`. */
  readonly tiers?: TierKeeperOptions;
  /** Takes API versions that it does not know, as it says; SDKs may be newer than it. */
  readonly anyApiVersion?: boolean;
  /** Default: any free port. */
  readonly port?: number;
  /** Most data to keep in memory, MiB. Default: Azurite's, half of the machine's memory. */
  readonly memoryLimitMiB?: number;
  /** Told every few seconds what is still waited for. Default: a line on standard error. */
  readonly onWaiting?: (message: string) => void;
}

export interface AzuriteProcess {
  /** `http://127.0.0.1:<port>/devstoreaccount1` */
  readonly endpoint: string;
  readonly pid: number;
  /** Options of a store over it, with the emulator's well-known account key. */
  readonly storeOptions: AzureStoreOptions;
  /** Ends the process: asks first, then insists. */
  stop(): Promise<void>;
}

/**
 * Azurite holds the end of a pipe as its standard input: when our end closes, however we died, it ends
 * too. Unreferenced, the pipe does not keep it from ending by itself.
 */
const END_WITH_PARENT =
  'data:text/javascript,process.stdin.resume().on("end",()=>process.kill(process.pid,"SIGTERM")).unref()';

/**
 * Azurite 3.x closes idle connections after 5 s: its blob service reads `--blobKeepAliveTimeout` under another name and
 * so ignores it. On a busy machine a proxy in front of it then sends requests on connections that are about to close.
 */
const KEEP_CONNECTIONS = `data:text/javascript,${encodeURIComponent(`
  import http from "node:http";
  import https from "node:https";
  for (const { prototype } of [http.Server, https.Server]) {
    Object.defineProperty(prototype, "keepAliveTimeout", { get: () => 240_000, set() {} });
  }`)}`;

/**
 * Azurite loads the package of its telemetry, 2,000 modules, even with `--disableTelemetry`, which has it use none of
 * them: half the CPU of a start, and 70 MiB. An empty module takes the package's place.
 */
const LEAVE_TELEMETRY_OUT = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from "node:module";
  registerHooks({
    load: (url, context, next) =>
      url.includes("/node_modules/applicationinsights/")
        ? { format: "commonjs", source: "", shortCircuit: true }
        : next(url, context),
  });`)}`;

const HOLD_FOLDER = new URL('./hold-folder.ts', import.meta.url).href;

/**
 * Milliseconds. With every core busy a start takes minutes: as long as the child lives it is waited for, and that is
 * said.
 */
const READY_WITHIN = 5 * 60_000;
const SAY_EVERY = 5_000;
const STOP_WITHIN = 3_000;

/**
 * Starts Microsoft's emulator from the installed packages as a child process of its own group, and
 * waits until it listens. It ends with this process.
 * @throws FolderHeldError when another one works in the folder
 * @throws Error when azurite is not installed or does not come up
 */
export async function startAzurite(options: AzuriteOptions = {}): Promise<AzuriteProcess> {
  const main = createRequire(import.meta.url).resolve('azurite/dist/src/blob/main.js');
  const preloads = [END_WITH_PARENT, KEEP_CONNECTIONS, LEAVE_TELEMETRY_OUT, HOLD_FOLDER].flatMap((module) => [
    '--import',
    module,
  ]);
  const child = spawn(process.execPath, [...preloads, main, ...azuriteArguments(options)], {
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  const killOnExit = (): void => signalGroup(child, 'SIGKILL');
  process.once('exit', killOnExit);
  const fronts: AzuriteFront[] = [];
  const stop = async (): Promise<void> => {
    for (const front of fronts.toReversed()) await front.stop();
    await stopChild(child);
    process.removeListener('exit', killOnExit);
  };
  try {
    const port = await listeningPort(child, options.onWaiting ?? sayOnStderr);
    const own = `${options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}/${DEVELOPMENT_ACCOUNT}`;
    const outermost = (): string => fronts.at(-1)?.endpoint ?? own;
    if (options.customerKeys === true) fronts.push(await startKeyKeeper(own));
    if (options.tiers !== undefined) fronts.push(await startTierKeeper(outermost(), options.tiers));
    const endpoint = outermost();
    return {
      endpoint,
      pid: child.pid ?? 0,
      storeOptions: { endpoint, credential: { kind: 'accountKey', key: DEVELOPMENT_KEY } },
      stop,
    };
  } catch (error) {
    await stop();
    if (child.exitCode === FOLDER_HELD_EXIT) throw new FolderHeldError(options.folder ?? '');
    throw error;
  }
}

function azuriteArguments({
  folder,
  tls,
  oauth,
  anyApiVersion,
  port = 0,
  memoryLimitMiB,
  customerKeys,
  tiers,
}: AzuriteOptions): string[] {
  return [
    '--blobHost',
    '127.0.0.1',
    '--blobPort',
    String(port),
    '--silent',
    '--disableTelemetry',
    ...(customerKeys === true || tiers !== undefined ? ['--loose'] : []),
    ...(anyApiVersion === true ? ['--skipApiVersionCheck'] : []),
    ...(folder === undefined ? ['--inMemoryPersistence'] : ['--location', folder]),
    ...(memoryLimitMiB === undefined ? [] : ['--extentMemoryLimit', String(memoryLimitMiB)]),
    ...(tls === undefined ? [] : ['--cert', tls.certFile, '--key', tls.keyFile]),
    ...(oauth === true ? ['--oauth', 'basic'] : []),
  ];
}

function sayOnStderr(message: string): void {
  process.stderr.write(`${message}\n`);
}

/** Reads the port off the line that Azurite prints once it listens. */
async function listeningPort(child: ChildProcess, onWaiting: (message: string) => void): Promise<number> {
  const began = performance.now();
  const waiting = setInterval(() => {
    onWaiting(
      `azurite (pid ${child.pid ?? 0}) is starting: waiting for it to listen, ${Math.round((performance.now() - began) / 1000)} s so far`,
    );
  }, SAY_EVERY);
  let printed = '';
  const { promise: listening, resolve, reject } = Promise.withResolvers<number>();
  const read = (chunk: Buffer): void => {
    printed += chunk.toString('utf8');
    const port = /listens on https?:\/\/[^:\s]+:(\d+)/.exec(printed)?.[1];
    if (port !== undefined) resolve(Number(port));
  };
  child.stdout?.on('data', read);
  child.stderr?.on('data', read);
  child.once('error', reject);
  child.once('exit', (code) => reject(new Error(`azurite ended with ${code ?? 'a signal'}: ${printed.slice(-2000)}`)));
  const timer = new AbortController();
  const tooLate = sleep(READY_WITHIN, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`azurite does not listen after ${READY_WITHIN} ms: ${printed.slice(-2000)}`);
  });
  tooLate.catch(() => undefined);
  try {
    return await Promise.race([listening, tooLate]);
  } finally {
    timer.abort();
    clearInterval(waiting);
    // What it prints from now on is taken from it, lest it should block, and not kept.
    for (const output of [child.stdout, child.stderr]) output?.off('data', read).resume();
  }
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const exited = once(child, 'exit');
  signalGroup(child, 'SIGTERM');
  const timer = new AbortController();
  const insist = sleep(STOP_WITHIN, undefined, { signal: timer.signal }).then(
    () => signalGroup(child, 'SIGKILL'),
    () => undefined,
  );
  await exited;
  timer.abort();
  await insist;
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // Already gone: nothing is left to end.
  }
}
