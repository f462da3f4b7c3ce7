import type { AdminConfig } from '../../../config/schema.ts';
import { metricsRoutes } from '../../admin/metrics/routes.ts';
import { startAdminServer } from '../../admin/server.ts';
import { type LifecycleReport, RULE_OUTCOMES, type RuleCount } from '../../manifest/index.ts';
import type { Log } from '../../observe/log.ts';
import { observe, processReadings, type Readings } from '../../observe/metrics/process-metrics.ts';
import { openAdminAccess } from '../admin-access.ts';
import type { SecretSources } from '../secrets.ts';
import { StartError } from '../start-error.ts';
import { startMetrics } from '../telemetry/metrics.ts';
import { processResource } from '../telemetry/resource.ts';

/** Rules that are told apart: a scraper cannot hold any number of them. */
const MAX_RULES = 2000;

interface RuleLabels {
  readonly backend: string;
  readonly bucket: string;
  readonly rule: string;
}

interface RuleTotals {
  readonly labels: RuleLabels;
  readonly counts: Omit<RuleCount, 'oldestDue'>;
  /** Of the last pass; milliseconds since the epoch. */
  oldestDue: number | undefined;
}

/** What the runs of a command made of each rule, added up. Rules that are gone are forgotten with the next pass. */
export class LifecycleTotals {
  readonly #rules = new Map<string, RuleTotals>();
  #withoutRoom = 0;
  /** Milliseconds since the epoch. */
  #finishedAt: number | undefined;

  add({ buckets, complete, finishedAt }: LifecycleReport): void {
    this.#withoutRoom = 0;
    for (const { name, backend, rules } of buckets) {
      for (const [rule, count] of Object.entries(rules)) this.#add({ backend, bucket: name, rule }, count);
    }
    if (!complete) return;
    this.#finishedAt = Date.parse(finishedAt);
    for (const [id, { labels }] of this.#rules) {
      const bucket = buckets.find(({ name, backend }) => name === labels.bucket && backend === labels.backend);
      // A bucket that another sweeper works on says nothing of its rules.
      if (bucket === undefined || (bucket.complete && !(labels.rule in bucket.rules))) this.#rules.delete(id);
    }
  }

  readings(): Readings {
    const counted = (of: (counts: RuleTotals['counts']) => number) => () =>
      [...this.#rules.values()].map(({ labels, counts }) => [of(counts), { ...labels }] as const);
    return {
      s3gw_lifecycle_looked_at: counted(({ lookedAt }) => lookedAt),
      s3gw_lifecycle_due: counted(({ due }) => due),
      s3gw_lifecycle_outcomes: () =>
        [...this.#rules.values()].flatMap(({ labels, counts }) =>
          RULE_OUTCOMES.map((outcome) => [counts[outcome], { ...labels, outcome }] as const),
        ),
      s3gw_lifecycle_oldest_due_timestamp_seconds: () =>
        [...this.#rules.values()].flatMap(({ labels, oldestDue }) =>
          oldestDue === undefined ? [] : [[oldestDue / 1000, { ...labels }] as const],
        ),
      s3gw_lifecycle_last_run_timestamp_seconds: () =>
        this.#finishedAt === undefined ? [] : [[this.#finishedAt / 1000]],
      s3gw_lifecycle_rules_without_room: () => [[this.#withoutRoom]],
    };
  }

  #add(labels: RuleLabels, { oldestDue, ...count }: RuleCount): void {
    const id = JSON.stringify(labels);
    const known = this.#rules.get(id);
    if (known === undefined && this.#rules.size >= MAX_RULES) {
      this.#withoutRoom += 1;
      return;
    }
    const due = oldestDue === undefined ? undefined : Date.parse(oldestDue);
    if (known === undefined) {
      this.#rules.set(id, { labels, counts: count, oldestDue: due });
      return;
    }
    for (const name of ['lookedAt', 'due', ...RULE_OUTCOMES] as const) known.counts[name] += count[name];
    known.oldestDue = due;
  }
}

interface MetricsOptions {
  /** Who may ask, and on which address. */
  readonly admin: AdminConfig;
  readonly port: number;
  readonly log: Log;
  readonly sources: SecretSources;
}

/** Serves `/metrics` of a lifecycle command, to those who may ask a gateway for them. @throws StartError */
export async function serveLifecycleMetrics(
  totals: LifecycleTotals,
  { admin, port, log, sources }: MetricsOptions,
): Promise<{ close(): Promise<void> }> {
  // There is no inspector here that an open port would show.
  const access = openAdminAccess({ admin: { ...admin, inspector: false, manage: undefined }, sources, log });
  const metrics = startMetrics(processResource());
  const ofProcess = processReadings();
  observe(metrics.meter, { ...ofProcess.readings, ...totals.readings() });
  const parts = [access.guard, metricsRoutes(() => metrics.render(), access.metrics)];
  const close = async (): Promise<void> => {
    access.close();
    ofProcess.close();
    await metrics.close();
  };
  try {
    const server = await startAdminServer({ host: admin.host, port, parts, log });
    log.info({ ...server.address }, 'lifecycle: metrics are served');
    return { close: () => server.close().then(close) };
  } catch (error) {
    await close();
    throw new StartError([
      `--metrics-port: cannot listen on ${admin.host}:${String(port)}: ${error instanceof Error ? error.message : String(error)}`,
    ]);
  }
}
