import type { Tier } from '../../store/blob-store.ts';

/** The tiers in which a backend keeps S3's storage classes, as its operator wants it. */
export interface StorageClasses {
  /** Of every class that clients may name. */
  readonly tiers: ReadonlyMap<string, Tier>;
  /**
   * Reads of classes whose tier is `archive`. `contract`: they wait for RestoreObject, as S3 has it. `immediate`: they
   * are served, where the service can.
   */
  readonly restore: 'contract' | 'immediate';
  /** The class of objects that are written without one, by the name of their bucket. */
  readonly defaultOf: (bucket: string) => string;
}

const STANDARD = 'STANDARD';
/** The class whose objects S3 has to restore before they can be read. */
const ARCHIVE = 'GLACIER';

/** What an object says of where it lies: its class, else what its bytes' tier amounts to. */
export function storageClassOf({
  storageClass,
  archived,
}: {
  readonly storageClass?: string | undefined;
  readonly archived: boolean;
}): string {
  return storageClass ?? (archived ? ARCHIVE : STANDARD);
}

/** Which class a tier stands for, where several lie in it: the first. */
const BY_PREFERENCE = [STANDARD, 'STANDARD_IA', 'GLACIER_IR', 'GLACIER', 'DEEP_ARCHIVE'];
/** Where none of those lies in it. */
const NATURAL: Readonly<Record<Tier, string>> = {
  hot: STANDARD,
  cool: 'STANDARD_IA',
  cold: 'GLACIER_IR',
  archive: 'GLACIER',
};

/** @param storageClass undefined: STANDARD */
export function tierOfClass({ tiers }: StorageClasses, storageClass: string = STANDARD): Tier {
  return tiers.get(storageClass) ?? 'hot';
}

/** What is known of where the bytes of an object lie. */
interface Kept {
  /** As its record says; undefined: STANDARD. */
  readonly storageClass: string | undefined;
  /** Of the blob that has the bytes. Undefined: nobody has looked. */
  readonly tier: Tier | undefined;
}

/**
 * The class that an object shows. It is the one that was asked for, unless its bytes lie in the tier of another: a tool
 * or a rule of the cloud has moved them, or they were written when classes were labels. Then it is the class of that
 * tier.
 * @returns undefined: STANDARD
 */
export function shownClass(classes: StorageClasses | undefined, { storageClass, tier }: Kept): string | undefined {
  if (classes === undefined) return storageClass;
  const wanted = tierOfClass(classes, storageClass);
  // A blob with a record is never archived, so one that nobody has looked at lies online.
  const found = tier ?? (wanted === 'archive' ? 'hot' : wanted);
  const shown = found === wanted ? storageClass : classOfTier(classes, found);
  return shown === STANDARD ? undefined : shown;
}

function classOfTier(classes: StorageClasses, tier: Tier): string {
  return BY_PREFERENCE.find((name) => tierOfClass(classes, name) === tier) ?? NATURAL[tier];
}
