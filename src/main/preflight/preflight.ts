import process from 'node:process';
import type { Config } from '../../../config/schema.ts';
import type { AccountDirectory } from '../../access/accounts.ts';
import {
  type Backend,
  type BucketNames,
  type HiddenBucket,
  auditContainers,
  hiddenBuckets,
} from '../../manifest/index.ts';
import type { Call } from '../../observe/call.ts';
import { isStoreError } from '../../store/store-error.ts';
import type { SurveyedStore } from '../../store/survey.ts';
import { backgroundCall } from '../background-call.ts';
import { type OpenBackend, openBackends } from '../backends.ts';
import { bucketNames } from '../bucket-rules.ts';
import { printLines } from '../command-line.ts';
import type { SecretSources } from '../secrets.ts';
import { networkAdvice, reasonOf, refusalAdvice } from './error-words.ts';
import { type PreflightFinding, lineOf, ok } from './finding.ts';
import { judgeClock, judgeSurvey, judgeTiers } from './judge-survey.ts';
import { tryBlobs, tryContainers } from './permissions.ts';

const WITHIN_MS = 120_000;

/**
 * Opens the backends of a configuration and looks at each.
 * @returns whether the gateway could work with all of them
 * @throws StartError
 */
export async function preflightBackends(
  config: Config,
  accounts: AccountDirectory,
  sources: SecretSources,
): Promise<boolean> {
  const backends = await openBackends(config, accounts, sources);
  try {
    return await lookAtBackends(backends, bucketNames(backends, config.buckets), (line) =>
      printLines(process.stdout, [line]),
    );
  } finally {
    await Promise.all(backends.map((backend) => backend.close()));
  }
}

/**
 * Looks whether the gateway could work with each of these backends, before any traffic comes. Prints a line for each
 * thing looked at.
 * @param names what the configuration makes of the names of buckets
 * @returns false when something is so that it could not
 */
async function lookAtBackends(
  backends: readonly OpenBackend[],
  names: BucketNames,
  print: (line: string) => void,
): Promise<boolean> {
  let good = true;
  for (const backend of backends) {
    for await (const finding of checkBackend(backend, names, backgroundCall(AbortSignal.timeout(WITHIN_MS)))) {
      print(lineOf(backend.name, finding));
      if (finding.level === 'fail') good = false;
    }
  }
  print(good ? 'preflight: good' : 'preflight: not good');
  return good;
}

/**
 * What there is to know of one backend. Ends early where everything that follows would fail for the same reason.
 * @param names what the configuration makes of the names of buckets; undefined: buckets are not looked at, because the
 *   system container has no records of them
 */
export async function* checkBackend(
  backend: OpenBackend,
  names: BucketNames | undefined,
  call: Call,
): AsyncGenerator<PreflightFinding> {
  const { store, surveyed, endpoint, systemContainer } = backend;
  if (surveyed !== undefined) {
    const reached = await reach(surveyed, endpoint, call);
    yield* reached;
    if (reached.some(({ check, level }) => check === 'reachable' && level === 'fail')) return;
  }
  try {
    await store.ping(call);
    yield ok('identity', 'the service knows it');
  } catch (error) {
    const advice = isStoreError(error, 'denied') ? refusalAdvice(store.kind, error) : networkAdvice(error);
    yield { level: 'fail', check: 'identity', detail: reasonOf(error), advice };
    return;
  }
  const containers = await tryContainers(store, systemContainer, call);
  yield* containers;
  if (containers.some(({ level }) => level === 'fail')) return;
  yield* await tryBlobs(store, systemContainer, call);
  if (names !== undefined) {
    yield* await judgeContainers(backend, call);
    yield await judgeNames(backend, names, call);
  }
  if (surveyed === undefined) return;
  const survey = await surveyed.survey(systemContainer, call);
  yield* judgeSurvey(survey);
  yield* judgeTiers(survey, backend);
}

async function reach(surveyed: SurveyedStore, endpoint: string, call: Call): Promise<PreflightFinding[]> {
  try {
    const reading = await surveyed.readClock(call);
    return [ok('reachable', `${endpoint} answered within ${reading.received - reading.sent} ms`), judgeClock(reading)];
  } catch (error) {
    return [
      { level: 'fail', check: 'reachable', detail: `${endpoint}: ${reasonOf(error)}`, advice: networkAdvice(error) },
    ];
  }
}

const CONTAINERS = 'containers of buckets';

/**
 * Whether each bucket's container is its own. Buckets whose container is not are refused, and the others served: so it
 * warns.
 */
async function judgeContainers(backend: Backend, call: Call): Promise<PreflightFinding[]> {
  const disputes = await auditContainers(backend, call);
  if (disputes.length === 0) return [ok(CONTAINERS, "each is its bucket's own")];
  return disputes.map(({ detail, advice }): PreflightFinding => ({ level: 'warn', check: CONTAINERS, detail, advice }));
}

const NAMES = 'names of buckets';
/** Most buckets that are named; all are counted. */
const MAX_NAMED = 10;

/**
 * Whether existing buckets can be reached by their names. Only warns, because an alias may hide a bucket on purpose.
 */
export async function judgeNames(backend: Backend, names: BucketNames, call: Call): Promise<PreflightFinding> {
  const hidden = await hiddenBuckets(backend, names, call);
  if (hidden.length === 0) return ok(NAMES, 'each reaches its bucket');
  const told = hidden.slice(0, MAX_NAMED).map(wordsOf);
  const more = hidden.length > MAX_NAMED ? [`and ${hidden.length - MAX_NAMED} more`] : [];
  return {
    level: 'warn',
    check: NAMES,
    detail: `${hidden.length} reach other buckets than their own: ${[...told, ...more].join(', ')}`,
    advice:
      'unless this is meant, narrow the pattern in buckets.aliases or buckets.rules, or give the prefix in buckets.prefixes another bucket',
  };
}

function wordsOf({ bucket, instead }: HiddenBucket): string {
  if ('part' in instead) return `${bucket} (part of a container)`;
  return 'bucket' in instead
    ? `${bucket} (alias of ${instead.bucket})`
    : `${bucket} (belongs to backend ${instead.backend})`;
}
