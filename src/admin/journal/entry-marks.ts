/*
 * An entry of the journal: the values of a request in a fixed order, without their names, which are put to them when
 * somebody reads. Texts are UTF-8. Bytes that UTF-8 never has end them, and say what stands in place of one.
 */
export const TEXT_END = 0xff;
/** A value that is not there. */
export const NOTHING = 0xfe;
/** Behind it: the place of a text that other entries have, too. */
export const REPEATED = 0xfd;
/** Behind it: the place of an `Authorization` header up to its signature, and the signature's digest. */
export const SIGNED = 0xfc;
/** In place of a number: a word, as a text. */
export const SPELLED = 0xfb;

/** Whole numbers below this are one byte, and words as many as there are such numbers. Others have a mark before. */
export const ONE_BYTE = 0xf0;
export const TWO_BYTES = 0xf2;
export const FOUR_BYTES = 0xf4;
export const EIGHT_BYTES = 0xf8;

/** One entry in a buffer that holds more. */
export interface EntryBytes {
  readonly bytes: Buffer;
  /** From the buffer's beginning. */
  readonly length: number;
}
