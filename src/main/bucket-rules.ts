import type { Backend, Realm } from '../manifest/buckets/realm.ts';

export interface BucketRule {
  /** Bucket name; `*` stands for any characters. */
  readonly pattern: string;
  /** Name of a backend. */
  readonly backend: string;
}

/** All backends, and the one that each bucket name belongs to: the first rule that fits, else the default. */
export function createRealm(backends: readonly Backend[], rules: readonly BucketRule[], fallback: string | undefined): Realm {
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

/** @param pattern `*` stands for any characters */
export function toRegExp(pattern: string): RegExp {
  return new RegExp(`^${pattern.split('*').map((piece) => piece.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&')).join('.*')}$`);
}
