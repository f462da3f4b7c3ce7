import type { AccessRule, Digest } from '../request-facts.ts';
import type { KeptAuth, KeptBody, KeptFailure, KeptRequest, SignatureReport } from './kept-request.ts';

/** Parts of a millisecond in which times are packed: whole numbers are written and read fastest. */
export const TICKS_PER_MS = 100;

/** A call to a backend. */
export type PackedCall = readonly [
  system: string, operation: string, method: string, path: string | null, attempt: number, startTicks: number, durationTicks: number | null,
  status: number | null, outcome: string, requestId: string | null, bytesSent: number, bytesReceived: number, failure: string | null,
];

export type PackedHead = readonly [name: string, before: string | null, kind: string | null, after: string | null];

export type PackedBody = readonly [
  framing: string, contentLength: number | null, declaredSize: number | null, received: number, chunks: number,
  declared: readonly Digest[], computed: readonly Digest[],
];

export type PackedAuth = readonly [
  method: NonNullable<KeptAuth['method']> | null, account: string | null, user: string | null, accessKeyId: string | null, anonymous: boolean,
  failure: NonNullable<KeptAuth['failure']> | null,
];

/** What is never long. */
type PackedFacts = readonly [
  id: string, traceId: string, arrived: number, method: string, target: string, httpVersion: string, scheme: string, client: string | null,
  operation: string | null, bucket: string | null, key: string | null, versionId: string | null, uploadId: string | null, virtualHost: boolean,
  auth: PackedAuth | null, authorization: readonly [action: string, allowed: boolean, rule: AccessRule] | null, authorizations: number,
  backendCalls: number, backendRetries: number, heads: readonly PackedHead[], body: PackedBody | null,
  authenticated: number | null, authorized: number | null, firstByte: number | null, ended: number | null, clientWait: number, backendWait: number,
  status: number, failure: KeptFailure | null, clientLeft: boolean, bytesIn: number, bytesOut: number,
];

/** What can be. */
type PackedDetails = readonly [headers: string, headersOmitted: number, backend: readonly PackedCall[], report: SignatureReport | null];

/**
 * A request as it lies in the journal's memory: the values of a `KeptRequest` in an order of their own, without names. Half as
 * long as with them, and written in half the time, which every request pays for; names are put to it when somebody reads.
 */
export type PackedRequest = readonly [facts: PackedFacts, details: PackedDetails];

const CALLS_OF_BRIEF = 4;

/**
 * As one text: JSON, and on the lines behind it the headers, which hold no line breaks but their own. Nothing in them has to be
 * escaped then, and they are half of the text.
 */
export function encodeRequest([facts, [headers, ...details]]: PackedRequest): string {
  return `${JSON.stringify([facts, details])}\n${headers}`;
}

/** @param text as `encodeRequest` made it */
export function decodeRequest(text: string): PackedRequest {
  const end = text.indexOf('\n');
  const [facts, [headersOmitted, backend, report]] = JSON.parse(text.slice(0, end)) as [PackedRequest[0], Rest<PackedRequest[1]>];
  return [facts, [text.slice(end + 1), headersOmitted, backend, report]];
}

type Rest<T extends readonly unknown[]> = T extends readonly [unknown, ...infer R] ? R : never;

/** The same without what takes most room. */
export function briefly([facts, [headers, headersOmitted, backend]]: PackedRequest): PackedRequest {
  return [facts, ['', headersOmitted + headers.split('\n').length / 2, backend.slice(0, CALLS_OF_BRIEF), null]];
}

/** Puts the names to the values. */
export function unpackRequest([facts, [headers, headersOmitted, backend, report]]: PackedRequest): KeptRequest {
  const [
    id, traceId, arrived, method, target, httpVersion, scheme, client,
    operation, bucket, key, versionId, uploadId, virtualHost, auth, authorization, authorizations,
    backendCalls, backendRetries, heads, body,
    authenticated, authorized, firstByte, ended, clientWait, backendWait, status, failure, clientLeft, bytesIn, bytesOut,
  ] = facts;
  return {
    id, traceId, arrived, method, target, httpVersion, scheme, headers, headersOmitted,
    client: client ?? undefined,
    operation: operation ?? undefined,
    bucket: bucket ?? undefined,
    key: key ?? undefined,
    versionId: versionId ?? undefined,
    uploadId: uploadId ?? undefined,
    virtualHost: virtualHost || undefined,
    auth: auth === null ? undefined : unpackAuth(auth, report),
    authorization: authorization === null ? undefined : { action: authorization[0], allowed: authorization[1], rule: authorization[2] },
    authorizations,
    backendCalls,
    backendRetries,
    backend: backend.map(unpackCall),
    heads: heads.map(([name, before, kind, after]) => ({ name, before: before ?? undefined, kind: kind ?? undefined, after: after ?? undefined })),
    body: body === null ? undefined : unpackBody(body),
    authenticated: milliseconds(authenticated),
    authorized: milliseconds(authorized),
    firstByte: milliseconds(firstByte),
    ended: milliseconds(ended),
    clientWaitMs: clientWait / TICKS_PER_MS,
    backendWaitMs: backendWait / TICKS_PER_MS,
    status,
    failure: failure ?? undefined,
    clientLeft: clientLeft || undefined,
    bytesIn,
    bytesOut,
  };
}

function unpackAuth([method, account, user, accessKeyId, anonymous, failure]: PackedAuth, report: SignatureReport | null): KeptAuth {
  return {
    method: method ?? undefined,
    account: account ?? undefined,
    user: user ?? undefined,
    accessKeyId: accessKeyId ?? undefined,
    anonymous: anonymous || undefined,
    failure: failure ?? undefined,
    report: report ?? undefined,
  };
}

function unpackCall(packed: PackedCall): KeptRequest['backend'][number] {
  const [system, operation, method, path, attempt, startTicks, durationTicks, status, outcome, requestId, bytesSent, bytesReceived, failure] = packed;
  return {
    system, operation, method, attempt, outcome, bytesSent, bytesReceived,
    path: path ?? undefined,
    startMs: startTicks / TICKS_PER_MS,
    durationMs: milliseconds(durationTicks),
    status: status ?? undefined,
    requestId: requestId ?? undefined,
    failure: failure ?? undefined,
  };
}

function unpackBody([framing, contentLength, declaredSize, received, chunks, declared, computed]: PackedBody): KeptBody {
  return { framing, contentLength: contentLength ?? undefined, declaredSize: declaredSize ?? undefined, received, chunks, declared, computed };
}

function milliseconds(ticks: number | null): number | undefined {
  return ticks === null ? undefined : ticks / TICKS_PER_MS;
}
