import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Answer } from './exchange.ts';
import { invalid } from './refusal.ts';
import { Rope } from './rope.ts';

/** https://cloud.google.com/storage/docs/batch */
export const BATCH_PATH = '/batch/storage/v1';
const MOST_CALLS = 100;
const MOST_BYTES = 10 * 1000 * 1000;
const CRLF = '\r\n';

/** A call inside a batch. */
export interface NestedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Rope;
}

interface Part {
  readonly contentId: string | undefined;
  readonly request: NestedRequest;
}

/**
 * Serves the calls of a batch one after the other, and answers in their order. Headers of the batch count for each of
 * its calls, but for `Content-` ones and those that a call has itself.
 * @throws Refusal 400
 */
export async function answerBatch(
  body: Rope,
  headers: IncomingHttpHeaders,
  serve: (request: NestedRequest) => Promise<Answer>,
): Promise<Answer> {
  const parts = partsOf(body, headers);
  const boundary = `batch_${randomBytes(12).toString('base64url')}`;
  const pieces: Buffer[] = [];
  for (const { contentId, request } of parts) {
    const answer = await serve(request);
    const about = contentId === undefined ? '' : `Content-ID: ${responseId(contentId)}${CRLF}`;
    pieces.push(
      Buffer.from(`--${boundary}${CRLF}Content-Type: application/http${CRLF}${about}${CRLF}${headOf(answer)}`),
      ...(answer.body instanceof Rope ? answer.body.pieces : []),
      Buffer.from(CRLF),
    );
  }
  pieces.push(Buffer.from(`--${boundary}--${CRLF}`));
  return {
    status: 200,
    headers: { 'content-type': `multipart/mixed; boundary=${boundary}` },
    body: new Rope(pieces),
  };
}

function headOf({ status, headers, body }: Answer): string {
  const length = status === 204 ? {} : { 'content-length': String(body instanceof Rope ? body.size : 0) };
  const lines = Object.entries({ ...headers, ...length }).map(
    ([name, value]) => `${name}: ${[value].flat().join(', ')}${CRLF}`,
  );
  return `HTTP/1.1 ${status} ${status < 300 ? 'OK' : 'Refused'}${CRLF}${lines.join('')}${CRLF}`;
}

/** `<x>` becomes `<response-x>`. */
function responseId(contentId: string): string {
  return contentId.startsWith('<') ? `<response-${contentId.slice(1)}` : `response-${contentId}`;
}

function partsOf(body: Rope, headers: IncomingHttpHeaders): Part[] {
  const boundary = /^multipart\/mixed\b.*;\s*boundary="?([^";\s]+)/i.exec(headers['content-type'] ?? '')?.[1];
  if (boundary === undefined || body.size >= MOST_BYTES) throw invalid('Failed to parse batch request');
  const text = `${CRLF}${body.bytes().toString('latin1')}`;
  const [, ...sections] = text.split(`${CRLF}--${boundary}`);
  if (sections.length < 2 || sections.at(-1)?.startsWith('--') !== true) throw invalid('Failed to parse batch request');
  const parts = sections.slice(0, -1).map((section) => partOf(section, headers));
  if (parts.length > MOST_CALLS) throw invalid(`The batch request has more than ${MOST_CALLS} calls`);
  return parts;
}

function partOf(section: string, outer: IncomingHttpHeaders): Part {
  const [about, nested] = cut(section.slice(CRLF.length));
  const [head, body] = cut(nested);
  const [line = '', ...lines] = head.split(CRLF);
  const [, method, url] = /^([A-Z]+) (\/\S*)(?: HTTP\/1\.1)?$/.exec(line) ?? [];
  const { 'content-type': type, 'content-id': contentId } = fieldsOf(about.split(CRLF));
  if (type !== 'application/http' || method === undefined || url === undefined) {
    throw invalid('Failed to parse batch request');
  }
  const inherited = Object.entries(outer).filter(([name]) => !name.startsWith('content-'));
  const request = {
    method,
    url,
    headers: { ...Object.fromEntries(inherited), ...fieldsOf(lines) },
    body: new Rope([Buffer.from(body, 'latin1')]),
  };
  return { contentId, request };
}

function fieldsOf(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    lines
      .filter((line) => line.includes(':'))
      .map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
      }),
  );
}

/** What stands before the first empty line, and behind it. */
function cut(text: string): [string, string] {
  const end = text.indexOf(CRLF + CRLF);
  return end < 0 ? [text, ''] : [text.slice(0, end), text.slice(end + 4)];
}
