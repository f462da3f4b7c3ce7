import type { ManagementFailure } from '../../admin/manage/contract.ts';
import { askBounded } from '../../streams/bounded-http.ts';
import { ADMIN_PORT_OPTIONS, ADMIN_PORT_USAGE, type AdminPort, adminPortOf } from '../admin-port-options.ts';
import { parseCommandLine, printJson, printLines, usageError } from '../command-line.ts';
import { firstLine, StartError } from '../start-error.ts';
import { answerLines } from './answer-lines.ts';
import { type AdminRequest, COMMAND_OPTIONS, COMMANDS } from './commands.ts';

/** `refused`: the gateway answered that it cannot be done. */
const EXIT_CODES = { done: 0, notStarted: 1, refused: 2 } as const;
const ANSWER_MS = 150_000;
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

const COMMAND_LINES = Object.entries(COMMANDS).map(([words, { usage }]) => `  ${words} ${usage}`.trimEnd());
const ADMIN_USAGE = `usage: npm run admin -- COMMAND [--json] [--url URL] [--token-file FILE]
Asks the admin API of a gateway (docs/admin-api.md).
${COMMAND_LINES.join('\n')}
--json       what the gateway answers
${ADMIN_PORT_USAGE}
Ends with 0; with 2 when the gateway refuses; with 1 when it could not be asked.`;

interface AdminArguments {
  readonly request: AdminRequest;
  readonly port: AdminPort;
  readonly json: boolean;
}

/** `npm run admin`: one question to the admin API. @returns the exit code */
export async function adminMain(
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  try {
    const args = parseAdminArguments(argv, environment);
    if (args !== undefined) return await run(args);
    process.stdout.write(`${ADMIN_USAGE}\n`);
    return EXIT_CODES.done;
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    printLines(process.stderr, error.lines);
    return EXIT_CODES.notStarted;
  }
}

/** @returns undefined when help is asked for. @throws StartError naming what is wrong with the command line */
export function parseAdminArguments(
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): AdminArguments | undefined {
  const options = {
    ...ADMIN_PORT_OPTIONS,
    ...COMMAND_OPTIONS,
    json: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  } as const;
  const { values, positionals } = parseCommandLine({ args: [...argv], options, allowPositionals: true }, ADMIN_USAGE);
  const { json = false, help, url, 'token-file': tokenFile, ...given } = values;
  if (help === true) return undefined;
  const words = positionals[0] === 'usage' ? 'usage' : positionals.slice(0, 2).join(' ');
  const command = Object.hasOwn(COMMANDS, words) ? COMMANDS[words] : undefined;
  if (command === undefined) throw usageError(`there is no command ${words === '' ? 'given' : words}`, ADMIN_USAGE);
  const names = positionals.slice(words.split(' ').length);
  const wrong = Object.keys(given).find((name) => !command.options.some((option) => option === name));
  const isFitting = command.named === 'maybe' ? names.length <= 1 : names.length === (command.named ? 1 : 0);
  const usage = `usage: npm run admin -- ${words} ${command.usage}`;
  if (wrong !== undefined) throw usageError(`--${wrong}: not with ${words}`, usage);
  if (!isFitting) throw new StartError([usage]);
  const port = adminPortOf({ url, 'token-file': tokenFile }, environment);
  return { request: command.request(names[0] ?? '', given), port, json };
}

/** @throws StartError the gateway does not answer */
async function run({ request, port, json }: AdminArguments): Promise<number> {
  const { status, body } = await ask(request, port);
  const answer = answerIn(body);
  if (status >= 400) {
    const { error = 'it says nothing', code } = (answer ?? {}) as Partial<ManagementFailure>;
    if (json) printJson(process.stdout, answer ?? {});
    // What the API itself does not find has a code.
    const isOff = status === 404 && code === undefined;
    printLines(process.stderr, [
      `the gateway answers ${String(status)}${code === undefined ? '' : ` ${code}`}: ${error}`,
      ...(isOff ? ['Its admin API is off: the configuration names nobody who may use it (admin.manage).'] : []),
    ]);
    return EXIT_CODES.refused;
  }
  if (answer === undefined) return EXIT_CODES.done;
  if (json) printJson(process.stdout, answer);
  else printLines(process.stdout, answerLines(answer));
  return EXIT_CODES.done;
}

async function ask({ method, path, body }: AdminRequest, { url, token }: AdminPort): ReturnType<typeof askBounded> {
  const text = body && JSON.stringify(body);
  const headers = {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(text !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
  };
  const signal = AbortSignal.timeout(ANSWER_MS);
  try {
    const request = { method, headers, maxBytes: MAX_ANSWER_BYTES, signal, ...(text !== undefined && { body: text }) };
    return await askBounded(new URL(`${url}${path}`), request);
  } catch (error) {
    throw new StartError([`${url} does not answer (${firstLine(error)})`], error);
  }
}

/** @throws StartError what answers there is no admin API */
function answerIn(body: string): object | undefined {
  if (body === '') return undefined;
  try {
    return JSON.parse(body) as object;
  } catch (error) {
    throw new StartError(['what answers there is no admin API: the answer is no JSON'], error);
  }
}
