import { randomBytes } from 'node:crypto';

/** One call inside another: all that differs from call to call. */
export interface EmbeddedCall {
  readonly method: 'DELETE';
  /** Path and query, percent-encoded. */
  readonly target: string;
  /** Names and values in turn. */
  readonly headers: readonly string[];
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

const CRLF = '\r\n';

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
  const opening = `--${boundary}${CRLF}Content-Type: application/http${CRLF}Content-Transfer-Encoding: binary${CRLF}`;
  let text = '';
  for (const [index, { method, target, headers }] of calls.entries()) {
    text += `${opening}Content-ID: ${idOf(index)}${CRLF}${CRLF}${method} ${target} HTTP/1.1${CRLF}`;
    for (let i = 0; i < headers.length; i += 2) text += `${headers[i] ?? ''}: ${headers[i + 1] ?? ''}${CRLF}`;
    text += CRLF + end;
  }
  return {
    contentType: `multipart/mixed; boundary=${boundary}`,
    body: Buffer.from(`${text}--${boundary}--${CRLF}`, 'latin1'),
  };
}

/**
 * Takes the answer to a batch apart. What cannot be read is left out, so that its call counts as not answered. The
 * document's own first line says what parts its parts.
 */
export function readBatchAnswer(text: string): EmbeddedAnswer[] {
  const delimiter = /^--[^\r\n]+/m.exec(text)?.[0].trimEnd();
  if (delimiter === undefined) return [];
  return `\n${text}`
    .split(`\n${delimiter}`)
    .slice(1)
    .flatMap((part) => readPart(part));
}

const ABOUT = /^content-id:[^\r\n]*?(\d{1,6})>?[ \t]*$/im;
const STATUS = /^HTTP\/1\.\d (\d{3})\b/;

function readPart(part: string): EmbeddedAnswer[] {
  const [about, answer] = cut(part);
  const status = Number(STATUS.exec(answer)?.[1] ?? 0);
  if (status === 0) return [];
  const id = ABOUT.exec(about)?.[1];
  const index = id === undefined ? undefined : Number(id);
  if (status < 300) return [{ index, status, headers: {}, body: '' }];
  const [head, body] = cut(answer);
  return [{ index, status, headers: fieldsOf(head), body }];
}

/** What stands before the first empty line, and behind it. */
function cut(text: string): [string, string] {
  const found = /\r?\n\r?\n/.exec(text);
  return found === null ? [text, ''] : [text.slice(0, found.index), text.slice(found.index + found[0].length)];
}

function fieldsOf(head: string): Record<string, string> {
  const fields: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const line of head.split(/\r?\n/)) {
    const colon = line.indexOf(':');
    if (colon > 0) fields[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  return fields;
}
