import { z } from 'zod';

const PATTERN = z
  .string()
  .min(1)
  .refine((text) => text.split('*').length <= 2, 'expected one * at most');
const HEADER_NAME = z.string().regex(/^[!#$%&'+\-.^_`|~0-9A-Za-z]+$/, 'expected the name of a header');

const RULE = z.strictObject({
  allowedOrigins: z
    .array(PATTERN)
    .min(1)
    .describe('Origins of pages, such as `https://www.example.com`; one `*` in each stands for any characters.'),
  allowedMethods: z
    .array(z.enum(['GET', 'PUT', 'POST', 'DELETE', 'HEAD']))
    .min(1)
    .describe('What these pages may send.'),
  allowedHeaders: z
    .array(PATTERN)
    .default([])
    .describe('Headers that they may send; one `*` in each stands for any characters.'),
  exposeHeaders: z.array(HEADER_NAME).default([]).describe('Headers of answers that they may read, such as `ETag`.'),
  maxAgeSeconds: z
    .int()
    .min(0)
    .max(2_147_483_647)
    .optional()
    .describe('How long a browser may remember the answer to a preflight.'),
});

/** CORS rules of the server. For a bucket with rules of its own only those count. */
export const CORS = z.strictObject({
  rules: z
    .array(RULE)
    .max(100)
    .default([])
    .describe(
      'Rules for buckets that have no CORS configuration of their own; a bucket that has one goes by that alone. Empty: pages of other origins may do nothing there, as on AWS.',
    ),
});
