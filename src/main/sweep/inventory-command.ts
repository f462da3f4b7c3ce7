import {
  REPORT_SIZES,
  type InventoryOutcome,
  type InventoryReport,
  runInventories,
} from '../../inventory/inventory-run.ts';
import { SYSTEM_TIME } from '../../manifest/index.ts';
import { accountDirectory } from '../accounts/account-settings.ts';
import { printJson, printLines } from '../command-line.ts';
import { createLog } from '../log.ts';
import { operationSettings } from '../operation-settings.ts';
import type { InventoryArguments, SweepArguments } from './sweep-arguments.ts';
import { clocksOf, EXIT, manifestOf, type OpenedBackends, runRepeatedly } from './sweep-surroundings.ts';

interface InventoryCommand extends Pick<SweepArguments, 'json'> {
  readonly inventory: InventoryArguments;
}

/** `npm run sweep -- --inventory`: once, or until it is told to stop. @returns the exit code */
export async function inventoryCommand(opened: OpenedBackends, { inventory, json }: InventoryCommand): Promise<number> {
  const { config, realm, backends, call, sources } = opened;
  const { everySeconds, ...chosen } = inventory;
  const manifest = manifestOf(opened, createLog(config.logLevel));
  const options = {
    realm,
    backends,
    manifest,
    accounts: accountDirectory(config.accounts, sources),
    settings: operationSettings(config),
    inventorySettings: { ...REPORT_SIZES, ...chosen },
    clockOf: clocksOf(backends),
    now: SYSTEM_TIME.now,
  };
  const run = async (): Promise<InventoryReport> => {
    const report = await runInventories(options, call);
    await manifest.settler.idle();
    if (json) printJson(process.stdout, report);
    else printLines(process.stdout, inventoryLines(report));
    return report;
  };
  if (everySeconds === undefined) return exitCode(await run());
  return runRepeatedly(run, { everyMs: everySeconds * 1000, exitCode }, call);
}

function exitCode({ complete, problems, inventories }: InventoryReport): number {
  if (!complete) return EXIT.stopped;
  return problems.length > 0 || inventories.some(({ problem }) => problem !== undefined) ? EXIT.problems : EXIT.done;
}

/** The report of a run for people. */
function inventoryLines({ inventories, problems, complete }: InventoryReport): string[] {
  return [
    ...(inventories.length === 0 && complete ? ['no bucket has an inventory'] : []),
    ...inventories.map((outcome) => outcomeLine(outcome)),
    ...problems.map((problem) => `problem: ${problem}`),
    ...(complete ? [] : ['told to stop before the end; the next run goes on from there']),
  ];
}

function outcomeLine({ bucket, backend, id, written, problem }: InventoryOutcome): string {
  const place = `bucket ${bucket} (backend ${backend}), inventory ${id}`;
  if (problem !== undefined) return `${place}: problem: ${problem}`;
  if (written === undefined) return `${place}: nothing was due, or another run works on it`;
  return `${place}: ${String(written.rows)} rows in ${String(written.files)} files, ${written.manifest}`;
}
