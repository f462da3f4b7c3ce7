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

/**
 * What the decision about a request waits for, because only the operation finds it out. The two first always are waited
 * for, all others where a policy in force has a condition on them.
 */
export type DecidedOn =
  /** Owner, ACL and tags of the object. */
  | 'object'
  /** Who started the upload. */
  | 'upload'
  /** What the request said that created the upload. */
  | 'creation'
  /** Tags that the object has. */
  | 'existingTags'
  /** Tags that the object has, and those that it will have. */
  | 'objectTags'
  /** Tags that the request gives the bucket, or takes from it. */
  | 'bucketTags'
  /** The lock that the body asks for. */
  | 'lock'
  /** The optional fields that the body asks for. */
  | 'inventoryFields'
  /** The keys that the body names; every policy may tell keys apart. */
  | 'keys';

/** What a request has or asks for that takes an action besides that of its operation. */
export type Addition =
  | 'tags'
  | 'acl'
  | 'retention'
  | 'legalHold'
  /** The header that lifts a retention. */
  | 'bypass'
  /** Ownership controls of a new bucket. */
  | 'ownership'
  /** Object lock of a new bucket. */
  | 'objectLock'
  | 'source'
  | 'sourceTags'
  /** The object itself, besides what is told of it. */
  | 'object'
  /** A version that the body names. */
  | 'version';

/** An action that some requests for an operation take besides its own. */
export interface AddedAction {
  readonly for: Addition;
  readonly action: string;
  /** Of a version that is named; a row without this is of the same addition where none is. */
  readonly ofVersion?: true;
  /** For whom reads the docs: which requests. */
  readonly when: string;
  /**
   * `source`: it is asked of the object that is copied. `shown`: without it the answer leaves something out. Absent:
   * the request is refused without it.
   */
  readonly of?: 'source' | 'shown';
}

const tagging: AddedAction = { for: 'tags', action: 's3:PutObjectTagging', when: '`x-amz-tagging`' };
const retention: AddedAction = {
  for: 'retention',
  action: 's3:PutObjectRetention',
  when: '`x-amz-object-lock-mode`, `x-amz-object-lock-retain-until-date`',
};
const legalHold: AddedAction = {
  for: 'legalHold',
  action: 's3:PutObjectLegalHold',
  when: '`x-amz-object-lock-legal-hold`',
};

/** Of operations that make an object. */
export const MAKING: readonly AddedAction[] = [
  tagging,
  { for: 'acl', action: 's3:PutObjectAcl', when: '`x-amz-acl`, `x-amz-grant-*`' },
  retention,
  legalHold,
];
/** Of operations that read a source. */
export const SOURCE: readonly AddedAction[] = [
  { for: 'source', action: 's3:GetObject', when: 'always', of: 'source' },
  {
    for: 'source',
    ofVersion: true,
    action: 's3:GetObjectVersion',
    when: 'instead, with a `versionId` in `x-amz-copy-source`',
    of: 'source',
  },
];
export const COPYING: readonly AddedAction[] = [
  ...SOURCE,
  {
    for: 'sourceTags',
    action: 's3:GetObjectTagging',
    when: 'the source has tags, and they are copied',
    of: 'source',
  },
  {
    for: 'sourceTags',
    ofVersion: true,
    action: 's3:GetObjectVersionTagging',
    when: 'instead, with a `versionId` in `x-amz-copy-source`',
    of: 'source',
  },
  { ...tagging, when: '`x-amz-tagging`, or tags that are copied' },
  ...MAKING.slice(1),
];
export const BYPASS: readonly AddedAction[] = [
  {
    for: 'bypass',
    action: 's3:BypassGovernanceRetention',
    when: '`x-amz-bypass-governance-retention: true`',
  },
];
/** Of operations that tell how an object is locked. */
export const LOCK_SHOWN: readonly AddedAction[] = [
  { for: 'retention', action: 's3:GetObjectRetention', when: 'the object has retention', of: 'shown' },
  { for: 'legalHold', action: 's3:GetObjectLegalHold', when: 'the object has a legal hold', of: 'shown' },
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
  /** Absent: nothing; whether the caller may is decided before the operation runs. */
  readonly decidedOn?: DecidedOn;
  /** For the account of the bucket's owner alone: callers of others who are let in are told 405. */
  readonly ownersOnly?: true;
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
