const HASH = 0x23;
const ZERO = 0x30;
const NINE = 0x39;
const LOWER_A = 0x61;
const LOWER_F = 0x66;
const LOWER_X = 0x78;
const TO_LOWER = 0x20;
const LAST_CHARACTER = 0x10ffff;

/** Character data with its references, to the five entities and to numbers, resolved. @throws Error for any other */
export function decodeReferences(text: string): string {
  const pieces: string[] = [];
  let from = 0;
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', from)) {
    const end = text.indexOf(';', at);
    if (end < 0) throw new Error('a stray &');
    if (at > from) pieces.push(text.slice(from, at));
    pieces.push(text.charCodeAt(at + 1) === HASH ? numbered(text, at + 2, end) : named(text.slice(at + 1, end)));
    from = end + 1;
  }
  if (from === 0) return text;
  pieces.push(text.slice(from));
  // Summed up, each reference would keep some 64 bytes: six documents of references then end the process.
  return pieces.join('');
}

function named(name: string): string {
  switch (name) {
    case 'amp':
      return '&';
    case 'lt':
      return '<';
    case 'gt':
      return '>';
    case 'quot':
      return '"';
    case 'apos':
      return "'";
    default:
      throw new Error('a stray &, or an unknown entity');
  }
}

/**
 * The character of a number, which stands between two places of the text. A document may be made of tens of thousands:
 * no text is made of a number on the way. Control characters are taken although XML 1.0 forbids them: keys may hold
 * them, and listings name them so.
 */
function numbered(text: string, start: number, end: number): string {
  const isHex = text.charCodeAt(start) === LOWER_X;
  const first = isHex ? start + 1 : start;
  let code = first < end ? 0 : Infinity;
  for (let at = first; at < end; at += 1) {
    code = code * (isHex ? 16 : 10) + digit(text.charCodeAt(at), isHex);
    if (!(code <= LAST_CHARACTER)) break;
  }
  if (!(code <= LAST_CHARACTER) || (code >= 0xd800 && code <= 0xdfff)) throw new Error('no such character');
  return String.fromCodePoint(code);
}

/** @returns NaN: it is none */
function digit(unit: number, isHex: boolean): number {
  if (unit >= ZERO && unit <= NINE) return unit - ZERO;
  const lower = unit | TO_LOWER;
  return isHex && lower >= LOWER_A && lower <= LOWER_F ? lower - LOWER_A + 10 : NaN;
}
