import type { ListEntry, ListPage, ListRequest } from '../../src/store/blob-store.ts';
import { StoreError } from '../../src/store/store-error.ts';
import { type MemoryContainer, propertiesOf } from './state.ts';

/** Where the previous page ended: behind a name, or behind everything beneath a prefix. */
interface Position {
  readonly after: string;
  readonly rolledUp: boolean;
}

/** One page of a container. @throws unexpected for a token that no page gave out */
export function listPage(container: MemoryContainer, request: ListRequest, maxPage: number): ListPage {
  const { index } = container;
  const prefix = request.prefix ?? '';
  const limit = Math.max(1, Math.min(request.limit, maxPage));
  const names = index.names();
  const entries: ListEntry[] = [];
  let last: Position | undefined;
  let at = firstPosition(container, request, prefix);
  for (let name = names[at]; name?.startsWith(prefix) === true; name = names[at]) {
    if (entries.length === limit && last) return { entries, nextToken: encodeToken(last) };
    const rolledUp = rollUp(name, prefix, request.delimiter);
    const blob = container.get(name);
    if (rolledUp !== undefined) entries.push({ kind: 'prefix', name: rolledUp });
    else if (blob) entries.push({ kind: 'blob', name, ...propertiesOf(blob) });
    last = { after: rolledUp ?? name, rolledUp: rolledUp !== undefined };
    at = rolledUp === undefined ? at + 1 : index.firstBehindPrefix(rolledUp);
  }
  return { entries };
}

function firstPosition(container: MemoryContainer, request: ListRequest, prefix: string): number {
  const { index } = container;
  const first = Math.max(index.firstAtOrAfter(prefix), index.firstAtOrAfter(request.startAt ?? ''));
  if (request.token === undefined) return first;
  const { after, rolledUp } = decodeToken(request.token);
  return Math.max(first, rolledUp ? index.firstBehindPrefix(after) : index.firstAfter(after));
}

function rollUp(name: string, prefix: string, delimiter: string | undefined): string | undefined {
  if (delimiter === undefined || delimiter === '') return undefined;
  const found = name.indexOf(delimiter, prefix.length);
  return found < 0 ? undefined : name.slice(0, found + delimiter.length);
}

function encodeToken(position: Position): string {
  return Buffer.from(`${position.rolledUp ? 'p' : 'n'}${position.after}`).toString('base64url');
}

function decodeToken(token: string): Position {
  const text = Buffer.from(token, 'base64url').toString();
  if (!text.startsWith('p') && !text.startsWith('n')) {
    throw new StoreError('unexpected', { call: 'list', code: 'InvalidToken' });
  }
  return { after: text.slice(1), rolledUp: text.startsWith('p') };
}
