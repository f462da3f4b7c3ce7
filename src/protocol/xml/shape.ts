/**
 * XML bodies declared as data: one shape per document, used by the encoder and the decoder.
 * Elements appear in the order of the shape; absent values are left out.
 */
export interface XmlShape {
  /** Root element. */
  readonly root: string;
  /** Default namespace of the root; the S3 namespace unless said otherwise, `null` for none (errors). */
  readonly namespace?: string | null;
  readonly content: XmlContent;
}

export type XmlContent =
  | { readonly kind: 'text' }
  | { readonly kind: 'number' }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'struct'; readonly fields: readonly XmlField[] };

interface XmlList {
  readonly wrapper?: string;
  /**
   * Encoder: further elements that stand among the repeated one, in one order, and what each holds. An item then is
   * an object whose one member is named like the element that it becomes.
   */
  readonly among?: Readonly<Record<string, XmlContent>>;
}

export interface XmlField {
  /** Element name on the wire; for an attribute, its qualified name. */
  readonly element: string;
  /** Name of the property in the value; the element's name when absent. */
  readonly property?: string;
  readonly content: XmlContent;
  /** Repeated element; `wrapper` names the element around all of them (`TagSet`), absent = flattened. */
  readonly list?: XmlList;
  /** Written as an attribute of the enclosing element (`xsi:type`). */
  readonly attribute?: boolean;
  /** Decoder: missing is MalformedXML. */
  readonly required?: boolean;
}
