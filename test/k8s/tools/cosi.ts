import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The release whose version v1alpha1 the driver speaks. */
const COSI_RELEASE = 'v0.2.2';

/** Milliseconds. */
const BUILD_WITHIN = 30 * 60_000;

const PROGRAMS = { controller: './controller/cmd', sidecar: './sidecar/cmd' } as const;

const run = promisify(execFile);

export interface CosiPrograms {
  readonly controller: string;
  readonly sidecar: string;
  /** Folder with a kustomization of COSI's objects and its controller's rights. */
  readonly objects: string;
}

/**
 * COSI's own controller and sidecar, built once and kept in the user's cache folder. They need a checkout of the tag,
 * which `COSI_SOURCE` names: parts of it are modules without a version, so the Go module proxy does not have all of it.
 * @returns undefined without `COSI_SOURCE` @throws Error when the build fails
 */
export async function cosiPrograms(): Promise<CosiPrograms | undefined> {
  const source = process.env['COSI_SOURCE'];
  if (source === undefined) return undefined;
  return { controller: await built('controller', source), sidecar: await built('sidecar', source), objects: source };
}

async function built(name: keyof typeof PROGRAMS, source: string): Promise<string> {
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  const folder = join(cache, 's3-cloud-gateway', `cosi-${COSI_RELEASE}`);
  const file = join(folder, `cosi-${name}`);
  if (existsSync(file)) return file;
  // Built beside its place and moved there whole: others may be building it at the same time.
  const workplace = join(folder, `build-${process.pid}`);
  mkdirSync(workplace, { recursive: true });
  try {
    await run('go', ['build', '-trimpath', '-o', join(workplace, name), PROGRAMS[name]], {
      cwd: source,
      env: { ...process.env, CGO_ENABLED: '0' },
      timeout: BUILD_WITHIN,
    });
    renameSync(join(workplace, name), file);
  } finally {
    rmSync(workplace, { recursive: true, force: true });
  }
  return file;
}
