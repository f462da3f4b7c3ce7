import { countUsage, settleLevels, totalOf, type UsageReport } from '../../manifest/index.ts';
import type { Call } from '../../observe/call.ts';
import { accountDirectory } from '../accounts/account-settings.ts';
import { printJson, printLines } from '../command-line.ts';
import { quotaTeller } from '../events/quota-events.ts';
import { createLog } from '../log.ts';
import { quotaRules } from '../quotas.ts';
import type { SweepArguments, UsageArguments } from './sweep-arguments.ts';
import { clocksOf, EXIT, manifestOf, type OpenedBackends, runRepeatedly } from './sweep-surroundings.ts';

interface UsageCommand extends Pick<SweepArguments, 'json'> {
  readonly usage: UsageArguments;
}

/** `npm run sweep -- --usage`: once, or until it is told to stop. @returns the exit code */
export async function usageCommand(opened: OpenedBackends, { usage, json }: UsageCommand): Promise<number> {
  const { config, realm, backends, call } = opened;
  const { settings, everySeconds } = usage;
  const manifest = manifestOf(opened, createLog(config.logLevel));
  const clockOf = clocksOf(backends);
  const tellQuotas = quotaTelling(opened);
  const run = async (): Promise<UsageReport> => {
    const counted = await countUsage({ realm, backends, manifest, settings, clockOf }, call);
    const report = counted.complete
      ? { ...counted, problems: [...counted.problems, ...(await tellQuotas(call))] }
      : counted;
    if (json) printJson(process.stdout, report);
    else printLines(process.stdout, usageLines(report));
    return report;
  };
  return everySeconds === undefined
    ? exitCode(await run())
    : runRepeatedly(run, { everyMs: everySeconds * 1000, exitCode }, call);
}

/** Behind a count the operator is told of quotas that are used up, or nearly. @throws StartError */
function quotaTelling({ config, sources, backends }: OpenedBackends): (call: Call) => Promise<readonly string[]> {
  const tell = quotaTeller(config, sources);
  if (tell === undefined) return async () => [];
  const { ofBucket, ofAccount } = quotaRules(() => config.quotas, accountDirectory(config.accounts, sources));
  const isAll = backends.length === Object.keys(config.backends).length;
  const { maxAgeMs } = config.quotas;
  return (call) => settleLevels({ backends, isAll, ofBucket, ofAccount, maxAgeMs, tell }, call);
}

/** The report of a run for people. */
function usageLines({ buckets, problems, complete }: UsageReport): string[] {
  return [
    ...buckets.map(({ name, backend, counted }) => {
      if (counted === undefined) return `bucket ${name} (backend ${backend}): not counted by this run`;
      const { objects, bytes } = totalOf(counted);
      const { markers, uploads } = counted;
      const others = `${String(markers)} delete markers, ${String(uploads)} open uploads`;
      return `bucket ${name} (backend ${backend}): ${String(objects)} versions, ${String(bytes)} bytes, ${others}`;
    }),
    ...problems.map((problem) => `problem: ${problem}`),
    ...(complete ? [] : ['told to stop before the end; the next run goes on from there']),
  ];
}

function exitCode({ complete, problems }: UsageReport): number {
  if (!complete) return EXIT.stopped;
  return problems.length > 0 ? EXIT.problems : EXIT.done;
}
