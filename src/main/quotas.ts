import type { Config } from '../../config/schema.ts';
import type { AccountDirectory } from '../access/accounts.ts';
import { MEASURES, type Quota, Quotas, type TellQuota } from '../manifest/index.ts';
import type { Call } from '../observe/call.ts';
import type { Log } from '../observe/log.ts';
import type { Readings } from '../observe/metrics/process-metrics.ts';
import type { OpenBackend } from './backends.ts';
import { toRegExp } from './bucket-rules.ts';

/** The quotas of the configuration and of the managed accounts, as they are now. */
export type CurrentQuotas = () => Config['quotas'];

interface QuotaOptions {
  readonly config: Pick<Config, 'quotas'>;
  readonly currentQuotas: CurrentQuotas;
  readonly identities: { readonly accounts: AccountDirectory };
  readonly backends: readonly OpenBackend[];
  readonly newCall: () => Call;
  /** Tells the operator of quotas that are used up, or nearly; undefined: only the log does. */
  readonly tell: TellQuota | undefined;
  readonly log: Log;
}

/** The quotas of a configuration. */
interface QuotaRules {
  /** By the bucket's own name. */
  readonly ofBucket: (name: string) => Quota | undefined;
  readonly ofAccount: (ownerId: string) => { readonly name: string; readonly quota: Quota } | undefined;
}

export function quotaRules(currentQuotas: CurrentQuotas, accounts: AccountDirectory): QuotaRules {
  let of: Config['quotas'] | undefined;
  let ofName: QuotaRules['ofBucket'] = () => undefined;
  return {
    ofBucket: (name) => {
      const current = currentQuotas();
      if (current !== of) ofName = byPattern(current.buckets);
      of = current;
      return ofName(name);
    },
    ofAccount: (ownerId) => {
      const quota = accounts.quotaOf(ownerId);
      return quota && { name: accounts.byCanonicalId(ownerId)?.name ?? ownerId, quota };
    },
  };
}

/** The first pattern that fits decides. Single buckets stand in front, and may be many: they are looked up. */
function byPattern(buckets: Config['quotas']['buckets']): QuotaRules['ofBucket'] {
  const firstPattern = buckets.findIndex(({ pattern }) => /[*(]/.test(pattern));
  const names = buckets.slice(0, firstPattern < 0 ? buckets.length : firstPattern);
  const exact = new Map(names.toReversed().map(({ pattern, ...quota }) => [pattern, quota]));
  const rules = buckets.slice(names.length).map(({ pattern, ...quota }) => ({ matches: toRegExp(pattern), quota }));
  return (name) => exact.get(name) ?? rules.find(({ matches }) => matches.test(name))?.quota;
}

export function openQuotas(options: QuotaOptions): Quotas {
  const { config, currentQuotas, identities, backends, newCall, tell, log } = options;
  const { exchangeMs, maxAgeMs } = config.quotas;
  return new Quotas({
    ...quotaRules(currentQuotas, identities.accounts),
    backends,
    exchangeMs,
    maxAgeMs,
    newCall,
    tell,
    onProblem: (error) => log.warn({ err: error }, 'what is used of quotas cannot be read or told; it is tried again'),
    onLevel: ({ owner, quota, used }, percent) =>
      log.warn({ ...owner, quota, used, percent }, `a quota is used by ${String(percent)} percent`),
  });
}

/** What this process has judged by, as metrics. */
export function quotaReadings(quotas: Pick<Quotas, 'scopes'>): Readings {
  const each = (of: (scope: Quotas['scopes'][number]) => number | undefined) => () =>
    quotas.scopes.flatMap((scope) => {
      const value = of(scope);
      return value === undefined ? [] : [[value, { ...scope.owner }] as const];
    });
  return {
    s3gw_quota_used: () =>
      quotas.scopes.flatMap(({ owner, used }) => MEASURES.map((of) => [used[of], { ...owner, of }] as const)),
    s3gw_quota_limit: () =>
      quotas.scopes.flatMap(({ owner, quota }) =>
        MEASURES.flatMap((of) => {
          const limit = quota[of];
          return limit === undefined ? [] : [[limit, { ...owner, of }] as const];
        }),
      ),
    s3gw_quota_used_ratio: each(({ share }) => share),
    s3gw_quota_refused: each(({ refused }) => refused),
    s3gw_quota_unjudged: each(({ unjudged }) => unjudged),
    s3gw_quota_counted_timestamp_seconds: each(({ countedAt }) => countedAt && countedAt / 1000),
  };
}
