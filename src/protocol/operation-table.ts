/*
 * S3 on the wire. Begin here: the table has a row for each operation, and routing, permissions and pages are made from
 * it. `address.ts` and `classify.ts` find the row of a request. Headers, XML, bodies, forms and checksums have folders.
 */
import { ANALYSIS_ROWS } from './operation-rows-analysis.ts';
import { BUCKET_ROWS } from './operation-rows-bucket.ts';
import { CONTROL_ROWS, METADATA_ROWS } from './operation-rows-metadata.ts';
import { OBJECT_ROWS } from './operation-rows-object.ts';
import type { AddedAction, DecidedOn, OperationDeclaration, OperationLevel, OperationMatch } from './operation-row.ts';

export type { AddedAction, OperationLevel, OperationMatch } from './operation-row.ts';

/**
 * The spine of the gateway: one row per operation of the S3 API, built or not. Routing, authorisation,
 * span names, the compatibility table in the docs and the "every route x every auth type" test read it.
 */
const DECLARATIONS = [
  { name: 'ListBuckets', level: 'service', method: 'GET', permission: 's3:ListAllMyBuckets', anonymous: false },
  ...BUCKET_ROWS,
  ...ANALYSIS_ROWS,
  ...METADATA_ROWS,
  ...OBJECT_ROWS,
  ...CONTROL_ROWS,
] as const satisfies readonly OperationDeclaration[];

export type OperationName = (typeof DECLARATIONS)[number]['name'];

/** One operation of the S3 API. */
export interface OperationRow {
  readonly name: OperationName;
  readonly level: OperationLevel;
  readonly method: string;
  /** What besides level and method decides for this row. */
  readonly match: OperationMatch;
  /** `object`: payload of an object or part; `xml`: a document; `none`: no body is read. */
  readonly body: 'none' | 'xml' | 'object';
  /** The IAM action a caller needs, e.g. `s3:PutObject`. */
  readonly permission: string;
  /** The action when the request names a version; absent: the same. */
  readonly versionPermission: string | undefined;
  /** What some requests take besides. */
  readonly adds: readonly AddedAction[];
  /** What the decision waits for; undefined: nothing, it is made before the operation runs. */
  readonly decidedOn: DecidedOn | undefined;
  /** For the account of the bucket's owner alone. */
  readonly ownersOnly: boolean;
  /** False: an anonymous caller is refused before any handler, whatever ACLs and policies say. */
  readonly anonymousAllowed: boolean;
  /** `x-amz-content-sha256: STREAMING-...` is legal here. */
  readonly streamingPayload: boolean;
  /** Why `NotImplemented`, for operations that this gateway will never have. */
  readonly notImplementedHint: string | undefined;
}

function toRow(declaration: OperationDeclaration & { readonly name: OperationName }): OperationRow {
  return Object.freeze({
    name: declaration.name,
    level: declaration.level,
    method: declaration.method,
    match: declaration.match ?? {},
    body: declaration.body ?? 'none',
    permission: declaration.permission,
    versionPermission: declaration.versionPermission,
    adds: declaration.adds ?? [],
    decidedOn: declaration.decidedOn,
    ownersOnly: declaration.ownersOnly ?? false,
    anonymousAllowed: declaration.anonymous ?? true,
    // A form carries the object as one of its fields.
    streamingPayload: declaration.body === 'object' && declaration.name !== 'PostObject',
    notImplementedHint: declaration.hint,
  });
}

/** All rows, in the order of the API: service, bucket, object, S3 Control. */
export const OPERATION_TABLE: readonly OperationRow[] = DECLARATIONS.map(toRow);

const BY_NAME: ReadonlyMap<string, OperationRow> = new Map(OPERATION_TABLE.map((row) => [row.name, row]));

/** @throws Error for a name that is no operation (a fault of the program) */
export function operationRow(name: OperationName): OperationRow {
  const row = BY_NAME.get(name);
  if (row === undefined) throw new Error(`no operation ${name}`);
  return row;
}
