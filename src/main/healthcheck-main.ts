import { ConfigError, type Environment, loadConfig } from '../../config/load.ts';
import { parseArguments } from './arguments.ts';
import { printLines } from './command-line.ts';
import { firstLine, StartError } from './start-error.ts';

const USAGE = [
  'usage: npm run healthcheck -- --config FILE',
  'Without --config, S3GW_CONFIG names the file.',
  'Ends with 0 when the gateway of this configuration, on this machine, has started; else with 1 and a line that says why.',
];
const WITHIN_MS = 3000;
/** Addresses that stand for all of a machine's. */
const UNSPECIFIED: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/**
 * For container engines that ask by running a command: exit code 0 when the gateway of this configuration, on this
 * machine, has started and answers on its admin port; else 1 and one line that says why.
 */
export async function healthcheckMain(argv: readonly string[], environment: Environment): Promise<void> {
  try {
    const { config, help } = parseArguments(argv, environment);
    if (help) {
      printLines(process.stdout, USAGE);
      return;
    }
    if (config === undefined) throw new StartError(['--config: expected the configuration file of the gateway']);
    const { enabled, host, port } = loadConfig(config, environment).config.admin;
    if (!enabled) throw new StartError(['admin.enabled: expected true, as there is nothing else to ask']);
    await ask(`http://${authority(UNSPECIFIED[host] ?? host)}:${port}/startupz`);
  } catch (error) {
    const lines = error instanceof StartError || error instanceof ConfigError ? error.lines : [firstLine(error)];
    printLines(process.stderr, lines);
    process.exitCode = 1;
  }
}

async function ask(url: string): Promise<void> {
  let answer: Response;
  try {
    answer = await fetch(url, { signal: AbortSignal.timeout(WITHIN_MS) });
  } catch (error) {
    throw new StartError([`${url}: no answer`], error);
  }
  const detail = (await answer.text()).trim();
  if (!answer.ok) throw new StartError([`${url}: ${answer.status} ${detail}`]);
  printLines(process.stdout, [detail]);
}

function authority(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
