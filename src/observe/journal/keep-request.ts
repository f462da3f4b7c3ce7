import { headerOf } from '../raw-headers.ts';
import { redactCanonicalRequest, redactHeader, redactTarget, redactText } from '../redact.ts';
import type { BackendCallFacts, Digest, Failure, Identity, RequestFacts } from '../request-facts.ts';
import type { Diagnose, KeptAuth, KeptBody, KeptCall, KeptFailure, KeptRequest, SignatureReport } from './kept-request.ts';

/** Longest texts that are kept, in UTF-16 code units; longer ones end with an ellipsis. */
const LIMIT = { target: 4096, headerName: 128, headerValue: 1024, allHeaders: 8192, key: 2048, id: 256, path: 1024, message: 512, signature: 8192 } as const;
const MAX_CAUSES = 6;
const MAX_ALTERED = 32;
/** How much of a text is looked at, in limits of what is kept of it: looking takes time, and others choose the length. */
const REDACTED_AT_MOST = 4;

/**
 * Takes what is worth keeping out of the facts, without credentials. Also of a request that still runs.
 * @param diagnose asked about refusals only
 */
export function keepRequest(facts: RequestFacts, diagnose?: Diagnose): KeptRequest {
  const { head, arrived } = facts;
  const target = redactTarget(head.target);
  const address = target === head.target ? clip : redactedOnce();
  return {
    id: head.requestId,
    traceId: head.trace.traceId,
    arrived: head.arrivedAt,
    method: clip(head.method, LIMIT.id),
    target: clip(target, LIMIT.target),
    httpVersion: head.httpVersion,
    scheme: facts.scheme,
    client: facts.clientAddress,
    ...keepHeaders(head.rawHeaders),
    operation: facts.classification?.name,
    ...keepAddress(facts, address),
    auth: keepAuth(facts, diagnose),
    authorization: facts.authorization,
    authorizations: facts.authorizations,
    backendCalls: facts.backendCalls,
    backendRetries: facts.backendRetries,
    backend: facts.backend.map((call) => keepCall(call, arrived, address)),
    heads: facts.heads.map((one) => ({ ...one, name: address(one.name, LIMIT.path) })),
    body: keepBody(facts.body),
    authenticated: since(facts.authenticated, arrived),
    authorized: since(facts.authorized, arrived),
    firstByte: since(facts.firstByte, arrived),
    ended: since(facts.ended, arrived),
    clientWaitMs: rounded(facts.clientWaitMs),
    backendWaitMs: rounded(facts.backendWaitMs),
    status: facts.status,
    failure: keepFailure(facts.failure),
    clientLeft: facts.clientLeft || undefined,
    bytesIn: facts.bytesIn,
    bytesOut: facts.bytesOut,
  };
}

type KeepText = (text: string, limit: number) => string;

/** Addresses come from the target: when nothing in there is secret, nothing in them is. Else each is looked at, once. */
function redactedOnce(): KeepText {
  const known = new Map<string, string>();
  return (text, limit) => {
    const kept = known.get(text) ?? shown(text, limit);
    known.set(text, kept);
    return kept;
  };
}

function keepAddress(
  { bucket, key, versionId, uploadId, notes, virtualHost }: RequestFacts,
  address: KeepText,
): Pick<KeptRequest, 'bucket' | 'key' | 'versionId' | 'uploadId' | 'virtualHost'> {
  // An upload's first request does not name it: its answer does.
  const upload = uploadId ?? notes?.['aws.s3.upload_id']?.toString();
  return {
    bucket: bucket && address(bucket, LIMIT.id),
    key: key && address(key, LIMIT.key),
    versionId: versionId && address(versionId, LIMIT.id),
    uploadId: upload && address(upload, LIMIT.id),
    virtualHost: virtualHost || undefined,
  };
}

/** Names and values until the limit of all of them is reached. Redacted first: a cut value would not be known for what it is. */
function keepHeaders(raw: readonly string[]): Pick<KeptRequest, 'headers' | 'headersOmitted'> {
  const lines: string[] = [];
  let room: number = LIMIT.allHeaders;
  for (let i = 0; i + 1 < raw.length && room > 0; i += 2) {
    const name = raw[i] ?? '';
    const value = clip(redactHeader(name, clip(raw[i + 1] ?? '', REDACTED_AT_MOST * LIMIT.headerValue)), LIMIT.headerValue);
    room -= name.length + value.length;
    if (room >= 0) lines.push(clip(name, LIMIT.headerName), value);
  }
  return { headers: lines.join('\n'), headersOmitted: (raw.length - lines.length) / 2 };
}

/** A signature may also be found wrong later, in the body: then it is the failure of the whole request. */
function keepAuth(facts: RequestFacts, diagnose: Diagnose | undefined): KeptAuth | undefined {
  const { auth, failure } = facts;
  if (auth === undefined) return undefined;
  const { method, identity } = auth;
  const report = failure === undefined ? undefined : diagnose?.(facts);
  const refusal = auth.failure ?? (report === undefined ? undefined : failure);
  if (refusal === undefined) return { method, ...keepIdentity(identity) };
  return {
    method,
    ...(identity === undefined ? { accessKeyId: claimedKeyId(facts.head) } : keepIdentity(identity)),
    failure: { code: codeOf(refusal), message: shown(refusal.message, LIMIT.message) },
    report: report === undefined ? undefined : keepReport(report),
  };
}

function keepReport({ canonicalRequest, stringToSign, commonlyAltered, hints }: SignatureReport): SignatureReport {
  return {
    canonicalRequest: canonicalRequest === undefined ? undefined : clip(redactCanonicalRequest(canonicalRequest), LIMIT.signature),
    stringToSign: shown(stringToSign, LIMIT.signature),
    commonlyAltered: commonlyAltered.slice(0, MAX_ALTERED).map((name) => clip(name, LIMIT.headerName)),
    hints: hints.map(({ cause, certainty, text }) => ({ cause, certainty, text: shown(text, LIMIT.message) })),
  };
}

function keepIdentity(identity: Identity | undefined): KeptAuth {
  if (identity === undefined) return {};
  if (identity.kind === 'anonymous') return { anonymous: true };
  return { account: identity.account.name, user: identity.user?.name, accessKeyId: clip(identity.accessKeyId, LIMIT.id) };
}

/** Whom the request claims to be from, as far as it names anybody: ids are no secrets. */
function claimedKeyId({ rawHeaders, target }: RequestFacts['head']): string | undefined {
  const authorization = headerOf(rawHeaders, 'authorization') ?? '';
  const found = /Credential=([\w.-]{1,128})\//i.exec(authorization) ?? /^AWS ([\w.-]{1,128}):/.exec(authorization)
    ?? /[?&](?:X-Amz-Credential|AWSAccessKeyId)=([\w.-]{1,128})(?:%2f|\/|&|$)/i.exec(target);
  return found?.[1];
}

function keepCall(call: BackendCallFacts, arrived: number, address: KeepText): KeptCall {
  const { system, operation, method, path, attempt, started, ended, status, outcome, backendRequestId, bytesSent, bytesReceived, failure } = call;
  return [
    system, operation, method, path === undefined ? null : address(path, LIMIT.path), attempt,
    rounded(started - arrived), ended === undefined ? null : rounded(ended - started), status ?? null, outcome,
    backendRequestId === undefined ? null : clip(backendRequestId, LIMIT.id), bytesSent, bytesReceived, shown(failure?.message, LIMIT.message) ?? null,
  ];
}

function keepBody(body: RequestFacts['body']): KeptBody | undefined {
  if (body === undefined) return undefined;
  const { framing, contentLength, declaredSize, received, chunks, declared, computed } = body;
  return { framing, contentLength, declaredSize, received, chunks, declared: declared.map(keepDigest), computed: computed.map(keepDigest) };
}

function keepDigest({ algorithm, value }: Digest): Digest {
  return { algorithm: clip(algorithm, LIMIT.id), value: shown(value, LIMIT.id) };
}

function keepFailure(failure: Failure | undefined): KeptFailure | undefined {
  if (failure === undefined) return undefined;
  const causes: { name: string; message: string }[] = [];
  for (let cause = failure.cause; cause instanceof Error && causes.length < MAX_CAUSES; cause = cause.cause) {
    causes.push({ name: clip(cause.name, LIMIT.id), message: shown(cause.message, LIMIT.message) });
  }
  return { code: codeOf(failure), status: failure.status, message: shown(failure.message, LIMIT.message), causes };
}

function codeOf({ code, name }: Failure): string {
  return clip(String(code ?? name), LIMIT.id);
}

function shown(text: string, limit: number): string;
function shown(text: string | undefined, limit: number): string | undefined;
function shown(text: string | undefined, limit: number): string | undefined {
  return text === undefined ? undefined : clip(redactText(clip(text, REDACTED_AT_MOST * limit)), limit);
}

function clip(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit - 1)}…`;
}

function since(time: number | undefined, arrived: number): number | undefined {
  return time === undefined ? undefined : rounded(time - arrived);
}

/** Hundredths of a millisecond: finer than that the clock says nothing. */
function rounded(ms: number): number {
  return Math.round(ms * 100) / 100;
}
