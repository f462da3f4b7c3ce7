import type { XmlShape } from './shape.ts';
import { TAG } from './shape-parts.ts';

const CONTROL_NAMESPACE = 'http://awss3control.amazonaws.com/doc/2018-08-20/';

const TAGS = { element: 'Tag', property: 'tags', list: { wrapper: 'Tags' }, content: TAG } as const;

/** Body of TagResource. */
export const TAG_RESOURCE_REQUEST = {
  root: 'TagResourceRequest',
  namespace: CONTROL_NAMESPACE,
  content: { kind: 'struct', fields: [{ ...TAGS, required: true }] },
} as const satisfies XmlShape;

export const LIST_TAGS_FOR_RESOURCE_RESULT = {
  root: 'ListTagsForResourceResult',
  namespace: CONTROL_NAMESPACE,
  content: { kind: 'struct', fields: [TAGS] },
} as const satisfies XmlShape;
