import { z } from 'zod';
import { exactlyOne, path } from './schema-parts.ts';
import { RATES } from './schema-rates.ts';

/** Names of groups, roles and policies: as IAM allows them. */
const IDENTITY_NAME = /^[\w+=,.@-]{1,64}$/;
const BUCKET_PATTERN = /^[a-z0-9.*?-]{1,63}$/;

export const KEY = z
  .strictObject({
    accessKeyId: z
      .string()
      .min(3)
      .max(128)
      .regex(/^[^\s/,]+$/)
      .describe('What clients name in their signatures.'),
    secretAccessKey: z.string().min(8).optional().describe('The secret itself. Prefer one of the other two.'),
    secretFile: path('File that holds the secret, without line break. Read again when it changes.').optional(),
    secretEnv: z.string().min(1).optional().describe('Environment variable that holds the secret.'),
  })
  .superRefine(exactlyOne('secretAccessKey', 'secretFile', 'secretEnv'));

/** The common case of a policy in three lines. */
const SHORT_FORM = {
  buckets: z
    .array(z.string().regex(BUCKET_PATTERN, 'expected a bucket name; * and ? stand for any characters'))
    .min(1)
    .optional()
    .describe(
      'Short form of a policy: these buckets, `*` stands for any characters, and what is in them may be listed, read, written and deleted.',
    ),
  prefix: z.string().min(1).max(1024).optional().describe('With `buckets`: only keys that begin so.'),
  readOnly: z.boolean().optional().describe('With `buckets`: listed and read only.'),
};

interface MaybeShort {
  buckets?: string[] | undefined;
  prefix?: string | undefined;
  readOnly?: boolean | undefined;
}

export function needsBuckets<T extends MaybeShort>(value: T, context: z.RefinementCtx<T>): void {
  if (value.buckets !== undefined) return;
  for (const field of ['prefix', 'readOnly'] as const) {
    if (value[field] !== undefined) {
      context.addIssue({ code: 'custom', path: [field], message: 'expected buckets as well' });
    }
  }
}

const DOCUMENT = z
  .looseObject({
    Version: z.string().optional().describe('Version of the policy language.'),
    Statement: z
      .unknown()
      .refine((value) => typeof value === 'object' && value !== null, 'expected a statement or a list of them')
      .meta({ anyOf: [{ type: 'object' }, { type: 'array' }] })
      .describe('A policy document as IAM has it, in YAML or JSON.'),
  })
  // What has members of two forms would be read as one of them.
  .refine(
    (document) => !('file' in document) && !('buckets' in document),
    'expected Statement without file or buckets',
  );
const FILE = z.strictObject({ file: path('File with a policy document, JSON. Read again when it changes.') });

const SHORT_POLICY = z.strictObject({ ...SHORT_FORM, buckets: SHORT_FORM.buckets.unwrap() });
/** A policy: short form, document, or the file of one. */
const POLICY = z.union([SHORT_POLICY, FILE, DOCUMENT], {
  error: 'expected buckets (with prefix, readOnly), file, or a document with Statement',
});
/** A policy that names no file of the gateway's machine. */
export const WRITTEN_POLICY = z.union([SHORT_POLICY, DOCUMENT], {
  error: 'expected buckets (with prefix, readOnly), or a document with Statement',
});

/** What is attached to an identity: a policy by its name, or written out. */
function attached<P extends z.ZodType>(policy: P) {
  return z
    .array(
      z.union([z.string().regex(IDENTITY_NAME), policy], {
        error: 'expected the name of a policy of this account, or a policy',
      }),
    )
    .default([])
    .describe('Policies that say what may be done: names from `policies` of the account, or policies written out.');
}
const ATTACHED = attached(POLICY);

const WHOLE_ACCOUNT = z
  .literal('account')
  .optional()
  .describe('`account`: may do whatever the account may, without a policy.');
const TAGS = z
  .record(z.string().min(1).max(128), z.string().max(256))
  .optional()
  .describe('Tags, as `aws:PrincipalTag/<name>` in policies.');
const NOT_BEFORE = z.iso
  .datetime({ offset: true })
  .optional()
  .describe(
    'Temporary credentials made before this moment are refused, e.g. `2026-01-31T12:00:00Z`: how they are revoked.',
  );

/** What users have besides names and keys. */
const USER_SETTINGS = {
  policy: WHOLE_ACCOUNT,
  policies: ATTACHED,
  groups: z
    .array(z.string().regex(IDENTITY_NAME))
    .default([])
    .describe('Groups of the account whose policies count for this user, too.'),
  ...SHORT_FORM,
  tags: TAGS,
  notBefore: NOT_BEFORE,
  rates: RATES.optional().describe('Limits of this user, all its keys together.'),
};
/** The same without files of the gateway's machine. */
export const WRITTEN_USER_SETTINGS = { ...USER_SETTINGS, policies: attached(WRITTEN_POLICY) };

export const USER = z
  .strictObject({
    name: z
      .string()
      .regex(/^[^*?$/:]{1,128}$/, 'expected a name without * ? $ / :')
      .describe('Name within the account (`aws:username`).'),
    arn: z.string().regex(/^arn:/).optional().describe('Default `arn:aws:iam::<account number>:user/<name>`.'),
    keys: z.array(KEY).default([]).describe('Access keys of this user; several allow rotation.'),
    ...USER_SETTINGS,
  })
  .superRefine(needsBuckets);

export const GROUP = z
  .strictObject({
    name: z.string().regex(IDENTITY_NAME).describe('Name within the account.'),
    policies: ATTACHED,
    ...SHORT_FORM,
  })
  .superRefine(needsBuckets);

const WEB_IDENTITY = z.strictObject({
  issuer: z.url({ protocol: /^https?$/ }).describe('Issuer of the tokens, one of `identityProviders`.'),
  audiences: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe('Audiences one of which a token must be for; default those of the provider.'),
  subjects: z
    .array(z.string().min(1))
    .min(1)
    .describe('Subjects of the tokens: `system:serviceaccount:NAMESPACE:NAME`; `*` stands for any characters.'),
});

/** Who may assume a role, in short. */
const TRUST = z.strictObject({
  users: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe('Users of the account by name; users and roles of any account by ARN.'),
  roles: z.array(z.string().regex(IDENTITY_NAME)).min(1).optional().describe('Roles of the account by name.'),
  accounts: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe('Accounts by name: their callers with `sts:AssumeRole` may assume the role.'),
  externalId: z.string().min(2).max(1224).optional().describe('What AssumeRole must name as ExternalId.'),
  sessionTags: z.boolean().optional().describe('Callers that assume the role may tag the session.'),
  webIdentity: z.array(WEB_IDENTITY).min(1).optional().describe('Bearers of tokens of an identity provider.'),
});

export const ROLE = z
  .strictObject({
    name: z
      .string()
      .regex(IDENTITY_NAME)
      .describe('Name within the account; its ARN is `arn:aws:iam::<account number>:role/<name>`.'),
    trust: z
      .union([TRUST, FILE, DOCUMENT], {
        error: 'expected users, roles, accounts or webIdentity, or a document with Statement',
      })
      .describe('Who may assume the role: in short, as a trust policy, or a file of one.'),
    policy: WHOLE_ACCOUNT,
    policies: ATTACHED,
    ...SHORT_FORM,
    tags: TAGS,
    maxSessionSeconds: z.int().min(900).max(43_200).default(3600).describe('Longest that a session may last.'),
    notBefore: NOT_BEFORE,
    rates: RATES.optional().describe('Limits of this role, all its sessions together.'),
  })
  .superRefine(needsBuckets);

export const PROVIDER = z.strictObject({
  issuer: z.url({ protocol: /^https?$/ }).describe('What tokens name as their issuer. https, or a loopback address.'),
  audiences: z.array(z.string().min(1)).min(1).describe('Audiences one of which a token must be for.'),
  jwksUri: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Where its keys are; default what its discovery document says.'),
  jwksFile: path('File with its keys (JWKS), instead of asking it. Read again when it changes.').optional(),
  caFile: path("PEM file with the authorities that its certificate is judged by; default the system's.").optional(),
  tokenFile: path(
    'Token that is shown to the issuer or `jwksUri` itself: a Kubernetes API server asks for one.',
  ).optional(),
});

export const POLICIES = z
  .record(z.string().regex(IDENTITY_NAME), POLICY)
  .default({})
  .describe('Policies by name, for users, groups and roles of this account.');

export type KeyConfig = z.infer<typeof KEY>;
export type UserConfig = z.infer<typeof USER>;
export type GroupConfig = z.infer<typeof GROUP>;
export type RoleConfig = z.infer<typeof ROLE>;
export type PolicyConfig = z.infer<typeof POLICY>;
export type TrustConfig = z.infer<typeof TRUST>;
export type ProviderConfig = z.infer<typeof PROVIDER>;
