import type { AliasOf } from '../manifest/buckets/aliases.ts';
import type { BucketNames } from '../manifest/buckets/hidden-buckets.ts';
import type { Backend, Realm } from '../manifest/buckets/realm.ts';

export interface BucketRule {
  /** Bucket name; `*` stands for any characters. */
  readonly pattern: string;
  /** Name of a backend. */
  readonly backend: string;
  /** Default false. */
  readonly readOnly?: boolean;
}

/** All backends, and the one that each bucket name belongs to: the first rule that fits, else the default. */
export function createRealm(
  backends: readonly Backend[],
  rules: readonly BucketRule[],
  fallback: string | undefined,
): Realm {
  const byName = new Map(backends.map((backend) => [backend.name, backend]));
  const find = (name: string | undefined): Backend => {
    const backend = name === undefined ? backends[0] : byName.get(name);
    if (backend === undefined) throw new Error(`no backend ${name ?? 'at all'}`);
    return backend;
  };
  const compiled = rules.map((rule) => ({ matches: toRegExp(rule.pattern), backend: find(rule.backend) }));
  const otherwise = find(fallback);
  return {
    backends,
    backendOf: (bucket) => compiled.find((rule) => rule.matches.test(bucket))?.backend ?? otherwise,
  };
}

/** All that a configuration makes of the names of buckets. */
export function bucketNames(
  backends: readonly Backend[],
  config: {
    readonly rules: readonly BucketRule[];
    readonly default?: string | undefined;
    readonly aliases: readonly BucketAlias[];
  },
): BucketNames {
  const realm = createRealm(backends, config.rules, config.default);
  return { realm, ...(config.aliases.length > 0 && { aliasOf: aliasesOf(config.aliases) }) };
}

/** Whether the first rule that fits a bucket name lets nobody change it. */
export function readOnlyBuckets(rules: readonly BucketRule[]): (bucket: string) => boolean {
  const compiled = rules.map(({ pattern, readOnly = false }) => ({ matches: toRegExp(pattern), readOnly }));
  return (bucket) => compiled.find(({ matches }) => matches.test(bucket))?.readOnly ?? false;
}

export interface BucketAlias {
  /** As in rules. */
  readonly pattern: string;
  /** Bucket name; `$1` and so on: what the pattern's `*` stood for. */
  readonly bucket: string;
}

/** What further names mean; the first alias that fits decides. A name that comes out as it went in is no alias. */
export function aliasesOf(aliases: readonly BucketAlias[]): AliasOf {
  const compiled = aliases.map(({ pattern, bucket }) => ({ matches: toRegExp(pattern), bucket }));
  return (name) => {
    for (const { matches, bucket } of compiled) {
      const found = matches.exec(name);
      if (found === null) continue;
      const meant = bucket.replaceAll(/\$([1-9])/g, (_all, digit: string) => found[Number(digit)] ?? '');
      return meant === name ? undefined : meant;
    }
    return undefined;
  };
}

/** @param pattern `*` or `(.*)` stands for any characters, which are captured */
export function toRegExp(pattern: string): RegExp {
  return new RegExp(
    `^${pattern
      .split(/\(\.\*\)|\*/)
      .map((piece) => piece.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'))
      .join('(.*)')}$`,
  );
}
