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
  const lines = await Promise.all(
    unescaped.split('\n').map((line) => hideCredentials(server.split('\n'), line, digest)),
  );
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

async function hideCredentials(server: readonly string[], line: string, digest: Digest): Promise<string> {
  for (const redacted of server) {
    if (redacted !== line && (await fits(redacted, line, digest))) return redacted;
  }
  return line;
}

/** Whether a line is the redacted one with the credentials still in it. */
async function fits(redacted: string, line: string, digest: Digest): Promise<boolean> {
  const marks = [...redacted.matchAll(MARK)];
  if (marks.length === 0) return false;
  const pattern = redacted
    .split(MARK)
    .filter((_, index) => index % 3 === 0)
    .map(escapePattern)
    .join('(.+?)');
  const found = new RegExp(`^${pattern}$`).exec(line)?.slice(1);
  if (found === undefined) return false;
  const verdicts = await Promise.all(
    marks.map(([, length, hash], index) => isMarked(found[index] ?? '', Number(length), { hash, digest })),
  );
  return verdicts.every(Boolean);
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

function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
