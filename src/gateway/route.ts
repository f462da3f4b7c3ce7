import type { QueryPair } from '../auth/canonical-query.ts';
import {
  CONTROL_PATH,
  controlAddress,
  type HostResolver,
  isControl,
  parseAddress,
  splitTarget,
} from '../protocol/address.ts';
import { classify } from '../protocol/classify.ts';
import { withHoistedHeaders } from '../protocol/headers/hoisted-headers.ts';
import { effectiveQuery, readQuery } from '../protocol/headers/query-reader.ts';
import type { OperationRow } from '../protocol/operation-table.ts';
import type { HeaderReader, QueryReader, S3Address } from '../protocol/request.ts';
import type { Exchange } from './exchange.ts';
import { checkHead, checkQuery } from './head-bounds.ts';

/** What a request asks for. It is found out before the sender is authenticated. */
export interface Route {
  readonly row: OperationRow;
  readonly address: S3Address;
  /** Parameters that may have an effect. */
  readonly query: QueryReader;
  /** All parameters, for the signature. */
  readonly pairs: readonly QueryPair[];
  /** Headers as operations see them: with those that a presigned URL carries in its query. */
  readonly headers: HeaderReader;
  /** As sent: what the signature was computed over. */
  readonly rawPath: string;
}

/**
 * @param target request target as it came off the wire
 * @throws S3Error what the bounds of heads, address, query and operation table object to
 */
export function findRoute(exchange: Exchange, target: string, hosts: HostResolver): Route {
  const { request } = exchange;
  checkHead(request, target);
  const host = exchange.headers.get('host') ?? '';
  const { path, query: rawQuery } = splitTarget(target, host);
  exchange.resource = path;
  if (rawQuery !== '') checkQuery(rawQuery);
  const sent = readQuery(rawQuery);
  const isPresigned = sent.method !== undefined;
  const query = isPresigned ? effectiveQuery(sent) : sent;
  exchange.control = path.startsWith(CONTROL_PATH) && isControl(exchange.headers);
  const address = exchange.control ? controlAddress(path) : parseAddress(path, hosts.bucketOf(host));
  const { facts } = exchange;
  facts.bucket = address.bucket;
  facts.key = address.key;
  facts.virtualHost = address.virtualHost;
  facts.versionId = query.get('versionId');
  facts.uploadId = query.get('uploadId');
  const headers = isPresigned ? withHoistedHeaders(exchange.headers, sent) : exchange.headers;
  const row = classify(request.method ?? '', address, query, headers);
  facts.classification = row;
  return { row, address, query, headers, pairs: sent.pairs, rawPath: path };
}
