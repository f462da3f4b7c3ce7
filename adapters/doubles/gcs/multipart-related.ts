import { invalid } from './refusal.ts';
import type { Rope } from './rope.ts';

interface Related {
  /** JSON. */
  readonly resource: string;
  readonly media: Rope;
  readonly mediaType: string;
}

/** The first part, which is a resource of 8 KiB of metadata at most, lies within this. */
const FIRST_PARTS = 128 * 1024;

/**
 * Two parts, RFC 2387: a JSON resource and the bytes. The boundary that ends the bytes is looked for at the end only,
 * so that they need not be copied together.
 * @throws Refusal 400
 */
export function splitRelated(body: Rope, contentType: string): Related {
  const boundary = /^multipart\/related\b.*;\s*boundary="?([^";\s]+)/i.exec(contentType)?.[1];
  if (boundary === undefined) throw malformed();
  const start = body.slice(0, FIRST_PARTS).bytes().toString('latin1');
  const delimiter = `--${boundary}`;
  const [first, second] = [headEnd(start, start.indexOf(delimiter)), start.indexOf(`\r\n${delimiter}`, 1)];
  if (!start.startsWith(delimiter) || second < first) throw malformed();
  const mediaStart = headEnd(start, second);
  const end = closing(body, delimiter);
  if (end < mediaStart) throw malformed();
  const head = start.slice(second, mediaStart);
  return {
    resource: Buffer.from(start.slice(first, second), 'latin1').toString('utf8'),
    media: body.slice(mediaStart, end),
    mediaType: /\r\ncontent-type:[ \t]*([^\r]+)/i.exec(head)?.[1] ?? 'application/octet-stream',
  };
}

function headEnd(text: string, from: number): number {
  const end = text.indexOf('\r\n\r\n', from);
  if (from < 0 || end < 0) throw malformed();
  return end + 4;
}

function closing(body: Rope, delimiter: string): number {
  const ending = `\r\n${delimiter}--`;
  const tail = body
    .slice(Math.max(0, body.size - ending.length - 2), body.size)
    .bytes()
    .toString('latin1');
  const at = tail.lastIndexOf(ending);
  if (at < 0 || !/^(?:\r\n)?$/.test(tail.slice(at + ending.length))) throw malformed();
  return body.size - tail.length + at;
}

function malformed(): Error {
  return invalid('Malformed multipart body.');
}
