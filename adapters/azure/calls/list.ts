import type { ListPage, ListRequest } from '../../../src/store/blob-store.ts';
import type { Call } from '../../../src/observe/call.ts';
import { documentBuffers } from '../../shared/wire/answers.ts';
import type { AzureClient } from '../client.ts';
import { containerPath } from '../endpoint.ts';
import { parseBlobPage } from '../list-xml.ts';

/** List Blobs, with metadata. */
export async function list(
  client: AzureClient,
  container: string,
  request: ListRequest,
  call: Call,
): Promise<ListPage> {
  const path = containerPath(client.endpoint, container);
  const start = startOf(request);
  const document = await client.rest.sendForBytes(
    { call: 'list', method: 'GET', path, query: listQuery(request, start), effect: 'read' },
    call,
  );
  try {
    return parseBlobPage(document);
  } finally {
    documentBuffers.giveBack(document);
  }
}

type Query = (readonly [string, string])[];

/** Sorted by lower-case name, as the signature wants it. */
function listQuery(request: ListRequest, start: string | undefined): Query {
  const query: Query = [['comp', 'list']];
  if (request.delimiter !== undefined) query.push(['delimiter', request.delimiter]);
  query.push(['include', 'metadata']);
  if (request.token !== undefined) query.push(['marker', request.token]);
  query.push(['maxresults', String(request.limit)]);
  if (request.prefix !== undefined && request.prefix !== '') query.push(['prefix', request.prefix]);
  query.push(['restype', 'container']);
  if (start !== undefined) query.push(['startFrom', start]);
  return query;
}

/**
 * Where the service begins. A start inside a rolled-up prefix becomes that prefix: then the prefix is listed even if
 * all names in it lie before the start, and it does not matter whether the service compares the start with the names or
 * with the prefix.
 */
function startOf({ startAt, prefix = '', delimiter }: ListRequest): string | undefined {
  if (startAt === undefined || startAt === '' || startAt <= prefix) return undefined;
  if (delimiter === undefined || delimiter === '' || !startAt.startsWith(prefix)) return startAt;
  const end = startAt.indexOf(delimiter, prefix.length);
  return end < 0 ? startAt : startAt.slice(0, end + delimiter.length);
}
