interface BenchCommand<Options> {
  readonly argv: readonly string[];
  readonly parse: (argv: readonly string[]) => Options;
  readonly usage: string;
}

/**
 * A command of the bench: what it says goes to standard error, but for the usage that `--help` asks for. The process
 * ends with 2 after wrong arguments, and with 1 after a failure.
 * @param parse what the arguments ask for; throws when they are wrong
 * @param run prints what it measures
 */
export async function runBench<Options>(
  { argv, parse, usage }: BenchCommand<Options>,
  run: (options: Options) => Promise<void>,
): Promise<void> {
  if (argv.includes('--help') || argv.includes('-h')) {
    process.stdout.write(`${usage}\n`);
    return;
  }
  let options: Options;
  try {
    options = parse(argv);
  } catch (error) {
    fail(2, `${messageOf(error)}\n${usage}`);
    return;
  }
  try {
    await run(options);
  } catch (error) {
    fail(1, `the bench failed: ${messageOf(error)}`);
  }
}

function fail(exitCode: number, text: string): void {
  process.stderr.write(`${text}\n`);
  process.exitCode = exitCode;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
