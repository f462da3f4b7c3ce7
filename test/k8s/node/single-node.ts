import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Cluster } from '../cluster.ts';
import { buildBinary } from '../tools/binaries.ts';
import { gatewayArchive, pauseArchive } from './images.ts';
import { Seal } from './seal.ts';
import * as settings from './settings.ts';

const AZURITE = 'azurite/dist/src/blob/main.js';
/** Of the gateway's image on the node: the same content under two names is an upgrade for Kubernetes. */
export const IMAGE = 'localhost/s3-cloud-gateway';
export const TAGS = ['one', 'two'] as const;
const CTR = ['ctr', '--namespace=k8s.io'];

/** A Kubernetes with one node on which pods really run, sealed off, with Azurite beside it. */
export class SingleNode {
  readonly cluster: Cluster;
  readonly #seal: Seal;

  private constructor(cluster: Cluster, seal: Seal) {
    this.cluster = cluster;
    this.#seal = seal;
  }

  /** @param took is told how long each step took @throws Error */
  static async start(took: (step: string, milliseconds: number) => void): Promise<SingleNode> {
    const time = stopwatch(took);
    const seal = await Seal.make();
    let cluster: Cluster | undefined;
    try {
      cluster = await time('API server and controllers', () =>
        Cluster.start({ controllers: true, fakeNodes: false, place: seal }),
      );
      const node = new SingleNode(cluster, seal);
      await node.#start(time);
      return node;
    } catch (error) {
      await seal.stop();
      await cluster?.stop();
      throw error;
    }
  }

  /** Below it are the containers, in the tree of every controller. */
  get cgroup(): string {
    return this.#seal.cgroup;
  }

  /** All at once: what runs in there ends with its first process. */
  async stop(): Promise<void> {
    await this.#seal.stop();
    await this.cluster.stop();
  }

  async #start(time: Stopwatch): Promise<void> {
    const { cluster } = this;
    const around = { folder: cluster.folder, address: this.#seal.address, cgroup: this.#seal.cgroup };
    this.#write('containerd.toml', settings.containerd(around));
    this.#write('cni/10-pods.conflist', settings.podNetwork(around));
    this.#write('kubelet.yaml', settings.kubelet(around));
    this.#write('kube-proxy.yaml', settings.kubeProxy(around));
    this.#write('Corefile', settings.coreDns());
    const azurite = createRequire(import.meta.url).resolve(AZURITE);
    cluster.start(process.execPath, [
      azurite,
      '--blobHost',
      around.address,
      '--blobPort',
      String(settings.BACKEND_PORT),
      '--silent',
      '--disableTelemetry',
      '--inMemoryPersistence',
    ]);
    cluster.start('containerd', ['--config=containerd.toml']);
    const archives = await time('image', async () => [
      await pauseArchive(cluster.folder),
      await gatewayArchive(cluster.folder),
    ]);
    await time('import into containerd', () => this.#import(archives));
    await time('node ready', () => this.#startNode(around.address));
  }

  async #import(archives: readonly string[]): Promise<void> {
    const ctr = async (...args: readonly string[]): Promise<void> => {
      const { code, output } = await this.cluster.run(
        ...CTR,
        `--address=${this.cluster.folder}/containerd.sock`,
        ...args,
      );
      if (code !== 0) throw new Error(output);
    };
    for (const archive of archives) await ctr('images', 'import', archive);
    for (const tag of TAGS) await ctr('images', 'tag', `${IMAGE}:k8s`, `${IMAGE}:${tag}`);
  }

  async #startNode(address: string): Promise<void> {
    const { cluster } = this;
    cluster.start(await buildBinary('kubelet'), [
      '--kubeconfig=kubeconfig',
      '--config=kubelet.yaml',
      `--node-ip=${address}`,
      `--hostname-override=${settings.NODE}`,
      `--root-dir=${cluster.folder}/kubelet`,
      `--cert-dir=${cluster.folder}/kubelet-certificates`,
    ]);
    cluster.start(await buildBinary('kube-proxy'), [
      '--config=kube-proxy.yaml',
      `--hostname-override=${settings.NODE}`,
    ]);
    cluster.start(await buildBinary('coredns'), ['-conf', 'Corefile']);
    await cluster.until(
      'the node is ready',
      async () =>
        (
          await cluster.kubectl(
            'get',
            'node',
            settings.NODE,
            '--output=jsonpath={.status.conditions[?(@.type=="Ready")].status}',
          )
        ).output === 'True',
    );
  }

  /** Objects as JSON, which is YAML. */
  #write(name: string, content: string | object): void {
    const file = join(this.cluster.folder, name);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  }
}

type Stopwatch = <T>(step: string, work: () => Promise<T>) => Promise<T>;

function stopwatch(took: (step: string, milliseconds: number) => void): Stopwatch {
  return async (step, work) => {
    const started = Date.now();
    const result = await work();
    took(step, Date.now() - started);
    return result;
  };
}
