import { printLines } from '../command-line.ts';
import { createLog } from '../log.ts';
import { StartError } from '../start-error.ts';
import { BucketAdmin } from './bucket-admin.ts';
import { COSI_USAGE, type CosiArguments, parseCosiArguments } from './cosi-arguments.ts';
import { serveCosi } from './cosi-server.ts';
import { Provisioner } from './provisioner.ts';

/**
 * `npm run cosi`: the driver of the Container Object Storage Interface, until it is told to stop. Sets the exit code.
 */
export async function cosiMain(
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  try {
    const args = parseCosiArguments(argv, environment);
    if (args === undefined) process.stdout.write(`${COSI_USAGE}\n`);
    else await run(args);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    printLines(process.stderr, error.lines);
    process.exitCode = 1;
  }
}

async function run(args: CosiArguments): Promise<void> {
  const log = createLog('info');
  const stopped = new Promise<void>((stop) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop());
  });
  const server = await serveCosi(new Provisioner(new BucketAdmin(args), args).calls(), args.socket, log);
  const { name, url, endpoint, socket } = args;
  log.info({ name, admin: url, endpoint, socket }, 'the COSI driver is ready');
  await stopped;
  await server.stop();
  log.info({}, 'the COSI driver has stopped');
}
