import type { ByteSource } from '../streams/bytes.ts';
import type { XmlDocument } from './xml/document.ts';

/** What an operation answers; the gateway adds request ids, Date, Server and framing. */
export interface S3Response {
  readonly status: number;
  /** Lower-case names; undefined values are left out. Values are sent as they are (already encoded). */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: XmlDocument | ByteSource;
}

export function isByteSource(body: XmlDocument | ByteSource): body is ByteSource {
  return 'pipeTo' in body;
}
