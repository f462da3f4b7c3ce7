import type { QueryPair } from '../../auth/canonical-query.ts';
import { OPERATION_TABLE } from '../../protocol/operation-table.ts';
import { quotedValue, type Alteration, type Subject } from './alteration.ts';
import type { Cause } from './diagnosis.ts';

const MAX_PARAMETERS = 12;
/** Its value is the id of an upload, which nobody can guess. */
const WITH_A_VALUE = 'uploadId';
/** Parameters without a value of their own: with one lost, the request would ask for something else. By method. */
const SUBRESOURCES: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  [...Map.groupBy(OPERATION_TABLE, ({ method }) => method)].map(([method, rows]) => [
    method,
    new Set(rows.flatMap(({ match: { subresource } }) => subresource ?? []).filter((name) => name !== WITH_A_VALUE)),
  ]),
);
/** Operations whose name the SDKs for JavaScript add as `x-id`. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  GET: ['GetObject', 'ListParts', 'ListBuckets'],
  HEAD: ['HeadObject'],
  PUT: ['PutObject', 'UploadPart', 'CopyObject', 'UploadPartCopy'],
  DELETE: ['DeleteObject', 'AbortMultipartUpload'],
};
/** Values that clients commonly send. */
const COMMON: readonly QueryPair[] = [
  { name: 'list-type', value: '2' },
  { name: 'delimiter', value: '%2F' },
  { name: 'prefix', value: '' },
  { name: 'encoding-type', value: 'url' },
  { name: 'max-keys', value: '1000' },
  { name: 'max-keys', value: '1' },
  { name: 'fetch-owner', value: 'true' },
  { name: 'partNumber', value: '1' },
];

/** Another query, and why the client may have signed it. */
interface OtherQuery {
  readonly cause: Cause;
  readonly text: string;
  readonly query: readonly QueryPair[];
}

/** Other queries that the client may have signed: with a parameter that was lost, emptied, added or escaped anew. */
export function queryAlterations({ parts }: Subject): Alteration[] {
  const { method, query } = parts;
  const likely = [...withLost(method, query), ...withEmptied(query), ...withoutAdded(query), ...rewritten(query)];
  const inParts = (others: readonly OtherQuery[]): Alteration[] =>
    others.map((other) => ({ cause: other.cause, text: other.text, parts: { ...parts, query: other.query } }));
  return [
    ...inParts(likely),
    {
      cause: 'altered-query',
      text: 'The query was signed in the order in which it came; the canonical one is sorted by name.',
      parts: { ...parts, unsorted: true },
    },
    ...inParts(withPadded(query)),
  ];
}

function withLost(method: string, query: readonly QueryPair[]): OtherQuery[] {
  return lostCandidates(method, query).map((pair) => ({
    cause: 'lost-query',
    text: `Signed with the query parameter ${quotedValue(asText(pair))}, which did not come.`,
    query: [...query, pair],
  }));
}

function withEmptied(query: readonly QueryPair[]): OtherQuery[] {
  return query
    .filter(({ value }) => value === '')
    .flatMap((empty) =>
      COMMON.filter(({ name, value }) => name === empty.name && value !== '').map((full) => ({
        cause: 'lost-query' as const,
        text: `Signed with ${quotedValue(asText(full))}, but the value of that parameter did not come.`,
        query: query.map((pair) => (pair === empty ? full : pair)),
      })),
    );
}

function withoutAdded(query: readonly QueryPair[]): OtherQuery[] {
  return query.slice(0, MAX_PARAMETERS).map((added) => ({
    cause: 'altered-query',
    text: `Signed without the query parameter ${quotedValue(added.name)}: it was added on the way, or after signing.`,
    query: query.filter((pair) => pair !== added),
  }));
}

function withPadded(query: readonly QueryPair[]): OtherQuery[] {
  return query
    .filter(({ value }) => value !== '')
    .slice(0, MAX_PARAMETERS)
    .map((padded) => ({
      cause: 'trimmed-space',
      text: `The query parameter ${quotedValue(padded.name)} was signed with a space at its end, which was lost on the way.`,
      query: query.map((pair) => (pair === padded ? { ...pair, value: `${pair.value}%20` } : pair)),
    }));
}

function lostCandidates(method: string, query: readonly QueryPair[]): QueryPair[] {
  const given = new Set(query.map(({ name }) => name));
  const verb = method === 'HEAD' ? 'GET' : method;
  const candidates = [
    ...(NAMED[method] ?? []).map((value) => ({ name: 'x-id', value })),
    ...[...(SUBRESOURCES.get(verb) ?? [])].map((name) => ({ name, value: '' })),
    ...(verb === 'GET' || verb === 'PUT' ? COMMON : []),
  ];
  return candidates.filter(({ name }) => !given.has(name));
}

function rewritten(query: readonly QueryPair[]): OtherQuery[] {
  const all = (change: (text: string) => string): QueryPair[] =>
    query.map(({ name, value }) => ({ name: change(name), value: change(value) }));
  const candidates = [
    ['its escapes were escaped once more on the way.', all((text) => text.replaceAll(/%25([0-9A-F]{2})/gi, '%$1'))],
    ['its escapes were undone on the way.', all((text) => text.replaceAll('%', '%25'))],
    ['a plus was taken for a space.', all((text) => text.replaceAll('%20', '%2B'))],
    ['a space was sent as a plus.', all((text) => text.replaceAll('%2B', '%20'))],
  ] as const;
  const sent = JSON.stringify(query);
  return candidates
    .filter(([, changed]) => JSON.stringify(changed) !== sent)
    .map(([what, changed]) => ({
      cause: 'altered-query',
      text: `The query was signed in another form: ${what}`,
      query: changed,
    }));
}

function asText({ name, value }: QueryPair): string {
  return value === '' ? name : `${name}=${value}`;
}
