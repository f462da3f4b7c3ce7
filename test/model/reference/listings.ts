import { type Answer, type Facts, ok, Refusal } from './answer.ts';
import type { CallOf } from './calls.ts';
import type { Version } from './history.ts';
import { byBytes, type PageOf, paginate } from './paging.ts';
import type { BucketState } from './state.ts';

export function listObjects(state: BucketState, call: CallOf<'ListObjects'>): Answer {
  const { marker = '', delimiter = '' } = call;
  const page = liveObjects(state, call, marker);
  const next = delimiter === '' ? undefined : nextKey(page);
  return ok({}, { ...objectFacts(page), marker, ...(next !== undefined && { nextMarker: next }) });
}

export function listObjectsV2(state: BucketState, call: CallOf<'ListObjectsV2'>): Answer {
  const { startAfter = '', continuationToken } = call;
  const page = liveObjects(state, call, continuationToken === undefined ? startAfter : keyOfToken(continuationToken));
  const next = nextKey(page);
  return ok(
    {},
    {
      ...objectFacts(page),
      keyCount: page.entries.length + page.prefixes.length,
      ...(next !== undefined && { nextContinuationToken: tokenOfKey(next) }),
    },
  );
}

/** Tokens say nothing but where to go on. */
const TOKEN = '@after ';
const tokenOfKey = (key: string): string => TOKEN + key;
const keyOfToken = (token: string): string => token.slice(TOKEN.length);

type Listed = Version & { readonly key: string; readonly isLatest: boolean };

/** Every version of every key, in the order of S3: by key, then newest first. */
function allVersions(state: BucketState): Listed[] {
  return state
    .keys()
    .sort(byBytes)
    .flatMap((key) =>
      state.history(key).versions.map((version, index) => ({ ...version, key, isLatest: index === 0 })),
    );
}

function liveObjects(
  state: BucketState,
  call: CallOf<'ListObjects' | 'ListObjectsV2'>,
  marker: string,
): PageOf<Listed> {
  const live = allVersions(state).filter(({ isLatest, content }) => isLatest && content !== undefined);
  return paginate(live, { ...call, marker, isBehind: ({ key }) => byBytes(key, marker) <= 0 });
}

function nextKey({ isTruncated, last }: PageOf<Listed>): string | undefined {
  if (!isTruncated || last === undefined) return undefined;
  return 'item' in last ? last.item.key : last.prefix;
}

function objectFacts({ entries, prefixes, isTruncated }: PageOf<Listed>): Facts {
  return { isTruncated, objects: entries.map(versionFacts), prefixes };
}

function versionFacts({ key, content }: Listed): Facts {
  return content === undefined
    ? { key }
    : { key, etag: content.etag, size: content.body.length, storageClass: content.storageClass };
}

export function listObjectVersions(state: BucketState, call: CallOf<'ListObjectVersions'>): Answer {
  const { keyMarker = '', versionIdMarker = '' } = call;
  if (keyMarker === '' && versionIdMarker !== '') throw new Refusal(400, 'InvalidArgument');
  const from = versionIdMarker === '' ? undefined : state.orderOf(keyMarker, versionIdMarker);
  const isBehind = ({ key, order }: Listed): boolean =>
    key === keyMarker ? from === undefined || order >= from : byBytes(key, keyMarker) < 0;
  const page = paginate(allVersions(state), { ...call, marker: keyMarker, isBehind });
  const next = page.isTruncated ? page.last : undefined;
  return ok(
    {},
    {
      isTruncated: page.isTruncated,
      keyMarker,
      versionIdMarker,
      versions: page.entries.map((version) => ({
        kind: version.content === undefined ? 'DeleteMarker' : 'Version',
        versionId: version.id,
        isLatest: version.isLatest,
        ...versionFacts(version),
      })),
      prefixes: page.prefixes,
      ...(next !== undefined &&
        ('item' in next
          ? { nextKeyMarker: next.item.key, nextVersionIdMarker: next.item.id }
          : { nextKeyMarker: next.prefix })),
    },
  );
}
