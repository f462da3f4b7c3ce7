import { tiersOfClasses } from '../../config/schema-classes.ts';
import type { BackendConfig } from '../../config/schema-backends.ts';
import type { Config } from '../../config/schema.ts';
import type { StorageClasses } from '../manifest/index.ts';
import type { BlobStore } from '../store/blob-store.ts';
import { toRegExp } from './bucket-rules.ts';

const STANDARD = 'STANDARD';

/** In which tiers a backend keeps storage classes. @returns undefined: they are labels there */
export function storageClassesOf(
  { storageClasses: all }: Pick<Config, 'storageClasses'>,
  { storageClasses: own }: Pick<BackendConfig, 'storageClasses'>,
  { capabilities }: Pick<BlobStore, 'capabilities'>,
): StorageClasses | undefined {
  const settings = [all, own].filter((one) => one !== undefined && one !== 'labels');
  if (own === 'labels' || settings.length === 0) return undefined;
  const last = settings.findLast(({ restore }) => restore !== undefined)?.restore ?? 'contract';
  const rules = (all?.buckets ?? []).map(({ pattern, defaultClass }) => ({ matches: toRegExp(pattern), defaultClass }));
  const fallback = settings.findLast(({ defaultClass }) => defaultClass !== undefined)?.defaultClass ?? STANDARD;
  return {
    tiers: new Map(tiersOfClasses(...settings.map(({ tiers }) => tiers))),
    restore: capabilities.archiveIsOffline ? 'contract' : last,
    defaultOf: (bucket) => rules.find(({ matches }) => matches.test(bucket))?.defaultClass ?? fallback,
  };
}
