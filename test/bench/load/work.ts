import { type Preparation, objectsToDelete, openUploads } from './prepared.ts';
import type { S3Request } from './sign.ts';
import { BUCKET, UPLOAD } from './upload.ts';

export { BUCKET } from './upload.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

/** One row of the result. */
export interface Work {
  readonly name: string;
  readonly connections: number;
  /** Rounds are so many times as long as others: the opening of many connections is much of a short one. */
  readonly longer?: number;
  /** Bytes of the body, either way; bulk work is told in MB/s and CPU per GiB. */
  readonly bytes?: number;
  readonly requests: readonly S3Request[];
  /**
   * Makes what the requests of a turn use up, and these requests, before each of the gateway's turns. CPU and calls
   * count what the gateway does behind its answers, too; rate and p99 do not.
   */
  readonly prepare?: Preparation;
  /** What the bare proxy gets instead: it knows no S3. */
  readonly bare?: readonly S3Request[];
}

const LIST_BUCKET = 'bench-list';
/** Keeps versions. */
const VERSIONS_BUCKET = 'bench-versions';
/** Container that only the bare proxy writes to, so that no record is overwritten by a blob without one. */
export const BARE_CONTAINER = 'bench-bare';
const LISTED = 1000;
const KEYS = 64;

const numbers = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => String(index).padStart(4, '0'));
const small = numbers(KEYS).map((number) => `/${BUCKET}/small-${number}`);
const put = (container: string, name: string, size: number, payload: S3Request['payload'] = 'unsigned'): S3Request => ({
  method: 'PUT',
  path: `/${container}/${name}`,
  size,
  payload,
});
const puts = (container: string): S3Request[] =>
  numbers(KEYS).map((number) => put(container, `put-${number}`, 4 * KIB));
const fourUp = (container: string, payload: S3Request['payload']): S3Request[] =>
  numbers(4).map((number) => put(container, `up-${number}`, 64 * MIB, payload));
const list: S3Request = { method: 'GET', path: `/${LIST_BUCKET}`, query: { 'list-type': '2' } };
const bareList: S3Request = {
  method: 'GET',
  path: `/${LIST_BUCKET}`,
  query: { comp: 'list', include: 'metadata', maxresults: '1000', restype: 'container' },
};
const big = (size: string): S3Request[] => [{ method: 'GET', path: `/${BUCKET}/${size}` }];

/** An object that is as small as a part may be. */
const SMALLEST_PART = `/${BUCKET}/5m`;

/** Created before anything is measured. */
export const BUCKETS: readonly S3Request[] = [
  ...[BUCKET, LIST_BUCKET, VERSIONS_BUCKET].map((name) => ({ method: 'PUT', path: `/${name}` })),
  {
    method: 'PUT',
    path: `/${VERSIONS_BUCKET}`,
    query: { versioning: '' },
    text: '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>',
  },
];

/** Written before anything is measured, through the gateway. */
export const SETUP: readonly S3Request[] = [
  ...numbers(KEYS).map((number) => put(VERSIONS_BUCKET, `small-${number}`, 4 * KIB)),
  ...small.map((path): S3Request => ({ method: 'PUT', path, size: 4 * KIB, payload: 'unsigned' })),
  put(BUCKET, '5m', 5 * MIB),
  put(BUCKET, '64m', 64 * MIB),
  put(BUCKET, '1g', 1024 * MIB),
  ...numbers(LISTED).map((number) => put(LIST_BUCKET, `folder/object-${number}`, 0)),
];

const atAll = (work: Omit<Work, 'connections'>): Work[] => [
  { ...work, name: `${work.name}-1`, connections: 1 },
  { ...work, name: `${work.name}-32`, connections: 32 },
  { ...work, name: `${work.name}-256`, connections: 256, longer: 2.5 },
];

export const WORKS: readonly Work[] = [
  ...atAll({ name: 'get-4k', requests: small.map((path) => ({ method: 'GET', path })) }),
  ...atAll({ name: 'put-4k', requests: puts(BUCKET), bare: puts(BARE_CONTAINER) }),
  ...atAll({ name: 'head', requests: small.map((path) => ({ method: 'HEAD', path })) }),
  {
    name: 'get-4k-versions-32',
    connections: 32,
    requests: numbers(KEYS).map((number) => ({ method: 'GET', path: `/${VERSIONS_BUCKET}/small-${number}` })),
    bare: small.map((path) => ({ method: 'GET', path })),
  },
  {
    name: 'put-4k-versions-32',
    connections: 32,
    requests: puts(VERSIONS_BUCKET),
    bare: puts(BARE_CONTAINER),
  },
  {
    name: 'copy-4k',
    connections: 8,
    requests: small.map((path, number) => ({ method: 'PUT', path: `/${BUCKET}/copy-${number}`, copyOf: path })),
    bare: small.map((_, number) => put(BARE_CONTAINER, `copy-${number}`, 0)),
  },
  { name: 'get-64m', connections: 1, bytes: 64 * MIB, requests: big('64m') },
  { name: 'get-64m-4', connections: 4, bytes: 64 * MIB, requests: big('64m') },
  { name: 'get-1g', connections: 1, bytes: 1024 * MIB, requests: big('1g') },
  {
    name: 'put-64m-unsigned',
    connections: 1,
    bytes: 64 * MIB,
    requests: [put(BUCKET, 'up', 64 * MIB)],
    bare: [put(BARE_CONTAINER, 'up', 64 * MIB)],
  },
  ...(['crc32-trailer', 'sha256', 'signed-chunks', 'crc64nvme-trailer'] as const).map(
    (payload): Work => ({
      name: `put-64m-${payload}`,
      connections: 1,
      bytes: 64 * MIB,
      requests: [put(BUCKET, 'up', 64 * MIB, payload)],
      bare: [put(BARE_CONTAINER, 'up', 64 * MIB)],
    }),
  ),
  {
    name: 'put-1g-unsigned',
    connections: 1,
    bytes: 1024 * MIB,
    requests: [put(BUCKET, 'up', 1024 * MIB)],
    bare: [put(BARE_CONTAINER, 'up', 1024 * MIB)],
  },
  ...(['unsigned', 'crc32-trailer', 'sha256', 'signed-chunks', 'crc64nvme-trailer'] as const).map(
    (payload): Work => ({
      name: `put-64m-${payload}-4`,
      connections: 4,
      bytes: 64 * MIB,
      requests: fourUp(BUCKET, payload),
      bare: fourUp(BARE_CONTAINER, 'unsigned'),
    }),
  ),
  {
    name: 'part-16m',
    connections: 4,
    bytes: 16 * MIB,
    requests: numbers(64).map((number) => ({
      ...put(BUCKET, 'parts', 16 * MIB),
      query: { partNumber: String(Number(number) + 1), uploadId: UPLOAD },
    })),
    bare: numbers(64).map((number) => put(BARE_CONTAINER, `part-${number}`, 16 * MIB)),
  },
  { name: 'list-1000', connections: 4, requests: [list], bare: [bareList] },
  ...(
    [
      [8, 200],
      [1000, 8],
    ] as const
  ).map(
    ([parts, uploads]): Work => ({
      name: `complete-${parts}`,
      connections: 4,
      requests: [],
      prepare: openUploads(BUCKET, { uploads, parts, source: SMALLEST_PART }),
      bare: [put(BARE_CONTAINER, 'complete', 0)],
    }),
  ),
  {
    name: 'delete-objects',
    connections: 2,
    requests: [],
    prepare: objectsToDelete(BUCKET, { requests: 4 }),
    bare: [put(BARE_CONTAINER, 'delete', 0)],
  },
  // It takes longest, and what is resident after it tells nothing of other rows.
  {
    name: 'put-16m-256',
    connections: 256,
    bytes: 16 * MIB,
    requests: numbers(256).map((number) => put(BUCKET, `up-${number}`, 16 * MIB)),
    bare: numbers(256).map((number) => put(BARE_CONTAINER, `up-${number}`, 16 * MIB)),
  },
];
