import { createHash } from 'node:crypto';
import { type AskedBlob, type AzureRefusal, type AzuriteFront, startFront } from './azurite-front.ts';

const KEY = 'x-ms-encryption-key';
const DIGEST = `${KEY}-sha256`;
const ALGORITHM = 'x-ms-encryption-algorithm';
/** What reads a blob, or writes some of it: its key must be shown. */
const TOUCHES = new Set(['', 'metadata', 'properties', 'tags', 'snapshot', 'tier']);

/**
 * Azurite knows nothing of customer-provided keys. This stands in front of one that ignores their headers (`--loose`),
 * remembers which key each blob was written with, and refuses what the service refuses
 * (https://learn.microsoft.com/azure/storage/blobs/encryption-customer-provided-keys). It encrypts nothing, and forgets
 * everything when it ends.
 */
export function startKeyKeeper(endpoint: string): Promise<AzuriteFront> {
  const keyed = new Map<string, string>();
  return startFront(endpoint, {
    before: (asked) => refusalOf(asked, keyed),
    after(asked, status) {
      const refusal = status === 404 ? undefined : mismatch(asked, keyed);
      if (refusal !== undefined || status >= 300) return refusal;
      const { method, path, comp } = asked;
      const digest = digestIn(asked);
      const replaced = method === 'PUT' && (comp === '' || comp === 'blocklist');
      if (replaced && digest !== undefined) keyed.set(path, digest);
      else if (replaced || method === 'DELETE') keyed.delete(path);
      return undefined;
    },
  });
}

/** Of the key that is shown. */
function digestIn({ headers }: AskedBlob): string | undefined {
  return headers[DIGEST]?.toString();
}

function refusalOf(asked: AskedBlob, keyed: ReadonlyMap<string, string>): AzureRefusal | undefined {
  const { method, comp, source } = asked;
  if (!isSound(asked)) return { status: 400, code: 'InvalidHeaderValue' };
  if (source !== undefined && keyed.has(source)) return { status: 409, code: 'BlobUsesCustomerSpecifiedEncryption' };
  const replaces = method === 'PUT' && (comp === '' || comp === 'blocklist' || comp === 'block');
  if (replaces && digestIn(asked) !== undefined && (comp !== '' || source !== undefined)) {
    return { status: 501, code: 'NotImplemented' };
  }
  // What would be changed is refused before.
  return method === 'PUT' ? mismatch(asked, keyed) : undefined;
}

/** Told of what is there: batches remove blobs unseen. */
function mismatch(asked: AskedBlob, keyed: ReadonlyMap<string, string>): AzureRefusal | undefined {
  const { method, path, comp } = asked;
  if (method === 'DELETE' || (method === 'PUT' && ['', 'block', 'blocklist'].includes(comp)) || !TOUCHES.has(comp)) {
    return undefined;
  }
  const digest = digestIn(asked);
  const known = keyed.get(path);
  if (known === digest) return undefined;
  if (known === undefined) return { status: 409, code: 'BlobDoesNotUseCustomerSpecifiedEncryption' };
  const code = digest === undefined ? 'BlobUsesCustomerSpecifiedEncryption' : 'BlobCustomerSpecifiedEncryptionMismatch';
  return { status: 409, code };
}

/** All three headers or none, and the digest is the key's. */
function isSound({ headers }: AskedBlob): boolean {
  const [key, digest, algorithm] = [KEY, DIGEST, ALGORITHM].map((name) => headers[name]?.toString());
  if (key === undefined && digest === undefined && algorithm === undefined) return true;
  const bytes = Buffer.from(key ?? '', 'base64');
  const counted = createHash('sha256').update(bytes).digest('base64');
  return algorithm === 'AES256' && bytes.length === 32 && digest === counted;
}
