import type { XmlShape } from './shape.ts';

/** A value together with the shape that says how it is written. */
export interface XmlDocument {
  readonly shape: XmlShape;
  readonly value: XmlValue;
}

type XmlScalar = string | number | boolean;
export type XmlValue = XmlScalar | undefined | readonly XmlValue[] | { readonly [name: string]: XmlValue };

export function xml(shape: XmlShape, value: XmlValue): XmlDocument {
  return { shape, value };
}
