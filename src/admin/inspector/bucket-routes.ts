import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { BucketRegistry, Manifest, ObjectInspector, VersionsEntry, ListedEntry } from '../../manifest/index.ts';
import type { Call } from '../../observe/call.ts';
import { defined } from '../../observe/defined.ts';
import { FilterError } from '../journal/filter.ts';
import type { BucketList, KeyList, ObjectInspection, ShownEntry } from './contract.ts';
import { checkNames, limitOf, textsOf } from './queries.ts';
import { callerOf, queryOf } from './questions.ts';
import { inspectionOf } from './render-object.ts';

/** What reads from the backends. Nothing of it changes anything. */
export interface StoredParts {
  readonly buckets: Pick<BucketRegistry, 'get' | 'list'>;
  readonly listing: Manifest['listing'];
  readonly objects: ObjectInspector;
  /** A call to the backend that serves no S3 request. */
  readonly newCall: (signal: AbortSignal) => Call;
  /** Name of the account with a canonical id; the id, if there is none. */
  readonly accountNameOf: (canonicalId: string) => string;
}

/** Longest time that looking at one key, or at one page of names, may take. */
const LOOK_MS = 30_000;

/** Buckets, their keys and versions, and one key as it lies in the backend. */
export function bucketRoutes(api: FastifyInstance, parts: StoredParts): void {
  const callOf = (request: FastifyRequest, reply: FastifyReply): Call => {
    const { signal } = callerOf(request, reply);
    return parts.newCall(AbortSignal.any([signal, AbortSignal.timeout(LOOK_MS)]));
  };

  api.get('/api/buckets', async (request, reply): Promise<BucketList> => {
    const query = queryOf(request);
    checkNames(query, ['prefix', 'after', 'limit']);
    const wanted = { ...textsOf(query, ['prefix', 'after']), limit: limitOf(query, 'limit') };
    const { buckets, truncated } = await parts.buckets.list(wanted, callOf(request, reply));
    return {
      buckets: buckets.map(({ ownerId, ...bucket }) => ({ ...bucket, account: parts.accountNameOf(ownerId) })),
      more: truncated,
    };
  });

  api.get<{ Params: { bucket: string } }>('/api/buckets/:bucket/keys', async (request, reply): Promise<KeyList> => {
    const query = queryOf(request);
    checkNames(query, ['prefix', 'delimiter', 'versions', 'after', 'afterVersion', 'limit']);
    return keysOf(parts, keyQuestion(request.params.bucket, query), callOf(request, reply));
  });

  api.get<{ Params: { bucket: string } }>('/api/objects/:bucket', async (request, reply): Promise<ObjectInspection> => {
    const { key } = textsOf(queryOf(request), ['key']);
    if (key === undefined) throw new FilterError('key', 'the key of an object');
    return inspectionOf(await parts.objects.inspect(request.params.bucket, key, callOf(request, reply)));
  });
}

interface KeyQuestion {
  readonly name: string;
  readonly versions: boolean;
  readonly prefix: string;
  readonly delimiter: string;
  readonly after: string;
  readonly afterVersion: string | undefined;
  readonly limit: number;
}

/** @throws FilterError */
function keyQuestion(name: string, query: ReturnType<typeof queryOf>): KeyQuestion {
  const texts = textsOf(query, ['prefix', 'delimiter', 'versions', 'after', 'afterVersion']);
  const { versions = 'false', prefix = '', delimiter = '', after = '', afterVersion } = texts;
  if (versions !== 'true' && versions !== 'false') throw new FilterError('versions', 'true or false');
  return {
    name,
    versions: versions === 'true',
    prefix,
    delimiter,
    after,
    afterVersion,
    limit: limitOf(query, 'limit'),
  };
}

async function keysOf({ buckets, listing }: StoredParts, question: KeyQuestion, call: Call): Promise<KeyList> {
  const { name, versions, afterVersion, ...request } = question;
  const bucket = await buckets.get(name, call);
  const about = { bucket: name, versioning: bucket.versioning };
  if (!versions) {
    const { entries, next } = await listing.objects(bucket, request, call);
    return { ...about, entries: entries.map(shownEntry), ...defined({ next }) };
  }
  const wanted = { ...request, ...defined({ afterVersion }) };
  const { entries, next, nextVersion } = await listing.versions(bucket, wanted, call);
  return { ...about, entries: entries.map(shownEntry), ...defined({ next, nextVersion }) };
}

function shownEntry(entry: ListedEntry | VersionsEntry): ShownEntry {
  const { kind, key } = entry;
  if (kind === 'prefix') return { kind, key };
  const version = kind === 'object' ? {} : { versionId: entry.versionId, isLatest: entry.isLatest };
  if (kind === 'marker') return { kind, key, ...version, mtime: entry.mtime };
  const { size, mtime, etag, storageClass } = entry;
  return { kind, key, ...version, size, mtime, etag, ...defined({ storageClass }) };
}
