import { z } from 'zod';
import type { EVENTS } from './schema-events.ts';
import { milliseconds, type SettingFault } from './schema-parts.ts';

/** What may lie somewhere. A limit that is absent does not apply. */
export const QUOTA = z.strictObject({
  bytes: z.int().min(0).optional().describe('Bytes of all versions and of the parts of open uploads.'),
  objects: z.int().min(0).optional().describe('Versions; delete markers do not count.'),
});

export const QUOTAS = z.strictObject({
  buckets: z
    .array(
      z.strictObject({
        pattern: z.string().min(1).describe('Bucket name; `*` stands for any characters.'),
        ...QUOTA.shape,
      }),
    )
    .default([])
    .describe('Quotas of buckets, each for itself; the first pattern that fits its own name decides.'),
  target: z
    .string()
    .optional()
    .describe(
      'Name of a target of `events.targets` that is told when a quota is used by 80 percent, and when by all ([usage and quotas](usage.md#who-is-told)). Buckets cannot name it. Absent: only the log and metrics say it.',
    ),
  exchangeMs: milliseconds(5000).describe(
    'A process goes by what others have written for so long, and tells them after so long what it has written. Quotas may be exceeded by what the others have under way, and by what they finish in twice that time.',
  ),
  maxAgeMs: milliseconds(3 * 24 * 60 * 60_000).describe(
    'A count (`npm run sweep -- --usage`) that began longer ago is not gone by: until the next one, writes pass, and are counted in `s3gw_quota_unjudged`. The same on all replicas.',
  ),
});

/** Who is told of quotas is one of the targets of events, and not one that buckets send theirs to. */
export function quotaFaults({
  quotas: { target },
  events: { targets, eventBridge },
}: {
  readonly quotas: z.infer<typeof QUOTAS>;
  readonly events: z.infer<typeof EVENTS>;
}): SettingFault[] {
  if (target === undefined || (target !== eventBridge && targets.some(({ name }) => name === target))) return [];
  return [{ path: ['target'], message: 'expected the name of one of events.targets that is not events.eventBridge' }];
}
