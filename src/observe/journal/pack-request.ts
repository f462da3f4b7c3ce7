import { headerOf } from '../raw-headers.ts';
import { redactCanonicalRequest, redactHeader, redactTarget, redactText } from '../redact.ts';
import type { BackendCallFacts, Digest, Failure, HeadFacts, RequestFacts } from '../request-facts.ts';
import type { Diagnose, KeptFailure, SignatureReport } from './kept-request.ts';
import { type PackedAuth, type PackedBody, type PackedCall, type PackedHead, type PackedRequest, TICKS_PER_MS } from './packed-request.ts';

/** Longest texts that are kept, in UTF-16 code units; longer ones end with an ellipsis. */
const LIMIT = { target: 4096, headerName: 128, headerValue: 1024, allHeaders: 8192, key: 2048, id: 256, path: 1024, message: 512, signature: 8192 } as const;
const MAX_CAUSES = 6;
const MAX_ALTERED = 32;
/** How much of a text is looked at, in limits of what is kept of it: looking takes time, and others choose the length. */
const REDACTED_AT_MOST = 4;

/**
 * What is worth keeping of a request that has ended, or still runs, without credentials.
 * @param diagnose asked about refusals only
 */
export function packRequest(facts: RequestFacts, diagnose?: Diagnose): PackedRequest {
  const { head, arrived, failure, authorization } = facts;
  const target = redactTarget(head.target);
  const address = target === head.target ? clip : redactedOnce();
  const headers = keepHeaders(head.rawHeaders);
  const report = failure === undefined ? undefined : diagnose?.(facts);
  return [
    [
      head.requestId, head.trace.traceId, head.arrivedAt, clip(head.method, LIMIT.id), clip(target, LIMIT.target), head.httpVersion,
      facts.scheme, facts.clientAddress ?? null, facts.classification?.name ?? null,
      optional(facts.bucket, address, LIMIT.id), optional(facts.key, address, LIMIT.key), optional(facts.versionId, address, LIMIT.id),
      // An upload's first request does not name it: its answer does.
      optional(facts.uploadId ?? facts.notes?.['aws.s3.upload_id']?.toString(), address, LIMIT.id), facts.virtualHost,
      packAuth(facts, report !== undefined),
      authorization === undefined ? null : [authorization.action, authorization.allowed, authorization.rule], facts.authorizations,
      facts.backendCalls, facts.backendRetries, facts.heads.map((one) => packHead(one, address)), packBody(facts.body),
      since(facts.authenticated, arrived), since(facts.authorized, arrived), since(facts.firstByte, arrived), since(facts.ended, arrived),
      ticks(facts.clientWaitMs), ticks(facts.backendWaitMs),
      facts.status, packFailure(failure), facts.clientLeft, facts.bytesIn, facts.bytesOut,
    ],
    [
      headers.join('\n'), (head.rawHeaders.length - headers.length) / 2,
      facts.backend.map((call) => packCall(call, arrived, address)), report === undefined ? null : keepReport(report),
    ],
  ];
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

/** Names and values in turn until the limit of all of them is reached. Redacted first: a cut value would not be known for what it is. */
function keepHeaders(raw: readonly string[]): string[] {
  const kept: string[] = [];
  let room: number = LIMIT.allHeaders;
  for (let i = 0; i + 1 < raw.length && room > 0; i += 2) {
    const name = raw[i] ?? '';
    const value = clip(redactHeader(name, clip(raw[i + 1] ?? '', REDACTED_AT_MOST * LIMIT.headerValue)), LIMIT.headerValue);
    room -= name.length + value.length;
    if (room >= 0) kept.push(clip(name, LIMIT.headerName), value);
  }
  return kept;
}

/** @param refusedLater the signature was found wrong in the body: then it is the failure of the whole request */
function packAuth({ auth, failure, head }: RequestFacts, refusedLater: boolean): PackedAuth | null {
  if (auth === undefined) return null;
  const { method = null, identity } = auth;
  const refusal = auth.failure ?? (refusedLater ? failure : undefined);
  const refused = refusal === undefined ? null : { code: codeOf(refusal), message: shown(refusal.message, LIMIT.message) };
  if (identity === undefined) return [method, null, null, refused === null ? null : claimedKeyId(head), false, refused];
  if (identity.kind === 'anonymous') return [method, null, null, null, true, refused];
  return [method, identity.account.name, identity.user?.name ?? null, clip(identity.accessKeyId, LIMIT.id), false, refused];
}

function keepReport({ canonicalRequest, stringToSign, commonlyAltered, hints }: SignatureReport): SignatureReport {
  return {
    canonicalRequest: canonicalRequest === undefined ? undefined : clip(redactCanonicalRequest(canonicalRequest), LIMIT.signature),
    stringToSign: shown(stringToSign, LIMIT.signature),
    commonlyAltered: commonlyAltered.slice(0, MAX_ALTERED).map((name) => clip(name, LIMIT.headerName)),
    hints: hints.map(({ cause, certainty, text }) => ({ cause, certainty, text: shown(text, LIMIT.message) })),
  };
}

/** Whom the request claims to be from, as far as it names anybody: ids are no secrets. */
function claimedKeyId({ rawHeaders, target }: RequestFacts['head']): string | null {
  const authorization = headerOf(rawHeaders, 'authorization') ?? '';
  const found = /Credential=([\w.-]{1,128})\//i.exec(authorization) ?? /^AWS ([\w.-]{1,128}):/.exec(authorization)
    ?? /[?&](?:X-Amz-Credential|AWSAccessKeyId)=([\w.-]{1,128})(?:%2f|\/|&|$)/i.exec(target);
  return found?.[1] ?? null;
}

function packHead({ name, before, kind, after }: HeadFacts, address: KeepText): PackedHead {
  return [address(name, LIMIT.path), before ?? null, kind ?? null, after ?? null];
}

function packCall(call: BackendCallFacts, arrived: number, address: KeepText): PackedCall {
  const { system, operation, method, path, attempt, started, ended, status, outcome, backendRequestId, bytesSent, bytesReceived, failure } = call;
  return [
    system, operation, method, optional(path, address, LIMIT.path), attempt, ticks(started - arrived), since(ended, started),
    status ?? null, outcome, optional(backendRequestId, clip, LIMIT.id), bytesSent, bytesReceived, optional(failure?.message, shown, LIMIT.message),
  ];
}

function packBody(body: RequestFacts['body']): PackedBody | null {
  if (body === undefined) return null;
  const { framing, contentLength = null, declaredSize = null, received, chunks, declared, computed } = body;
  return [framing, contentLength, declaredSize, received, chunks, declared.map(keepDigest), computed.map(keepDigest)];
}

function keepDigest({ algorithm, value }: Digest): Digest {
  return { algorithm: clip(algorithm, LIMIT.id), value: shown(value, LIMIT.id) };
}

function packFailure(failure: Failure | undefined): KeptFailure | null {
  if (failure === undefined) return null;
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

function optional(text: string | undefined, keep: KeepText, limit: number): string | null {
  return text === undefined ? null : keep(text, limit);
}

function since(time: number | undefined, start: number): number | null {
  return time === undefined ? null : ticks(time - start);
}

/** Finer than that the clock says nothing. */
function ticks(ms: number): number {
  return Math.round(ms * TICKS_PER_MS);
}
