export type OperationLevel = 'service' | 'bucket' | 'object' | 'control';

/** What tells operations of one level and method apart. Presence decides, not the value, unless one is given. */
export interface OperationMatch {
  /** The sub-resource: a query key of the closed set that all rows name. */
  readonly subresource?: string;
  /** A further query key that must be there. */
  readonly query?: string;
  /** The value that `query` must have. */
  readonly value?: string;
  /** A request header that must be there. */
  readonly header?: string;
}

/** How an operation is written down; `operation-table.ts` fills in the defaults. */
export interface OperationDeclaration {
  readonly name: string;
  readonly level: OperationLevel;
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE' | 'OPTIONS';
  readonly match?: OperationMatch;
  /** Default `none`. */
  readonly body?: 'none' | 'xml' | 'object';
  readonly permission: string;
  readonly versionPermission?: string;
  /** Default true: it is up to ACLs and policies. */
  readonly anonymous?: boolean;
  readonly hint?: string;
}

/** `?acl`: presence of one query key. */
export function on(subresource: string): OperationMatch {
  return { subresource };
}
