import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { type AzuriteProcess, startAzurite } from '../../../adapters/doubles/index.ts';

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
  const certificate = await makeCertificate();
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
export async function makeCertificate(): Promise<Certificate> {
  const altNames = [
    { type: 7, ip: '127.0.0.1' },
    { type: 2, value: 'localhost' },
  ] as const;
  // A name of its own: clients that trust several of these find the issuer by it.
  const pems = await generate([{ name: 'commonName', value: freshContainer() }], {
    keySize: 2048,
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: [...altNames] },
    ],
  });
  const folder = mkdtempSync(join(tmpdir(), 'certificate-'));
  const certFile = join(folder, 'cert.pem');
  const keyFile = join(folder, 'key.pem');
  writeFileSync(certFile, pems.cert);
  writeFileSync(keyFile, pems.private, { mode: 0o600 });
  return { folder, certFile, keyFile };
}
