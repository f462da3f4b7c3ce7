import type { UploadBody } from '../../../src/streams/bytes.ts';

/** A stream can be sent only once; bytes in memory as often as need be. */
export function isStream(body: UploadBody | undefined): boolean {
  return body !== undefined && !(body instanceof Uint8Array);
}
