import { compareUtf8, successorOfPrefix } from '../../../src/store/name-order.ts';
import type { Answer, Exchange } from './exchange.ts';
import { ok } from './exchange.ts';
import { invalid } from './refusal.ts';
import type { Json } from './resource.ts';
import { objectResource } from './resource.ts';
import type { StoredBucket } from './state.ts';

const MAX_ROWS = 1000;

/**
 * https://cloud.google.com/storage/docs/json_api/v1/objects/list: objects and prefixes count towards `maxResults`
 * together, a prefix appears once, `startOffset` is inclusive and looks at names, not at what they are rolled up into.
 */
export function listObjects({ state, bucket: name, query }: Exchange): Answer {
  const bucket = state.bucket(name);
  const prefix = query.get('prefix') ?? '';
  const start = [prefix, query.get('startOffset') ?? '', tokenStart(query.get('pageToken'))].reduce((a, b) =>
    compareUtf8(a, b) < 0 ? b : a,
  );
  const rows = collect(bucket, {
    prefix,
    start,
    end: query.get('endOffset') ?? undefined,
    delimiter: query.get('delimiter') ?? '',
    limit: Math.min(maxResults(query), state.options.maxListRows ?? MAX_ROWS),
  });
  return ok({
    kind: 'storage#objects',
    ...(rows.items.length > 0 && { items: rows.items }),
    ...(rows.prefixes.length > 0 && { prefixes: rows.prefixes }),
    ...(rows.next !== undefined && { nextPageToken: Buffer.from(rows.next).toString('base64') }),
  });
}

interface Scan {
  readonly prefix: string;
  readonly start: string;
  readonly end: string | undefined;
  readonly delimiter: string;
  readonly limit: number;
}

interface Rows {
  readonly items: Json[];
  readonly prefixes: string[];
  /** First name of the next page. */
  readonly next?: string;
}

function collect(bucket: StoredBucket, scan: Scan): Rows {
  const { prefix, end, delimiter, limit } = scan;
  const rows: Rows = { items: [], prefixes: [] };
  let at = bucket.position(scan.start);
  for (;;) {
    const name = bucket.names[at];
    if (name === undefined || !name.startsWith(prefix) || (end !== undefined && compareUtf8(name, end) >= 0)) {
      return rows;
    }
    if (rows.items.length + rows.prefixes.length >= limit) return { ...rows, next: name };
    const cut = delimiter === '' ? -1 : name.indexOf(delimiter, prefix.length);
    const object = bucket.objects.get(name);
    if (cut >= 0) {
      const rolled = name.slice(0, cut + delimiter.length);
      rows.prefixes.push(rolled);
      const next = successorOfPrefix(rolled);
      at = next === undefined ? bucket.names.length : bucket.position(next);
    } else {
      if (object !== undefined) rows.items.push(objectResource(object));
      at += 1;
    }
  }
}

function maxResults(query: URLSearchParams): number {
  const text = query.get('maxResults');
  if (text === null) return MAX_ROWS;
  if (!/^\d{1,9}$/.test(text) || Number(text) === 0) {
    throw invalid(`Invalid value '${text}'. Values must be within the range: [1, 2147483647]`);
  }
  return Number(text);
}

/** Opaque to clients. @throws Refusal 400 */
function tokenStart(token: string | null): string {
  if (token === null) return '';
  const start = Buffer.from(token, 'base64').toString('utf8');
  if (Buffer.from(start).toString('base64') !== token) throw invalid('Invalid argument.');
  return start;
}
