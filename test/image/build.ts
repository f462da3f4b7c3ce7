import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { localBases } from './bases.ts';
import { run } from './command.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const CERTIFICATES = '/etc/ssl/certs';

interface Build {
  readonly tag: string;
  /** Only up to this stage. */
  readonly target?: string;
  /** Packages for this platform, as Docker names it; default this machine's. */
  readonly architecture?: 'amd64' | 'arm64';
}

/** Builds the repository's Dockerfile as it is, over local bases. */
export async function buildImage({ tag, target, architecture }: Build): Promise<void> {
  const { base, builder } = await localBases();
  const folder = mkdtempSync(join(tmpdir(), 'image-build-'));
  try {
    const npmrc = join(folder, 'npmrc');
    writeFileSync(npmrc, npmSettings());
    await run('buildah', [
      'bud',
      '--quiet',
      '--format',
      'docker',
      '--isolation',
      'chroot',
      '--network',
      'host',
      '--volume',
      `${CERTIFICATES}:${CERTIFICATES}:ro`,
      '--secret',
      `id=npmrc,src=${npmrc}`,
      '--build-arg',
      `BASE=${base}`,
      '--build-arg',
      `BUILDER=${builder}`,
      ...(architecture === undefined ? [] : ['--build-arg', `TARGETARCH=${architecture}`]),
      ...(target === undefined ? [] : ['--target', target]),
      '--tag',
      tag,
      ROOT,
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** This user's, and the certificates that this machine trusts: there may be a proxy before the registry. */
function npmSettings(): string {
  const own = join(homedir(), '.npmrc');
  const lines = existsSync(own) ? readFileSync(own, 'utf8').split('\n') : [];
  return [...lines, `cafile=${CERTIFICATES}/ca-certificates.crt`, ''].join('\n');
}

/** Looks at the files of an image. @param look gets the folder where its root is mounted */
export async function insideImage<T>(tag: string, look: (root: string) => T): Promise<T> {
  const container = await run('buildah', ['from', '--pull-never', tag]);
  try {
    return look(await run('buildah', ['mount', container]));
  } finally {
    await run('buildah', ['rm', container]);
  }
}
