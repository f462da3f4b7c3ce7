import { decodeEntities, hasStrange } from './plain-tree.ts';
import type { XmlField } from './shape.ts';
import { type DecodedObject, type DecodedValue, type StructPlan, decodeScalar, isFlat, planOf } from './struct-plan.ts';

const LESS = 0x3c;
const GREATER = 0x3e;
const SLASH = 0x2f;
const SPACE = 0x20;
const TAB = 0x09;
const NEWLINE = 0x0a;

/** An element that a struct holds, and what it says. */
interface Member {
  readonly field: XmlField;
  readonly value: DecodedValue;
}

/**
 * What some elements of a struct say, decoded as they are read. Nearly all lists of clients are items of elements that
 * hold text: the tree of such a list takes three times as long. Undefined for whatever else is in the text, and for
 * what does not fit the struct: the general way says the same of what is read here.
 * @param text elements that stand in the struct, whole ones, whose markup `XmlScan` has seen
 * @throws Error: a text that is not of its kind, or a character reference that names no character
 */
export function plainMembers(plan: StructPlan, text: string): readonly Member[] | undefined {
  return hasStrange(text) ? undefined : new PlainStruct(text).members(plan);
}

class PlainStruct {
  readonly #text: string;
  readonly #hasEntities: boolean;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    this.#hasEntities = text.includes('&');
  }

  members(plan: StructPlan): readonly Member[] | undefined {
    const members: Member[] = [];
    for (;;) {
      if (!this.#skipBlanks()) return undefined;
      if (this.#at === this.#text.length) return members;
      const field = this.#enter(plan);
      const value = field && this.#value(field);
      if (field === undefined || value === undefined) return undefined;
      members.push({ field, value });
    }
  }

  /** To the next tag, or the end; false: something else stands before it. */
  #skipBlanks(): boolean {
    const text = this.#text;
    for (; this.#at < text.length; this.#at += 1) {
      const code = text.charCodeAt(this.#at);
      if (code === LESS) return true;
      if (code !== SPACE && code !== NEWLINE && code !== TAB) return false;
    }
    return true;
  }

  /** Behind the start tag that stands here. @returns undefined: it is none, or of no field */
  #enter(plan: StructPlan): XmlField | undefined {
    const end = this.#text.indexOf('>', this.#at);
    const field = plan.byElement.get(this.#text.slice(this.#at + 1, end));
    this.#at = end + 1;
    return field;
  }

  /** What the element says whose start tag was read; behind its end tag. */
  #value({ element, content, list }: XmlField): DecodedValue {
    if (list !== undefined && !isFlat(list)) return undefined;
    if (content.kind === 'struct') return this.#struct(planOf(content.fields), element);
    const end = this.#text.indexOf('<', this.#at);
    const said = this.#text.slice(this.#at, end);
    if (!this.#leaves(end, element)) return undefined;
    return decodeScalar(content.kind, this.#hasEntities ? decodeEntities(said) : said, element);
  }

  /** A struct of single elements, each of which holds text. */
  #struct(plan: StructPlan, name: string): DecodedObject | undefined {
    const struct: Record<string, DecodedValue> = {};
    for (;;) {
      if (!this.#skipBlanks()) return undefined;
      if (this.#text.charCodeAt(this.#at + 1) === SLASH) break;
      const field = this.#enter(plan);
      if (field === undefined || field.list !== undefined || field.content.kind === 'struct') return undefined;
      const { element, property = element } = field;
      const value = struct[property] === undefined ? this.#value(field) : undefined;
      if (value === undefined) return undefined;
      struct[property] = value;
    }
    if (!this.#leaves(this.#at, name)) return undefined;
    for (const { element, property = element, required } of plan.others) {
      if (required !== true || struct[property] === undefined) return undefined;
    }
    return struct;
  }

  /** Behind the end tag at a place. @returns false: it is another */
  #leaves(at: number, name: string): boolean {
    const behind = at + name.length + 3;
    this.#at = behind;
    const text = this.#text;
    return (
      text.charCodeAt(at + 1) === SLASH && text.charCodeAt(behind - 1) === GREATER && text.startsWith(name, at + 2)
    );
  }
}
