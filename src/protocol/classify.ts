import { invalidArgument, S3Error } from '../errors/s3-error.ts';
import type { OperationLevel } from './operation-row.ts';
import { OPERATION_TABLE, type OperationRow } from './operation-table.ts';
import type { HeaderReader, QueryReader, S3Address } from './request.ts';

/** All rows of one sub-resource (or of none) at one level. */
interface Resource {
  /** By method; the row with most conditions first, so that the first one that holds is the one. */
  readonly candidates: ReadonlyMap<string, readonly OperationRow[]>;
  readonly allow: string;
  /** `ResourceType` of a MethodNotAllowed. */
  readonly type: string;
  /** No operation of it will ever be built: NotImplemented whatever the method. */
  readonly neverOffered: boolean;
}

interface Level {
  readonly plain: Resource;
  readonly subresources: ReadonlyMap<string, Resource>;
}

const COPY_SOURCE = 'x-amz-copy-source';
const NO_SUBRESOURCE = '';

function conditions(row: OperationRow): number {
  const { query, header } = row.match;
  return Number(query !== undefined) + Number(header !== undefined);
}

function toResource(rows: readonly OperationRow[], type: string): Resource {
  const candidates = Map.groupBy(rows, (row) => row.method);
  for (const list of candidates.values()) list.sort((a, b) => conditions(b) - conditions(a));
  return {
    candidates,
    allow: [...candidates.keys()].filter((method) => method !== 'OPTIONS').join(', '),
    type,
    neverOffered: rows.every((row) => row.notImplementedHint !== undefined),
  };
}

/** AWS names the resource of `?acl` ACL, that of `?uploadId` UPLOAD, the object itself OBJECT. */
function resourceType(level: OperationLevel, subresource: string): string {
  if (subresource === NO_SUBRESOURCE) return level.toUpperCase();
  return subresource.replace(/Id$/, '').replaceAll('-', '').toUpperCase();
}

function toLevel(level: OperationLevel): Level {
  const rows = OPERATION_TABLE.filter((row) => row.level === level);
  const groups = Map.groupBy(rows, (row) => row.match.subresource ?? NO_SUBRESOURCE);
  const resources = new Map(
    [...groups].map(([name, members]) => [name, toResource(members, resourceType(level, name))]),
  );
  const plain = resources.get(NO_SUBRESOURCE) ?? toResource([], resourceType(level, NO_SUBRESOURCE));
  resources.delete(NO_SUBRESOURCE);
  return { plain, subresources: resources };
}

const LEVELS: Readonly<Record<OperationLevel, Level>> = {
  service: toLevel('service'),
  bucket: toLevel('bucket'),
  object: toLevel('object'),
  control: toLevel('control'),
};

/** The closed set: every query key that is a sub-resource at any level. */
const ALL_SUBRESOURCES: ReadonlySet<string> = new Set(
  Object.values(LEVELS).flatMap((level) => [...level.subresources.keys()]),
);

/**
 * Finds the operation that a request names.
 *
 * Query keys outside the closed set of sub-resources are ignored (`x-id`); one inside it never falls
 * through to the plain verb. Source: s3-reference 1.2 (S3 API reference, request syntax of each operation).
 *
 * @throws S3Error MethodNotAllowed, NotImplemented (sub-resource never offered), InvalidArgument
 *   (conflicting sub-resources, stray copy source), InvalidRequest (sub-resource of another level)
 */
export function classify(method: string, address: S3Address, query: QueryReader, headers: HeaderReader): OperationRow {
  const level = levelOf(address);
  const table = LEVELS[level];
  const subresource = method === 'OPTIONS' ? NO_SUBRESOURCE : decidingKey(query);
  const resource = subresource === NO_SUBRESOURCE ? table.plain : table.subresources.get(subresource);
  if (resource === undefined) throw misplaced(method, level, subresource);
  const row = choose(resource.candidates.get(method), query, headers);
  if (row === undefined) {
    const listsUploads = level === 'object' && method === 'GET' && subresource === 'uploads';
    throw listsUploads ? misplaced(method, level, subresource) : refuse(resource, method, query);
  }
  // The address of a preflight may be one that was presigned for a copy.
  if (method !== 'OPTIONS' && headers.get(COPY_SOURCE) !== undefined && row.match.header !== COPY_SOURCE) {
    throw invalidArgument(
      COPY_SOURCE,
      headers.get(COPY_SOURCE) ?? '',
      'You can only specify a copy source header for copy requests.',
    );
  }
  if (method === 'PUT' || method === 'POST') checkWrite(row, query, headers);
  return row;
}

function levelOf({ control, key, bucket }: S3Address): OperationLevel {
  if (control === true) return 'control';
  return key !== undefined ? 'object' : bucket !== undefined ? 'bucket' : 'service';
}

function decidingKey(query: QueryReader): string {
  let found = NO_SUBRESOURCE;
  for (const name of query.names()) {
    if (name === found || !ALL_SUBRESOURCES.has(name)) continue;
    if (found !== NO_SUBRESOURCE) {
      throw invalidArgument('ResourceType', found, `Conflicting query string parameters: ${found}, ${name}`);
    }
    found = name;
  }
  return found;
}

function choose(
  candidates: readonly OperationRow[] | undefined,
  query: QueryReader,
  headers: HeaderReader,
): OperationRow | undefined {
  if (candidates === undefined) return undefined;
  for (const row of candidates) {
    const { query: key, value, header } = row.match;
    if (key !== undefined && (value === undefined ? !query.has(key) : query.get(key) !== value)) continue;
    if (header !== undefined && headers.get(header) === undefined) continue;
    return row;
  }
  return undefined;
}

/** A sub-resource that exists, but not at this level: `GET /bucket/key?versions`, `DELETE /bucket?uploadId=x`. */
function misplaced(method: string, level: OperationLevel, subresource: string): S3Error {
  const message =
    level === 'object'
      ? `Key is not expected for the ${method} method ?${subresource} subresource`
      : `The ${method} method ?${subresource} subresource expects ${level === 'bucket' ? 'a key' : 'a bucket'}`;
  return new S3Error('InvalidRequest', { message });
}

function refuse(resource: Resource, method: string, query: QueryReader): S3Error {
  if (resource.neverOffered) {
    return new S3Error('NotImplemented', {
      message: 'A query parameter you provided implies functionality that is not implemented.',
    });
  }
  // PUT ?uploadId without partNumber: the method is right only together with a part number.
  const hidden = resource.candidates.has(method) && !query.has('partNumber');
  const allow = hidden
    ? resource.allow
        .split(', ')
        .filter((name) => name !== method)
        .join(', ')
    : resource.allow;
  return new S3Error('MethodNotAllowed', {
    extra: { Method: method, ResourceType: resource.type },
    headers: { allow },
  });
}

function checkWrite(row: OperationRow, query: QueryReader, headers: HeaderReader): void {
  if (
    row.level === 'object' &&
    row.method === 'PUT' &&
    row.match.subresource === undefined &&
    query.has('partNumber')
  ) {
    throw invalidArgument(
      'partNumber',
      query.get('partNumber') ?? '',
      'This operation does not accept partNumber without uploadId',
    );
  }
  if (
    row.name === 'PostObject' &&
    !(headers.get('content-type') ?? '').toLowerCase().startsWith('multipart/form-data')
  ) {
    throw new S3Error('PreconditionFailed', {
      extra: { Condition: 'Bucket POST must be of the enclosure-type multipart/form-data' },
    });
  }
}
