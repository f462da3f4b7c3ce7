import { resolve } from 'node:path';
import type { ListenerConfig } from '../../config/schema.ts';
import type { Listener, TlsMaterial } from '../gateway/listener.ts';
import type { Log } from '../observe/log.ts';
import { readSecretFile, readTextFile, type SecretSources } from './secrets.ts';
import { watchFiles } from './watch-files.ts';

type TlsFiles = NonNullable<ListenerConfig['tls']>;

/** Certificate and key of a listener. @throws StartError */
export function readTls({ certFile, keyFile }: TlsFiles, sources: SecretSources): TlsMaterial {
  return {
    cert: readTextFile(certFile, 'listeners.tls.certFile', sources),
    key: readSecretFile(keyFile, 'listeners.tls.keyFile', sources),
  };
}

/** Gives the listener its certificate and key again when the files change. @returns what ends it */
export function watchTls(
  listener: Listener,
  tls: TlsFiles,
  { sources, log }: { readonly sources: SecretSources; readonly log: Log },
): () => void {
  const files = [tls.certFile, tls.keyFile].map((file) => resolve(sources.folder, file));
  return watchFiles(files, () => {
    try {
      listener.renewTls(readTls(tls, sources));
      log.info({ certFile: tls.certFile }, 'certificate renewed');
    } catch (error) {
      log.error({ err: error, certFile: tls.certFile }, 'the new certificate is not usable; the old one stays');
    }
  });
}
