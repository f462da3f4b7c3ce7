import { randomBytes } from 'node:crypto';

const CRLF = '\r\n';
const CARRIAGE_RETURN = 0x0d;
const LINE_FEED = 0x0a;

/** A deletion inside another call: all that differs from one to the next. */
export interface EmbeddedCall {
  /** Path and query, percent-encoded. */
  readonly target: string;
  /** Lines of its message head, each with its end. */
  readonly headers: string;
}

/** @param headers names and values in turn */
export function linesOf(headers: readonly string[]): string {
  let lines = '';
  for (let i = 0; i < headers.length; i += 2) lines += `${headers[i] ?? ''}: ${headers[i + 1] ?? ''}${CRLF}`;
  return lines;
}

/** What the service says to one of them. */
export interface EmbeddedAnswer {
  /** Which call it answers: its place in the batch; undefined when the answer does not say. */
  readonly index: number | undefined;
  readonly status: number;
  /** By lower-case name; of a refusal, as is the body. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Calls as the parts of one body, `multipart/mixed`, in the form that both services take
 * (https://learn.microsoft.com/rest/api/storageservices/blob-batch, https://cloud.google.com/storage/docs/batch).
 * @param style `idOf`: the `Content-ID` of a call by its place, which the services repeat in their answer. `end`: what
 * follows the head of a call, after its empty line
 */
export function batchBody(
  calls: readonly EmbeddedCall[],
  { idOf, end }: { readonly idOf: (index: number) => string; readonly end: '' | typeof CRLF },
): { readonly contentType: string; readonly body: Buffer } {
  // No target holds 144 random bits by chance.
  const boundary = `batch_${randomBytes(18).toString('hex')}`;
  const opening = `--${boundary}${CRLF}Content-Type: application/http${CRLF}Content-Transfer-Encoding: binary${CRLF}Content-ID: `;
  // Joined at once: bytes of a text that was added to piece by piece take twice as long.
  const parts = calls.map(
    ({ target, headers }, index) =>
      `${opening}${idOf(index)}${CRLF}${CRLF}DELETE ${target} HTTP/1.1${CRLF}${headers}${CRLF}${end}`,
  );
  parts.push(`--${boundary}--${CRLF}`);
  return {
    contentType: `multipart/mixed; boundary=${boundary}`,
    body: Buffer.from(parts.join(''), 'latin1'),
  };
}

/**
 * Takes the answer to a batch apart. What cannot be read is left out, so that its call counts as not answered. The
 * document's own first line says what parts its parts.
 */
export function readBatchAnswer(text: string): EmbeddedAnswer[] {
  const delimiter = /^--[^\r\n]+/m.exec(text)?.[0].trimEnd();
  if (delimiter === undefined) return [];
  const answers: EmbeddedAnswer[] = [];
  const [first = '', ...others] = text.split(`\n${delimiter}`);
  const parts = first.startsWith(delimiter) ? [first.slice(delimiter.length), ...others] : others;
  for (const part of parts) {
    const answer = readPart(part);
    if (answer !== undefined) answers.push(answer);
  }
  return answers;
}

const ABOUT = /^content-id:[^\r\n]*?(\d{1,6})>?[ \t]*$/im;
/** Interim answers say nothing yet. */
const STATUS = /^HTTP\/1\.\d [2-5]\d{2}\b/;
const STATUS_AT = 'HTTP/1.1 '.length;

function readPart(part: string): EmbeddedAnswer | undefined {
  const end = endOfHead(part);
  const answer = part.slice(end);
  if (!STATUS.test(answer)) return undefined;
  const status = Number(answer.slice(STATUS_AT, STATUS_AT + 3));
  const id = ABOUT.exec(part.slice(0, end))?.[1];
  const index = id === undefined ? undefined : Number(id);
  if (status < 300) return { index, status, headers: NO_HEADERS, body: '' };
  const body = endOfHead(answer);
  return { index, status, headers: fieldsOf(answer.slice(0, body)), body: answer.slice(body) };
}

const NO_HEADERS: EmbeddedAnswer['headers'] = {};

/** Behind the first empty line; the end if there is none. */
function endOfHead(text: string): number {
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) {
    const next = text.charCodeAt(end + 1) === CARRIAGE_RETURN ? end + 2 : end + 1;
    if (text.charCodeAt(next) === LINE_FEED) return next + 1;
  }
  return text.length;
}

function fieldsOf(head: string): Record<string, string> {
  const fields: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const line of head.split(/\r?\n/)) {
    const colon = line.indexOf(':');
    if (colon > 0) fields[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  return fields;
}
