import type { XmlContent, XmlField } from './shape.ts';

export interface DecodedObject {
  readonly [property: string]: DecodedValue;
}
export type DecodedValue = string | number | boolean | undefined | readonly DecodedValue[] | DecodedObject;

/** What is known of a struct's fields before any document is read. */
export interface StructPlan {
  readonly byElement: ReadonlyMap<string, XmlField>;
  /** Of which something has to be said, even if no element of theirs is there. */
  readonly others: readonly XmlField[];
}

const plans = new WeakMap<readonly XmlField[], StructPlan>();

export function planOf(fields: readonly XmlField[]): StructPlan {
  const known = plans.get(fields);
  if (known !== undefined) return known;
  const inElements = fields.filter((field) => field.attribute !== true);
  const plan: StructPlan = {
    byElement: new Map(inElements.map((field) => [field.list?.wrapper ?? field.element, field])),
    others: fields.filter(({ required, attribute, list }) => required === true || attribute === true || isFlat(list)),
  };
  plans.set(fields, plan);
  return plan;
}

/** Elements of the list stand among the struct's own. */
export function isFlat(list: XmlField['list']): boolean {
  return list !== undefined && list.wrapper === undefined;
}

/** @param name of the element that holds the text. @throws Error: it is none of its kind */
export function decodeScalar(kind: Exclude<XmlContent['kind'], 'struct'>, text: string, name: string): DecodedValue {
  if (kind === 'text') return text;
  const value = text.trim();
  if (kind === 'number') {
    const number = Number(value);
    if (!/^-?\d{1,16}$/.test(value) || !Number.isSafeInteger(number)) throw new Error(`<${name}> is no integer`);
    return number;
  }
  const truth = value.toLowerCase(); // the S3 documentation has TRUE in some of its examples
  if (truth !== 'true' && truth !== 'false') throw new Error(`<${name}> is neither true nor false`);
  return truth === 'true';
}
