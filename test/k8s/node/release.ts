import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CHART, type Ran } from '../../helm/tools/helm.ts';
import type { SingleNode } from './single-node.ts';

const NAMESPACE = 'storage';
const NAME = 's3-s3-cloud-gateway';
const VALUES = join(import.meta.dirname, 'values.yaml');
/** Enough for a machine that is busy with other things. */
const PATIENCE = '180s';
const UNTIL_MS = 180_000;
const MIB = 1024 * 1024;

interface ContainerStatus {
  readonly containerID?: string;
  readonly ready: boolean;
  readonly restartCount: number;
  readonly state: { readonly terminated?: { readonly reason: string } };
  readonly lastState: { readonly terminated?: { readonly reason: string } };
}

export interface Pod {
  readonly metadata: { readonly name: string; readonly deletionTimestamp?: string };
  readonly spec: { readonly containers: readonly { readonly image: string }[] };
  readonly status: { readonly containerStatuses?: readonly ContainerStatus[] };
}

interface EndpointSlice {
  readonly endpoints: readonly {
    readonly targetRef: { readonly name: string };
    readonly conditions: { readonly ready: boolean };
  }[];
}

/** The chart, installed on a node. */
export class Release {
  readonly #node: SingleNode;

  constructor(node: SingleNode) {
    this.#node = node;
  }

  /** Into a namespace that takes nothing but "restricted" pods. */
  async install(): Promise<Ran> {
    await this.#node.cluster.kubectl('create', 'namespace', NAMESPACE);
    await this.allow('restricted');
    return this.helm('install', 's3', CHART, '--values', VALUES, '--wait', '--timeout', PATIENCE);
  }

  /** Which pods the namespace takes. */
  async allow(standard: 'restricted' | 'privileged'): Promise<void> {
    const labels = ['enforce', 'warn'].map((mode) => `pod-security.kubernetes.io/${mode}=${standard}`);
    const { code, output } = await this.kubectl('label', '--overwrite', 'namespace', NAMESPACE, ...labels);
    if (code !== 0) throw new Error(output);
  }

  upgrade(set: string, ...options: readonly string[]): Promise<Ran> {
    return this.helm(
      'upgrade',
      's3',
      CHART,
      '--values',
      VALUES,
      '--set',
      set,
      '--wait',
      '--timeout',
      PATIENCE,
      ...options,
    );
  }

  /** To what was before. */
  rollback(): Promise<Ran> {
    return this.helm('rollback', 's3', '--wait', '--timeout', PATIENCE);
  }

  helm(...args: readonly string[]): Promise<Ran> {
    return this.#node.cluster.helm(...args, '--namespace', NAMESPACE);
  }

  kubectl(...args: readonly string[]): Promise<Ran> {
    return this.#node.cluster.kubectl(...args, '--namespace', NAMESPACE);
  }

  /** Of the Service, as clients in the cluster see it. */
  async endpoint(): Promise<string> {
    return `http://${(await this.kubectl('get', 'service', NAME, '--output=jsonpath={.spec.clusterIP}')).output}`;
  }

  /** The gateways that are meant to stay. */
  async pods(): Promise<Pod[]> {
    const { items } = await this.#node.cluster.get<{ items: Pod[] }>(
      'pods',
      '--namespace',
      NAMESPACE,
      '--selector=app.kubernetes.io/component=gateway',
    );
    return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  }

  /** Names of the pods that get requests. */
  async serving(): Promise<string[]> {
    const { items } = await this.#node.cluster.get<{ items: EndpointSlice[] }>(
      'endpointslices',
      '--namespace',
      NAMESPACE,
      `--selector=kubernetes.io/service-name=${NAME}`,
    );
    const endpoints = items.flatMap((slice) => slice.endpoints);
    return endpoints
      .filter(({ conditions }) => conditions.ready)
      .map(({ targetRef }) => targetRef.name)
      .toSorted();
  }

  /** Ids of the processes of a gateway, on this machine. */
  processes(pod: Pod): number[] {
    return readFileSync(join(this.#memoryCgroup(pod), 'cgroup.procs'), 'utf8')
      .trim()
      .split('\n')
      .map(Number);
  }

  /** The most memory that a gateway ever had, MiB, all that counts towards the limit. */
  peakMebibytes(pod: Pod): number {
    const folder = this.#memoryCgroup(pod);
    const file =
      ['memory.peak', 'memory.max_usage_in_bytes'].map((name) => join(folder, name)).find((path) => existsSync(path)) ??
      '';
    return Math.round(Number(readFileSync(file, 'utf8')) / MIB);
  }

  /** Resolves with what `look` finds, when it finds something. @returns it, and after how many milliseconds */
  async until<T>(what: string, look: () => Promise<T | undefined | false>): Promise<{ found: T; took: number }> {
    const started = Date.now();
    for (;;) {
      const found = await look();
      const took = Date.now() - started;
      if (found !== undefined && found !== false) return { found, took };
      if (took > UNTIL_MS) {
        throw new Error(
          `not within ${UNTIL_MS} ms: ${what}\n${(await this.kubectl('get', 'pods,endpointslices')).output}`,
        );
      }
      await sleep(200);
    }
  }

  #memoryCgroup({ metadata, status }: Pod): string {
    const id = status.containerStatuses?.[0]?.containerID?.replace('containerd://', '');
    if (id === undefined) throw new Error(`${metadata.name} has no container`);
    const tree = existsSync('/sys/fs/cgroup/memory') ? '/sys/fs/cgroup/memory' : '/sys/fs/cgroup';
    const root = join(tree, this.#node.cgroup);
    const found = readdirSync(root, { recursive: true, encoding: 'utf8' }).find((name) => name.endsWith(`/${id}`));
    if (found === undefined) throw new Error(`${metadata.name}: no cgroup of ${id}`);
    return join(root, found);
  }
}
