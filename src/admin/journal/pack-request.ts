import { headerOf } from '../../observe/raw-headers.ts';
import { redactCanonicalRequest, redactHeader, redactTarget, redactText } from '../../observe/redact.ts';
import type { BackendCallFacts, Digest, Failure, RequestFacts } from '../../observe/request-facts.ts';
import type { KeptFailure, SignatureReport } from './kept-request.ts';
import { jsonLine, textLine, ticks, timeLine, wordLine } from './request-text.ts';

/** Longest texts that are kept, in UTF-16 code units; longer ones end with an ellipsis. */
const LIMIT = { target: 4096, headerName: 128, headerValue: 1024, allHeaders: 8192, key: 2048, id: 256, path: 1024, message: 512, signature: 8192 } as const;
const MAX_CAUSES = 6;
const MAX_ALTERED = 32;
/** How much of a text is looked at, in limits of what is kept of it: looking takes time, and others choose the length. */
const LOOKED_AT = 2;

export interface PackOptions {
  /** Of a signature that was refused. */
  readonly report?: SignatureReport | undefined;
  /** Without what takes most room. */
  readonly brief?: boolean;
}

const CALLS_OF_BRIEF = 4;

/** What is worth keeping of a request that has ended, or still runs, without credentials: the text that `readRequest` reads. */
export function packRequest(facts: RequestFacts, { report, brief = false }: PackOptions = {}): string {
  const { head, arrived, failure, authorization } = facts;
  const target = redactTarget(head.target, LOOKED_AT * LIMIT.target);
  const address = target === head.target ? clip : redactedOnce();
  const lines: Lines = [
    head.requestId, head.trace.traceId, head.arrivedAt, textLine(clip(head.method, LIMIT.id)), textLine(clip(target, LIMIT.target)), head.httpVersion,
    facts.scheme, textLine(facts.clientAddress), wordLine(facts.classification?.name),
    line(facts.bucket, address, LIMIT.id), line(facts.key, address, LIMIT.key), line(facts.versionId, address, LIMIT.id),
    // An upload's first request does not name it: its answer does.
    line(facts.uploadId ?? facts.notes?.['aws.s3.upload_id']?.toString(), address, LIMIT.id), flag(facts.virtualHost),
  ];
  packAuth(lines, facts, { report, brief });
  if (authorization === undefined) lines.push(wordLine(undefined));
  else lines.push(authorization.action, flag(authorization.allowed), authorization.rule);
  lines.push(facts.authorizations, facts.backendCalls, facts.backendRetries);
  packBody(lines, facts.body);
  lines.push(
    timeLine(facts.authenticated, arrived), timeLine(facts.authorized, arrived), timeLine(facts.firstByte, arrived), timeLine(facts.ended, arrived),
    ticks(facts.clientWaitMs), ticks(facts.backendWaitMs), facts.status, jsonLine(keepFailure(failure)), flag(facts.clientLeft), facts.bytesIn, facts.bytesOut,
    facts.heads.length,
  );
  for (const { name, before, kind, after } of facts.heads) lines.push(line(name, address, LIMIT.path), textLine(before), wordLine(kind), textLine(after));
  const calls = brief ? facts.backend.slice(0, CALLS_OF_BRIEF) : facts.backend;
  lines.push(calls.length);
  for (const call of calls) packCall(lines, call, { arrived, address });
  const headers = brief ? [] : keepHeaders(head.rawHeaders);
  lines.push((head.rawHeaders.length - headers.length) / 2, ...headers);
  return lines.join('\n');
}

type Lines = (string | number)[];
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

/** Names and values in turn until the limit of all of them is reached. Redacted before it is cut to what is kept. */
function keepHeaders(raw: readonly string[]): string[] {
  const kept: string[] = [];
  let room: number = LIMIT.allHeaders;
  for (let i = 0; i + 1 < raw.length && room > 0; i += 2) {
    const name = raw[i] ?? '';
    const value = clip(redactHeader(name, raw[i + 1] ?? '', LOOKED_AT * LIMIT.headerValue), LIMIT.headerValue);
    room -= name.length + value.length;
    if (room >= 0) kept.push(clip(name, LIMIT.headerName), value);
  }
  return kept;
}

/** A signature may also be found wrong later, in the body, as the report tells: then it is the failure of the whole request. */
function packAuth(lines: Lines, { auth, failure, head }: RequestFacts, { report, brief }: PackOptions): void {
  lines.push(flag(auth !== undefined));
  if (auth === undefined) return;
  const { method, identity } = auth;
  const account = identity?.kind === 'account' ? identity : undefined;
  const refusal = auth.failure ?? (report === undefined ? undefined : failure);
  lines.push(
    wordLine(method), textLine(account?.account.name), textLine(account?.user?.name),
    line(identity === undefined && refusal !== undefined ? claimedKeyId(head) : account?.accessKeyId, clip, LIMIT.id),
    flag(identity?.kind === 'anonymous'),
    jsonLine(refusal && { code: codeOf(refusal), message: shown(refusal.message, LIMIT.message) }),
    jsonLine(brief === true ? undefined : report && keepReport(report)),
  );
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
function claimedKeyId({ rawHeaders, target }: RequestFacts['head']): string | undefined {
  const authorization = headerOf(rawHeaders, 'authorization') ?? '';
  const found = /Credential=([\w.-]{1,128})\//i.exec(authorization) ?? /^AWS ([\w.-]{1,128}):/.exec(authorization)
    ?? /[?&](?:X-Amz-Credential|AWSAccessKeyId)=([\w.-]{1,128})(?:%2f|\/|&|$)/i.exec(target);
  return found?.[1];
}

function packCall(lines: Lines, call: BackendCallFacts, { arrived, address }: { readonly arrived: number; readonly address: KeepText }): void {
  const { started, status, failure } = call;
  lines.push(
    call.system, call.operation, call.method, line(call.path, address, LIMIT.path), call.attempt, ticks(started - arrived), timeLine(call.ended, started),
    status ?? wordLine(undefined), call.outcome, line(call.backendRequestId, clip, LIMIT.id), call.bytesSent, call.bytesReceived,
    line(failure?.message, shown, LIMIT.message),
  );
}

function packBody(lines: Lines, body: RequestFacts['body']): void {
  if (body === undefined) {
    lines.push(wordLine(undefined));
    return;
  }
  const { framing, contentLength, declaredSize, received, chunks, declared, computed } = body;
  const digests = declared.length + computed.length === 0 ? undefined : { declared: declared.map(keepDigest), computed: computed.map(keepDigest) };
  lines.push(framing, contentLength ?? wordLine(undefined), declaredSize ?? wordLine(undefined), received, chunks, jsonLine(digests));
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
  return text === undefined ? undefined : clip(redactText(text, LOOKED_AT * limit), limit);
}

function clip(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit - 1)}…`;
}

function line(text: string | undefined, keep: KeepText, limit: number): string {
  return textLine(text === undefined ? undefined : keep(text, limit));
}

function flag(value: boolean): 0 | 1 {
  return value ? 1 : 0;
}
