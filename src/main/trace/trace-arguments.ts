import type { FilterName } from '../../admin/journal/filter.ts';
import { ADMIN_PORT_OPTIONS, ADMIN_PORT_USAGE, type AdminPort, adminPortOf } from '../admin-port-options.ts';
import { parseCommandLine } from '../command-line.ts';

export interface TraceArguments extends AdminPort {
  /** Of the stream: filters, scope, how many of the past. */
  readonly query: URLSearchParams;
  /** Events as JSON, one a line. */
  readonly json: boolean;
  /** End after the requests of the past. */
  readonly once: boolean;
}

const DEFAULT_RECENT = '20';

export const TRACE_USAGE = `usage: npm run trace -- [--errors] [--slow[=MS]] [--bucket B] [--prefix P | --key K] [--operation O] [--status S] [--code C]
                        [--identity I] [--request-id ID] [--trace-id ID] [--upload-id ID]
                        [--recent N] [--own] [--once] [--json] [--url URL] [--token-file FILE]
Shows requests as they end, on all replicas. The filters are those of the inspector: lists are parted by commas, --status takes classes (5xx).
--recent N   so many of the past first (${DEFAULT_RECENT}); --once: those only
--own        only the replica that is asked
--json       events as JSON, one a line
${ADMIN_PORT_USAGE}`;

const OPTIONS = {
  errors: { type: 'boolean' },
  slow: { type: 'boolean' },
  'slow-ms': { type: 'string' },
  bucket: { type: 'string', short: 'b' },
  prefix: { type: 'string' },
  key: { type: 'string' },
  operation: { type: 'string' },
  status: { type: 'string' },
  code: { type: 'string' },
  identity: { type: 'string' },
  'request-id': { type: 'string' },
  'trace-id': { type: 'string' },
  'upload-id': { type: 'string' },
  recent: { type: 'string' },
  own: { type: 'boolean' },
  once: { type: 'boolean' },
  json: { type: 'boolean' },
  ...ADMIN_PORT_OPTIONS,
  help: { type: 'boolean', short: 'h' },
} as const;

/** Options that are filters with a text, and the filters' names. */
const FILTERS = {
  bucket: 'bucket',
  prefix: 'prefix',
  key: 'key',
  operation: 'operation',
  status: 'status',
  code: 'code',
  identity: 'identity',
  'request-id': 'requestId',
  'trace-id': 'traceId',
  'upload-id': 'uploadId',
  'slow-ms': 'slow',
} as const satisfies Readonly<Record<string, FilterName>>;

/** @returns undefined when help is asked for. @throws StartError naming what is wrong with the command line */
export function parseTraceArguments(
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): TraceArguments | undefined {
  // `--slow=500` is `--slow` with a value, which no option can have and not have.
  const args = argv.map((argument) => argument.replace(/^--slow=/, '--slow-ms='));
  const { values } = parseCommandLine({ args, options: OPTIONS }, TRACE_USAGE);
  if (values.help === true) return undefined;
  const query = new URLSearchParams({
    scope: values.own === true ? 'own' : 'all',
    recent: values.recent ?? DEFAULT_RECENT,
  });
  for (const [option, name] of Object.entries(FILTERS)) {
    const text = values[option as keyof typeof FILTERS];
    if (text !== undefined) query.set(name, text);
  }
  if (values.errors === true) query.set('errors', 'true');
  if (values.slow === true) query.set('slow', 'true');
  return {
    ...adminPortOf(values, environment),
    query,
    json: values.json === true,
    once: values.once === true,
  };
}
