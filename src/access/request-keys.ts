import { keepNewest } from '../observe/bounded-map.ts';
import { parseAmzDate } from '../auth/amz-date.ts';
import type { HeaderReader, QueryReader } from '../protocol/request.ts';
import { parseCopySource } from '../protocol/copy-source.ts';
import { parseRetainUntil } from '../protocol/object-lock.ts';
import { parseTaggingHeader, type Tag } from '../protocol/tagging.ts';
import { isS3Error } from '../errors/s3-error.ts';
import type { Principal } from './accounts.ts';
import type { OwningBucket } from './acl/in-force.ts';
import { CREATING, isCreationKey } from './creation-headers.ts';
import { HEADER_KEYS, heededHeader } from './heeded-headers.ts';
import { actionsWith } from './policy/condition-keys.ts';
import type { ConditionKeys } from './policy/context.ts';
import { PolicyWork } from './policy/work.ts';
import { principalArn } from './policy-caller.ts';
import { bucketTag, tagOf } from './tag-keys.ts';

/** What policies can learn of a request. */
export interface AskedRequest {
  readonly operation: string;
  readonly bucket: string | undefined;
  readonly key: string | undefined;
  readonly headers: HeaderReader;
  readonly query: QueryReader;
  readonly authMethod: 'header' | 'query' | 'form' | 'anonymous';
  readonly clientAddress: string | undefined;
  readonly scheme: string;
  /** `1.2`, `1.3`; undefined: no TLS, or not here. */
  readonly tlsVersion: string | undefined;
  readonly region: string;
  /** 12 digits of the account of a canonical id; undefined: not known. */
  readonly accountNumberOf: (canonicalId: string) => string | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Counts what policies cost, over all decisions of the request. Undefined: no policy was asked yet. */
  work?: PolicyWork | undefined;
}

const NOTHING = { get: () => undefined };

/** Stands for the request in decisions that no request asked for. */
export const NO_REQUEST: AskedRequest = Object.freeze({
  operation: '',
  bucket: undefined,
  key: undefined,
  headers: { ...NOTHING, startingWith: () => [] },
  query: { ...NOTHING, has: () => false, all: () => [], names: () => [] },
  authMethod: 'anonymous',
  clientAddress: undefined,
  scheme: 'http',
  tlsVersion: undefined,
  region: '',
  accountNumberOf: () => undefined,
  now: 0,
});

/** What one decision is about, besides the request. */
interface DecidedResource {
  readonly bucket?: OwningBucket;
  readonly key?: string;
  readonly versionId?: string | undefined;
  readonly object?: { readonly tags?: readonly Tag[] | undefined };
  readonly says?: ConditionKeys;
  /**
   * For a part: headers of the request that created its upload. Keys that only CreateMultipartUpload can set are read
   * from these, and not from the request for the part.
   */
  readonly creation?: HeaderReader;
}

/** One decision: who asks, about what, with which request. */
interface DecisionScope {
  readonly principal: Principal;
  readonly resource: DecidedResource;
  readonly asked: AskedRequest;
}

type Value = string | readonly string[] | undefined;
type Read = (scope: DecisionScope) => Value;
/** @param name what stands behind the slash, as written */
type ReadTag = (scope: DecisionScope, name: string) => Value;

/** A map, because policies choose the names: one such as `constructor` must not find what every object has. */
function table<T>(rows: Readonly<Record<string, T>>): ReadonlyMap<string, T> {
  return new Map(Object.entries(rows));
}

const header =
  (name: string): Read =>
  ({ asked }) =>
    heededHeader(asked, name);
const present = (yes: boolean): string => String(yes);

function accountOf({ principal }: DecisionScope): string | undefined {
  return principal.kind === 'account' ? principal.account.accountNumber : undefined;
}

function ownerOf({ resource: { bucket }, asked }: DecisionScope): string | undefined {
  return bucket && asked.accountNumberOf(bucket.ownerId);
}

function principalType({ principal }: DecisionScope): string {
  if (principal.kind === 'anonymous') return 'Anonymous';
  return principal.session?.role !== undefined ? 'AssumedRole' : principal.user === undefined ? 'Account' : 'User';
}

/** In whole seconds, as AWS has it. */
function timeText(now: number): string {
  return new Date(now).toISOString().replace(/\.\d{3}Z$/, 'Z');
}

/** `aws:` keys. https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-keys.html */
const GLOBAL = table<Read>({
  'aws:sourceip': ({ asked }) => asked.clientAddress,
  'aws:securetransport': ({ asked }) => present(asked.scheme === 'https'),
  'aws:currenttime': ({ asked }) => timeText(asked.now),
  'aws:epochtime': ({ asked }) => String(Math.floor(asked.now / 1000)),
  'aws:useragent': header('user-agent'),
  'aws:referer': header('referer'),
  'aws:requestedregion': ({ asked }) => asked.region,
  'aws:principalarn': ({ principal }) => principalArn(principal),
  'aws:principalaccount': accountOf,
  'aws:principaltype': principalType,
  'aws:principalisawsservice': () => 'false',
  'aws:viaawsservice': () => 'false',
  'aws:resourceaccount': ownerOf,
  'aws:username': ({ principal }) =>
    principal.kind === 'account' && principal.session?.role === undefined ? principal.user?.name : undefined,
  'aws:userid': ({ principal }) =>
    principal.kind === 'anonymous'
      ? 'anonymous'
      : principal.user === undefined
        ? principal.account.accountNumber
        : principal.user.id,
  'aws:federatedprovider': ({ principal }) => (principal.kind === 'account' ? principal.session?.provider : undefined),
  'aws:sourceidentity': ({ principal }) =>
    principal.kind === 'account' ? principal.session?.sourceIdentity : undefined,
  // Temporary credentials without a second factor answer `false`; for lasting keys the condition key is absent.
  'aws:multifactorauthpresent': ({ principal }) =>
    principal.kind === 'account' && principal.session !== undefined ? 'false' : undefined,
  'aws:tokenissuetime': ({ principal }) =>
    principal.kind === 'account' && principal.session !== undefined
      ? new Date(principal.session.issuedAt).toISOString()
      : undefined,
});

/**
 * The copy source in the one form that policies use, however the client spells it: decoded, without a leading slash. If
 * the client names a version, the key has two values, without and with the version id, so that a denial of the object
 * also denies its versions. The operation refuses a malformed source later.
 */
function copySource({ asked }: DecisionScope): Value {
  const text = heededHeader(asked, 'x-amz-copy-source');
  if (text === undefined) return undefined;
  try {
    const { bucket, key, versionId } = parseCopySource(text);
    const source = `${bucket}/${key}`;
    return versionId === undefined ? source : [source, `${source}?versionId=${versionId}`];
  } catch (error) {
    if (isS3Error(error)) return text;
    throw error;
  }
}

const LISTS: ReadonlySet<string> = new Set([
  'ListObjects',
  'ListObjectsV2',
  'ListObjectVersions',
  'ListMultipartUploads',
]);

/** A query parameter of a listing. Other requests, which only check whether the caller may list, do not have it. */
const listing =
  (name: string): Read =>
  ({ asked }) =>
    LISTS.has(asked.operation) ? asked.query.get(name) : undefined;

/** An empty `max-keys` counts as absent. */
function maxKeys(scope: DecisionScope): Value {
  const value = listing('max-keys')(scope);
  return value === '' ? undefined : value;
}

/** Operations that write a whole object. All others that need `s3:PutObject` write a part of one. */
const WHOLE: ReadonlySet<string> = new Set(['PutObject', 'CopyObject', 'CompleteMultipartUpload', 'PostObject']);

/**
 * `s3:` keys.
 * https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazons3.html#amazons3-policy-keys
 */
const S3 = table<Read>({
  ...Object.fromEntries(HEADER_KEYS.map((name) => [`s3:${name}`, header(name)])),
  's3:x-amz-copy-source': copySource,
  's3:prefix': listing('prefix'),
  's3:delimiter': listing('delimiter'),
  's3:max-keys': maxKeys,
  's3:versionid': ({ resource, asked }) =>
    resource.key === undefined ? asked.query.get('versionId') : resource.versionId,
  's3:authtype': ({ asked }) =>
    ({ header: 'REST-HEADER', query: 'REST-QUERY-STRING', form: 'POST', anonymous: undefined })[asked.authMethod],
  's3:signatureversion': signatureVersion,
  's3:signatureage': signatureAge,
  's3:tlsversion': ({ asked }) => asked.tlsVersion,
  's3:resourceaccount': ownerOf,
  's3:requestobjecttagkeys': (scope) => requestTags(scope)?.map(({ key }) => key),
  's3:object-lock-mode': header('x-amz-object-lock-mode'),
  's3:object-lock-retain-until-date': header('x-amz-object-lock-retain-until-date'),
  's3:object-lock-remaining-retention-days': ({ asked }) =>
    remainingDays(heededHeader(asked, 'x-amz-object-lock-retain-until-date'), asked.now),
  's3:object-lock-legal-hold': header('x-amz-object-lock-legal-hold'),
  's3:objectcreationoperation': ({ asked }) => present(WHOLE.has(asked.operation)),
});

const TAGS = table<ReadTag>({
  's3:existingobjecttag': ({ resource }, name) => valueOf(resource.object?.tags, name),
  's3:buckettag': ({ resource: { bucket } }, name) => bucket && bucketTag(bucket, name),
  'aws:resourcetag': ({ resource: { bucket } }, name) => bucket && bucketTag(bucket, name),
  's3:requestobjecttag': (scope, name) => valueOf(requestTags(scope), name),
  'aws:principaltag': ({ principal }, name) =>
    principal.kind === 'account' && principal.user?.tags !== undefined ? tagOf(principal.user.tags, name) : undefined,
});

/** Answers the condition keys of one decision. A value is worked out only when a document asks for it. */
export function decisionKeys(action: string, scope: DecisionScope): ConditionKeys {
  return new DecisionKeys(action, scope);
}

class DecisionKeys implements ConditionKeys {
  readonly #scope: DecisionScope;
  readonly #action: string;
  readonly #work: PolicyWork;

  constructor(action: string, scope: DecisionScope) {
    this.#scope = scope;
    this.#action = action;
    const { asked } = scope;
    this.#work = asked === NO_REQUEST ? new PolicyWork() : (asked.work ??= new PolicyWork(() => lengthOf(asked)));
    this.#work.begin();
  }

  spend(steps: number): void {
    this.#work.spend(steps);
  }

  get(key: string): Value {
    const { actions, isCreation, read } = readerOf(key);
    if (actions?.has(this.#action) === false) return undefined;
    const { says, creation } = this.#scope.resource;
    const said = says?.get(key);
    if (said !== undefined) return said;
    return read(isCreation && creation !== undefined ? this.#created(creation) : this.#scope);
  }

  /** The scope in which the request that created the upload takes the place of the request for the part. */
  #created(headers: HeaderReader): DecisionScope {
    const { principal, resource, asked } = this.#scope;
    return { principal, resource, asked: { ...asked, operation: CREATING, headers } };
  }
}

/** Characters that a request says, and conditions may ask for. */
function lengthOf({ headers, query, key = '' }: AskedRequest): number {
  let length = key.length;
  for (const [name, value] of headers.startingWith('')) length += name.length + value.length;
  for (const name of new Set(query.names())) {
    for (const value of query.all(name)) length += name.length + value.length;
  }
  return length;
}

interface Reader {
  /** Actions whose requests can have the key; undefined: all. */
  readonly actions: ReadonlySet<string> | undefined;
  /** The key is read from the request that created the upload. */
  readonly isCreation: boolean;
  readonly read: Read;
}

/** A bound is needed although policies name the same few keys: whoever writes a policy chooses the names. */
const MAX_READERS = 256;
const readers = new Map<string, Reader>();

function readerOf(key: string): Reader {
  const known = readers.get(key);
  if (known !== undefined) return known;
  const slash = key.indexOf('/');
  const readTag = slash < 0 ? undefined : TAGS.get(key.slice(0, slash));
  const name = key.slice(slash + 1);
  const isGlobal = key.startsWith('aws:');
  const plain = (isGlobal ? GLOBAL : S3).get(key) ?? (() => undefined);
  const read: Read = readTag === undefined ? plain : (scope) => readTag(scope, name);
  const reader: Reader = { actions: isGlobal ? undefined : actionsWith(key), isCreation: isCreationKey(key), read };
  keepNewest(readers, key, reader, MAX_READERS);
  return reader;
}

function valueOf(tags: readonly Tag[] | undefined, name: string): string | undefined {
  return tags?.find(({ key }) => key === name)?.value;
}

/** Parsed once for each request: hundreds of conditions may ask for one tag each. */
const tagsOf = new WeakMap<AskedRequest, readonly Tag[]>();

/** The tags in `x-amz-tagging`. A malformed header, which the operation will refuse, counts as none. */
function requestTags({ asked }: DecisionScope): readonly Tag[] | undefined {
  const text = heededHeader(asked, 'x-amz-tagging');
  if (text === undefined) return undefined;
  const known = tagsOf.get(asked);
  if (known !== undefined) return known;
  const tags = readTags(text);
  tagsOf.set(asked, tags ?? []);
  return tags;
}

function readTags(text: string): readonly Tag[] | undefined {
  try {
    return parseTaggingHeader(text);
  } catch (error) {
    if (isS3Error(error)) return undefined;
    throw error;
  }
}

/** Tags of a body, as `Resource.says`. */
export function tagKeys(tags: readonly Tag[]): ConditionKeys {
  return {
    get: (key) => {
      if (key === 's3:requestobjecttagkeys') return tags.map((tag) => tag.key);
      const prefix = 's3:requestobjecttag/';
      return key.startsWith(prefix) ? valueOf(tags, key.slice(prefix.length)) : undefined;
    },
  };
}

const DAY_MS = 86_400_000;

/** Days from now until a date, rounded up. */
export function remainingDays(date: string | undefined, now: number): string | undefined {
  const until = date === undefined ? undefined : parseRetainUntil(date);
  return until === undefined ? undefined : String(Math.ceil((until - now) / DAY_MS));
}

function signatureVersion({ asked }: DecisionScope): string | undefined {
  if (asked.authMethod === 'anonymous') return undefined;
  const { authMethod, query, headers } = asked;
  const isV2 =
    authMethod === 'query'
      ? query.get('X-Amz-Algorithm') === undefined
      : authMethod === 'form' && headers.get('x-amz-algorithm') === undefined;
  return isV2 ? 'AWS' : 'AWS4-HMAC-SHA256';
}

/** Milliseconds since a request was signed. */
function signatureAge({ asked }: DecisionScope): string | undefined {
  const signed = signedAt(asked);
  return signed === undefined ? undefined : String(Math.max(0, asked.now - signed));
}

/**
 * When the request was signed. A request signed in its headers may have a plain `Date` instead of `x-amz-date`, in any
 * form that authentication accepts.
 */
function signedAt({ authMethod, query, headers }: AskedRequest): number | undefined {
  if (authMethod === 'anonymous') return undefined;
  const text = authMethod === 'query' ? query.get('X-Amz-Date') : headers.get('x-amz-date');
  if (text !== undefined) return parseAmzDate(text);
  const plain = authMethod === 'header' ? headers.get('date') : undefined;
  if (plain === undefined) return undefined;
  const time = parseAmzDate(plain) ?? Date.parse(plain);
  return Number.isNaN(time) ? undefined : time;
}
