import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { type AzuriteProcess, startAzurite } from '../../../adapters/doubles/index.ts';
import { certificateFiles } from '../certificates.ts';

/** A container name that no other test uses. */
export function freshContainer(): string {
  return `test-${randomBytes(8).toString('hex')}`;
}

export interface SecureAzurite extends AzuriteProcess {
  /** PEM of the certificate it serves, to be trusted by clients. */
  readonly ca: string;
}

/** Azurite over https that accepts bearer tokens, with a certificate made for this run. */
export async function startSecureAzurite(): Promise<SecureAzurite> {
  const certificate = await certificateFiles();
  try {
    const azurite = await startAzurite({ tls: certificate, oauth: true });
    const ca = readFileSync(certificate.certFile, 'utf8');
    return { ...azurite, storeOptions: { ...azurite.storeOptions, ca }, ca };
  } finally {
    rmSync(certificate.folder, { recursive: true });
  }
}
