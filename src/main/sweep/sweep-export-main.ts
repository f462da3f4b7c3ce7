import type { Environment } from '../../../config/load.ts';
import { type Export, exportPlain, type ExportReport, EXPORTS, type ExportSettings } from '../../manifest/index.ts';
import { BACKEND_OPTIONS, configFile, parseCommandLine, printJson, printLines, usageError } from '../command-line.ts';
import { StartError } from '../start-error.ts';
import { EXIT, type SweptBackends, runCommand } from './sweep-surroundings.ts';

const CONCURRENCY = 8;

const USAGE = `usage: npm run export-plain -- --config FILE (--bucket NAME [--prefix PREFIX] | --all) [options]
  --backend NAME           only this backend of the configuration
  --versions-under PREFIX  copy noncurrent versions too, of key K to PREFIX K/<version id>
  --drop-delete-markers    remove the empty blobs of deleted keys; only when no gateway serves the bucket any more
  --dry-run                change nothing, report what would be done
  --json                   the report as JSON
Ends with 0; with 2 when something could not be done; with 3 when it was told to stop; with 1 when it could not start.`;

const OPTIONS = {
  ...BACKEND_OPTIONS,
  bucket: { type: 'string' },
  all: { type: 'boolean' },
  prefix: { type: 'string' },
  'versions-under': { type: 'string' },
  'drop-delete-markers': { type: 'boolean' },
  'dry-run': { type: 'boolean' },
} as const;

interface ExportArguments extends SweptBackends {
  readonly settings: ExportSettings;
  readonly json: boolean;
}

/** `npm run export-plain`: leaves containers that the tools of the cloud read without a gateway (docs/leaving.md). */
export async function exportMain(argv: readonly string[], environment: Environment): Promise<void> {
  let args: ExportArguments | undefined;
  const select = (): ExportArguments | undefined => (args = parseArguments(argv, environment));
  await runCommand(select, environment, async ({ realm, backends, call }) => {
    if (args === undefined) return EXIT.done;
    const { settings, json } = args;
    const report = await exportPlain({ realm, backends, settings }, call);
    if (report.complete && report.buckets.length === 0 && settings.bucket !== undefined) {
      throw new StartError([`--bucket: there is no bucket ${settings.bucket}`]);
    }
    if (json) printJson(process.stdout, report);
    else printLines(process.stdout, linesOf(report, settings));
    if (!report.complete) return EXIT.stopped;
    return report.buckets.some(({ problems }) => problems.length > 0) ? EXIT.problems : EXIT.done;
  });
}

/** @returns undefined when help was asked for. @throws StartError */
function parseArguments(argv: readonly string[], environment: Environment): ExportArguments | undefined {
  const { values } = parseCommandLine({ args: [...argv], options: OPTIONS }, USAGE);
  if (values.help === true) {
    process.stdout.write(`${USAGE}\n`);
    return undefined;
  }
  const config = configFile(values, environment, USAGE);
  if ((values.bucket === undefined) !== (values.all === true)) {
    throw usageError('expected either --bucket NAME or --all', USAGE);
  }
  const { bucket, prefix = '', 'versions-under': versionsUnder } = values;
  if (versionsUnder === '') throw new StartError(['--versions-under: expected a prefix of keys']);
  const settings: ExportSettings = {
    prefix,
    dropMarkers: values['drop-delete-markers'] === true,
    dryRun: values['dry-run'] === true,
    concurrency: CONCURRENCY,
    ...(bucket !== undefined && { bucket }),
    ...(versionsUnder !== undefined && { versionsUnder }),
  };
  return { config, backend: values.backend, settings, json: values.json };
}

function linesOf(report: ExportReport, { dryRun }: ExportSettings): string[] {
  const lines = report.buckets.flatMap(({ backend, name, counts, problems, moreProblems }) => [
    `bucket ${name} (backend ${backend})${Object.keys(counts).length === 0 ? ': is plain' : ''}`,
    ...(Object.keys(EXPORTS) as Export[]).flatMap((finding) => {
      const count = counts[finding];
      if (count === undefined) return [];
      const outcome = dryRun
        ? ''
        : ` (${String(count.done)} done, ${String(count.left)} done before or changed meanwhile, ${String(count.failed)} failed)`;
      return [`  ${String(count.found)} ${finding}${outcome}: ${EXPORTS[finding]}`];
    }),
    ...problems.map((problem) => `  problem: ${problem}`),
    ...(moreProblems > 0 ? [`  and ${String(moreProblems)} problems more`] : []),
  ]);
  return report.complete ? lines : [...lines, 'told to stop before the end; started again it does the rest'];
}
