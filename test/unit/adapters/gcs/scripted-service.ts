import { createGcsStore } from '../../../../adapters/gcs/index.ts';
import type { GcsStoreOptions } from '../../../../adapters/gcs/index.ts';
import type { BlobStore } from '../../../../src/store/blob-store.ts';
import { answer, listen } from '../scripted-peer.ts';
import type { ScriptedPeer, Turn } from '../scripted-peer.ts';

export interface Service extends ScriptedPeer {
  readonly store: BlobStore;
  stop(): Promise<void>;
}

/** A store over a scripted peer. */
export async function serve(turns: readonly Turn[], options: Partial<GcsStoreOptions> = {}): Promise<Service> {
  const peer = await listen(turns);
  const store = createGcsStore({
    endpoint: peer.origin,
    credential: { kind: 'anonymous' },
    retries: { baseDelay: 1, maxDelay: 5, nameSpacing: 5, nameWait: 200 },
    ...options,
  });
  const stop = async (): Promise<void> => {
    await store.close();
    peer.stop();
  };
  return { ...peer, store, stop };
}

export function json(value: object, status = '200 OK'): Turn {
  return answer(status, 'Content-Type: application/json\r\n', JSON.stringify(value));
}

export function refusal(status: string, reason: string, message = ''): Turn {
  return json({ error: { code: Number.parseInt(status, 10), message, errors: [{ reason, message }] } }, status);
}

/** What the service answers to a write. */
export const written = json({
  generation: '1700000000000001',
  metageneration: '1',
  timeCreated: '2026-11-21T10:00:00Z',
  md5Hash: 'XUFAKrxLKna5cZ2REBfFkg==',
});
export const unmet = refusal('412 Precondition Failed', 'conditionNotMet');
export const tooFast = refusal('429 Too Many Requests', 'rateLimitExceeded');
export const broken = refusal('500 Internal', 'internalError');
export const busy = refusal('503 Service Unavailable', 'backendError');
