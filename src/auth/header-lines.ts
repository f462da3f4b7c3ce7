const BLANKS = ' \t';
const INNER_SPACE = /[ \t]+/g;

/**
 * Header lines as they came: order and repeats kept, names in lower case. Node's own header object
 * joins some repeated headers and drops others, so signatures cannot be checked against it.
 *
 * Look-ups are linear: requests carry some fifteen lines, and building a map costs more.
 */
export class HeaderLines {
  readonly names: readonly string[];
  readonly #values: readonly string[];

  constructor(rawHeaders: readonly string[]) {
    const names: string[] = [];
    const values: string[] = [];
    for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
      names.push((rawHeaders[i] ?? '').toLowerCase());
      values.push(rawHeaders[i + 1] ?? '');
    }
    this.names = names;
    this.#values = values;
  }

  /** The first value under a lower-case name. */
  get(name: string): string | undefined {
    return this.#values[this.names.indexOf(name)];
  }

  isRepeated(name: string): boolean {
    const first = this.names.indexOf(name);
    return first >= 0 && this.names.includes(name, first + 1);
  }

  /**
   * The value as a canonical request has it: trimmed, runs of blanks as one space, repeated lines joined by `,`. Empty
   * when the header is absent.
   */
  canonicalValue(name: string): string {
    let at = this.names.indexOf(name);
    if (at < 0) {
      return '';
    }
    let joined = canonicalSpaces(this.#values[at] ?? '');
    while ((at = this.names.indexOf(name, at + 1)) >= 0) {
      joined += `,${canonicalSpaces(this.#values[at] ?? '')}`;
    }
    return joined;
  }
}

/** Not `String.trim`: it would remove the byte A0 from the end of a UTF-8 value. */
function canonicalSpaces(value: string): string {
  let start = 0;
  let end = value.length;
  while (start < end && BLANKS.includes(value.charAt(start))) start += 1;
  while (end > start && BLANKS.includes(value.charAt(end - 1))) end -= 1;
  const trimmed = value.slice(start, end);
  return trimmed.includes('  ') || trimmed.includes('\t') ? trimmed.replace(INNER_SPACE, ' ') : trimmed;
}
