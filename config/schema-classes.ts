import { z } from 'zod';

const ONLINE = ['hot', 'cool', 'cold'] as const;
const ALL = [...ONLINE, 'archive'] as const;

/** Classes of S3 and their tiers. S3 itself lets only GLACIER and DEEP_ARCHIVE wait for a restore. */
const DEFAULT_TIERS = {
  STANDARD: 'hot',
  REDUCED_REDUNDANCY: 'hot',
  INTELLIGENT_TIERING: 'hot',
  OUTPOSTS: 'hot',
  STANDARD_IA: 'cool',
  ONEZONE_IA: 'cool',
  GLACIER_IR: 'cold',
} as const;
const ARCHIVES = ['GLACIER', 'DEEP_ARCHIVE'] as const;

const CLASS = z.enum([...(Object.keys(DEFAULT_TIERS) as (keyof typeof DEFAULT_TIERS)[]), ...ARCHIVES]);
type StorageClassName = z.infer<typeof CLASS>;

const TIER = z.enum(ONLINE);
const ARCHIVE_TIER = z.enum(ALL);

const TIERS = z.strictObject({
  STANDARD: TIER.optional().describe('Default `hot`.'),
  REDUCED_REDUNDANCY: TIER.optional().describe('Default `hot`.'),
  INTELLIGENT_TIERING: TIER.optional().describe('Default `hot`.'),
  OUTPOSTS: TIER.optional().describe('Default `hot`.'),
  STANDARD_IA: TIER.optional().describe('Default `cool`.'),
  ONEZONE_IA: TIER.optional().describe('Default `cool`.'),
  GLACIER_IR: TIER.optional().describe('Default `cold`.'),
  GLACIER: ARCHIVE_TIER.optional().describe('Default `archive`.'),
  DEEP_ARCHIVE: ARCHIVE_TIER.optional().describe('Default `archive`.'),
});

const SHARED = {
  defaultClass: CLASS.optional().describe('Class of objects that are written without one. Default `STANDARD`.'),
  restore: z
    .enum(['contract', 'immediate'])
    .optional()
    .describe(
      'Reads of objects in the tier `archive`. `contract` (default): they wait for RestoreObject, as on S3, on Google as on Azure. `immediate`: on Google they are served at once; on Azure they cannot be.',
    ),
};

/** Storage classes for all backends. */
export const STORAGE_CLASSES = z.strictObject({
  tiers: TIERS.prefault({}).describe(
    "Tier of each storage class: `hot`, `cool`, `cold`, `archive` (Azure's access tiers; Google's STANDARD, NEARLINE, COLDLINE, ARCHIVE). From the environment: one value, as the names are in capitals.",
  ),
  ...SHARED,
  buckets: z
    .array(
      z.strictObject({
        pattern: z.string().min(1).describe('Bucket name; `*` or `(.*)` stands for any characters.'),
        defaultClass: CLASS,
      }),
    )
    .default([])
    .describe('Default classes of single buckets; the first pattern that fits a name decides.'),
});
export type StorageClassesConfig = z.infer<typeof STORAGE_CLASSES>;

const BACKEND_TIERS = z
  .partialRecord(CLASS, ARCHIVE_TIER)
  .default({})
  .superRefine((tiers, context) => {
    for (const [name, tier] of Object.entries(tiers)) {
      if (tier !== 'archive' || ARCHIVES.some((archive) => archive === name)) continue;
      context.addIssue({
        code: 'custom',
        path: [name],
        message: 'expected hot, cool or cold: S3 reads this class at once',
      });
    }
  })
  .describe('Tiers by class, as in `storageClasses.tiers`; classes that are not named have those.');

/** What one backend has otherwise. */
export const BACKEND_CLASSES = z.union([z.literal('labels'), z.strictObject({ tiers: BACKEND_TIERS, ...SHARED })], {
  error: 'expected labels, or settings as in storageClasses',
});

type Tiers = Readonly<Partial<Record<StorageClassName, (typeof ALL)[number] | undefined>>>;

/** The tier of every class: what the later settings say, else the default. */
export function tiersOfClasses(...settings: readonly Tiers[]): [StorageClassName, (typeof ALL)[number]][] {
  return CLASS.options.map((name) => {
    const said = settings.findLast((tiers) => tiers[name] !== undefined)?.[name];
    return [name, said ?? (name in DEFAULT_TIERS ? DEFAULT_TIERS[name as keyof typeof DEFAULT_TIERS] : 'archive')];
  });
}
