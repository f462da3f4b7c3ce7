import type { XmlShape } from './shape.ts';
import { boolean, number, text } from './shape-parts.ts';

/** Body of Put- and GetBucketVersioning. */
export const VERSIONING_CONFIGURATION = {
  root: 'VersioningConfiguration',
  content: { kind: 'struct', fields: [{ element: 'Status', content: text }, { element: 'MfaDelete', content: text }] },
} as const satisfies XmlShape;

/** Body of Put- and GetObjectLockConfiguration. */
export const OBJECT_LOCK_CONFIGURATION = {
  root: 'ObjectLockConfiguration',
  content: {
    kind: 'struct',
    fields: [
      { element: 'ObjectLockEnabled', content: text, required: true },
      {
        element: 'Rule',
        content: {
          kind: 'struct',
          fields: [
            {
              element: 'DefaultRetention',
              required: true,
              content: {
                kind: 'struct',
                fields: [
                  { element: 'Mode', content: text, required: true },
                  { element: 'Days', content: number },
                  { element: 'Years', content: number },
                ],
              },
            },
          ],
        },
      },
    ],
  },
} as const satisfies XmlShape;

/** Body of Put- and GetBucketOwnershipControls. */
export const OWNERSHIP_CONTROLS = {
  root: 'OwnershipControls',
  content: {
    kind: 'struct',
    fields: [
      {
        element: 'Rule',
        property: 'rules',
        list: {},
        required: true,
        content: { kind: 'struct', fields: [{ element: 'ObjectOwnership', content: text, required: true }] },
      },
    ],
  },
} as const satisfies XmlShape;

/** Body of Put- and GetPublicAccessBlock. */
export const PUBLIC_ACCESS_BLOCK_CONFIGURATION = {
  root: 'PublicAccessBlockConfiguration',
  content: {
    kind: 'struct',
    fields: [
      { element: 'BlockPublicAcls', content: boolean },
      { element: 'IgnorePublicAcls', content: boolean },
      { element: 'BlockPublicPolicy', content: boolean },
      { element: 'RestrictPublicBuckets', content: boolean },
    ],
  },
} as const satisfies XmlShape;
