import type { Environment } from '../../config/load.ts';
import { hasProblems } from '../manifest/sweep/sweep-report.ts';
import { sweep } from '../manifest/sweep/sweep.ts';
import { printJson, printLines } from './print.ts';
import { type SweepArguments, SWEEP_USAGE, parseSweepArguments } from './sweep-arguments.ts';
import { sweepLines } from './sweep-lines.ts';
import { StartError } from './start-error.ts';
import { EXIT, runCommand } from './sweep-surroundings.ts';

/** `npm run sweep`: one sweep of the backends of a configuration; to be started again and again by a timer. */
export async function sweepMain(argv: readonly string[], environment: Environment): Promise<void> {
  let args: SweepArguments | undefined;
  const select = (): SweepArguments | undefined => {
    args = parseSweepArguments(argv, environment);
    if (args === undefined) process.stdout.write(`${SWEEP_USAGE}\n`);
    return args;
  };
  await runCommand(select, environment, async ({ realm, backends, call }) => {
    if (args === undefined) return EXIT.done;
    const report = await sweep({ realm, backends, settings: args.settings }, call);
    if (args.json) printJson(process.stdout, report);
    else printLines(process.stdout, sweepLines(report, args));
    const { bucket } = args.settings;
    if (bucket !== undefined && report.complete && report.backends.every(({ bucketsSeen }) => bucketsSeen === 0)) {
      throw new StartError([`--bucket: there is no bucket ${bucket}`]);
    }
    if (!report.complete) return EXIT.stopped;
    return hasProblems(report) ? EXIT.problems : EXIT.done;
  });
}
