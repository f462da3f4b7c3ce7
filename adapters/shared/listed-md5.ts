/** Base64 of 16 bytes: 22 characters that say something, and the padding. */
const LENGTH = 24;
const NONE = 255;
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const VALUE_OF = Uint8Array.from({ length: 128 }, (_, code) => {
  const value = DIGITS.indexOf(String.fromCharCode(code));
  return value < 0 ? NONE : value;
});
const HEX = Buffer.from('0123456789abcdef', 'latin1');
const HEX_LENGTH = 32;
const START = 64;

/**
 * MD5s of a page's blobs, from base64 to hex. The digits of all of them are written into one piece of memory and become
 * one text at the end, of which each is a slice: one call into Node for the page instead of two for each blob.
 */
export class ListedMd5s {
  #hex = Buffer.allocUnsafe(START * HEX_LENGTH);
  #count = 0;

  /** @returns false for what is not written as the service writes it, and was not added */
  add(base64: string): boolean {
    if (base64.length !== LENGTH || !base64.endsWith('==')) return false;
    const to = this.#count * HEX_LENGTH;
    if (to === this.#hex.length) this.#hex = Buffer.concat([this.#hex], 2 * to);
    const hex = this.#hex;
    let all = 0;
    // Two characters of base64 are three of hex; of the last two only one and a half say something.
    for (let i = 0; i < LENGTH - 2; i += 2) {
      const first = VALUE_OF[base64.charCodeAt(i)] ?? NONE;
      const second = VALUE_OF[base64.charCodeAt(i + 1)] ?? NONE;
      all |= first | second;
      const at = to + 3 * (i >> 1);
      hex[at] = HEX[(first >> 2) & 15] ?? 0;
      hex[at + 1] = HEX[((first & 3) << 2) | ((second >> 4) & 3)] ?? 0;
      if (i < LENGTH - 4) hex[at + 2] = HEX[second & 15] ?? 0;
    }
    if (all >= DIGITS.length) return false;
    this.#count += 1;
    return true;
  }

  /** All that were added, in their order. */
  inHex(): string[] {
    const text = this.#hex.toString('latin1', 0, this.#count * HEX_LENGTH);
    return Array.from({ length: this.#count }, (_, at) => text.slice(at * HEX_LENGTH, (at + 1) * HEX_LENGTH));
  }
}
