import { randomBytes } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';

/** PEM texts. */
interface CertificateAndKey {
  readonly cert: string;
  readonly key: string;
}

/** The same, in files. */
export interface CertificateFiles {
  readonly folder: string;
  readonly certFile: string;
  readonly keyFile: string;
}

/** A self-signed certificate for 127.0.0.1 and localhost, made now. */
export async function tlsMaterial(): Promise<CertificateAndKey> {
  const altNames = [
    { type: 7, ip: '127.0.0.1' },
    { type: 2, value: 'localhost' },
  ] as const;
  // A name of its own: clients that trust several of these find the issuer by it.
  const { cert, private: key } = await generate([{ name: 'commonName', value: randomBytes(8).toString('hex') }], {
    keySize: 2048,
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: [...altNames] },
    ],
  });
  return { cert, key };
}

/** What {@link tlsMaterial} makes, in a temporary folder that is the caller's to remove. */
export async function certificateFiles(): Promise<CertificateFiles> {
  const { cert, key } = await tlsMaterial();
  const folder = mkdtempSync(join(tmpdir(), 'certificate-'));
  const certFile = join(folder, 'cert.pem');
  const keyFile = join(folder, 'key.pem');
  writeFileSync(certFile, cert);
  writeFileSync(keyFile, key, { mode: 0o600 });
  return { folder, certFile, keyFile };
}
