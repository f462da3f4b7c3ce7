import { spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findDebianProgram } from '../helm/tools/debian.ts';
import { type Clients, findClients, type Ran, run } from '../helm/tools/helm.ts';
import { Daemon } from './daemon.ts';
import { buildBinary, moduleFiles } from './tools/binaries.ts';
import { freePort } from '../support/free-port.ts';

const READY_WITHIN_MS = 90_000;

/** Where the programs of a cluster run. */
export interface Place {
  /** Of the API server. */
  readonly address: string;
  /** A command that runs the one behind it there, with this folder as its own. */
  enter(folder: string): readonly string[];
}

const HERE: Place = { address: '127.0.0.1', enter: () => [] };

interface ClusterOptions {
  /** What makes Deployments into pods, and chooses their nodes. */
  readonly controllers?: boolean;
  /**
   * Nodes that are applied say that they are ready, and so do pods of theirs: nothing runs. Default: with
   * `controllers`.
   */
  readonly fakeNodes?: boolean;
  /** Default: this machine. */
  readonly place?: Place;
}

/** A Kubernetes of one's own on loopback: API server and etcd, and more if wanted. */
export class Cluster {
  /** Working folder of its programs, gone with the cluster. */
  readonly folder: string;
  readonly #place: Place;
  readonly #daemons: Daemon[] = [];
  readonly #clients: Clients;
  readonly #environment: NodeJS.ProcessEnv;
  #server = '';

  private constructor(clients: Clients, place: Place) {
    this.#place = place;
    this.folder = mkdtempSync(join(tmpdir(), 'cluster-'));
    this.#clients = clients;
    // Helm and kubectl read and write nothing of the user's.
    const { PATH } = process.env;
    this.#environment = { PATH, HOME: this.folder, KUBECONFIG: join(this.folder, 'kubeconfig') };
  }

  /** Builds what is missing, which can take minutes. @throws Error */
  static async start({
    controllers = false,
    fakeNodes = controllers,
    place = HERE,
  }: ClusterOptions = {}): Promise<Cluster> {
    const cluster = new Cluster(await findClients(), place);
    try {
      await cluster.#startApi();
      if (controllers) await cluster.#startControllers();
      if (fakeNodes) await cluster.#startFakeNodes();
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  /** Where the API server is, and the PEM file that proves its certificate. */
  get api(): { readonly server: string; readonly caFile: string } {
    return { server: this.#server, caFile: join(this.folder, 'certificates/apiserver.crt') };
  }

  helm(...args: readonly string[]): Promise<Ran> {
    return this.run(this.#clients.helm, ...args);
  }

  kubectl(...args: readonly string[]): Promise<Ran> {
    return this.run(this.#clients.kubectl, ...args);
  }

  /** Runs a program to its end, where the cluster is. */
  run(...command: readonly string[]): Promise<Ran> {
    const [program = '', ...args] = this.command(...command);
    return run(program, args, this.#environment);
  }

  /** The command line that runs another one where the cluster is. */
  command(...command: readonly string[]): string[] {
    return [...this.#place.enter(this.folder), ...command];
  }

  /** Path of a file by which clients are a service account, for an hour. @throws Error */
  async kubeconfigOf(account: string, namespace: string): Promise<string> {
    const { code, output } = await this.kubectl('create', 'token', account, '--namespace', namespace);
    if (code !== 0) throw new Error(output);
    const name = `kubeconfig-${namespace}-${account}`;
    this.#write(name, kubeconfig(this.#server, output.trim()));
    return join(this.folder, name);
  }

  /** A further program beside the others. */
  start(program: string, args: readonly string[]): void {
    this.#daemons.push(new Daemon(this.folder, this.command(program, ...args), basename(program)));
  }

  /** @throws Error when it takes too long, or one of the cluster's programs has ended meanwhile */
  async until(what: string, holds: () => Promise<boolean>): Promise<void> {
    const until = Date.now() + READY_WITHIN_MS;
    while (!(await holds())) {
      for (const daemon of this.#daemons) daemon.assertRunning();
      if (Date.now() > until) throw new Error(`not within ${READY_WITHIN_MS} ms: ${what}`);
      await sleep(250);
    }
  }

  /** `kubectl ... -f -` @throws Error with what it printed */
  async kubectlWith(input: string, ...args: readonly string[]): Promise<string> {
    const file = join(this.folder, `input-${randomBytes(4).toString('hex')}.yaml`);
    writeFileSync(file, input);
    const { code, output } = await this.kubectl(...args, '--filename', file);
    rmSync(file);
    if (code !== 0) throw new Error(output);
    return output;
  }

  /** @throws Error with what it printed */
  async get<T>(...args: readonly string[]): Promise<T> {
    const { code, output } = await this.kubectl('get', '--output', 'json', ...args);
    if (code !== 0) throw new Error(output);
    return JSON.parse(output) as T;
  }

  /** Lines of `kubectl get --watch`, as they come; `stop` ends it. */
  watch(line: (text: string) => void, ...args: readonly string[]): { stop(): Promise<void> } {
    const [program = '', ...rest] = this.command(this.#clients.kubectl, 'get', '--watch', ...args);
    const child = spawn(program, rest, { env: this.#environment, stdio: ['ignore', 'pipe', 'ignore'] });
    let part = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = `${part}${chunk}`.split('\n');
      part = lines.pop() ?? '';
      lines.forEach(line);
    });
    const ended = once(child, 'close');
    return {
      async stop() {
        child.kill();
        await ended;
      },
    };
  }

  async stop(): Promise<void> {
    // Controllers first, and etcd last: an API server without its store hangs.
    for (const daemon of this.#daemons.toReversed()) await daemon.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #startApi(): Promise<void> {
    const [etcd, server] = [await findDebianProgram('etcd'), await buildBinary('kube-apiserver')];
    const [clientPort, peerPort, port] = [await freePort(), await freePort(), await freePort()];
    const { privateKey, publicKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    const { address } = this.#place;
    const token = randomBytes(16).toString('hex');
    this.#write('sa.key', privateKey);
    this.#write('sa.pub', publicKey);
    this.#write('tokens.csv', `${token},admin,1,"system:masters"\n`);
    this.#server = `https://${address}:${port}`;
    this.#write('kubeconfig', kubeconfig(this.#server, token));
    this.start(etcd, [
      '--data-dir=etcd',
      '--unsafe-no-fsync',
      '--log-level=warn',
      `--listen-client-urls=http://127.0.0.1:${clientPort}`,
      `--advertise-client-urls=http://127.0.0.1:${clientPort}`,
      `--listen-peer-urls=http://127.0.0.1:${peerPort}`,
      `--initial-advertise-peer-urls=http://127.0.0.1:${peerPort}`,
      `--initial-cluster=default=http://127.0.0.1:${peerPort}`,
    ]);
    this.start(server, [
      `--etcd-servers=http://127.0.0.1:${clientPort}`,
      `--bind-address=${address}`,
      `--advertise-address=${address}`,
      `--secure-port=${port}`,
      '--endpoint-reconciler-type=none',
      '--cert-dir=certificates',
      '--service-cluster-ip-range=10.201.0.0/24',
      '--authorization-mode=Node,RBAC',
      '--service-account-issuer=https://kubernetes.default.svc',
      '--service-account-key-file=sa.pub',
      '--service-account-signing-key-file=sa.key',
      '--token-auth-file=tokens.csv',
      '--kubelet-preferred-address-types=InternalIP',
      // etcd 3.4 cannot stream lists; offered all the same, clients ask for them and wait long between their tries.
      '--feature-gates=WatchList=false',
    ]);
    await this.until('the API server is ready', async () => (await this.kubectl('get', '--raw', '/readyz')).code === 0);
  }

  async #startControllers(): Promise<void> {
    const [manager, scheduler] = [await buildBinary('kube-controller-manager'), await buildBinary('kube-scheduler')];
    const [managerPort, schedulerPort] = [await freePort(), await freePort()];
    this.start(manager, [
      '--kubeconfig=kubeconfig',
      '--service-account-private-key-file=sa.key',
      '--root-ca-file=certificates/apiserver.crt',
      '--use-service-account-credentials',
      '--leader-elect=false',
      '--bind-address=127.0.0.1',
      `--secure-port=${managerPort}`,
    ]);
    this.start(scheduler, [
      '--kubeconfig=kubeconfig',
      '--leader-elect=false',
      '--bind-address=127.0.0.1',
      `--secure-port=${schedulerPort}`,
    ]);
    await this.until(
      'the default service account is made',
      async () => (await this.kubectl('get', 'serviceaccount', 'default')).code === 0,
    );
  }

  async #startFakeNodes(): Promise<void> {
    const stages = join(await moduleFiles('kwok', 'sigs.k8s.io/kwok'), 'kustomize/stage');
    const files = [
      'node/fast/node-initialize',
      'node/heartbeat/node-heartbeat',
      'pod/fast/pod-ready',
      'pod/fast/pod-complete',
      'pod/fast/pod-delete',
    ];
    this.start(await buildBinary('kwok'), [
      '--kubeconfig=kubeconfig',
      '--manage-all-nodes',
      ...files.map((file) => `--config=${stages}/${file}.yaml`),
    ]);
  }

  #write(name: string, content: string): void {
    writeFileSync(join(this.folder, name), content, { mode: 0o600 });
  }
}

/** Kubectl reads JSON as well. */
function kubeconfig(server: string, token: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'own', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'admin', user: { token } }],
    contexts: [{ name: 'own', context: { cluster: 'own', user: 'admin' } }],
    'current-context': 'own',
  });
}
