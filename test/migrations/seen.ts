import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  GetObjectCommand,
  GetObjectTaggingCommand,
  type GetObjectCommandOutput,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
  ListObjectsV2Command,
  type S3Client,
} from '@aws-sdk/client-s3';

/** What a client sees of an object, or of one version of it. */
export interface SeenObject {
  readonly key: string;
  /** Digest of its bytes. */
  readonly sha256: string;
  readonly etag: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly metadata: Readonly<Record<string, string>>;
  readonly tags: Readonly<Record<string, string>>;
  readonly storageClass: string;
  /** Last-Modified, as ISO 8601; of copies `anew`. */
  readonly modified: string;
  readonly retention: string;
}

/** A delete marker in the history of a key. */
interface SeenMarker {
  readonly key: string;
  readonly marker: true;
}

export type Seen = SeenObject | SeenMarker;

/** An ETag that stands for a state of the blob, since the service has no MD5 of it. */
export const STATE_ETAG = '32 digits and -0';

const HEADERS = [
  ...(['CacheControl', 'ContentDisposition', 'ContentEncoding', 'ContentLanguage', 'ContentType'] as const),
  'ExpiresString',
] as const;

/** Everything that a client sees of the current objects of a bucket, in the order of the listing. */
export async function lookAtObjects(client: S3Client, bucket: string, withTags: boolean): Promise<SeenObject[]> {
  const seen: SeenObject[] = [];
  let token: string | undefined;
  do {
    const page = await client.send(new ListObjectsV2Command({ Bucket: bucket, ContinuationToken: token }));
    for (const { Key } of page.Contents ?? []) seen.push(await lookAt(client, { bucket, key: Key ?? '' }, withTags));
    token = page.NextContinuationToken;
  } while (token !== undefined);
  return seen;
}

/** Everything that a client sees of the history of a bucket: by key, the newest first. Each page has one entry. */
export async function lookAtVersions(client: S3Client, bucket: string): Promise<Seen[]> {
  const seen: Seen[] = [];
  let next: { KeyMarker?: string | undefined; VersionIdMarker?: string | undefined } | undefined = {};
  while (next !== undefined) {
    const page: ListObjectVersionsCommandOutput = await client.send(
      new ListObjectVersionsCommand({ Bucket: bucket, MaxKeys: 1, ...next }),
    );
    for (const { Key: key = '' } of page.DeleteMarkers ?? []) seen.push({ key, marker: true });
    for (const { Key: key = '', VersionId: version } of page.Versions ?? []) {
      seen.push(await lookAt(client, { bucket, key, version }, true));
    }
    const { NextKeyMarker: KeyMarker, NextVersionIdMarker: VersionIdMarker } = page;
    next = page.IsTruncated === true ? { KeyMarker, VersionIdMarker } : undefined;
  }
  return seen;
}

interface Place {
  readonly bucket: string;
  readonly key: string;
  readonly version?: string | undefined;
}

async function lookAt(client: S3Client, { bucket, key, version }: Place, withTags: boolean): Promise<SeenObject> {
  const at = { Bucket: bucket, Key: key, VersionId: version };
  const answer = await client.send(new GetObjectCommand(at));
  const bytes = (await answer.Body?.transformToByteArray()) ?? new Uint8Array();
  const { TagSet = [] } = withTags ? await client.send(new GetObjectTaggingCommand(at)) : {};
  return {
    key,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    etag: shownEtag(answer.ETag ?? ''),
    headers: headersOf(answer),
    metadata: answer.Metadata ?? {},
    tags: Object.fromEntries(TagSet.map(({ Key = '', Value = '' }) => [Key, Value])),
    storageClass: answer.StorageClass ?? 'STANDARD',
    modified: answer.LastModified?.toISOString() ?? '',
    retention: [
      answer.ObjectLockMode,
      answer.ObjectLockRetainUntilDate?.toISOString(),
      answer.ObjectLockLegalHoldStatus,
    ]
      .filter((part) => part !== undefined)
      .join(' '),
  };
}

function shownEtag(etag: string): string {
  return /^"[0-9a-f]{32}-0"$/.test(etag) ? STATE_ETAG : etag;
}

function headersOf(answer: GetObjectCommandOutput): Record<string, string> {
  return Object.fromEntries(HEADERS.flatMap((name) => (answer[name] === undefined ? [] : [[name, answer[name]]])));
}

/** What one server says otherwise than another one. */
export interface Difference {
  /** For the page: what is otherwise. */
  readonly says: string;
  /** What is seen behind the move of an object that was seen as this before. */
  readonly becomes: (before: SeenObject) => Partial<SeenObject>;
}

/**
 * Compares what is seen behind a move with what was seen before it, changed by the differences that are known.
 * @returns what does not agree, a line each; also a known difference that changes nothing any more
 */
export function disagreements(
  before: readonly Seen[],
  after: readonly Seen[],
  differences: readonly Difference[],
): string[] {
  const found: string[] = [];
  let expected = before;
  for (const { says, becomes } of differences) {
    const changed = expected.map((one) => ('marker' in one ? one : { ...one, ...becomes(one) }));
    if (isDeepStrictEqual(changed, expected)) found.push(`is not seen any more: ${says}`);
    expected = changed;
  }
  const rest = [...after];
  for (const one of expected) {
    const at = rest.findIndex(({ key }) => key === one.key);
    if (at === -1) found.push(`${one.key}: gone`);
    else found.push(...lines(one, rest.splice(at, 1)[0] ?? one));
  }
  return [...found, ...rest.map(({ key }) => `${key}: was not there`)];
}

function lines(expected: Seen, seen: Seen): string[] {
  const [left, right] = [expected, seen].map((one): Record<string, unknown> => ({ ...one }));
  const names = new Set([...Object.keys(left ?? {}), ...Object.keys(right ?? {})]);
  return [...names]
    .filter((name) => !agrees(left?.[name], right?.[name]))
    .map((name) => `${expected.key}: ${name} is ${JSON.stringify(right?.[name])}, not ${JSON.stringify(left?.[name])}`);
}

function agrees(expected: unknown, seen: unknown): boolean {
  if (expected === ANEW) return seen !== undefined;
  if (typeof expected !== 'object' || expected === null || typeof seen !== 'object' || seen === null) {
    return isDeepStrictEqual(expected, seen);
  }
  const [left, right]: readonly [Record<string, unknown>, Record<string, unknown>] = [{ ...expected }, { ...seen }];
  return [...new Set([...Object.keys(left), ...Object.keys(right)])].every((name) => agrees(left[name], right[name]));
}

/** Of what a copy has anew, whatever that is: its time. */
export const ANEW = 'anew';
