import { ByteBoundedMap } from '../../observe/bounded-map.ts';
import type { PolicyDocument, PolicyKind } from './document.ts';
import { parsePolicy } from './parse.ts';

/** Memory that all remembered documents may take together, in bytes, estimated. */
const MAX_BYTES = 16 * 1024 * 1024;
/**
 * Bytes for each text of a document (its pattern, its test, the pieces between its wildcards), and for each wildcard.
 */
const PER_TEXT = 900;
const PER_WILDCARD = 60;
/** Bytes for each comma: values of conditions may stand without quotes (numbers, true and false). */
const PER_COMMA = 300;
const PER_DOCUMENT = 4000;

interface Remembered {
  readonly document: PolicyDocument | undefined;
  readonly bytes: number;
}

/**
 * Parsed policies by their text; the least recently used go first. A document takes up to 140 times the memory of its
 * text, and its author chooses the text, so the bound is in bytes.
 */
export class RememberedPolicies {
  readonly #kind: PolicyKind;
  readonly #byText = new ByteBoundedMap<Remembered>(MAX_BYTES);

  constructor(kind: PolicyKind) {
    this.#kind = kind;
  }

  /** Estimated size of everything that is held. */
  get bytes(): number {
    return this.#byText.bytes;
  }

  /** @param text of a policy that was checked when it was put; undefined when it cannot be read after all */
  get(text: string): PolicyDocument | undefined {
    const known = this.#byText.get(text) ?? {
      document: parsePolicy(text, this.#kind).document,
      bytes: bytesOf(text),
    };
    this.#byText.set(text, known);
    return known.document;
  }
}

/** Estimated memory of the document that this text makes. */
function bytesOf(text: string): number {
  let quotes = 0;
  let wildcards = 0;
  let commas = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    if (char === QUOTE) quotes += 1;
    else if (char === STAR || char === QUESTION) wildcards += 1;
    else if (char === COMMA) commas += 1;
  }
  const texts = (quotes / 2) * PER_TEXT;
  return PER_DOCUMENT + 2 * text.length + Math.max(texts, commas * PER_COMMA) + wildcards * PER_WILDCARD;
}

const [QUOTE, STAR, QUESTION, COMMA] = [0x22, 0x2a, 0x3f, 0x2c];
