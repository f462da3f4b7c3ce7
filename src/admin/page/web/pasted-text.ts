/**
 * Lower-case hex SHA-256 of the UTF-8 form; undefined where the browser offers none (a page that is not on a secure
 * origin).
 */
export type Digest = (text: string) => Promise<string | undefined>;

/** What stands where a credential was. */
const MARK = /<(\d+) chars, sha256 ([0-9a-f]{8})>/g;

interface Prepared {
  readonly text: string;
  /** What was done to the pasted text before it was compared, in sentences. */
  readonly notes: readonly string[];
}

/** True for what looks like a string to sign; anything else is taken for a canonical request. */
export function isStringToSign(pasted: string): boolean {
  return /^\s*["']?AWS4-HMAC-SHA256/.test(pasted);
}

/**
 * Makes pasted text comparable: a text copied out of a log may have its line breaks written as `\n`, and the server's
 * text has marks in place of credentials, which the same credentials in the pasted text are replaced by.
 */
export async function preparePasted(server: string, pasted: string, digest: Digest): Promise<Prepared> {
  const unescaped = unescapeLines(pasted);
  const notes =
    unescaped === pasted ? [] : ['Your text had its line breaks written as \\n; they are read as line breaks.'];
  const redacted = server.split('\n').filter((line) => line.search(MARK) >= 0);
  const lines = await Promise.all(unescaped.split('\n').map((line) => hideCredentials(redacted, line, digest)));
  const text = lines.join('\n');
  if (text !== unescaped) {
    notes.push('Credentials in your text that fit the lengths and hashes shown here were replaced by these.');
  }
  return { text, notes };
}

function unescapeLines(text: string): string {
  if (/[\r\n]/.test(text.trim()) || !text.includes('\\n')) return text;
  const inner = /^\s*"(.*)"\s*$/.exec(text)?.[1] ?? text;
  return inner
    .replaceAll('\\r', '\r')
    .replaceAll('\\n', '\n')
    .replaceAll('\\t', '\t')
    .replaceAll('\\"', '"')
    .replaceAll('\\\\', '\\');
}

/** @param lines those of the server that hold marks */
async function hideCredentials(lines: readonly string[], line: string, digest: Digest): Promise<string> {
  for (const redacted of lines) {
    if (redacted !== line && (await fits(redacted, line, digest))) return redacted;
  }
  return line;
}

/** Whether a line is the redacted one with the credentials still in it. */
async function fits(redacted: string, line: string, digest: Digest): Promise<boolean> {
  const marks = [...redacted.matchAll(MARK)];
  const plain = redacted.split(MARK).filter((_, index) => index % 3 === 0);
  const found = between(plain, line);
  if (found === undefined) return false;
  const verdicts = await Promise.all(
    marks.map(([, length, hash], index) => isMarked(found[index] ?? '', Number(length), { hash, digest })),
  );
  return verdicts.every(Boolean);
}

/**
 * What stands in a line between pieces of text: the shortest stretches, of a character at least. Each piece is looked
 * for once. A pattern would try again from each place, and strangers choose the line and what looks like marks.
 */
function between([first = '', ...others]: readonly string[], line: string): string[] | undefined {
  if (!line.startsWith(first)) return undefined;
  const found: string[] = [];
  let from = first.length;
  for (const [index, piece] of others.entries()) {
    const isLast = index === others.length - 1;
    const at = isLast ? line.length - piece.length : line.indexOf(piece, from + 1);
    if (at <= from || !line.startsWith(piece, at)) return undefined;
    found.push(line.slice(from, at));
    from = at + piece.length;
  }
  return found;
}

/** Marks tell of a value as it was sent or as it is when decoded. */
async function isMarked(
  value: string,
  length: number,
  { hash, digest }: { readonly hash: string | undefined; readonly digest: Digest },
): Promise<boolean> {
  for (const form of new Set([value, decoded(value)])) {
    if (form.length !== length) continue;
    const full = await digest(form);
    if (full === undefined || full.slice(0, 8) === hash) return true;
  }
  return false;
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
