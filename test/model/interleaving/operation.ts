import type { Versioning } from '../../../src/manifest/records/bucket.ts';

export type OperationKind =
  | 'put'
  | 'complete'
  | 'copy'
  | 'delete'
  | 'deleteVersion'
  | 'tag'
  | 'acl'
  | 'hold'
  | 'get'
  | 'getVersion'
  | 'find'
  | 'list'
  | 'listVersions'
  | 'settle'
  | 'sweep';

/** A version id, or the n-th of all versions that the key has had when the operation begins. */
export type VersionPick = string | number;

/** One request of a client, or one piece of work that follows requests. */
export interface Operation {
  readonly kind: OperationKind;
  /** What the gateway believes of the bucket. */
  readonly mode: Versioning;
  readonly key: string;
  /** `absent`: If-None-Match: *. `current`: If-Match with the ETag that is current when it begins. */
  readonly condition?: 'absent' | 'current';
  readonly version?: VersionPick;
  /** The body comes once and cannot be sent again. */
  readonly streamed?: true;
  /** A Complete sent again, by whomever: the id of the task that sent it first. Both count as one operation. */
  readonly repeats?: string;
}

/** What came of it. */
export type Answer =
  | { readonly kind: 'done'; readonly versionId?: string }
  | { readonly kind: 'shown'; readonly version: ShownVersion }
  | { readonly kind: 'listed'; readonly versions: readonly ShownVersion[] }
  | { readonly kind: 'refused'; readonly code: string }
  | { readonly kind: 'unknown'; readonly code: string };

/** A version in an answer; what the answer does not say is absent. */
export interface ShownVersion {
  readonly id?: string;
  readonly latest?: boolean;
  readonly marker: boolean;
  readonly etag?: string;
  readonly mtime: number;
  readonly body?: string;
  readonly said?: string;
}

/** What a request asks for, its picks made. */
export interface Asked {
  /** Names the operation in bodies, tags and traces. */
  readonly name: string;
  readonly versionId: string | undefined;
  readonly etag: string | undefined;
}

/** What an amendment by this operation leaves in what is said of a version. */
export function markOf(kind: OperationKind, name: string): string {
  return kind === 'hold' ? String(retainUntil(name)) : name;
}

/** A time long after, another one for each operation. */
export function retainUntil(name: string): number {
  return Date.UTC(2100, 0) + name.charCodeAt(0) * 1000 + Number(name.slice(1));
}

const READERS: ReadonlySet<OperationKind> = new Set(['get', 'getVersion', 'find', 'list', 'listVersions']);

export function isReader(kind: OperationKind): boolean {
  return READERS.has(kind);
}

export function describeOperation({ kind, mode, condition, version, streamed, repeats, key }: Operation): string {
  const parts = [
    mode[0]?.toUpperCase(),
    repeats && `again of ${repeats}`,
    streamed && 'streamed',
    condition && `if ${condition}`,
    version !== undefined && `version ${version}`,
    key !== 'k' && `key ${key}`,
  ];
  return `${kind}(${parts.filter((part) => typeof part === 'string').join(', ')})`;
}
