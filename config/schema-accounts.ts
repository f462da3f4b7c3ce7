import { z } from 'zod';
import { GROUP, KEY, POLICIES, PROVIDER, ROLE, USER } from './schema-identities.ts';
import { QUOTA } from './schema-quotas.ts';
import { RATES } from './schema-rates.ts';

/** Access key of the embedded default configuration. It is public, so it works on loopback only. */
export const DEMO_ACCESS_KEY = 'DEMODEMODEMODEMO0000';

export const ACCOUNT = z.strictObject({
  name: z
    .string()
    .min(1)
    .describe('Name within these files. What is not given below is made of it: never change it then.'),
  canonicalId: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'expected 64 lower-case hex digits')
    .optional()
    .describe(
      'Canonical user id, 64 hex digits; stands in bucket records: never change it. Default `printf s3gw:canonical-id:NAME | sha256sum`.',
    ),
  displayName: z.string().min(1).optional().describe('Shown as the owner. Default the name.'),
  email: z
    .email()
    .optional()
    .describe(
      'What grants by e-mail name. Default `NAME@accounts.invalid`, in lower case, with `-` for what has no place in an address.',
    ),
  accountNumber: z
    .string()
    .regex(/^\d{12}$/, 'expected 12 digits, in quotes')
    .optional()
    .describe(
      '12 digits; what ARNs and x-amz-expected-bucket-owner name. Default made of the name: `npm start -- --check-config` prints it.',
    ),
  keys: z
    .array(KEY)
    .default([])
    .describe('Access keys of the account itself (its root, which may do everything); several allow rotation.'),
  policies: POLICIES,
  groups: z.array(GROUP).default([]).describe('Groups of users.'),
  users: z.array(USER).default([]).describe('Users with keys of their own. One without a policy may do nothing.'),
  roles: z
    .array(ROLE)
    .default([])
    .describe('Roles, which users, other roles and bearers of web identity tokens assume for a while.'),
  identityProviders: z
    .array(PROVIDER)
    .default([])
    .describe('OpenID Connect issuers whose tokens AssumeRoleWithWebIdentity takes.'),
  rates: RATES.optional().describe('Limits of the account: its root, users and roles together.'),
  quota: QUOTA.optional().describe(
    'What may lie in all buckets of the account together ([usage and quotas](usage.md)).',
  ),
});

/** A file of `accountsFrom`. */
export const ACCOUNTS_FILE = z.strictObject({ accounts: z.array(z.looseObject({ name: z.string().min(1) })) });

export type AccountConfig = z.infer<typeof ACCOUNT>;
