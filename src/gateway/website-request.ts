import { parseAddress, splitTarget } from '../protocol/address.ts';
import { type OperationRow, operationRow } from '../protocol/operation-table.ts';
import type { QueryReader, RequestBody, S3Request } from '../protocol/request.ts';
import type { Exchange } from './exchange.ts';
import { checkHead } from './head-bounds.ts';

/** A visit to the website of a bucket, without authentication: a read of an object, or a preflight. */
interface WebsiteRequest {
  readonly row: OperationRow;
  readonly request: S3Request;
}

/** A website ignores parameters. */
const NO_QUERY: QueryReader = { has: () => false, get: () => undefined, names: () => [], all: () => [] };

function nothingSent(): never {
  throw new TypeError('a visit to a website has no body');
}

const NO_BODY: RequestBody = { declaredSize: 0, readAll: nothingSent, open: nothingSent, openForm: nothingSent };

/** What a visitor names. */
export interface Visit {
  readonly target: string;
  readonly host: string;
  /** Whose website the host is. */
  readonly bucket: string;
}

/** @throws S3Error what the address gets wrong */
export function websiteRequest(exchange: Exchange, { target, host, bucket }: Visit): WebsiteRequest {
  const { method = '' } = exchange.request;
  checkHead(exchange.request, target);
  const { path } = splitTarget(target, host);
  exchange.resource = path;
  const address = parseAddress(path, bucket);
  const { facts } = exchange;
  facts.bucket = address.bucket;
  facts.key = address.key;
  facts.virtualHost = true;
  facts.website = true;
  const row = operationRow(method === 'OPTIONS' ? 'OptionsObject' : 'GetObject');
  facts.classification = row;
  const request: S3Request = {
    method,
    address,
    query: NO_QUERY,
    headers: exchange.headers,
    body: NO_BODY,
    scheme: facts.scheme,
    host,
    authMethod: 'anonymous',
  };
  return { row, request };
}
