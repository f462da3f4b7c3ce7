import { cpSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { has, run } from './command.ts';

/**
 * What stands for the public images of the Dockerfile where no registry is at hand. Raised whenever the recipe changes.
 */
const BASE = 'localhost/s3gw-base:1';
const BUILDER = 'localhost/s3gw-builder:1';
const DEBIAN = 'http://deb.debian.org/debian';
/** As in a distroless image: neither shell nor package manager. */
const BASE_PACKAGES = 'libc6,libgcc-s1,libstdc++6,ca-certificates,tzdata,base-files,netbase';

/** Adds Node and the npm of this machine to a Debian. */
const BUILDER_FILE = `ARG FROM
FROM \${FROM}
COPY node /usr/local/bin/node
COPY npm /usr/local/lib/node_modules/npm
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
`;

/** Makes both from Debian's packages, once; they stay in the store of images of this user. */
export async function localBases(): Promise<{ base: string; builder: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'image-bases-'));
  try {
    if (!(await has('podman', 'image', 'exists', BASE))) {
      await importDebian(folder, BASE, ['--variant=extract', `--include=${BASE_PACKAGES}`]);
    }
    if (!(await has('podman', 'image', 'exists', BUILDER))) await makeBuilder(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
  return { base: BASE, builder: BUILDER };
}

async function importDebian(folder: string, tag: string, options: readonly string[]): Promise<void> {
  const tar = join(folder, 'root.tar');
  await run('mmdebstrap', [...options, 'bookworm', tar, DEBIAN]);
  await run('podman', ['import', '--quiet', tar, tag]);
  rmSync(tar);
}

async function makeBuilder(folder: string): Promise<void> {
  const debian = `${BUILDER}-debian`;
  await importDebian(folder, debian, ['--variant=minbase', '--include=libstdc++6,ca-certificates']);
  cpSync(realpathSync(process.execPath), join(folder, 'node'));
  cpSync(join(await run('npm', ['root', '--global']), 'npm'), join(folder, 'npm'), {
    recursive: true,
    dereference: true,
  });
  writeFileSync(join(folder, 'Containerfile'), BUILDER_FILE);
  await run('buildah', [
    'bud',
    '--quiet',
    '--isolation',
    'chroot',
    '--build-arg',
    `FROM=${debian}`,
    '--tag',
    BUILDER,
    folder,
  ]);
  await run('podman', ['rmi', debian]);
}
