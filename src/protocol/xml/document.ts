import type { XmlShape } from './shape.ts';

/** A value together with the shape that says how it is written. */
export interface XmlDocument {
  readonly shape: XmlShape;
  readonly value: XmlValue;
}

type XmlScalar = string | number | boolean;
export type XmlValue = XmlScalar | undefined | readonly XmlValue[] | XmlTexts | { readonly [name: string]: XmlValue };

/** A long list whose elements are written by who knows them best: as texts of one or several, when their turn comes. */
export class XmlTexts {
  readonly items: () => Iterable<string>;

  constructor(items: () => Iterable<string>) {
    this.items = items;
  }
}

export function xml(shape: XmlShape, value: XmlValue): XmlDocument {
  return { shape, value };
}
