import type { XmlShape } from './shape.ts';
import { boolean, number, text } from './shape-parts.ts';

/** Body of Put- and GetBucketVersioning. */
export const VERSIONING_CONFIGURATION = {
  root: 'VersioningConfiguration',
  content: {
    kind: 'struct',
    fields: [
      { element: 'Status', content: text },
      { element: 'MfaDelete', content: text },
    ],
  },
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

/** Answer of GetBucketPolicyStatus. */
export const POLICY_STATUS = {
  root: 'PolicyStatus',
  content: { kind: 'struct', fields: [{ element: 'IsPublic', content: boolean }] },
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

/** Body of Put- and GetBucketRequestPayment. */
export const REQUEST_PAYMENT_CONFIGURATION = {
  root: 'RequestPaymentConfiguration',
  content: { kind: 'struct', fields: [{ element: 'Payer', content: text, required: true }] },
} as const satisfies XmlShape;

/** Body of Put- and GetBucketAccelerateConfiguration. */
export const ACCELERATE_CONFIGURATION = {
  root: 'AccelerateConfiguration',
  content: { kind: 'struct', fields: [{ element: 'Status', content: text }] },
} as const satisfies XmlShape;

/** Body of Put- and GetBucketAbac. */
export const ABAC_STATUS = {
  root: 'AbacStatus',
  content: { kind: 'struct', fields: [{ element: 'Status', content: text }] },
} as const satisfies XmlShape;

/** Body of Put- and GetBucketEncryption. */
export const SERVER_SIDE_ENCRYPTION_CONFIGURATION = {
  root: 'ServerSideEncryptionConfiguration',
  content: {
    kind: 'struct',
    fields: [
      {
        element: 'Rule',
        property: 'rules',
        list: {},
        required: true,
        content: {
          kind: 'struct',
          fields: [
            {
              element: 'ApplyServerSideEncryptionByDefault',
              content: {
                kind: 'struct',
                fields: [
                  { element: 'SSEAlgorithm', content: text, required: true },
                  { element: 'KMSMasterKeyID', content: text },
                ],
              },
            },
            { element: 'BucketKeyEnabled', content: boolean },
            {
              element: 'BlockedEncryptionTypes',
              content: {
                kind: 'struct',
                fields: [{ element: 'EncryptionType', property: 'types', list: {}, content: text }],
              },
            },
          ],
        },
      },
    ],
  },
} as const satisfies XmlShape;
