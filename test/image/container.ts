import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { run } from './command.ts';

const READY_MS = 30_000;
/** The chart's default. */
export const MEMORY_MIB = 384;

/** As a Pod of the "restricted" standard runs it: nothing may be written, no capability, a user that owns nothing. */
const CONFINED = [
  '--read-only',
  '--cap-drop',
  'all',
  '--security-opt',
  'no-new-privileges',
  '--pids-limit',
  '64',
  '--memory',
  `${MEMORY_MIB}m`,
];
/**
 * runc: crun refuses machines that have both versions of cgroups. Limits: this process may not raise its own.
 * HEALTHCHECK would need systemd.
 */
const ENGINE = ['--runtime', 'runc'];
const QUIET = [
  '--ulimit',
  'nofile=4096:4096',
  '--ulimit',
  'nproc=4096:4096',
  '--no-healthcheck',
  '--network',
  'host',
  '--log-driver',
  'k8s-file',
];

interface ContainerOptions {
  readonly image: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Files of this machine by where they stand in the container. */
  readonly files: Readonly<Record<string, string>>;
}

export class Container {
  readonly #id: string;
  /** Of its first process, on this machine. */
  readonly pid: number;

  private constructor(id: string, pid: number) {
    this.#id = id;
    this.pid = pid;
  }

  static async start({ image, environment, files }: ContainerOptions): Promise<Container> {
    const variables = Object.entries(environment).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
    const volumes = Object.entries(files).flatMap(([inside, outside]) => ['--volume', `${outside}:${inside}:ro`]);
    const id = await run('podman', [
      ...ENGINE,
      'run',
      '--detach',
      ...QUIET,
      ...CONFINED,
      ...variables,
      ...volumes,
      image,
    ]);
    const pid = Number(await run('podman', ['inspect', '--format', '{{.State.Pid}}', id]));
    return new Container(id, pid);
  }

  /** Resolves when the command succeeds in the container. @throws Error with the container's log */
  async untilHealthy(...command: string[]): Promise<void> {
    const until = Date.now() + READY_MS;
    for (;;) {
      try {
        await run('podman', [...ENGINE, 'exec', this.#id, ...command]);
        return;
      } catch (error) {
        if (Date.now() > until) throw new Error(`the container is not healthy:\n${await this.log()}`, { cause: error });
        await sleep(200);
      }
    }
  }

  /** Both outputs. */
  async log(): Promise<string> {
    return run('sh', ['-c', `podman logs ${this.#id} 2>&1`]);
  }

  /** Value of a line of `/proc/<pid>/status`. */
  status(name: string): string {
    return new RegExp(`^${name}:\\s+(.*)$`, 'm').exec(readFileSync(`/proc/${this.pid}/status`, 'utf8'))?.[1] ?? '';
  }

  commandLine(): string {
    return readFileSync(`/proc/${this.pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  }

  /** Options of the mount of its root. */
  rootMount(): string {
    return /^\S+ \S+ \S+ \S+ \/ (\S+)/m.exec(readFileSync(`/proc/${this.pid}/mountinfo`, 'utf8'))?.[1] ?? '';
  }

  /** The most memory it ever had, MiB, everything counted that the kernel counts towards the limit. */
  peakMebibytes(): number {
    const cgroups = readFileSync(`/proc/${this.pid}/cgroup`, 'utf8');
    const memory = /^\d+:memory:(.*)$/m.exec(cgroups)?.[1];
    const file =
      memory === undefined
        ? `/sys/fs/cgroup${/^0::(.*)$/m.exec(cgroups)?.[1] ?? ''}/memory.peak`
        : `/sys/fs/cgroup/memory${memory}/memory.max_usage_in_bytes`;
    return Math.round(Number(readFileSync(file, 'utf8')) / (1024 * 1024));
  }

  /** SIGTERM. Returns how it ended. */
  async stop(): Promise<{ exitCode: number; outOfMemory: boolean }> {
    await run('podman', [...ENGINE, 'stop', '--time', '30', this.#id]);
    const [code, killed] = (
      await run('podman', ['inspect', '--format', '{{.State.ExitCode}} {{.State.OOMKilled}}', this.#id])
    ).split(' ');
    return { exitCode: Number(code), outOfMemory: killed === 'true' };
  }

  async remove(): Promise<void> {
    await run('podman', [...ENGINE, 'rm', '--force', this.#id]);
  }
}
