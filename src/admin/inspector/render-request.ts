import { defined } from '../../observe/defined.ts';
import type { KeptAuth, KeptBody, KeptCall, KeptRequest } from '../journal/kept-request.ts';
import { outcomeOf, ownTimeMs } from '../journal/outcome.ts';
import type { AccessRule } from '../../observe/access-facts.ts';
import type { HeadFacts } from '../../observe/call-facts.ts';
import { unpackReasons } from '../../observe/packed-reasons.ts';
import { OPERATION_TABLE, type OperationRow } from '../../protocol/operation-table.ts';
import type {
  AuthFailure,
  Authentication,
  BackendCall,
  BodyFacts,
  ChecksumFact,
  Classification,
  Decision,
  ErrorMapping,
  RequestDetail,
  RequestHead,
  RequestSummary,
} from './contract.ts';

/** The replica that has a request, as others call it. */
export interface Origin {
  readonly replica: string;
  readonly slowMs: number;
}

export function summaryOf(request: KeptRequest, { replica, slowMs }: Origin): RequestSummary {
  const { id, arrived, ended, status, failure } = request;
  return defined({
    id,
    traceId: request.traceId,
    replica,
    href: `/api/requests/${encodeURIComponent(id)}`,
    arrived,
    outcome: outcomeOf(request),
    method: request.method,
    target: request.target,
    operation: request.operation,
    bucket: request.bucket,
    key: request.key,
    versionId: request.versionId,
    uploadId: request.uploadId,
    identity: identityOf(request.auth),
    status: status === 0 ? undefined : status,
    code: failure?.code,
    deniedBy: deniedBy(request),
    durationMs: ended ?? Math.max(0, Date.now() - arrived),
    firstByteMs: request.firstByte,
    bytesIn: request.bytesIn,
    bytesOut: request.bytesOut,
    backendCalls: request.backendCalls,
    slow: ended !== undefined && ownTimeMs(request) >= slowMs,
  });
}

function deniedBy({ authorization, failure }: KeptRequest): string | undefined {
  if (authorization?.allowed !== false || authorization.reasons === undefined || failure === undefined) {
    return undefined;
  }
  const { by } = unpackReasons(authorization.reasons);
  return by === undefined ? 'no statement' : `${by.policy}/${by.statement}`;
}

/** One request in the order in which a person asks. */
export function detailOf(request: KeptRequest, origin: Origin): RequestDetail {
  const { heads } = request;
  return defined({
    summary: summaryOf(request, origin),
    classification: classificationOf(request),
    authentication: authenticationOf(request.auth),
    authorisation: decisionsOf(request),
    backend: { calls: request.backend.map(callOf), total: request.backendCalls, retries: request.backendRetries },
    head: headOf(heads[0]),
    heads: heads.length > 1 ? heads.map((head) => ({ blob: head.name, ...headOf(head) })) : undefined,
    body: bodyOf(request.body),
    times: defined({
      authenticatedMs: request.authenticated,
      authorisedMs: request.authorized,
      firstByteMs: request.firstByte,
      endMs: request.ended,
      blockedOnClientMs: request.clientWaitMs,
      blockedOnBackendMs: request.backendWaitMs,
    }),
    error: errorOf(request),
    request: requestHeadOf(request),
  });
}

export function headOf(head: HeadFacts | undefined): RequestDetail['head'] {
  if (head === undefined) return {};
  const { before, kind, after } = head;
  return defined({
    before: before === undefined ? undefined : defined({ kind, revision: before }),
    after: after === undefined ? undefined : { revision: after },
  });
}

function identityOf(auth: KeptAuth | undefined): string | undefined {
  if (auth?.account === undefined) return auth?.accessKeyId;
  return auth.user === undefined ? auth.account : `${auth.account}/${auth.user}`;
}

function classificationOf({ operation, bucket, key, versionId, uploadId, virtualHost }: KeptRequest): Classification {
  const row = OPERATION_TABLE.find(({ name }) => name === operation);
  return defined({ operation, why: whyOf(row), level: row?.level, bucket, key, versionId, uploadId, virtualHost });
}

const ON: Readonly<Record<OperationRow['level'], string>> = {
  service: 'the service itself',
  bucket: 'a bucket',
  object: 'an object',
  control: 'a bucket by its ARN',
};

/** What decided, in words: method, level, and the query key or header that the row of the operation table names. */
function whyOf(row: OperationRow | undefined): string {
  if (row === undefined) return 'it was refused before its operation was known, or none fits it';
  const {
    method,
    level,
    match: { subresource, query, value, header },
  } = row;
  const signs = [
    subresource === undefined ? undefined : `?${subresource}`,
    query === undefined ? undefined : `?${query}${value === undefined ? '' : `=${value}`}`,
    header === undefined ? undefined : `the header ${header}`,
  ].filter((sign) => sign !== undefined);
  return `${method} on ${ON[level]}${signs.length === 0 ? ', with no sub-resource' : `, with ${signs.join(' and ')}`}`;
}

function authenticationOf(auth: KeptAuth | undefined): Authentication {
  if (auth === undefined) return { verdict: 'none' };
  const { method, accessKeyId, account, user } = auth;
  const failure = auth.failure === undefined ? undefined : failureOf(auth, auth.failure);
  const verdict: Authentication['verdict'] =
    failure !== undefined ? 'refused' : auth.anonymous === true ? 'anonymous' : 'accepted';
  return defined({ verdict, method: method === 'anonymous' ? undefined : method, accessKeyId, account, user, failure });
}

function failureOf({ report }: KeptAuth, { code, message }: { code: string; message: string }): AuthFailure {
  const { canonicalRequest, stringToSign, commonlyAltered = [], hints = [] } = report ?? {};
  return defined({ code, message, canonicalRequest, stringToSign, commonlyAltered, hints });
}

const RULES: Readonly<Record<AccessRule, string>> = {
  account: 'any account may',
  bucketOwner: 'owner of the bucket',
  objectOwner: 'owner of the object',
  uploadInitiator: 'started the upload',
  aclOwner: 'ACL grant to the owner',
  aclAccount: 'ACL grant to the account',
  aclAuthenticatedUsers: 'ACL grant to all accounts',
  aclAllUsers: 'ACL grant to everybody',
  identityPolicy: 'policy of the caller',
  sessionPolicy: 'policy of the session',
  bucketPolicy: 'policy of the bucket',
  policyWork: 'the policies take too long to ask',
  none: 'no rule allows it',
};

function decisionsOf({ authorization }: KeptRequest): Decision[] {
  if (authorization === undefined) return [];
  const { action, allowed, rule, reasons } = authorization;
  return [defined({ action, allowed, rule: RULES[rule], reasons: reasons && unpackReasons(reasons) })];
}

function callOf({ path, method, ...call }: KeptCall): BackendCall {
  return defined({ ...call, target: path, method: method === '' ? undefined : method });
}

function bodyOf(body: KeptBody | undefined): BodyFacts {
  if (body === undefined) return { checksums: [] };
  const { framing, contentLength, declaredSize, received, chunks } = body;
  return defined({
    framing,
    sentBytes: contentLength,
    declaredBytes: declaredSize,
    decodedBytes: received,
    chunks,
    checksums: checksumsOf(body),
  });
}

/** Declared and computed ones of an algorithm side by side. */
function checksumsOf({ declared = [], computed = [] }: KeptBody): ChecksumFact[] {
  const algorithms = new Set([...declared, ...computed].map(({ algorithm }) => algorithm));
  return [...algorithms].map((algorithm) =>
    defined({
      algorithm,
      declared: declared.find((digest) => digest.algorithm === algorithm)?.value,
      computed: computed.find((digest) => digest.algorithm === algorithm)?.value,
    }),
  );
}

function errorOf({ failure, status }: KeptRequest): ErrorMapping | undefined {
  if (failure === undefined) return undefined;
  return defined({
    code: failure.code,
    status: status === 0 ? failure.status : status,
    message: failure.message,
    causes: failure.causes,
  });
}

function requestHeadOf({
  method,
  target,
  httpVersion,
  client,
  scheme,
  headers,
  headersOmitted,
}: KeptRequest): RequestHead {
  const lines = headers === '' ? [] : headers.split('\n');
  const pairs = lines.flatMap((name, index) => (index % 2 === 0 ? [[name, lines[index + 1] ?? ''] as const] : []));
  return defined({ method, target, httpVersion, clientAddress: client, scheme, headers: pairs, headersOmitted });
}
