import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Place } from '../cluster.ts';

/** Address of the node: not one of 127.0.0.0/8, which Kubernetes refuses. */
const ADDRESS = '10.200.0.1';
/** What the kubelet wants of the kernel. */
const SYSCTLS = [
  'vm/overcommit_memory=1',
  'kernel/panic=10',
  'kernel/panic_on_oops=1',
  'kernel/keys/root_maxkeys=1000000',
  'kernel/keys/root_maxbytes=25000000',
];
const CGROUPS = '/sys/fs/cgroup';
const CGROUP_PREFIX = 's3gw-node-';
const SEALED_WITHIN_MS = 20_000;
/** Processes need a moment to be gone from their cgroups. */
const REMOVE_TRIES = 50;

/**
 * Namespaces of one's own whose only network device is `lo`: nothing in them reaches the machine's network, and their
 * mounts are seen by nobody else. All in there ends with the test process, however that ends.
 */
export class Seal implements Place {
  readonly address = ADDRESS;
  /** Below it are all cgroups of the node, in every hierarchy. */
  readonly cgroup: string;
  readonly #first: ChildProcessByStdio<Writable, Readable, Readable>;

  private constructor(first: ChildProcessByStdio<Writable, Readable, Readable>, cgroup: string) {
    this.#first = first;
    this.cgroup = cgroup;
  }

  /** @throws Error where namespaces cannot be made */
  static async make(): Promise<Seal> {
    removeLeftCgroups();
    const cgroup = `/${CGROUP_PREFIX}${process.pid}`;
    for (const hierarchy of hierarchies()) mkdirSync(join(hierarchy, cgroup));
    const first = spawn(
      'unshare',
      [
        '--mount',
        '--net',
        '--pid',
        '--fork',
        '--kill-child',
        '--propagation=private',
        '--mount-proc',
        join(import.meta.dirname, 'seal.sh'),
        ADDRESS,
        ...SYSCTLS,
      ],
      { stdio: 'pipe' },
    );
    const seal = new Seal(first, cgroup);
    try {
      await sealed(first);
      return seal;
    } catch (error) {
      await seal.stop();
      throw error;
    }
  }

  enter(folder: string): string[] {
    const { pid = 0 } = this.#first;
    return [
      'nsenter',
      `--target=${pid}`,
      '--mount',
      '--net',
      `--pid=/proc/${pid}/ns/pid_for_children`,
      `--wdns=${folder}`,
      '--',
    ];
  }

  /** Ends everything in there, at once. */
  async stop(): Promise<void> {
    const { pid, exitCode, signalCode } = this.#first;
    if (pid !== undefined && exitCode === null && signalCode === null) {
      const exited = once(this.#first, 'exit');
      this.#first.stdin.end();
      await exited;
    }
    await removeCgroups(this.cgroup);
  }
}

async function sealed(first: ChildProcessByStdio<Writable, Readable, Readable>): Promise<void> {
  let said = '';
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  for (const output of [first.stdout, first.stderr]) {
    output.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk;
      if (/^sealed$/m.test(said)) resolve(undefined);
    });
  }
  first
    .once('error', reject)
    .once('exit', (code) => reject(new Error(`no namespaces here: ended with ${String(code)}: ${said}`)));
  const timer = setTimeout(
    () => reject(new Error(`not sealed after ${SEALED_WITHIN_MS} ms: ${said}`)),
    SEALED_WITHIN_MS,
  );
  try {
    await promise;
  } finally {
    clearTimeout(timer);
  }
}

/** Version 1 has a tree for each controller, version 2 a single one, and machines in between have both. */
function hierarchies(): string[] {
  if (existsSync(join(CGROUPS, 'cgroup.procs'))) return [CGROUPS];
  return readdirSync(CGROUPS)
    .map((name) => join(CGROUPS, name))
    .filter((folder) => existsSync(join(folder, 'cgroup.procs')));
}

/** Of runs that were killed: their process is no more. */
function removeLeftCgroups(): void {
  for (const hierarchy of hierarchies()) {
    const left = readdirSync(hierarchy).filter(
      (name) => name.startsWith(CGROUP_PREFIX) && !existsSync(`/proc/${name.slice(CGROUP_PREFIX.length)}`),
    );
    for (const name of left) removeTree(join(hierarchy, name));
  }
}

async function removeCgroups(cgroup: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const left = hierarchies()
      .map((hierarchy) => join(hierarchy, cgroup))
      .filter((folder) => existsSync(folder) && !removeTree(folder));
    if (left.length === 0) return;
    if (tries === REMOVE_TRIES) throw new Error(`in use: ${left.join(' ')}`);
    await sleep(100);
  }
}

/**
 * From the leaves up: the files in a cgroup are not removed, they go with it. Returns false when there are processes in
 * it.
 */
function removeTree(folder: string): boolean {
  try {
    const below = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const empty = below.map(({ name }) => removeTree(join(folder, name))).every(Boolean);
    if (empty) rmdirSync(folder);
    return empty;
  } catch {
    return false;
  }
}
