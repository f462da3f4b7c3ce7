import type { Environment } from '../../../config/load.ts';
import { auditContainers, type Backend, hasProblems, sweep } from '../../manifest/index.ts';
import { printJson, printLines } from '../command-line.ts';
import { type SweepArguments, SWEEP_USAGE, parseSweepArguments } from './sweep-arguments.ts';
import type { Call } from '../../observe/call.ts';
import { inventoryCommand } from './inventory-command.ts';
import { lifecycleCommand } from './lifecycle-command.ts';
import { sweepLines } from './sweep-lines.ts';
import { StartError } from '../start-error.ts';
import { usageCommand } from './usage-command.ts';
import { clocksOf, EXIT, runCommand } from './sweep-surroundings.ts';

/**
 * `npm run sweep`: one sweep of the backends of a configuration. Or, with `--lifecycle`, what the rules of its
 * buckets ask for, or, with `--inventory`, the reports that are due, or, with `--usage`, a count of what lies in
 * them; to be started again and again by a timer.
 */
export async function sweepMain(argv: readonly string[], environment: Environment): Promise<void> {
  let args: SweepArguments | undefined;
  const select = (): SweepArguments | undefined => {
    args = parseSweepArguments(argv, environment);
    if (args === undefined) process.stdout.write(`${SWEEP_USAGE}\n`);
    return args;
  };
  await runCommand(select, environment, async (opened) => {
    const { config, realm, backends, call } = opened;
    if (args === undefined) return EXIT.done;
    if (args.usage !== undefined) return usageCommand(opened, { ...args, usage: args.usage });
    if (args.inventory !== undefined) return inventoryCommand(opened, { ...args, inventory: args.inventory });
    if (args.lifecycle !== undefined) return lifecycleCommand(opened, { ...args, lifecycle: args.lifecycle });
    const { quotas, events } = config;
    const settings = { ...args.settings, quotaAgeMs: quotas.maxAgeMs, eventAgeMs: events.maxAgeMs };
    const report = await sweep({ realm, backends, settings, clockOf: clocksOf(backends) }, call);
    const disputes = args.check ? await containerDisputes(backends, call) : [];
    if (args.json) printJson(process.stdout, args.check ? { ...report, containers: disputes } : report);
    else printLines(process.stdout, [...sweepLines(report, args), ...disputes]);
    const { bucket } = settings;
    if (bucket !== undefined && report.complete && report.backends.every(({ bucketsSeen }) => bucketsSeen === 0)) {
      throw new StartError([`--bucket: there is no bucket ${bucket}`]);
    }
    if (!report.complete) return EXIT.stopped;
    return hasProblems(report) || disputes.length > 0 ? EXIT.problems : EXIT.done;
  });
}

/** A line for each container that is not the bucket's whose record names it. */
async function containerDisputes(backends: readonly Backend[], call: Call): Promise<string[]> {
  const found = await Promise.all(
    backends.map(async (backend) => {
      const disputes = await auditContainers(backend, call);
      return disputes.map(({ detail, advice }) => `backend ${backend.name}: ${detail}; ${advice}`);
    }),
  );
  return found.flat();
}
