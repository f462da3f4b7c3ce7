import type { Attributes, AttributeValue } from '@opentelemetry/api';
import { headerOf } from '../raw-headers.ts';
import { redactHeader, redactQuery, redactText } from '../redact.ts';
import type { BackendCallFacts } from '../call-facts.ts';
import type { RequestFacts } from '../request-facts.ts';

const ROUTES = {
  service: '/',
  bucket: '/{bucket}',
  object: '/{bucket}/{key}',
  control: '/v20180820/tags/{arn}',
} as const;
const METHODS: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'PUT',
  'POST',
  'DELETE',
  'OPTIONS',
  'PATCH',
  'CONNECT',
  'TRACE',
]);

type Draft = Readonly<Record<string, AttributeValue | undefined>>;

/** Template of the route: bounded, whatever clients ask for. */
export function routeOf({ classification }: RequestFacts): string | undefined {
  return classification && ROUTES[classification.level];
}

/**
 * https://opentelemetry.io/docs/specs/semconv/http/http-spans/#common-attributes: what no standard knows is `_OTHER`.
 */
export function shownMethod(method: string): string {
  return METHODS.has(method) ? method : 'HTTP';
}

/** Of the server span: HTTP semantic conventions. */
export function requestAttributes(facts: RequestFacts): Attributes {
  const { head } = facts;
  const mark = head.target.indexOf('?');
  const [host, port] = hostAndPort(headerOf(head.rawHeaders, 'host'));
  const userAgent = headerOf(head.rawHeaders, 'user-agent');
  return present({
    'http.request.method': METHODS.has(head.method) ? head.method : '_OTHER',
    'http.request.method_original': METHODS.has(head.method) ? undefined : head.method,
    'http.route': routeOf(facts),
    'http.response.status_code': facts.status,
    's3gw.bytes_received': facts.bytesIn,
    'http.response.size': facts.bytesOut,
    'http.request.body.size': facts.body?.contentLength,
    'url.scheme': facts.scheme,
    'url.path': redactText(mark < 0 ? head.target : head.target.slice(0, mark)),
    'url.query': mark < 0 ? undefined : redactQuery(head.target.slice(mark + 1)),
    'server.address': host,
    'server.port': port,
    'client.address': facts.clientAddress,
    'network.protocol.version': head.httpVersion,
    'user_agent.original': userAgent && redactHeader('user-agent', userAgent),
    'error.type': facts.failure === undefined ? undefined : String(facts.failure.code ?? facts.failure.name),
    'aws.request_id': head.requestId,
    's3gw.client_left': facts.clientLeft || undefined,
    's3gw.sampled_at_head': facts.trace.sampled,
  });
}

/**
 * Of the span of the S3 operation: https://opentelemetry.io/docs/specs/semconv/object-stores/s3/, and our own under
 * `s3gw`.
 */
export function operationAttributes(facts: RequestFacts): Attributes {
  const { auth, authorization, body } = facts;
  const [head] = facts.heads;
  const account = auth?.identity?.kind === 'account' ? auth.identity : undefined;
  return present({
    'rpc.system': 'aws-api',
    'rpc.service': 'S3',
    'rpc.method': facts.operation,
    'aws.request_id': facts.head.requestId,
    'aws.extended_request_id': facts.head.hostId,
    'aws.s3.bucket': facts.bucket,
    'aws.s3.key': facts.key && redactText(facts.key),
    'aws.s3.upload_id': facts.uploadId,
    'aws.s3.part_number': partNumber(facts),
    'aws.s3.copy_source': copySource(facts),
    'aws.s3.version_id': facts.versionId,
    'error.type': facts.failure?.code === undefined ? undefined : String(facts.failure.code),
    'enduser.id': account?.account.name,
    's3gw.access_key_id': account?.accessKeyId,
    's3gw.auth.method': auth?.method,
    's3gw.authorization.action': authorization?.action,
    's3gw.authorization.rule': authorization?.rule,
    's3gw.backend.calls': facts.backendCalls,
    's3gw.backend.retries': facts.backendRetries,
    's3gw.backend.throttles': facts.backendThrottles,
    's3gw.backend.calls_without_span': facts.backendCalls - facts.backend.length || undefined,
    's3gw.body.framing': body?.framing,
    's3gw.body.declared_size': body?.declaredSize,
    's3gw.body.received': body?.received,
    's3gw.body.chunks': body?.chunks,
    's3gw.head.revision_before': head?.before,
    's3gw.head.revision_after': head?.after,
    's3gw.head.kind': head?.kind,
    's3gw.wait.client_ms': Math.round(facts.clientWaitMs),
    's3gw.wait.backend_ms': Math.round(facts.backendWaitMs),
    's3gw.time_to_first_byte_ms':
      facts.firstByte === undefined ? undefined : Math.round(facts.firstByte - facts.arrived),
    ...facts.notes,
  });
}

/** Of the client span of one call to a backend. */
export function backendAttributes(call: BackendCallFacts): Attributes {
  return present({
    's3gw.backend.system': call.system,
    's3gw.backend.operation': call.operation,
    's3gw.backend.attempt': call.attempt,
    's3gw.backend.request_id': call.backendRequestId,
    's3gw.backend.outcome': call.outcome,
    'http.request.method': call.method,
    'http.request.resend_count': call.attempt > 1 ? call.attempt - 1 : undefined,
    'http.response.status_code': call.status,
    'http.request.body.size': call.bytesSent,
    'http.response.body.size': call.bytesReceived,
    'url.path': call.path && redactText(call.path),
    'error.type': call.outcome === 'ok' ? undefined : call.outcome,
  });
}

function present(draft: Draft): Attributes {
  const attributes: Attributes = {};
  for (const name in draft) {
    const value = draft[name];
    if (value !== undefined && value !== '') attributes[name] = value;
  }
  return attributes;
}

function hostAndPort(host: string | undefined): [host: string | undefined, port: number | undefined] {
  const found = /^(.*?)(?::(\d{1,5}))?$/.exec(host ?? '');
  return [found?.[1], found?.[2] === undefined ? undefined : Number(found[2])];
}

function copySource({ head }: RequestFacts): string | undefined {
  const source = headerOf(head.rawHeaders, 'x-amz-copy-source');
  return source && redactText(source);
}

function partNumber({ head }: RequestFacts): number | undefined {
  const found = /[?&]partNumber=(\d{1,5})(?:&|$)/.exec(head.target);
  return found === null ? undefined : Number(found[1]);
}
