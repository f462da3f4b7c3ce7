import type { XmlShape } from './shape.ts';
import { text } from './shape-parts.ts';

/** Body of Put- and GetObjectRetention. */
export const RETENTION = {
  root: 'Retention',
  content: {
    kind: 'struct',
    fields: [
      { element: 'Mode', content: text },
      { element: 'RetainUntilDate', content: text },
    ],
  },
} as const satisfies XmlShape;

/** Body of Put- and GetObjectLegalHold. */
export const LEGAL_HOLD = {
  root: 'LegalHold',
  content: { kind: 'struct', fields: [{ element: 'Status', content: text, required: true }] },
} as const satisfies XmlShape;
