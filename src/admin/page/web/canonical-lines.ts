/** A line of a canonical request, and what it stands for. */
interface CanonicalLine {
  readonly what: string;
  readonly text: string;
  /** A signed header that proxies commonly add, change or remove. */
  readonly altered: boolean;
}

/**
 * Method, path, query, headers, an empty line, names of the signed headers, hash of the payload: one a line.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function canonicalLines(canonicalRequest: string, commonlyAltered: readonly string[]): readonly CanonicalLine[] {
  const lines = canonicalRequest.split('\n');
  return lines.map((text, index) => {
    const fromEnd = lines.length - 1 - index;
    if (index < FIRST.length) return { what: FIRST[index] ?? '', text, altered: false };
    if (fromEnd < LAST.length) return { what: LAST[fromEnd] ?? '', text, altered: false };
    return { what: 'Header', text, altered: commonlyAltered.includes(text.split(':', 1)[0] ?? '') };
  });
}

const FIRST = ['Method', 'Path', 'Query'];
/** From the end. */
const LAST = ['Payload hash', 'Signed headers', 'End of headers'];
