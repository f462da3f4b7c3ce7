import type { BucketNames } from '../../manifest/index.ts';
import type { Call } from '../../observe/call.ts';
import { isStoreError } from '../../store/store-error.ts';
import type { SurveyedStore } from '../../store/survey.ts';
import { backgroundCall } from '../background-call.ts';
import type { OpenBackend } from '../backends.ts';
import { networkAdvice, reasonOf, refusalAdvice } from './error-words.ts';
import { type Finding, lineOf, ok } from './finding.ts';
import { judgeContainers } from './judge-containers.ts';
import { judgeNames } from './judge-names.ts';
import { judgeClock, judgeSurvey } from './judge-survey.ts';
import { tryBlobs, tryContainers } from './permissions.ts';

const WITHIN_MS = 120_000;

/**
 * Looks whether the gateway could work with each of these backends, before any traffic comes. Prints a line for each
 * thing looked at.
 * @param names what the configuration makes of the names of buckets
 * @returns false when something is so that it could not
 */
export async function preflight(
  backends: readonly OpenBackend[],
  names: BucketNames,
  print: (line: string) => void,
): Promise<boolean> {
  let good = true;
  for (const backend of backends) {
    for await (const finding of checks(backend, names, backgroundCall(AbortSignal.timeout(WITHIN_MS)))) {
      print(lineOf(backend.name, finding));
      if (finding.level === 'fail') good = false;
    }
  }
  print(good ? 'preflight: good' : 'preflight: not good');
  return good;
}

/** Ends early where everything that follows would fail for the same reason. */
async function* checks(backend: OpenBackend, names: BucketNames, call: Call): AsyncGenerator<Finding> {
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
  yield* await judgeContainers(backend, call);
  yield await judgeNames(backend, names, call);
  if (surveyed !== undefined) yield* judgeSurvey(await surveyed.survey(systemContainer, call));
}

async function reach(surveyed: SurveyedStore, endpoint: string, call: Call): Promise<Finding[]> {
  try {
    const reading = await surveyed.readClock(call);
    return [ok('reachable', `${endpoint} answered within ${reading.received - reading.sent} ms`), judgeClock(reading)];
  } catch (error) {
    return [
      { level: 'fail', check: 'reachable', detail: `${endpoint}: ${reasonOf(error)}`, advice: networkAdvice(error) },
    ];
  }
}
