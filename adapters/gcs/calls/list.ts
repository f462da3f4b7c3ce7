import type { BlobEntry, ListEntry, ListPage, ListRequest, PrefixEntry } from '../../../src/store/blob-store.ts';
import { compareUtf8 } from '../../../src/store/name-order.ts';
import { StoreError } from '../../../src/store/store-error.ts';
import type { Call } from '../../../src/observe/call.ts';
import type { GcsClient } from '../client.ts';
import { bucketPath } from '../paths.ts';
import { ALL, type ObjectResource, propertiesOf } from '../resource.ts';
import type { QueryPairs } from '../revision.ts';

interface ObjectPage {
  readonly kind: string;
  readonly items: readonly ObjectResource[];
  readonly prefixes: readonly string[];
  readonly nextPageToken: string;
}

const FIELDS = `kind,items(${ALL}),prefixes,nextPageToken`;

/** https://cloud.google.com/storage/docs/json_api/v1/objects/list */
export async function list(client: GcsClient, container: string, request: ListRequest, call: Call): Promise<ListPage> {
  const path = `${bucketPath(client, container)}/o`;
  const page = await client.rest.sendForJson<ObjectPage>(
    { call: 'list', method: 'GET', path, query: listQuery(request), effect: 'read', missing: 'bucket' },
    call,
  );
  checkKind(page, 'storage#objects', 'list');
  const { items = [], prefixes = [], nextPageToken } = page;
  const entries = interleave(
    items.map((item) => ({ kind: 'blob', name: nameOf(item), ...propertiesOf(item) })),
    prefixes.map((name) => ({ kind: 'prefix', name })),
  );
  return { entries, ...(nextPageToken !== undefined && nextPageToken !== '' && { nextToken: nextPageToken }) };
}

function listQuery(request: ListRequest): QueryPairs {
  const query: QueryPairs = [
    ['maxResults', String(request.limit)],
    ['fields', FIELDS],
  ];
  const { prefix, delimiter, token } = request;
  if (prefix !== undefined && prefix !== '') query.push(['prefix', prefix]);
  if (delimiter !== undefined && delimiter !== '') query.push(['delimiter', delimiter]);
  if (token !== undefined) query.push(['pageToken', token]);
  const start = startOf(request);
  if (start !== undefined) query.push(['startOffset', start]);
  return query;
}

/**
 * Where the service shall begin. A start inside a rolled-up prefix becomes that prefix: it is listed then, even if all
 * names in it lie before the start, and whether the service holds the start against the names or against what they roll
 * up into makes no difference.
 */
function startOf({ startAt, prefix = '', delimiter }: ListRequest): string | undefined {
  if (startAt === undefined || startAt === '' || compareUtf8(startAt, prefix) <= 0) return undefined;
  if (delimiter === undefined || delimiter === '' || !startAt.startsWith(prefix)) return startAt;
  const end = startAt.indexOf(delimiter, prefix.length);
  return end < 0 ? startAt : startAt.slice(0, end + delimiter.length);
}

/** @throws StoreError unexpected when the answer lacks it */
function nameOf({ name }: ObjectResource): string {
  if (name === undefined || name === '') {
    throw new StoreError('unexpected', { call: 'list', cause: new Error('object without a name') });
  }
  return name;
}

/** The service answers objects and prefixes apart, each in order. */
function interleave(blobs: readonly BlobEntry[], prefixes: readonly PrefixEntry[]): readonly ListEntry[] {
  if (prefixes.length === 0) return blobs;
  const entries: ListEntry[] = [];
  let at = 0;
  for (const prefix of prefixes) {
    for (let blob = blobs[at]; blob !== undefined && compareUtf8(blob.name, prefix.name) < 0; blob = blobs[at]) {
      entries.push(blob);
      at += 1;
    }
    entries.push(prefix);
  }
  return entries.concat(blobs.slice(at));
}

/**
 * The service says of each page what it is a page of, even when nothing is on it. An answer that does not comes from
 * something in between, such as a proxy: if it counted as an empty page, a bucket would seem empty and could be deleted
 * with all that is in it.
 * @param call port method @throws StoreError unexpected
 */
export function checkKind(page: { readonly kind?: unknown }, kind: string, call: string): void {
  if (page.kind !== kind) throw new StoreError('unexpected', { call, cause: new Error(`answer is no ${kind}`) });
}
