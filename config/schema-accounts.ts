import { z } from 'zod';
import { exactlyOne, path } from './schema-parts.ts';

/** Access key of the embedded default; it is public, so it works on loopback only. */
export const DEMO_ACCESS_KEY = 'DEMODEMODEMODEMO0000';

const KEY = z.strictObject({
  accessKeyId: z.string().min(3).max(128).regex(/^[^\s/,]+$/).describe('What clients name in their signatures.'),
  secretAccessKey: z.string().min(8).optional().describe('The secret itself. Prefer one of the other two.'),
  secretFile: path('File that holds the secret, without line break.').optional(),
  secretEnv: z.string().min(1).optional().describe('Environment variable that holds the secret.'),
}).superRefine(exactlyOne('secretAccessKey', 'secretFile', 'secretEnv'));

const USER = z.strictObject({
  name: z.string().min(1).describe('Shown as the initiator of uploads.'),
  arn: z.string().regex(/^arn:/).describe('E.g. `arn:aws:iam::123456789012:user/name`.'),
  keys: z.array(KEY).default([]).describe('Keys of this user; it acts with the rights of its account.'),
});

export const ACCOUNT = z.strictObject({
  name: z.string().min(1).describe('Name within this file.'),
  canonicalId: z.string().regex(/^[0-9a-f]{64}$/, 'expected 64 lower-case hex digits').describe('Canonical user id, 64 hex digits; stands in bucket records: never change it.'),
  displayName: z.string().min(1).describe('Shown as the owner.'),
  email: z.email().describe('What grants by e-mail name.'),
  accountNumber: z.string().regex(/^\d{12}$/, 'expected 12 digits, in quotes').describe('12 digits; what x-amz-expected-bucket-owner names.'),
  keys: z.array(KEY).default([]).describe('Access keys of the account itself; several allow rotation.'),
  users: z.array(USER).default([]).describe('Sub-users with keys of their own.'),
});

export type AccountConfig = z.infer<typeof ACCOUNT>;
export type KeyConfig = z.infer<typeof KEY>;
