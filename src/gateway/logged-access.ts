import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Bucket, BucketRegistry } from '../manifest/index.ts';
import type { AccessPart, BucketLog } from '../observe/access-log/bucket-log.ts';
import type { TlsFacts } from '../observe/request-facts.ts';
import type { Exchange } from './exchange.ts';

export type LogOf = (bucket: Bucket) => BucketLog | undefined;

/** Notes a record for the log of a bucket, if the bucket keeps one. @param part absent: about the whole request */
export function noteAccess(
  { facts, request }: Exchange,
  logOf: LogOf | undefined,
  bucket: Bucket,
  part?: AccessPart,
): void {
  if (bucket.settings.logging === undefined) return;
  const log = logOf?.(bucket);
  if (log === undefined) return;
  facts.tls ??= tlsOf(request.socket);
  facts.noteAccess(part === undefined ? { log } : { log, part });
}

/**
 * The same for a request that was refused before its bucket was looked for (a wrong signature, too high a rate). No
 * call to the backend is made for it: the log gets a record if the bucket is remembered.
 */
export function noteRefused(exchange: Exchange, logOf: LogOf | undefined, buckets: BucketRegistry): void {
  const { accesses, bucket: name } = exchange.facts;
  if (logOf === undefined || accesses !== undefined || name === undefined) return;
  const bucket = buckets.remembered(name);
  if (bucket !== undefined) noteAccess(exchange, logOf, bucket);
}

/** Of the connection that ends here: what a proxy in front spoke with its client is not known. */
function tlsOf(socket: Socket): TlsFacts | undefined {
  if (!(socket instanceof TLSSocket) || socket.destroyed) return undefined;
  return { version: socket.getProtocol() ?? undefined, cipher: socket.getCipher().name };
}
