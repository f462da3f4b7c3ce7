import {
  GRACE_MS,
  type LifecycleSettings,
  SWEEP_DEFAULTS,
  type SweepSettings,
  type UsageSettings,
} from '../../manifest/index.ts';
import { CALENDAR } from '../../protocol/lifecycle/due.ts';
import { BACKEND_OPTIONS, configFile, parseCommandLine } from '../command-line.ts';
import { StartError } from '../start-error.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const GRACE_HOURS = GRACE_MS / HOUR_MS;

export interface SweepArguments {
  readonly config: string;
  /** Only this backend; absent: all of them. */
  readonly backend: string | undefined;
  readonly settings: SweepSettings;
  /** Only look, and name the versions that could be recovered. */
  readonly check: boolean;
  /** The report as JSON, on standard output. */
  readonly json: boolean;
  /** Carry out lifecycle rules; absent: sweep. */
  readonly lifecycle?: LifecycleArguments;
  /** Write the reports of inventories that are due; absent: sweep. */
  readonly inventory?: InventoryArguments;
  /** Count what lies in buckets; absent: sweep. */
  readonly usage?: UsageArguments;
}

export interface UsageArguments {
  readonly settings: UsageSettings;
  /** Seconds from the beginning of one run to that of the next; absent: one run. */
  readonly everySeconds?: number;
}

export interface InventoryArguments extends Pick<SweepSettings, 'concurrency' | 'bucket'> {
  /** Seconds from the beginning of one run to that of the next; absent: one run. */
  readonly everySeconds?: number;
}

export interface LifecycleArguments {
  readonly settings: LifecycleSettings;
  /** Seconds from the beginning of one run to that of the next; absent: one run. */
  readonly everySeconds?: number;
  /** Port on which metrics are served; absent: none are. */
  readonly metricsPort?: number;
}

/** Changes a second that lifecycle rules make unless said otherwise. */
const LIFECYCLE_PER_SECOND = 100;

export const SWEEP_USAGE = `usage: npm run sweep -- --config FILE [options]
  --dry-run                     change nothing, report what would be done
  --check                       the same, and name the versions that a cloud tool may have cut off
  --recover-lost                make these part of their keys' histories again; only with --bucket
  --backend NAME                only this backend of the configuration
  --bucket NAME                 only this bucket
  --grace HOURS                 remove nothing younger; ${String(GRACE_HOURS)} unless given, and never less
  --tombstones-older-than HOURS answer repeated Completes for so long; ${String(SWEEP_DEFAULTS.tombstoneMs / HOUR_MS)} unless given, and never less
  --keep-lost DAYS              keep versions that a cloud tool may have cut off; ${String(SWEEP_DEFAULTS.keepLostMs / DAY_MS)} unless given
  --uploads-older-than DAYS     abort multipart uploads that were initiated longer ago
  --concurrency N               backend calls at a time; ${String(SWEEP_DEFAULTS.concurrency)} unless given
  --lifecycle                   instead of sweeping carry out the lifecycle rules of buckets (docs/lifecycle.md)
  --inventory                   instead of sweeping write the inventory reports that are due (docs/inventory.md)
  --usage                       instead of sweeping count what lies in buckets (docs/usage.md)
  --every SECONDS               with --lifecycle, --inventory or --usage: do not end, but begin anew so often
  --metrics-port N              with --lifecycle and --every: serve metrics on this port, as the admin port of a gateway does
  --rate N                      with --lifecycle: changes a second at most; ${String(LIFECYCLE_PER_SECOND)} unless given
  --json                        the report as JSON
Ends with 0; with 2 when something could not be done; with 3 when it was told to stop; with 1 when it could not start.`;

const OPTIONS = {
  ...BACKEND_OPTIONS,
  bucket: { type: 'string' },
  'dry-run': { type: 'boolean' },
  check: { type: 'boolean' },
  'recover-lost': { type: 'boolean' },
  grace: { type: 'string' },
  'tombstones-older-than': { type: 'string' },
  'keep-lost': { type: 'string' },
  'uploads-older-than': { type: 'string' },
  concurrency: { type: 'string' },
  lifecycle: { type: 'boolean' },
  inventory: { type: 'boolean' },
  usage: { type: 'boolean' },
  every: { type: 'string' },
  'metrics-port': { type: 'string' },
  rate: { type: 'string' },
  // For tests: a day of a lifecycle rule is so many seconds, and nothing waits for midnight.
  'unsafe-day-seconds': { type: 'string' },
  // For tests: a shorter grace takes the ground from under writers.
  'unsafe-short-grace': { type: 'boolean' },
} as const;

/** @returns undefined when help was asked for. @throws StartError naming what is wrong with the command line */
export function parseSweepArguments(
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): SweepArguments | undefined {
  const { values } = parseCommandLine({ args: [...argv], options: OPTIONS }, SWEEP_USAGE);
  if (values.help === true) return undefined;
  const config = configFile(values, environment, SWEEP_USAGE);
  const recoverLost = values['recover-lost'] === true;
  const check = values.check === true;
  if (recoverLost && (values.bucket === undefined || check)) {
    throw new StartError(['--recover-lost: only together with --bucket, and without --check']);
  }

  const least = values['unsafe-short-grace'] === true ? 0 : GRACE_HOURS;
  const uploadsOlderThan = numberOf('--uploads-older-than', values['uploads-older-than'], 1);
  const settings: SweepSettings = {
    ...SWEEP_DEFAULTS,
    dryRun: check || values['dry-run'] === true,
    recoverLost,
    graceMs: hours('--grace', values.grace, least) ?? SWEEP_DEFAULTS.graceMs,
    tombstoneMs: hours('--tombstones-older-than', values['tombstones-older-than'], least) ?? SWEEP_DEFAULTS.tombstoneMs,
    keepLostMs: (numberOf('--keep-lost', values['keep-lost'], 0) ?? SWEEP_DEFAULTS.keepLostMs / DAY_MS) * DAY_MS,
    concurrency: Math.floor(numberOf('--concurrency', values.concurrency, 1) ?? SWEEP_DEFAULTS.concurrency),
    ...(values['unsafe-short-grace'] === true && { settleAfterMs: 0 }),
    ...(uploadsOlderThan !== undefined && { uploadsOlderThanMs: uploadsOlderThan * DAY_MS }),
    ...(values.bucket !== undefined && { bucket: values.bucket }),
  };
  const inventory = inventoryArguments(values, settings);
  const usage = usageArguments(values, settings);
  const isOther = inventory !== undefined || usage !== undefined;
  const lifecycle = isOther ? undefined : lifecycleArguments(values, settings, environment);
  return {
    config,
    backend: values.backend,
    settings,
    check,
    json: values.json,
    ...(lifecycle && { lifecycle }),
    ...(inventory && { inventory }),
    ...(usage && { usage }),
  };
}

/** Of the environment: lets tests have short days. */
const TEST_FLAG = 'UNSAFE_TESTS';

/** @throws StartError options that have no meaning together */
function lifecycleArguments(
  values: Readonly<Record<string, string | boolean | undefined>>,
  { dryRun, concurrency, bucket }: SweepSettings,
  environment: Readonly<Record<string, string | undefined>>,
): LifecycleArguments | undefined {
  const text = (name: string): string | undefined => {
    const value = values[name];
    return typeof value === 'string' ? value : undefined;
  };
  const own = ['every', 'rate', 'metrics-port', 'unsafe-day-seconds'].find((name) => text(name) !== undefined);
  if (values['lifecycle'] !== true) {
    if (own !== undefined) throw new StartError([`--${own}: only together with --lifecycle`]);
    return undefined;
  }
  const other = OF_SWEEPS.find((name) => values[name] !== undefined);
  if (other !== undefined) throw new StartError([`--${other}: not together with --lifecycle`]);
  const daySeconds = numberOf('--unsafe-day-seconds', text('unsafe-day-seconds'), 1);
  if (daySeconds !== undefined && environment[TEST_FLAG] !== '1') {
    throw new StartError([`--unsafe-day-seconds: for tests only, where the environment has ${TEST_FLAG}=1`]);
  }
  const everySeconds = numberOf('--every', text('every'), 1);
  const metricsPort = numberOf('--metrics-port', text('metrics-port'), 1);
  if (metricsPort !== undefined && everySeconds === undefined) {
    throw new StartError(['--metrics-port: only together with --every']);
  }
  const settings: LifecycleSettings = {
    dryRun,
    concurrency,
    length: daySeconds === undefined ? CALENDAR : { ms: daySeconds * 1000, isRounded: false },
    perSecond: numberOf('--rate', text('rate'), 1) ?? LIFECYCLE_PER_SECOND,
    everyMs: (everySeconds ?? 0) * 1000,
    ...(bucket !== undefined && { bucket }),
  };
  return {
    settings,
    ...(everySeconds !== undefined && { everySeconds }),
    ...(metricsPort !== undefined && { metricsPort: Math.floor(metricsPort) }),
  };
}

/** @throws StartError options that have no meaning together */
function inventoryArguments(
  values: Readonly<Record<string, string | boolean | undefined>>,
  { concurrency, bucket }: SweepSettings,
): InventoryArguments | undefined {
  if (values['inventory'] !== true) return undefined;
  const other = [...OF_SWEEPS, ...OF_LIFECYCLE].find((name) => values[name] !== undefined);
  if (other !== undefined) throw new StartError([`--${other}: not together with --inventory`]);
  const every = values['every'];
  const everySeconds = typeof every === 'string' ? numberOf('--every', every, 1) : undefined;
  return {
    concurrency,
    ...(bucket !== undefined && { bucket }),
    ...(everySeconds !== undefined && { everySeconds }),
  };
}

/** @throws StartError options that have no meaning together */
function usageArguments(
  values: Readonly<Record<string, string | boolean | undefined>>,
  { bucket }: SweepSettings,
): UsageArguments | undefined {
  if (values['usage'] !== true) return undefined;
  const others = [...OF_SWEEPS, ...OF_LIFECYCLE, 'inventory', 'concurrency'];
  const other = others.find((name) => values[name] !== undefined);
  if (other !== undefined) throw new StartError([`--${other}: not together with --usage`]);
  const every = values['every'];
  const everySeconds = typeof every === 'string' ? numberOf('--every', every, 1) : undefined;
  return {
    settings: { everyMs: (everySeconds ?? 0) * 1000, ...(bucket !== undefined && { bucket }) },
    ...(everySeconds !== undefined && { everySeconds }),
  };
}

/** Options that say something of lifecycle rules, and nothing of inventories and usage. */
const OF_LIFECYCLE = ['lifecycle', 'dry-run', 'rate', 'metrics-port', 'unsafe-day-seconds'] as const;

/** Options that say something of a sweep only. */
const OF_SWEEPS = [
  'check',
  'recover-lost',
  'grace',
  'tombstones-older-than',
  'keep-lost',
  'uploads-older-than',
] as const;

function hours(option: string, text: string | undefined, least: number): number | undefined {
  const value = numberOf(option, text, least);
  return value === undefined ? undefined : value * HOUR_MS;
}

function numberOf(option: string, text: string | undefined, least: number): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || value < least) {
    throw new StartError([`${option}: expected a number from ${String(least)} on, got ${text}`]);
  }
  return value;
}
