import { z } from 'zod';
import { needsBuckets, WRITTEN_POLICY, WRITTEN_USER_SETTINGS } from './schema-identities.ts';
import { exactlyOne, KUBERNETES_API, path } from './schema-parts.ts';
import { QUOTA } from './schema-quotas.ts';

const SECRET = z.strictObject({
  name: z.string().min(1).describe('Name of the Secret. It must exist; the gateway never makes it.'),
  namespace: z.string().min(1).describe('Its namespace.'),
  key: z
    .string()
    .regex(/^[\w.-]{1,253}$/)
    .default('accounts.json')
    .describe('Key within the Secret that holds the document; absent there: the document is empty.'),
  ...KUBERNETES_API,
});

export const MANAGED_ACCOUNTS = z
  .strictObject({
    folder: path(
      'Folder, on a volume that all replicas share, in which each change is a file of its own; the newest is in force. It must exist: name a folder within the volume, so that one that is not mounted is no empty one.',
    ).optional(),
    secret: SECRET.optional().describe('Kubernetes Secret that holds the document instead.'),
    followMs: z
      .int()
      .min(100)
      .max(60_000)
      .default(2000)
      .describe('How often each process looks whether the document has changed.'),
  })
  .superRefine(exactlyOne('folder', 'secret'));

/** Names of users, as IAM allows them. */
export const MANAGED_USER_NAME = z
  .string()
  .regex(/^[A-Za-z0-9_+=,.@-]{1,128}$/, 'expected 1 to 128 letters, digits or any of + = , . @ _ -');
export const MANAGED_POLICY_NAME = z
  .string()
  .regex(/^[A-Za-z0-9_+=,.@-]{1,64}$/, 'expected 1 to 64 letters, digits or any of + = , . @ _ -');
export const MANAGED_KEY_ID = z
  .string()
  .regex(/^[A-Za-z0-9_]{16,128}$/, 'expected 16 to 128 letters, digits or _')
  .describe('What clients name in their signatures.');

/** What a caller says of a key pair that it brings. */
export const BROUGHT_KEY = z.strictObject({
  secretAccessKey: z
    .string()
    .regex(/^[!-~]{16,128}$/, 'expected 16 to 128 printable characters of ASCII, no spaces')
    .describe('The secret of the pair.'),
});

export const MANAGED_USER_SETTINGS = z
  .strictObject(WRITTEN_USER_SETTINGS)
  .superRefine(needsBuckets)
  // The same for the OpenAPI document.
  .meta({ dependentRequired: { prefix: ['buckets'], readOnly: ['buckets'] } });

export const MANAGED_QUOTA = QUOTA.refine(
  ({ bytes, objects }) => bytes !== undefined || objects !== undefined,
  'expected bytes, objects or both',
).meta({ minProperties: 1 });

const MANAGED_USER = z.strictObject({
  name: MANAGED_USER_NAME,
  settings: MANAGED_USER_SETTINGS,
  keys: z.array(z.strictObject({ accessKeyId: MANAGED_KEY_ID, ...BROUGHT_KEY.shape, createdAt: z.iso.datetime() })),
});

/** What the API has added to an account of the operator's own files. */
const MANAGED_ACCOUNT = z.strictObject({
  name: z.string().min(1),
  users: z.array(MANAGED_USER),
  policies: z.array(z.strictObject({ name: MANAGED_POLICY_NAME, policy: WRITTEN_POLICY })),
  quota: MANAGED_QUOTA.optional(),
});

/** The document that the admin API writes. A gateway that does not know its format takes nothing of it. */
export const MANAGED_DOCUMENT = z.strictObject({
  format: z.literal(1),
  /** Another one after each change. */
  change: z.string(),
  accounts: z
    .array(MANAGED_ACCOUNT)
    .refine(
      (accounts) => new Set(accounts.map(({ name }) => name)).size === accounts.length,
      'expected each name once',
    ),
  buckets: z.array(z.strictObject({ name: z.string().min(1), quota: MANAGED_QUOTA })),
});

export type ManagedDocument = z.infer<typeof MANAGED_DOCUMENT>;
export type ManagedAccount = z.infer<typeof MANAGED_ACCOUNT>;
export type ManagedUser = z.infer<typeof MANAGED_USER>;
export type ManagedUserSettings = z.infer<typeof MANAGED_USER_SETTINGS>;
export type ManagedSettings = z.infer<typeof MANAGED_ACCOUNTS>;
