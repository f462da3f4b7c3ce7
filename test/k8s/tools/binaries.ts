import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

/**
 * Kubernetes' own programs, built from the Go modules that the `go.mod` files beside this one pin. Nobody publishes
 * them in a package registry. The first build takes minutes (CPU-minutes: six for the API server, cold); the result
 * stays in the user's cache folder.
 */
export const BINARIES = [
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kwok',
  'kubelet',
  'kube-proxy',
  'coredns',
  'pause',
] as const;

type BinaryName = (typeof BINARIES)[number];
type ModuleName = 'kubernetes' | 'kwok' | 'node';

interface Module {
  /** The dependency whose version is the module's. */
  readonly main: string;
  package(binary: string): string;
}

const MODULES: Readonly<Record<ModuleName, Module>> = {
  kubernetes: { main: 'k8s.io/kubernetes', package: (binary) => `k8s.io/kubernetes/cmd/${binary}` },
  kwok: { main: 'sigs.k8s.io/kwok', package: (binary) => `sigs.k8s.io/kwok/cmd/${binary}` },
  node: { main: 'github.com/coredns/coredns', package: (binary) => `./${binary}` },
};
const MODULE_OF: Readonly<Partial<Record<BinaryName, ModuleName>>> = { kwok: 'kwok', coredns: 'node', pause: 'node' };

/** Milliseconds. */
const BUILD_WITHIN = 60 * 60_000;

const run = promisify(execFile);

/** Path of a binary that was built before; undefined if it was not. */
function builtBinary(name: BinaryName): string | undefined {
  const file = join(folderOf(moduleOf(name)), name);
  return existsSync(file) ? file : undefined;
}

/** Builds a binary unless it is there. @returns its path @throws Error when there is no Go, or the build fails */
export async function buildBinary(name: BinaryName): Promise<string> {
  const built = builtBinary(name);
  if (built !== undefined) return built;
  const module = moduleOf(name);
  const folder = folderOf(module);
  // Built beside its place and moved there whole: others may be building it at the same time.
  const workplace = join(folder, `build-${process.pid}`);
  mkdirSync(workplace, { recursive: true });
  try {
    await run(
      'go',
      [
        'build',
        '-trimpath',
        '-ldflags',
        linkerFlags(module),
        '-o',
        join(workplace, name),
        MODULES[module].package(name),
      ],
      {
        cwd: sourceFolder(module),
        env: { ...process.env, CGO_ENABLED: '0', GOFLAGS: `${process.env['GOFLAGS'] ?? ''} -mod=readonly`.trim() },
        timeout: BUILD_WITHIN,
      },
    );
    renameSync(join(workplace, name), join(folder, name));
  } finally {
    rmSync(workplace, { recursive: true, force: true });
  }
  return join(folder, name);
}

/** Folder of a pinned Go module's files, fetched when they are not there. @throws Error */
export async function moduleFiles(module: ModuleName, path: string): Promise<string> {
  const { stdout } = await run('go', ['mod', 'download', '-json', path], { cwd: sourceFolder(module) });
  return (JSON.parse(stdout) as { readonly Dir: string }).Dir;
}

/** E.g. `v1.36.3`. */
function moduleVersion(module: ModuleName): string {
  const { main } = MODULES[module];
  const [, version] =
    new RegExp(`\\b${main} (v[\\d.]+)`, 'm').exec(readFileSync(join(sourceFolder(module), 'go.mod'), 'utf8')) ?? [];
  if (version === undefined) throw new Error(`${module}/go.mod does not require ${main}`);
  return version;
}

function moduleOf(name: BinaryName): ModuleName {
  return MODULE_OF[name] ?? 'kubernetes';
}

function folderOf(module: ModuleName): string {
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  return join(cache, 's3-cloud-gateway', `${module}-${moduleVersion(module)}`);
}

function sourceFolder(module: ModuleName): string {
  return resolve(import.meta.dirname, module);
}

/**
 * Kubernetes takes its version from the linker; without one it calls itself v0.0.0 and Helm refuses to work with it.
 */
function linkerFlags(module: ModuleName): string {
  if (module !== 'kubernetes') return '-s -w';
  const [major, minor] = moduleVersion(module).slice(1).split('.');
  const into = 'k8s.io/component-base/version';
  return `-s -w -X ${into}.gitVersion=${moduleVersion(module)} -X ${into}.gitMajor=${major ?? ''} -X ${into}.gitMinor=${minor ?? ''} -X ${into}.gitTreeState=clean`;
}
