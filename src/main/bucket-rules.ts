import type { AliasOf, Backend, BucketNames, Realm } from '../manifest/index.ts';
import type { VeeamBucket } from '../operations/operation.ts';
import type { ContainerPart, ContainerParts } from '../store/placed-store.ts';
import { VERSION } from './version.ts';

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
  return { backends, backendOf: byRules(backends, rules, fallback) };
}

/** Which of several named things a bucket name belongs to: that of the first rule that fits, else the default. */
function byRules<T extends { readonly name: string }>(
  all: readonly T[],
  rules: readonly BucketRule[],
  fallback: string | undefined,
): (bucket: string) => T {
  const byName = new Map(all.map((one) => [one.name, one]));
  const find = (name: string | undefined): T => {
    const one = name === undefined ? all[0] : byName.get(name);
    if (one === undefined) throw new Error(`no backend ${name ?? 'at all'}`);
    return one;
  };
  const compiled = rules.map((rule) => ({ matches: toRegExp(rule.pattern), backend: find(rule.backend) }));
  const otherwise = find(fallback);
  return (bucket) => compiled.find((rule) => rule.matches.test(bucket))?.backend ?? otherwise;
}

/** A bucket that is part of a container. */
interface BucketPrefix extends ContainerPart {
  readonly bucket: string;
}

/** The parts of containers that a configuration gives to buckets of one backend. @param backends names of all */
export function partsOfContainers(
  backend: string,
  backends: readonly string[],
  {
    rules,
    default: fallback,
    prefixes,
  }: {
    readonly rules: readonly BucketRule[];
    readonly default?: string | undefined;
    readonly prefixes: readonly BucketPrefix[];
  },
): ContainerParts {
  const backendOf = byRules(
    backends.map((name) => ({ name })),
    rules,
    fallback,
  );
  const own = prefixes.filter(({ bucket }) => backendOf(bucket).name === backend);
  return new Map(own.map(({ bucket, container, prefix }) => [bucket, { container, prefix }]));
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

/** What the first rule that fits a bucket name has Veeam told. */
export function veeamBuckets(
  rules: readonly { readonly pattern: string; readonly capacityBytes?: number | undefined }[],
): (bucket: string) => VeeamBucket | undefined {
  const model = `s3-cloud-gateway ${VERSION}`;
  const compiled = rules.map(({ pattern, capacityBytes }) => ({
    matches: toRegExp(pattern),
    told: { model, ...(capacityBytes !== undefined && { capacityBytes }) },
  }));
  return (bucket) => compiled.find(({ matches }) => matches.test(bucket))?.told;
}

export interface BucketAlias {
  /** As in rules. */
  readonly pattern: string;
  /** Bucket name; `$1` and so on: what the pattern's `*` stood for. */
  readonly bucket: string;
}

/** Resolves further names of buckets by the first alias that fits. A name that resolves to itself is no alias. */
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
