import { existsSync, readdirSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { cached, fetchWith } from './cache.ts';

/** Programs that come from Debian packages. */
const PACKAGES = { promtool: 'prometheus', prometheus: 'prometheus', etcd: 'etcd-server' } as const;

/**
 * A program from the path of the machine, or out of its Debian package, which is unpacked into the user's cache folder:
 * nothing is installed, and no daemon started. @throws Error
 */
export async function findDebianProgram(name: keyof typeof PACKAGES): Promise<string> {
  const installed = (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((file) => existsSync(file));
  if (installed !== undefined) return installed;
  const folder = await cached(`debian-${PACKAGES[name]}`, async (workplace) => {
    const download = (): Promise<string> => fetchWith('apt-get', ['download', PACKAGES[name]], workplace);
    await download().catch(async () => {
      await fetchWith('apt-get', ['update'], workplace);
      await download();
    });
    const archive = readdirSync(workplace).find((file) => file.endsWith('.deb'));
    if (archive === undefined) throw new Error(`apt-get brought no ${PACKAGES[name]}`);
    await fetchWith('dpkg-deb', ['--extract', archive, '.'], workplace);
    rmSync(join(workplace, archive));
  });
  return join(folder, 'usr/bin', name);
}
