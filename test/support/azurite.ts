import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startAzurite } from '../../adapters/azure/azurite-process.ts';
import type { AzuriteProcess } from '../../adapters/azure/azurite-process.ts';

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
  const certificate = makeCertificate();
  try {
    const azurite = await startAzurite({ tls: certificate, oauth: true });
    const ca = readFileSync(certificate.certFile, 'utf8');
    return { ...azurite, storeOptions: { ...azurite.storeOptions, ca }, ca };
  } finally {
    rmSync(certificate.folder, { recursive: true });
  }
}

export interface Certificate {
  readonly folder: string;
  readonly certFile: string;
  readonly keyFile: string;
}

/** A self-signed certificate for 127.0.0.1 and localhost, in a temporary folder that is the caller's to remove. */
export function makeCertificate(): Certificate {
  const folder = mkdtempSync(join(tmpdir(), 'certificate-'));
  const certFile = join(folder, 'cert.pem');
  const keyFile = join(folder, 'key.pem');
  execFileSync('openssl', [
    'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=127.0.0.1',
    '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost',
    '-keyout', keyFile, '-out', certFile,
  ], { stdio: 'ignore' });
  return { folder, certFile, keyFile };
}
