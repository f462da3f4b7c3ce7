import { z } from 'zod';

const count = (what: string): z.ZodOptional<z.ZodInt> => z.int().min(1).optional().describe(what);

/** Limits for one identity or bucket, counted by each process. A limit that is absent does not apply. */
export const RATES = z.strictObject({
  requestsPerSecond: count('Requests a second; as many may come at once.'),
  concurrency: count('Requests under way at a time.'),
  bytesInPerSecond: count(
    'Bytes of bodies a second, averaged: what a large one took too much is waited for before the next request.',
  ),
  bytesOutPerSecond: count('Bytes of answers a second, averaged in the same way.'),
});

export const RATE_RULES = z.strictObject({
  anonymous: RATES.optional().describe('All unsigned requests together.'),
  buckets: z
    .array(
      z.strictObject({
        pattern: z.string().min(1).describe('Bucket name; `*` stands for any characters.'),
        ...RATES.shape,
      }),
    )
    .default([])
    .describe(
      'Limits of buckets, each for itself and under all of its names; the first pattern that fits its own name decides.',
    ),
});
