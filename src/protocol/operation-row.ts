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

/** An action that some requests for an operation take besides its own. */
export interface AddedAction {
  readonly action: string;
  /** For whom reads the docs: which requests. */
  readonly when: string;
  /**
   * `source`: it is asked of the object that is copied. `shown`: without it the answer leaves something out. Absent:
   * the request is refused without it.
   */
  readonly of?: 'source' | 'shown';
}

const tagging: AddedAction = { action: 's3:PutObjectTagging', when: '`x-amz-tagging`' };
const retention: AddedAction = {
  action: 's3:PutObjectRetention',
  when: '`x-amz-object-lock-mode`, `x-amz-object-lock-retain-until-date`',
};
const legalHold: AddedAction = { action: 's3:PutObjectLegalHold', when: '`x-amz-object-lock-legal-hold`' };

/** Of operations that make an object. */
export const MAKING: readonly AddedAction[] = [
  tagging,
  { action: 's3:PutObjectAcl', when: '`x-amz-acl`, `x-amz-grant-*`' },
  retention,
  legalHold,
];
/** Of operations that read a source. */
export const SOURCE: readonly AddedAction[] = [
  { action: 's3:GetObject', when: 'always', of: 'source' },
  { action: 's3:GetObjectVersion', when: 'instead, with a `versionId` in `x-amz-copy-source`', of: 'source' },
];
export const COPYING: readonly AddedAction[] = [
  ...SOURCE,
  { action: 's3:GetObjectTagging', when: 'the source has tags, and they are copied', of: 'source' },
  { action: 's3:GetObjectVersionTagging', when: 'instead, with a `versionId` in `x-amz-copy-source`', of: 'source' },
  { ...tagging, when: '`x-amz-tagging`, or tags that are copied' },
  ...MAKING.slice(1),
];
export const BYPASS: readonly AddedAction[] = [
  { action: 's3:BypassGovernanceRetention', when: '`x-amz-bypass-governance-retention: true`' },
];
/** Of operations that tell how an object is locked. */
export const LOCK_SHOWN: readonly AddedAction[] = [
  { action: 's3:GetObjectRetention', when: 'the object has retention', of: 'shown' },
  { action: 's3:GetObjectLegalHold', when: 'the object has a legal hold', of: 'shown' },
];

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
  readonly adds?: readonly AddedAction[];
  /** Default true: it is up to ACLs and policies. */
  readonly anonymous?: boolean;
  readonly hint?: string;
}

/** `?acl`: presence of one query key. */
export function on(subresource: string): OperationMatch {
  return { subresource };
}

/** The hint of operations that belong to another kind of service. */
export const NEVER = 'This operation is not offered by this service.';
