import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KubernetesObject } from '../tools/helm.ts';
import { containerOf, dataOf, only, type PodSpec, podOf } from './objects.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const NODE_IN_IMAGE = '/usr/local/bin/node';
const READY_WITHIN_MS = 120_000;

export interface Surroundings {
  /** Data of secrets that the release expects to be there already, by name. */
  readonly secrets?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Strings that stand for something else here: the address of a Service, for example. */
  readonly replace?: Readonly<Record<string, string>>;
  /** Run this init container, instead of the one container. */
  readonly initContainer?: string;
}

export interface Process {
  readonly child: ChildProcess;
  /** All that it has printed so far. */
  output(): string;
  /** Its exit code. */
  ended(): Promise<number | null>;
}

/**
 * Does for the container of a pod what a kubelet does: lays its volumes out as files, and runs its command with its
 * arguments and its environment. Paths inside the container become paths below a temporary folder; the image's Node
 * becomes this one.
 */
export function runPod(
  object: KubernetesObject,
  objects: readonly KubernetesObject[],
  around: Surroundings = {},
): Process {
  const { spec } = podOf(object);
  const container =
    around.initContainer === undefined
      ? containerOf(podOf(object))
      : spec.initContainers?.find(({ name }) => name === around.initContainer);
  if (container === undefined) throw new Error(`the pod has no init container ${around.initContainer ?? ''}`);
  const folder = mkdtempSync(join(tmpdir(), 'pod-'));
  const paths = (container.volumeMounts ?? []).map(({ mountPath }): [string, string] => [
    `${mountPath}/`,
    `${join(folder, mountPath)}/`,
  ]);
  const here = (text: string): string =>
    [...paths, ...Object.entries(around.replace ?? {})].reduce((left, [from, to]) => left.replaceAll(from, to), text);
  for (const { name, mountPath } of container.volumeMounts ?? []) {
    for (const [file, content] of Object.entries(volumeData(name, { spec, objects, around }))) {
      write(join(folder, mountPath, file), here(content));
    }
  }
  const [program, ...command] = container.command ?? [];
  if (program !== NODE_IN_IMAGE) throw new Error(`the image has no ${program ?? 'command'}`);
  const environment = Object.fromEntries((container.env ?? []).map(({ name, value = '' }) => [name, here(value)]));
  const child = spawn(process.execPath, [...command, ...(container.args ?? [])].map(here), {
    cwd: ROOT,
    env: { NODE_ENV: 'production', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return follow(child, folder);
}

function follow(child: ChildProcess, folder: string): Process {
  const printed: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => printed.push(chunk));
  const killOnExit = (): void => void child.kill('SIGKILL');
  process.once('exit', killOnExit);
  const closed = once(child, 'close').then(([code]: unknown[]) => {
    process.off('exit', killOnExit);
    rmSync(folder, { recursive: true, force: true });
    return code as number | null;
  });
  return { child, output: () => Buffer.concat(printed).toString(), ended: () => closed };
}

interface VolumeSources {
  readonly spec: PodSpec;
  readonly objects: readonly KubernetesObject[];
  readonly around: Surroundings;
}

function volumeData(name: string, { spec, objects, around }: VolumeSources): Readonly<Record<string, string>> {
  const volume = spec.volumes?.find((one) => one.name === name);
  if (volume?.configMap !== undefined) return dataOf(named(objects, 'ConfigMap', volume.configMap.name));
  if (volume?.secret === undefined) throw new Error(`there is no volume ${name}`);
  return around.secrets?.[volume.secret.secretName] ?? dataOf(named(objects, 'Secret', volume.secret.secretName));
}

function named(objects: readonly KubernetesObject[], kind: string, name: string): KubernetesObject {
  return only(
    objects.filter(({ metadata }) => metadata.name === name),
    kind,
  );
}

function write(file: string, content: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

/** Asks a probe of the pod until it says yes, as its kubelet would. @returns milliseconds that it took @throws Error */
export async function untilProbe(
  object: KubernetesObject,
  probe: 'startup' | 'readiness' | 'liveness',
  { child, output }: Process,
): Promise<number> {
  const started = performance.now();
  while (performance.now() - started < READY_WITHIN_MS) {
    if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}: ${output()}`);
    if ((await askProbe(object, probe)) === 200) return performance.now() - started;
    await sleep(25);
  }
  throw new Error(`${probe} says no after ${READY_WITHIN_MS} ms: ${output()}`);
}

/** @returns the status, or undefined when nobody answers */
async function askProbe(
  object: KubernetesObject,
  probe: 'startup' | 'readiness' | 'liveness',
): Promise<number | undefined> {
  const container = containerOf(podOf(object));
  const asked = container[`${probe}Probe`]?.httpGet;
  const port = container.ports?.find(({ name }) => name === asked?.port)?.containerPort;
  if (asked === undefined || port === undefined) {
    throw new Error(`the container has no ${probe} probe on one of its ports`);
  }
  try {
    return (await fetch(`http://127.0.0.1:${port}${asked.path}`, { signal: AbortSignal.timeout(5000) })).status;
  } catch {
    return undefined;
  }
}
