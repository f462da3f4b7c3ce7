import { ONE_BYTE } from './entry-marks.ts';

/** Longer ones are no words. */
const LONGEST = 64;
/** Words of the gateway's own (operations, rules, methods, kinds), in the order in which they came up. */
const words: string[] = [];
const numbers = new Map<string, number>();

/** The number of a word; undefined: it has none, as there is an end to them. The same one always, in one process. */
export function numberOfWord(word: string): number | undefined {
  const known = numbers.get(word);
  if (known !== undefined || words.length >= ONE_BYTE || word.length > LONGEST) return known;
  numbers.set(word, words.length);
  return words.push(word) - 1;
}

export function wordOfNumber(number: number): string {
  return words[number] ?? '';
}
