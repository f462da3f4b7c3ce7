import { setTimeout as sleep } from 'node:timers/promises';
import { type Backend, type LifecycleReport, runLifecycle } from '../../manifest/index.ts';
import type { SurveyedStore } from '../../store/survey.ts';
import { printJson, printLines } from '../command-line.ts';
import { createLog } from '../log.ts';
import { openManifest } from '../manifest.ts';
import type { Call } from '../../observe/call.ts';
import { lifecycleLines } from './lifecycle-lines.ts';
import { LifecycleTotals, serveLifecycleMetrics } from './lifecycle-metrics.ts';
import type { LifecycleArguments, SweepArguments } from './sweep-arguments.ts';
import { EXIT, type OpenedBackends } from './sweep-surroundings.ts';

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
  const manifest = openManifest({
    realm,
    bucketCacheMs: config.bucketCacheMs,
    versioningDrainMs: config.versioningDrainMs,
    log,
    signal: call.signal,
  });
  const clocks = new Map<Backend, SurveyedStore | undefined>(backends.map((backend) => [backend, backend.surveyed]));
  const clockOf = (backend: Backend): SurveyedStore | undefined => clocks.get(backend);
  const totals = new LifecycleTotals();
  const run = async (): Promise<LifecycleReport> => {
    const report = await runLifecycle({ realm, backends, manifest, settings, clockOf }, call);
    await manifest.settler.idle();
    totals.add(report);
    if (json) printJson(process.stdout, report);
    else printLines(process.stdout, lifecycleLines(report));
    return report;
  };
  if (everySeconds === undefined) return exitCode(await run());
  const { admin } = config;
  const metrics =
    metricsPort === undefined
      ? undefined
      : await serveLifecycleMetrics(totals, { admin, port: metricsPort, log, sources });
  try {
    return await repeat(run, everySeconds * 1000, call);
  } finally {
    await metrics?.close();
  }
}

/** Until it is told to stop. @param everyMs from the beginning of one run to that of the next */
async function repeat(run: () => Promise<LifecycleReport>, everyMs: number, { signal }: Call): Promise<number> {
  for (;;) {
    const begun = performance.now();
    const report = await run();
    if (!report.complete) return exitCode(report);
    const left = everyMs - (performance.now() - begun);
    try {
      await sleep(Math.max(left, 0), undefined, { signal });
    } catch (error) {
      if (!signal.aborted) throw error;
      return EXIT.stopped;
    }
  }
}

function exitCode({ complete, problems, buckets }: LifecycleReport): number {
  if (!complete) return EXIT.stopped;
  return problems.length > 0 || buckets.some((bucket) => bucket.problems.length > 0) ? EXIT.problems : EXIT.done;
}
