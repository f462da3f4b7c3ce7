import type { AuthorizationFacts } from '../../observe/access-facts.ts';
import type { BackendCallFacts } from '../../observe/call-facts.ts';
import { redactTarget } from '../../observe/redact.ts';
import type { AuthFacts, RequestBodyFacts, RequestFacts } from '../../observe/request-facts.ts';
import type { SignatureDiagnosis } from '../diagnosis/diagnosis.ts';
import {
  type KeepText,
  LIMIT,
  LOOKED_AT_FACTOR,
  claimedKeyId,
  clip,
  clipped,
  codeOf,
  keepFailure,
  keepHeaders,
  keepReport,
  redactedOnce,
  shown,
} from './kept-text.ts';
import type { KeptAuth, KeptBody, KeptRequest } from './kept-request.ts';

/** Of an entry that would be too long with all of them. */
const CALLS_OF_BRIEF = 4;

interface KeepOptions {
  /** Of a signature that was refused. */
  readonly report?: SignatureDiagnosis | undefined;
  /** Without what takes most room. */
  readonly brief?: boolean;
}

/** What is worth keeping of a request that has ended, or still runs, without credentials. */
export function keepRequest(facts: RequestFacts, options: KeepOptions = {}): KeptRequest {
  const { brief = false } = options;
  const { head, auth, body, authorization, backend, arrived } = facts;
  const target = redactTarget(head.target, LOOKED_AT_FACTOR * LIMIT.target);
  const address = target === head.target && !namesElsewhere(facts) ? clip : redactedOnce();
  const since = (time: number | undefined): number | undefined =>
    time === undefined ? undefined : hundredths(time - arrived);
  return {
    id: head.requestId,
    traceId: head.trace.traceId,
    arrived: head.arrivedAt,
    method: clip(head.method, LIMIT.id),
    target: clip(target, LIMIT.target),
    httpVersion: head.httpVersion,
    scheme: facts.scheme,
    clientAddress: facts.clientAddress,
    operation: facts.classification?.name,
    ...keepAddress(facts, address),
    auth: auth && keepAuth(auth, facts, options),
    authorization: authorization && keepAuthorization(authorization, address, brief),
    authorizations: facts.authorizations,
    backendCalls: facts.backendCalls,
    backendRetries: facts.backendRetries,
    body: body && keepBody(body),
    authenticatedMs: since(facts.authenticated),
    authorisedMs: since(facts.authorized),
    firstByteMs: since(facts.firstByte),
    endMs: since(facts.ended),
    blockedOnClientMs: hundredths(facts.clientWaitMs),
    blockedOnBackendMs: hundredths(facts.backendWaitMs),
    status: facts.status === 0 ? undefined : facts.status,
    failure: keepFailure(facts.failure),
    clientLeft: facts.clientLeft ? true : undefined,
    bytesIn: facts.bytesIn,
    bytesOut: facts.bytesOut,
    heads: facts.heads.map((one) => ({ ...one, name: address(one.name, LIMIT.path) })),
    backend: (brief ? backend.slice(0, CALLS_OF_BRIEF) : backend).map((one) => keepCall(one, arrived, address)),
    ...(brief ? { headers: [], headersOmitted: head.rawHeaders.length / 2 } : keepHeaders(head.rawHeaders)),
  };
}

const COPIES: ReadonlySet<string | undefined> = new Set(['CopyObject', 'UploadPartCopy']);

/** Whether keys come from elsewhere than the target: from a form or a list, or from the header that names a source. */
function namesElsewhere({ head, classification }: RequestFacts): boolean {
  return head.method === 'POST' || COPIES.has(classification?.name);
}

function keepAddress(
  { bucket, key, versionId, uploadId, virtualHost, notes }: RequestFacts,
  address: KeepText,
): Pick<KeptRequest, 'bucket' | 'key' | 'versionId' | 'uploadId' | 'virtualHost'> {
  // An upload's first request does not name it: its answer does.
  const upload = uploadId ?? notes?.['aws.s3.upload_id']?.toString();
  return {
    bucket: bucket && address(bucket, LIMIT.id),
    key: key && address(key, LIMIT.key),
    versionId: versionId && address(versionId, LIMIT.id),
    uploadId: upload && address(upload, LIMIT.id),
    virtualHost: virtualHost ? true : undefined,
  };
}

function keepAuth(
  { method, identity, failure }: AuthFacts,
  facts: RequestFacts,
  { report, brief = false }: KeepOptions,
): KeptAuth {
  const caller = identity?.kind === 'account' ? identity : undefined;
  // A signature may also be found wrong later, in the body, as the report tells: then it is the failure of the whole
  // request.
  const refusal = failure ?? (report === undefined ? undefined : facts.failure);
  const claims = identity === undefined && refusal !== undefined;
  return {
    account: caller?.account.name,
    user: caller?.user?.name,
    accessKeyId: clipped(claims ? claimedKeyId(facts.head) : caller?.accessKeyId, LIMIT.id),
    method: method === 'anonymous' ? undefined : method,
    anonymous: identity?.kind === 'anonymous' ? true : undefined,
    failure: refusal && { code: codeOf(refusal), message: shown(refusal.message, LIMIT.message) },
    report: brief ? undefined : report && keepReport(report),
  };
}

/** Names of policies and statements are no secrets; the resource may be one of the client's. */
function keepAuthorization(
  { action, allowed, rule, reasons: explain }: AuthorizationFacts,
  address: KeepText,
  brief: boolean,
): KeptRequest['authorization'] {
  if (explain === undefined) return { action, allowed, rule, reasons: undefined };
  const { resource, remedies, looked, omitted = 0, ...reasons } = explain();
  const left = brief ? looked.length + omitted : omitted;
  return {
    action,
    allowed,
    rule,
    reasons: {
      ...reasons,
      resource: address(resource, LIMIT.path),
      looked: brief ? [] : looked,
      ...(left > 0 && { omitted: left }),
      ...(remedies !== undefined && {
        remedies: remedies.map(({ document, statement }) => ({ document, statement: shown(statement, LIMIT.path) })),
      }),
    },
  };
}

function keepBody({
  framing,
  contentLength,
  declaredSize,
  received,
  chunks,
  declared,
  computed,
}: RequestBodyFacts): KeptBody {
  return {
    framing,
    sentBytes: contentLength,
    declaredBytes: declaredSize,
    decodedBytes: received,
    chunks,
    declared: declared.map(({ algorithm, value }) => ({
      algorithm: clip(algorithm, LIMIT.id),
      value: shown(value, LIMIT.id),
    })),
    // The gateway's own work, in which nothing of the client's can stand.
    computed,
  };
}

function keepCall(call: BackendCallFacts, arrived: number, address: KeepText): KeptRequest['backend'][number] {
  const { method, path, started, ended, backendRequestId, failure } = call;
  return {
    system: call.system,
    operation: call.operation,
    method: method === '' ? undefined : method,
    target: path && address(path, LIMIT.path),
    attempt: call.attempt,
    startMs: hundredths(started - arrived),
    durationMs: ended === undefined ? undefined : hundredths(ended - started),
    status: call.status,
    outcome: call.outcome,
    requestId: clipped(backendRequestId, LIMIT.id),
    bytesSent: call.bytesSent,
    bytesReceived: call.bytesReceived,
    failure: shown(failure?.message, LIMIT.message),
  };
}

/** Of a millisecond: finer than that the clock says nothing. */
function hundredths(ms: number): number {
  return Math.round(ms * 100) / 100;
}
