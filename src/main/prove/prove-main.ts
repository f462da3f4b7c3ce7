import { writeFileSync } from 'node:fs';
import { ConfigError, type Environment, loadConfig } from '../../../config/load.ts';
import { printJson, printLines } from '../command-line.ts';
import { isStoreError } from '../../store/store-error.ts';
import { StartError, wordsOf } from '../start-error.ts';
import { EXIT } from '../sweep/sweep-surroundings.ts';
import { type ProveArguments, PROVE_USAGE, parseProveArguments } from './prove-arguments.ts';
import { prove } from './prove-run.ts';
import { type ProofReport, isAsAssumed, markdownOf } from './report.ts';

/** `npm run prove`: whether a cloud account answers as the gateway assumes. Sets the exit code. */
export async function proveMain(argv: readonly string[], environment: Environment): Promise<void> {
  try {
    const args = parseProveArguments(argv, environment);
    if (args === undefined) process.stdout.write(`${PROVE_USAGE}\n`);
    else process.exitCode = await run(args, environment);
  } catch (error) {
    if (!(error instanceof StartError) && !(error instanceof ConfigError) && !isStoreError(error)) throw error;
    printLines(process.stderr, isStoreError(error) ? [wordsOf(error)] : error.lines);
    process.exitCode = EXIT.notStarted;
  }
}

async function run(args: ProveArguments, environment: Environment): Promise<number> {
  const loaded = loadConfig(args.config, environment);
  const backend = chosen(args.backend, Object.keys(loaded.config.backends));
  if (loaded.config.backends[backend]?.kind === 'memory') {
    throw new StartError([`backends.${backend}: memory is no service to be proved`]);
  }
  const report = await prove({
    ...{ loaded, environment, backend, calls: args.calls, signal: ending(args.forMs) },
    tell: (line) => printLines(process.stderr, [line]),
  });
  print(report, args);
  if (report.stopped !== undefined) return EXIT.stopped;
  return isAsAssumed(report) ? EXIT.done : EXIT.problems;
}

function chosen(wanted: string | undefined, names: readonly string[]): string {
  const [only = '', ...others] = names;
  if (wanted === undefined && others.length === 0) return only;
  if (wanted !== undefined && names.includes(wanted)) return wanted;
  throw new StartError([`--backend: expected one of ${names.join(', ')}`]);
}

/** A signal of the system, or the end of the time. */
function ending(forMs: number): AbortSignal {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => stop.abort(new Error(`told to stop by ${signal}`)));
  }
  return AbortSignal.any([stop.signal, AbortSignal.timeout(forMs)]);
}

function print(report: ProofReport, { json, report: file }: ProveArguments): void {
  if (file !== undefined) {
    writeFileSync(file, markdownOf(report));
    writeFileSync(`${file}.json`, `${JSON.stringify(report, undefined, 2)}\n`);
  }
  if (json) printJson(process.stdout, report);
  else printLines(process.stdout, markdownOf(report).trimEnd().split('\n'));
}
