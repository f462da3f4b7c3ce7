import { setImmediate as nextTurn } from 'node:timers/promises';
import { plainJson } from '../../observe/written-text.ts';
import type { RequestDetail } from './contract.ts';

/**
 * http://www.softwareishard.com/blog/har-12-spec/, as far as a server knows what it asks for; fields with `_` are our
 * own.
 */
export interface HttpArchive {
  readonly log: {
    readonly version: '1.2';
    readonly creator: { readonly name: string; readonly version: string };
    readonly entries: readonly HarEntry[];
  };
}

interface Named {
  readonly name: string;
  readonly value: string;
}

export interface HarEntry {
  readonly startedDateTime: string;
  readonly time: number;
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly httpVersion: string;
    readonly cookies: readonly [];
    readonly headers: readonly Named[];
    readonly queryString: readonly Named[];
    readonly headersSize: -1;
    readonly bodySize: number;
  };
  readonly response: {
    readonly status: number;
    readonly statusText: string;
    readonly httpVersion: string;
    readonly cookies: readonly [];
    readonly headers: readonly Named[];
    readonly content: { readonly size: number; readonly mimeType: string };
    readonly redirectURL: '';
    readonly headersSize: -1;
    readonly bodySize: number;
  };
  readonly cache: Readonly<Record<string, never>>;
  readonly timings: { readonly send: number; readonly wait: number; readonly receive: number };
  readonly serverIPAddress?: string;
  readonly comment: string;
  readonly _replica: string;
  readonly _operation: string;
  readonly _traceId: string;
  readonly _backendCalls: RequestDetail['backend']['calls'];
}

/** Entries written between two turns of the event loop. */
const AT_A_TIME = 64;

/**
 * The archive as text, piece by piece: it may be long, and requests of clients go on meanwhile.
 * @param entries oldest first
 */
export async function* archiveText(entries: readonly HarEntry[], version: string): AsyncGenerator<string, void> {
  const creator = { name: 's3-cloud-gateway', version };
  yield `{"log":{"version":"1.2","creator":${JSON.stringify(creator)},"entries":[`;
  for (let at = 0; at < entries.length; at += AT_A_TIME) {
    const piece = entries
      .slice(at, at + AT_A_TIME)
      .map((entry) => plainJson(JSON.stringify(entry)))
      .join(',\n');
    yield at === 0 ? piece : `,\n${piece}`;
    await nextTurn();
  }
  yield ']}}';
}

/** A request that has ended. Answers' headers are not kept; bodies never are. */
export function entryOf(detail: RequestDetail): HarEntry {
  const { summary, backend, error } = detail;
  const { replica, arrived, durationMs, firstByteMs = durationMs, operation = '', traceId } = summary;
  return {
    startedDateTime: new Date(arrived).toISOString(),
    time: durationMs,
    request: requestOf(detail),
    response: responseOf(detail),
    cache: {},
    timings: { send: 0, wait: firstByteMs, receive: Math.max(0, durationMs - firstByteMs) },
    comment: error === undefined ? '' : `${error.code}: ${error.message}`,
    _replica: replica,
    _operation: operation,
    _traceId: traceId,
    _backendCalls: backend.calls,
  };
}

function requestOf({ request, body }: RequestDetail): HarEntry['request'] {
  const host = request.headers.find(([name]) => name.toLowerCase() === 'host')?.[1] ?? '';
  return {
    method: request.method,
    url: `${request.scheme ?? 'http'}://${host}${request.target}`,
    httpVersion: versionOf(request),
    cookies: [],
    headers: request.headers.map(([name, value]) => ({ name, value })),
    queryString: queryOf(request.target),
    headersSize: -1,
    bodySize: body.sentBytes ?? body.decodedBytes ?? 0,
  };
}

function responseOf({ summary, request, error }: RequestDetail): HarEntry['response'] {
  const { id, status = 0, bytesOut } = summary;
  return {
    status,
    statusText: error?.code ?? '',
    httpVersion: versionOf(request),
    cookies: [],
    headers: [{ name: 'x-amz-request-id', value: id }],
    content: { size: bytesOut, mimeType: '' },
    redirectURL: '',
    headersSize: -1,
    bodySize: bytesOut,
  };
}

function versionOf({ httpVersion = '1.1' }: RequestDetail['request']): string {
  return `HTTP/${httpVersion}`;
}

function queryOf(target: string): Named[] {
  const mark = target.indexOf('?');
  if (mark < 0) return [];
  return [...new URLSearchParams(target.slice(mark + 1))].map(([name, value]) => ({ name, value }));
}
