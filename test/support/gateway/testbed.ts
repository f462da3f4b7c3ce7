import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

interface TestbedAccount {
  readonly name: string;
  readonly accessKey: string;
  readonly secretKey: string;
  readonly id: string;
  readonly displayName: string;
  readonly email: string;
}

/** The one line that the test bed prints when all is ready. */
export interface Testbed {
  readonly endpoints: readonly string[];
  readonly tlsEndpoints: readonly string[];
  /** Base URLs of the admin ports, with `--admin-port`. */
  readonly adminEndpoints: readonly string[];
  readonly pids: readonly number[];
  readonly backend: {
    readonly kind: string;
    readonly endpoint?: string;
    readonly tlsEndpoint?: string;
    readonly pid?: number;
  };
  readonly region: string;
  readonly accounts: readonly TestbedAccount[];
}

export interface RunningTestbed {
  readonly bed: Testbed;
  stop(): Promise<void>;
}

const SCRIPT = fileURLToPath(new URL('../../testbed.mjs', import.meta.url));
const READY_MS = 120_000;

/** Starts `npm run testbed` with these arguments; it ends with `stop`, or when this process dies. */
export function startTestbed(...args: string[]): Promise<RunningTestbed> {
  return startTestbedWith({}, ...args);
}

/** The same, with environment variables for its gateways besides those of this process. */
export async function startTestbedWith(
  variables: Readonly<Record<string, string>>,
  ...args: string[]
): Promise<RunningTestbed> {
  const child = spawn(process.execPath, [SCRIPT, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...variables },
  });
  const bed = await readLine(child);
  return {
    bed: JSON.parse(bed) as Testbed,
    async stop() {
      if (child.exitCode !== null) return;
      const ended = once(child, 'exit');
      child.stdin.end();
      await ended;
    },
  };
}

async function readLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('the test bed has no standard output');
  const lines = createInterface({ input: child.stdout });
  const signal = AbortSignal.timeout(READY_MS);
  const line = once(lines, 'line', { signal }).then(([text]) => String(text));
  const exit = once(child, 'exit', { signal }).then(([code]) => {
    throw new Error(`the test bed ended with ${String(code)} before it was ready`);
  });
  exit.catch(() => undefined);
  return Promise.race([line, exit]);
}
