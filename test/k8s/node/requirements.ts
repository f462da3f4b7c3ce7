import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Programs, by the Debian package that has them. */
const PROGRAMS = {
  containerd: ['containerd', 'ctr'],
  runc: ['runc'],
  nftables: ['nft'],
  iptables: ['iptables'],
  iproute2: ['ip'],
  'util-linux': ['unshare', 'nsenter'],
  buildah: ['buildah'],
  podman: ['podman'],
  mmdebstrap: ['mmdebstrap'],
  golang: ['go'],
} as const;
const NETWORK_PLUGINS = ['ptp', 'host-local', 'loopback'].map((name) => `/usr/lib/cni/${name}`);

/** @throws Error that says what is missing here for a node of one's own */
export async function checkRequirements(): Promise<true> {
  if (process.getuid?.() !== 0) throw new Error('it needs root');
  const packages = Object.entries(PROGRAMS)
    .filter(([, programs]) => !programs.every(isInPath))
    .map(([name]) => name);
  if (!NETWORK_PLUGINS.every((file) => existsSync(file))) packages.push('containernetworking-plugins');
  if (packages.length > 0) {
    throw new Error(`it needs these packages: apt-get install --no-install-recommends ${packages.join(' ')}`);
  }
  try {
    execFileSync(
      'unshare',
      [
        '--mount',
        '--net',
        '--pid',
        '--fork',
        '--mount-proc',
        'ip',
        'link',
        'add',
        'one',
        'type',
        'veth',
        'peer',
        'name',
        'two',
      ],
      { stdio: 'pipe' },
    );
  } catch (error) {
    throw new Error('it needs namespaces with links between them, which cannot be made here', { cause: error });
  }
  return true;
}

function isInPath(program: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)));
}
