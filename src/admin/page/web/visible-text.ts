/** A stretch of text, or one character that no eye sees, with a sign in its place. */
interface VisiblePiece {
  readonly text: string;
  /** What stands there in truth; absent for text that shows itself. */
  readonly name?: string;
}

const SIGNS: Readonly<Record<string, readonly [sign: string, name: string]>> = {
  ' ': ['·', 'space'],
  '\t': ['→', 'tab'],
  '\r': ['⟨CR⟩', 'carriage return'],
  '\n': ['↵', 'line feed'],
  '\u00a0': ['⟨NBSP⟩', 'no-break space'],
};

/** Spaces, control characters, marks of direction and of width zero, halves of surrogate pairs. */
const INVISIBLE = /[\p{Z}\p{Cc}\p{Cf}\p{Cs}]/u;

/**
 * The characters of a text as Unicode counts them: what a signature covers are their bytes, not what an eye takes for
 * one letter.
 */
export function codePoints(text: string): readonly string[] {
  return Array.from(text);
}

/** The text cut at what cannot be seen. */
export function visiblePieces(text: string): readonly VisiblePiece[] {
  const pieces: VisiblePiece[] = [];
  let plain = '';
  for (const character of text) {
    if (!INVISIBLE.test(character)) {
      plain += character;
      continue;
    }
    if (plain !== '') pieces.push({ text: plain });
    plain = '';
    const [sign, name] = SIGNS[character] ?? [`⟨${codePoint(character)}⟩`, codePoint(character)];
    pieces.push({ text: sign, name });
  }
  return plain === '' ? pieces : [...pieces, { text: plain }];
}

/** `"+" (2B)`, `space (20)`, `"é" (C3 A9)`, `nothing, the text ends here`. */
export function describeCharacter(character: string | undefined): string {
  if (character === undefined) return 'nothing: the text ends here';
  const [, name] = SIGNS[character] ?? [];
  const bytes = [...new TextEncoder().encode(character)]
    .map((byte) => byte.toString(16).toUpperCase().padStart(2, '0'))
    .join(' ');
  return `${name ?? (INVISIBLE.test(character) ? codePoint(character) : `“${character}”`)} (${bytes})`;
}

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
