import { z } from 'zod';
import type { SettingFault } from './schema-parts.ts';
import { PREFIXES } from './schema-prefixes.ts';

const PATTERN = 'Bucket name; `*` or `(.*)` stands for any characters.';

const RULE = z.strictObject({
  pattern: z.string().min(1).describe(PATTERN),
  backend: z.string().describe('Name of a backend.'),
  readOnly: z
    .boolean()
    .default(false)
    .describe('Nothing in these buckets can be changed through this gateway, whatever ACLs say: 403 AccessDenied.'),
});

const ALIAS = z.strictObject({
  pattern: z.string().min(1).describe(PATTERN),
  bucket: z
    .string()
    .min(1)
    .describe(
      'The bucket that such a name means; `$1` to `$9` stand for what the first to ninth `*` of the pattern stood for.',
    ),
});

const VEEAM = z.strictObject({
  pattern: z.string().min(1).describe(PATTERN),
  capacityBytes: z
    .int()
    .min(1)
    .optional()
    .describe('Capacity that `capacity.xml` reports, in bytes. Absent: there is no `capacity.xml`.'),
});

export const BUCKETS = z.strictObject({
  default: z
    .string()
    .optional()
    .describe('Backend of buckets that no rule names. May be left out when there is only one backend.'),
  initial: z
    .array(z.string())
    .default([])
    .describe(
      'Buckets that are made when the gateway starts, unless they are there. They belong to the owner of their backend.',
    ),
  rules: z.array(RULE).default([]).describe('Tried in order; the first pattern that fits a bucket name decides.'),
  aliases: z
    .array(ALIAS)
    .default([])
    .describe(
      'Further names of buckets, tried in order. What is asked of such a name is asked of the bucket, but for CreateBucket and DeleteBucket. A bucket that has the name itself is out of reach; log and preflight name it.',
    ),
  prefixes: PREFIXES,
  veeam: z
    .array(VEEAM)
    .default([])
    .describe(
      "Buckets that have the objects of Veeam's Smart Object Storage API (SOSAPI): the gateway answers `system.xml` and `capacity.xml` where none are stored. The first pattern that fits a bucket name decides ([Veeam](connect/veeam.md)).",
    ),
});

type BucketsConfig = Pick<z.infer<typeof BUCKETS>, 'default' | 'rules' | 'aliases'>;

/**
 * Finds rules and aliases that name something that does not exist, or that contradict each other. Paths are below
 * `buckets`.
 * @param backends their names
 */
export function bucketFaults(
  { default: fallback, rules, aliases }: BucketsConfig,
  backends: readonly string[],
): SettingFault[] {
  const faults: SettingFault[] = [];
  const complain = (path: (string | number)[], message: string): void => void faults.push({ path, message });
  const known = `expected one of the backends ${backends.join(', ')}`;
  if (backends.length > 1 && fallback === undefined) {
    complain(['default'], 'expected the name of a backend, as there are several');
  }
  if (fallback !== undefined && !backends.includes(fallback)) complain(['default'], known);
  rules.forEach(({ backend, pattern }, index) => {
    if (!backends.includes(backend)) complain(['rules', index, 'backend'], known);
    const before = rules.slice(0, index).find((rule) => plain(rule.pattern) === plain(pattern));
    if (before !== undefined) complain(['rules', index, 'pattern'], 'expected a pattern that no rule before it has');
  });
  aliases.forEach((_alias, index) =>
    faults.push(
      ...aliasFaults(aliases, index).map(({ at, text }) => ({ path: ['aliases', index, at], message: text })),
    ),
  );
  return faults;
}

function aliasFaults(aliases: BucketsConfig['aliases'], index: number): { at: 'pattern' | 'bucket'; text: string }[] {
  const alias = aliases[index];
  if (alias === undefined) return [];
  const pattern = plain(alias.pattern);
  const others = aliases.filter((_other, at) => at !== index);
  const captures = pattern.split('*').length - 1;
  const used = [...alias.bucket.matchAll(/\$(\d?)/g)].map(([, digit]) => Number(digit === '' ? 0 : digit));
  const checks: [boolean, 'pattern' | 'bucket', string][] = [
    [
      aliases.slice(0, index).some((other) => plain(other.pattern) === pattern),
      'pattern',
      'expected a pattern that no alias before it has',
    ],
    [
      used.some((number) => number < 1 || number > captures),
      'bucket',
      `expected $1 to $${String(captures)} at most, one for each * of the pattern`,
    ],
    [
      captures > 0 && used.length === 0 && pattern.replaceAll('*', '') === '',
      'bucket',
      'expected $1, or all buckets would be this one',
    ],
    [alias.bucket === pattern, 'bucket', 'expected another bucket than the pattern names'],
    [
      used.length === 0 && others.some((other) => plain(other.pattern) === alias.bucket),
      'bucket',
      'expected a bucket, not another alias',
    ],
  ];
  return checks.filter(([wrong]) => wrong).map(([, at, text]) => ({ at, text }));
}

/** Whether a pattern of rules or aliases fits a name. */
export function fitsPattern(pattern: string, name: string): boolean {
  const pieces = plain(pattern).split('*');
  const escaped = pieces.map((piece) => piece.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${escaped.join('.*')}$`).test(name);
}

/** Both spellings of "any characters", `*` and `(.*)`, become one. */
function plain(pattern: string): string {
  return pattern.replaceAll('(.*)', '*');
}
