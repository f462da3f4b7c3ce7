import { BACKEND_OPTIONS, configFile, parseCommandLine } from '../command-line.ts';
import { StartError } from '../start-error.ts';

export interface ProveArguments {
  readonly config: string;
  /** Absent: the only one that the configuration has. */
  readonly backend: string | undefined;
  /** Longest time for all of it, milliseconds. */
  readonly forMs: number;
  /** How often each round trip is measured; 0: nothing is measured. */
  readonly calls: number;
  /** File for the report; its JSON goes beside it. */
  readonly report: string | undefined;
  /** The report on standard output is JSON. */
  readonly json: boolean;
}

const MINUTE_MS = 60_000;
const DEFAULTS = { for: '20m', calls: '20' } as const;

export const PROVE_USAGE = `usage: npm run prove -- --config FILE [options]
  --backend NAME  which backend of the configuration, when it has several
  --for TIME      longest time for all of it, as 90s or 20m; ${DEFAULTS.for} unless given
  --calls N       how often each round trip is measured; ${DEFAULTS.calls} unless given, 0 measures nothing
  --report FILE   write the report to FILE, and as JSON to FILE.json
  --json          print the report as JSON
It makes containers named prove-..., and removes them. It touches no other.
Ends with 0 when all is as assumed; with 2 when something is different; with 3 when it was told to stop or had no time
left; with 1 when it could not start.`;

const OPTIONS = {
  ...BACKEND_OPTIONS,
  for: { type: 'string', default: DEFAULTS.for },
  calls: { type: 'string', default: DEFAULTS.calls },
  report: { type: 'string' },
} as const;

/** @returns undefined when help was asked for. @throws StartError naming what is wrong with the command line */
export function parseProveArguments(
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): ProveArguments | undefined {
  const { values } = parseCommandLine({ args: [...argv], options: OPTIONS }, PROVE_USAGE);
  if (values.help === true) return undefined;
  const config = configFile(values, environment, PROVE_USAGE);
  const { backend, report, json } = values;
  return { config, backend, report, json, forMs: timeOf(values.for), calls: callsOf(values.calls) };
}

function timeOf(text: string): number {
  const [, number, unit] = /^(\d{1,5})(s|m|h)$/.exec(text) ?? [];
  const milliseconds = Number(number) * { s: 1000, m: MINUTE_MS, h: 60 * MINUTE_MS }[(unit ?? 's') as 's' | 'm' | 'h'];
  if (!(milliseconds > 0)) throw new StartError([`--for: expected a time such as 90s or 20m, got ${text}`]);
  return milliseconds;
}

function callsOf(text: string): number {
  if (!/^\d{1,4}$/.test(text)) throw new StartError([`--calls: expected a number up to 9999, got ${text}`]);
  return Number(text);
}
