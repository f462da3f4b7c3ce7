import { recordDeed } from '../../access-logs/lifecycle-records.ts';
import {
  type Bucket,
  type LifecycleDeed,
  type LifecycleReport,
  runLifecycle,
  SYSTEM_TIME,
} from '../../manifest/index.ts';
import type { Log } from '../../observe/log.ts';
import { accountDirectory } from '../accounts/account-settings.ts';
import { backgroundCall } from '../background-call.ts';
import { printJson, printLines } from '../command-line.ts';
import { createLog } from '../log.ts';
import { openServerAccessLogs } from '../server-access-logs.ts';
import { lifecycleLines } from './lifecycle-lines.ts';
import { LifecycleTotals, serveLifecycleMetrics } from './lifecycle-metrics.ts';
import type { LifecycleArguments, SweepArguments } from './sweep-arguments.ts';
import { clocksOf, EXIT, manifestOf, type OpenedBackends, runRepeatedly } from './sweep-surroundings.ts';

interface LifecycleCommand extends Pick<SweepArguments, 'json'> {
  readonly lifecycle: LifecycleArguments;
}

/** `npm run sweep -- --lifecycle`: once, or until it is told to stop. @returns the exit code */
export async function lifecycleCommand(opened: OpenedBackends, { lifecycle, json }: LifecycleCommand): Promise<number> {
  const { config, realm, backends, call, sources } = opened;
  const { settings, everySeconds, metricsPort } = lifecycle;
  const log = createLog(config.logLevel);
  if (!settings.length.isRounded) {
    log.warn({ dayMs: settings.length.ms }, 'lifecycle: a day is shorter than one of the calendar; for tests only');
  }
  const manifest = manifestOf(opened, log);
  const clockOf = clocksOf(backends);
  const totals = new LifecycleTotals();
  const accessLogs = openServerAccessLogs({
    config,
    identities: { accounts: accountDirectory(config.accounts, sources) },
    manifest,
    changesRefused: () => undefined,
    newCall: backgroundCall,
    log,
  });
  const onDone = (bucket: Bucket, deed: LifecycleDeed): void =>
    recordDeed(accessLogs, bucket, deed, { requestId: call.requestId, now: SYSTEM_TIME.now() });
  const run = async (): Promise<LifecycleReport> => {
    const report = await runLifecycle({ realm, backends, manifest, settings, clockOf, onDone }, call);
    await manifest.settler.idle();
    totals.add(report);
    if (json) printJson(process.stdout, report);
    else printLines(process.stdout, lifecycleLines(report));
    return report;
  };
  try {
    if (everySeconds === undefined) return exitCode(await run());
    return await servingMetrics(totals, { ...opened, metricsPort, log }, () =>
      runRepeatedly(run, { everyMs: everySeconds * 1000, exitCode }, call),
    );
  } finally {
    await accessLogs.close();
  }
}

interface MetricsOf extends Pick<OpenedBackends, 'config' | 'sources'> {
  readonly metricsPort: number | undefined;
  readonly log: Log;
}

/** Runs with metrics beside it, if a port for them is given. */
async function servingMetrics(
  totals: LifecycleTotals,
  { config, sources, metricsPort, log }: MetricsOf,
  work: () => Promise<number>,
): Promise<number> {
  const { admin } = config;
  const metrics =
    metricsPort === undefined
      ? undefined
      : await serveLifecycleMetrics(totals, { admin, port: metricsPort, log, sources });
  try {
    return await work();
  } finally {
    await metrics?.close();
  }
}

function exitCode({ complete, problems, buckets }: LifecycleReport): number {
  if (!complete) return EXIT.stopped;
  return problems.length > 0 || buckets.some((bucket) => bucket.problems.length > 0) ? EXIT.problems : EXIT.done;
}
