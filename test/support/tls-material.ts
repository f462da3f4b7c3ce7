import { generate } from 'selfsigned';
import type { TlsMaterial } from '../../src/gateway/listener.ts';

/** A self-signed certificate for localhost, made now. */
export async function tlsMaterial(): Promise<TlsMaterial> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keySize: 2048,
    algorithm: 'sha256',
  });
  return { cert, key };
}
