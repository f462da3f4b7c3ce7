import type { Call } from '../../src/observe/call.ts';
import type { BlobRef, RemoveItem, RemoveOutcome, Revision } from '../../src/store/blob-store.ts';
import { StoreError, isStoreError } from '../../src/store/store-error.ts';
import type { BatchSupport } from './batch/batch-support.ts';
import { mapConcurrent } from '../../src/streams/map-concurrent.ts';

interface Removing {
  readonly rest: { deniedPart(error: StoreError, call: Call): void };
  readonly limits: { readonly removeParallel: number };
  readonly batches: BatchSupport;
}

/** How a service deletes blobs: one by one, and many in one request. */
interface RemovalWays<Client, Deletion> {
  /** Deletes one, on condition of its revision. */
  readonly one: (client: Client, ref: BlobRef, revision: Revision | undefined, call: Call) => Promise<void>;
  /** Most calls in one batch. */
  readonly most: number;
  /** The same deletion, to be part of a batch. @throws StoreError invalidName */
  readonly embed: (client: Client, ref: BlobRef, revision: Revision | undefined) => Deletion;
  /**
   * Sends a batch. @returns for each of its calls how the service refused it; undefined: it did not
   * @throws StoreError what became of the batch as a whole
   */
  readonly send: (
    client: Client,
    batch: { readonly container: string; readonly calls: readonly Deletion[] },
    call: Call,
  ) => Promise<readonly (StoreError | undefined)[]>;
}

/** The call of a store that deletes many. */
type RemoveMany<Client> = (
  client: Client,
  container: string,
  items: readonly RemoveItem[],
  call: Call,
) => Promise<RemoveOutcome[]>;

/** Batches of one `removeMany` under way at a time: the service works on each as on many calls. */
const BATCHES_AT_ONCE = 4;

/** Undefined: it was not removed, and a batch will not do it. */
type Outcome = RemoveOutcome | undefined;

/**
 * Deletes in batches (256 blobs in Azure, 100 objects in Cloud Storage), and one by one what they leave, or all where a
 * service takes none; outcomes in the order of the items. If the answer to a batch is lost, nobody knows what became of
 * any of its items.
 */
export function removeManyBy<Client extends Removing, Deletion>(
  ways: RemovalWays<Client, Deletion>,
): RemoveMany<Client> {
  return async (client, container, items, call) => {
    const groups: (readonly RemoveItem[])[] = [];
    for (let start = 0; start < items.length; start += ways.most) groups.push(items.slice(start, start + ways.most));
    const removed = await mapConcurrent(groups, BATCHES_AT_ONCE, (group) =>
      removeGroup(client, { ways, container, items: group }, call),
    );
    const outcomes = removed.flat();
    const left = items.filter((_, place) => outcomes[place] === undefined);
    const alone = await mapConcurrent(left, client.limits.removeParallel, (item) =>
      removeOne(client, { ways, container, item }, call),
    );
    const others = alone.values();
    return outcomes.map((outcome) => outcome ?? others.next().value ?? 'notFound');
  };
}

async function removeOne<Client extends Removing, Deletion>(
  client: Client,
  {
    ways,
    container,
    item: { name, revision },
  }: { readonly ways: RemovalWays<Client, Deletion>; readonly container: string; readonly item: RemoveItem },
  call: Call,
): Promise<RemoveOutcome> {
  try {
    await ways.one(client, { container, name }, revision, call);
    return 'removed';
  } catch (error) {
    return outcomeOf(error);
  }
}

interface Group<Client, Deletion> {
  readonly ways: RemovalWays<Client, Deletion>;
  readonly container: string;
  readonly items: readonly RemoveItem[];
}

/** Removes as one batch. A name that cannot be one stays out of it. */
async function removeGroup<Client extends Removing, Deletion>(
  client: Client,
  { ways, container, items }: Group<Client, Deletion>,
  call: Call,
): Promise<Outcome[]> {
  const outcomes = new Array<Outcome>(items.length).fill(undefined);
  if (items.length === 1 || client.batches.isRefused) return outcomes;
  const calls: Deletion[] = [];
  const places: number[] = [];
  items.forEach(({ name, revision }, place) => {
    try {
      calls.push(ways.embed(client, { container, name }, revision));
      places.push(place);
    } catch (error) {
      outcomes[place] = outcomeOf(error);
    }
  });
  const told = await sendGroup(client, { ways, container, calls }, call);
  places.forEach((place, i) => (outcomes[place] = told?.[i]));
  return outcomes;
}

/** @returns undefined when nothing was done because the service takes no such batch */
async function sendGroup<Client extends Removing, Deletion>(
  client: Client,
  {
    ways,
    ...batch
  }: { readonly ways: RemovalWays<Client, Deletion>; readonly container: string; readonly calls: readonly Deletion[] },
  call: Call,
): Promise<readonly Outcome[] | undefined> {
  if (batch.calls.length === 0) return [];
  try {
    const refusals = await ways.send(client, batch, call);
    return refusals.map((refusal) => {
      if (refusal === undefined) return 'removed';
      if (refusal.kind === 'denied') client.rest.deniedPart(refusal, call);
      return isPutOff(refusal) ? undefined : outcomeOf(refusal);
    });
  } catch (error) {
    if (!isStoreError(error)) throw error;
    if (isUnsupported(error)) client.batches.refused();
    else if (error.detail.status === 500) client.batches.failed();
    return isUnsupported(error) || isPutOff(error) ? undefined : batch.calls.map(() => error);
  }
}

/** Not now, and certainly not done: one by one, calls wait for their turn. */
function isPutOff(error: StoreError): boolean {
  return error.kind === 'throttled' && !error.lost;
}

/**
 * The service refused the batch whatever is in it: it does not know batches, does not let this gateway send any, or
 * does not understand this one. A container that is missing is no such reason.
 */
function isUnsupported({ kind, detail: { status = 0 } }: StoreError): boolean {
  if (kind === 'containerNotFound' || kind === 'throttled') return false;
  return status === 501 || (status >= 400 && status < 500 && status !== 408);
}

function outcomeOf(error: unknown): RemoveOutcome {
  if (isStoreError(error, 'notFound')) return 'notFound';
  if (isStoreError(error, 'conditionFailed')) return 'conditionFailed';
  return error instanceof Error ? error : new StoreError('unexpected', { call: 'removeMany', cause: error });
}

const UNANSWERED = 0;
const CONTRADICTED = -1;

/**
 * Puts answers in the order of the calls. A call to which there are two answers that differ counts as not answered.
 * @param refusalOf what a status from 300 on means
 */
export function inOrder<A extends { readonly index: number | undefined; readonly status: number }>(
  count: number,
  answers: readonly A[],
  refusalOf: (answer: A) => StoreError,
): (StoreError | undefined)[] {
  const found = new Array<StoreError | undefined>(count).fill(undefined);
  const told = new Int16Array(count);
  for (const answer of answers) {
    const { index, status } = answer;
    if (index === undefined || index >= count) continue;
    const before = told[index];
    told[index] = before === UNANSWERED || before === status ? status : CONTRADICTED;
    found[index] = status < 300 ? undefined : refusalOf(answer);
  }
  if (!told.some((status) => status <= UNANSWERED)) return found;
  const unanswered = new StoreError('unavailable', { call: 'removeMany', code: 'NoAnswerInBatch', lost: true });
  return found.map((refusal, index) => ((told[index] ?? UNANSWERED) <= UNANSWERED ? unanswered : refusal));
}
