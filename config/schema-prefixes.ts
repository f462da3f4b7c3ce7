import { z } from 'zod';
import type { SettingFault } from './schema-parts.ts';

const MAX_PREFIX = 256;
/**
 * S3's rule for names of buckets. S3 also excludes IP addresses and some words; no request for a bucket has such a
 * name.
 */
const BUCKET_NAME = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
/** Characters that mean nothing else to either cloud, and that the codec of keys leaves as they are. */
const PREFIX =
  /^(?:[^/\\\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}\ue000-\uf8ff\u{10000}-\u{10ffff}]*[^/\\\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}\ue000-\uf8ff\u{10000}-\u{10ffff}.]\/)+$/u;
/** Names that the gateway or a service keeps for itself. */
const KEPT = ['~s3~/', '.well-known/'];

const PREFIXED = z.strictObject({
  bucket: z.string().regex(BUCKET_NAME, 'expected the name of a bucket').describe('Name of the bucket.'),
  container: z
    .string()
    .min(1)
    .describe('The container in which it lies, in the backend that the rules give to the name. It must be there.'),
  prefix: z
    .string()
    .max(MAX_PREFIX)
    .regex(PREFIX, 'expected one or more segments that end in a slash, none of them empty or with a dot at its end')
    .refine(
      (prefix) => !KEPT.some((kept) => prefix.startsWith(kept)),
      'expected a prefix that nothing else is kept under',
    )
    .describe('How the names of its blobs begin, with a slash at the end; keys are what follows.'),
});

export const PREFIXES = z
  .array(PREFIXED)
  .default([])
  .describe(
    'Buckets that are parts of containers: the blobs under a prefix. The owner of the backend owns them; no client makes or deletes them. A container in which one lies is no bucket itself.',
  );

type Prefixes = z.infer<typeof PREFIXES>;

/** What is known of the names around. */
interface Around {
  /** Backend that a bucket name belongs to. */
  readonly backendOf: (bucket: string) => string | undefined;
  readonly isAlias: (bucket: string) => boolean;
  readonly systemContainers: readonly string[];
}

/**
 * Finds prefixes that contain each other, that lie in containers that the gateway keeps for itself, or whose bucket
 * names have another meaning already. Paths are below `buckets`.
 */
export function prefixFaults(prefixes: Prefixes, { backendOf, isAlias, systemContainers }: Around): SettingFault[] {
  return prefixes.flatMap(({ bucket, container, prefix }, index) => {
    const before = prefixes.slice(0, index);
    const overlapping = before.find(
      (other) =>
        other.container === container &&
        backendOf(other.bucket) === backendOf(bucket) &&
        (other.prefix.startsWith(prefix) || prefix.startsWith(other.prefix)),
    );
    const checks: [boolean, 'bucket' | 'container' | 'prefix', string][] = [
      [before.some((other) => other.bucket === bucket), 'bucket', 'expected a bucket that no prefix before it has'],
      [isAlias(bucket), 'bucket', 'expected a name that is no alias'],
      [systemContainers.includes(bucket), 'bucket', 'expected another name than that of a system container'],
      [systemContainers.includes(container), 'container', 'expected another container than a system container'],
      [
        overlapping !== undefined,
        'prefix',
        `expected a prefix that shares no blobs with that of bucket ${overlapping?.bucket ?? ''}`,
      ],
    ];
    return checks.filter(([wrong]) => wrong).map(([, at, message]) => ({ path: ['prefixes', index, at], message }));
  });
}
