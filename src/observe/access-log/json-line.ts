import { redactHeader, redactTarget, redactText } from '../redact.ts';
import type { RequestFacts } from '../request-facts.ts';
import { headerOf } from '../raw-headers.ts';
import { plainJson } from '../written-text.ts';

/** One request as one line of JSON, without line break. Names of fields are those of the log lines of the gateway. */
export function jsonLine(facts: RequestFacts): string {
  const { head, auth, failure, firstByte, arrived } = facts;
  const account = auth?.identity?.kind === 'account' ? auth.identity : undefined;
  const userAgent = headerOf(head.rawHeaders, 'user-agent');
  return plainJson(
    JSON.stringify({
      time: new Date(head.arrivedAt).toISOString(),
      requestId: head.requestId,
      traceId: head.trace.traceId,
      spanId: head.trace.spanId,
      clientAddress: facts.clientAddress,
      method: head.method,
      target: redactTarget(head.target),
      httpVersion: head.httpVersion,
      host: redactedHeader(head, 'host'),
      operation: facts.operation,
      bucket: facts.bucket,
      key: facts.key && redactText(facts.key),
      versionId: facts.versionId && redactText(facts.versionId),
      uploadId: facts.uploadId && redactText(facts.uploadId),
      account: account?.account.name,
      user: account?.user?.name,
      accessKeyId: account?.accessKeyId,
      authMethod: auth?.method,
      status: facts.status,
      code: failure?.code,
      clientLeft: facts.clientLeft || undefined,
      bytesIn: facts.bytesIn,
      bytesOut: facts.bytesOut,
      durationMs: round(facts.durationMs),
      firstByteMs: firstByte === undefined ? undefined : round(firstByte - arrived),
      clientWaitMs: round(facts.clientWaitMs),
      backendWaitMs: round(facts.backendWaitMs),
      backendCalls: facts.backendCalls,
      backendRetries: facts.backendRetries || undefined,
      userAgent: userAgent && redactHeader('user-agent', userAgent),
      referer: redactedHeader(head, 'referer'),
    }),
  );
}

function redactedHeader({ rawHeaders }: RequestFacts['head'], name: string): string | undefined {
  const value = headerOf(rawHeaders, name);
  return value && redactText(value);
}

function round(ms: number): number {
  return Math.round(ms * 100) / 100;
}
