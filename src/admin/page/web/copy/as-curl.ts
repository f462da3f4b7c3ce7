import type { RequestDetail } from '../../../inspector/contract.ts';
import { requestParts } from './request-parts.ts';
import { type ShellText, endpointWith, literal, option, quoted, shellCommand } from './shell.ts';

/**
 * Headers that curl makes anew, that belong to one connection or one signature, or that describe a framing curl does
 * not use.
 */
const LEFT_OUT = new Set([
  'authorization',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'accept',
  'accept-encoding',
  'amz-sdk-invocation-id',
  'amz-sdk-request',
  'x-amz-content-sha256',
  'x-amz-date',
  'x-amz-decoded-content-length',
  'x-amz-security-token',
  'x-amz-trailer',
  'x-amz-user-agent',
  'traceparent',
  'tracestate',
  'date',
  'cookie',
]);

/** S3 asks for this header, which curl signs but does not make. */
const UNSIGNED_PAYLOAD = option('--header', 'x-amz-content-sha256: UNSIGNED-PAYLOAD');
/** The shell of whoever runs it puts them in: the one word that is to be expanded. */
const CREDENTIALS = '"${AWS_ACCESS_KEY_ID}:${AWS_SECRET_ACCESS_KEY}"' as ShellText;

/** A command that sends the same request, signed with the keys of whoever runs it; undefined when it cannot be said. */
export function asCurl(detail: RequestDetail): string | undefined {
  const { method } = detail.request;
  const parts = requestParts(detail);
  const target = `${parts.path}${parts.query.length > 0 ? `?${signableQuery(parts.query)}` : ''}`;
  const sent = [...parts.headers].filter(
    ([name]) => name !== 'x-amz-sdk-checksum-algorithm' || hasChecksum(parts.headers),
  );
  const url = parts.endpoint === undefined ? endpointWith(target) : quoted(`${parts.endpoint}${target}`);
  if (url === undefined) return undefined;
  return shellCommand([
    [literal('curl'), literal('--path-as-is'), literal('--globoff'), ...methodWords(method, parts.hasBody)],
    ...(parts.signed
      ? [option('--aws-sigv4', `aws:amz:${parts.region}:s3`), [literal('--user'), CREDENTIALS], UNSIGNED_PAYLOAD]
      : []),
    ...sent.map(([name, value]) => headerWords(name, value)),
    parts.hasBody ? option('--data-binary', '@BODY_FILE') : [],
    [literal('--url'), url],
  ]);
}

/** Up to version 8.2 curl signs a query as it stands: sorted, and with `=` after every name. */
function signableQuery(query: readonly string[]): string {
  return query
    .map((parameter) => (parameter.includes('=') ? parameter : `${parameter}=`))
    .sort()
    .join('&');
}

/** A checksum that came in a trailer is not sent again. */
function hasChecksum(headers: ReadonlyMap<string, string>): boolean {
  return [...headers.keys()].some((name) => /^x-amz-checksum-(?:crc|sha)/.test(name));
}

function methodWords(method: string, hasBody: boolean): readonly ShellText[] {
  if (method === 'HEAD') return [literal('--head')];
  return method === 'GET' && !hasBody ? [] : option('--request', method);
}

/** curl reads a file where a header begins with `@`, which no name of one does. */
const HEADER_NAME = /^[a-z0-9!#$%&'*+.^_`|~-]+$/;

/** `aws-chunked` says how a body was framed; curl sends it plain. */
function headerWords(name: string, value: string): readonly ShellText[] {
  const kept =
    name === 'content-encoding'
      ? value
          .split(',')
          .map((coding) => coding.trim())
          .filter((coding) => coding !== 'aws-chunked')
          .join(', ')
      : value;
  if (
    LEFT_OUT.has(name) ||
    !HEADER_NAME.test(name) ||
    /[\r\n]/.test(kept) ||
    (name === 'content-encoding' && kept === '')
  ) {
    return [];
  }
  return option('--header', kept === '' ? `${name};` : `${name}: ${kept}`);
}
