import { redactCanonicalRequest, redactHeader, redactText } from '../../observe/redact.ts';
import type { Failure as FailureFacts } from '../../observe/call-facts.ts';
import type { RequestHead } from '../../observe/request-facts.ts';
import { headerOf } from '../../observe/raw-headers.ts';
import type { SignatureDiagnosis } from '../diagnosis/diagnosis.ts';
import type { ShownFailure } from '../inspector/request-fields.ts';
import type { KeptRequest } from './kept-request.ts';

/** Longest texts that are kept, in UTF-16 code units; longer ones end with an ellipsis. */
export const LIMIT = {
  target: 4096,
  headerName: 128,
  headerValue: 1024,
  allHeaders: 8192,
  key: 2048,
  id: 256,
  path: 1024,
  message: 512,
  signature: 8192,
} as const;
const MAX_CAUSES = 6;
const MAX_ALTERED = 32;
/**
 * How much of a text is looked at, in limits of what is kept of it: looking takes time, and others choose the length.
 */
export const LOOKED_AT_FACTOR = 2;

export type KeepText = (text: string, limit: number) => string;

export function clip(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit - 1)}…`;
}

export function shown(text: string, limit: number): string;
export function shown(text: string | undefined, limit: number): string | undefined;
export function shown(text: string | undefined, limit: number): string | undefined {
  return text === undefined ? undefined : clip(redactText(text, LOOKED_AT_FACTOR * limit), limit);
}

export function clipped(text: string | undefined, limit: number): string | undefined {
  return text === undefined ? undefined : clip(text, limit);
}

/**
 * Most addresses come from the target: when nothing in there is secret, nothing in them is. Else each is looked at,
 * once.
 */
export function redactedOnce(): KeepText {
  const known = new Map<string, string>();
  return (text, limit) => {
    const kept = known.get(text) ?? shown(text, limit);
    known.set(text, kept);
    return kept;
  };
}

export function keepReport({
  canonicalRequest,
  stringToSign,
  commonlyAltered,
  hints,
}: SignatureDiagnosis): SignatureDiagnosis {
  return {
    ...(canonicalRequest !== undefined && {
      canonicalRequest: clip(redactCanonicalRequest(canonicalRequest), LIMIT.signature),
    }),
    ...(stringToSign !== undefined && { stringToSign: shown(stringToSign, LIMIT.signature) }),
    commonlyAltered: commonlyAltered.slice(0, MAX_ALTERED).map((name) => clip(name, LIMIT.headerName)),
    hints: hints.map(({ cause, certainty, text }) => ({ cause, certainty, text: shown(text, LIMIT.message) })),
  };
}

/** Whom the request claims to be from, as far as it names anybody: ids are no secrets. */
export function claimedKeyId({ rawHeaders, target }: RequestHead): string | undefined {
  const authorization = headerOf(rawHeaders, 'authorization') ?? '';
  const found =
    /Credential=([\w.-]{1,128})\//i.exec(authorization) ??
    /^AWS ([\w.-]{1,128}):/.exec(authorization) ??
    /[?&](?:X-Amz-Credential|AWSAccessKeyId)=([\w.-]{1,128})(?:%2f|\/|&|$)/i.exec(target);
  return found?.[1];
}

export function keepFailure(failure: FailureFacts | undefined): ShownFailure | undefined {
  if (failure === undefined) return undefined;
  const causes: { name: string; message: string }[] = [];
  for (let cause = failure.cause; cause instanceof Error && causes.length < MAX_CAUSES; cause = cause.cause) {
    causes.push({ name: clip(cause.name, LIMIT.id), message: shown(cause.message, LIMIT.message) });
  }
  return { code: codeOf(failure), status: failure.status, message: shown(failure.message, LIMIT.message), causes };
}

export function codeOf({ code, name }: FailureFacts): string {
  return clip(String(code ?? name), LIMIT.id);
}

/**
 * Keeps headers until the limit of all of them is reached. Values are redacted before they are cut to what is kept.
 * @param raw names and values in turn, as they came
 */
export function keepHeaders(raw: readonly string[]): Pick<KeptRequest, 'headers' | 'headersOmitted'> {
  const headers: [name: string, value: string][] = [];
  let room: number = LIMIT.allHeaders;
  for (let at = 0; at + 1 < raw.length && room > 0; at += 2) {
    const name = raw[at] ?? '';
    const value = clip(redactHeader(name, raw[at + 1] ?? '', LOOKED_AT_FACTOR * LIMIT.headerValue), LIMIT.headerValue);
    room -= name.length + value.length;
    if (room >= 0) headers.push([clip(name, LIMIT.headerName), value]);
  }
  return { headers, headersOmitted: raw.length / 2 - headers.length };
}
