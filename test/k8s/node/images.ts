import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildImage } from '../../image/build.ts';
import { run } from '../../image/command.ts';
import { buildBinary } from '../tools/binaries.ts';
import { PAUSE } from './settings.ts';

const GATEWAY = 'localhost/s3-cloud-gateway:k8s';

/** The gateway's image from the repository's Dockerfile. @returns file with it */
export async function gatewayArchive(folder: string): Promise<string> {
  await buildImage({ tag: GATEWAY });
  return archive(GATEWAY, join(folder, 'gateway.tar'));
}

/** The image that holds a pod together. @returns file with it */
export async function pauseArchive(folder: string): Promise<string> {
  const context = join(folder, 'pause');
  if (!existsSync(context)) mkdirSync(context);
  copyFileSync(await buildBinary('pause'), join(context, 'pause'));
  writeFileSync(join(context, 'Containerfile'), 'FROM scratch\nCOPY pause /pause\nENTRYPOINT ["/pause"]\n');
  await run('buildah', ['bud', '--quiet', '--isolation', 'chroot', '--tag', PAUSE, context]);
  return archive(PAUSE, join(folder, 'pause.tar'));
}

async function archive(tag: string, file: string): Promise<string> {
  await run('podman', ['save', '--quiet', '--format', 'oci-archive', '--output', file, tag]);
  return file;
}
