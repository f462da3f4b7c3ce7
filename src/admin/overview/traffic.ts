import type { BackendCallFacts } from '../../observe/call-facts.ts';
import { redactText } from '../../observe/redact.ts';
import { hasFailed } from '../../observe/notable.ts';
import type { AuthFacts, RequestFacts, RequestObserver } from '../../observe/request-facts.ts';
import { claimedKeyId } from '../journal/kept-text.ts';
import type { RowName, SeriesName, TableName } from './contract.ts';
import { LATENCY_CLASSES, latencyClass } from './latency-classes.ts';
import { NamedRows, ROW_FIELDS, TABLE_WIDTH, clippedName } from './named-rows.ts';
import { TimeRing } from './time-ring.ts';

export const MINUTE_MS = 60_000;
const QUARTER_MS = 15 * MINUTE_MS;
const DAY_MINUTES = 24 * 60;
/** One more slice than a window shows: the one under way is not whole. */
const SPARE = 1;

/** Series in the order of their counters in a minute; the classes of latency are behind them. */
export const SERIES = [
  'requests',
  'clientErrors',
  'serverErrors',
  'aborted',
  'slow',
  'bytesIn',
  'bytesOut',
  'backendCalls',
  'backendRetries',
  'backendThrottles',
  'backendMs',
] as const satisfies readonly SeriesName[];
const AT = indexOf(SERIES);
const FIELD = indexOf(ROW_FIELDS);

/** What the rows of each table are called, without credentials: a client may have put one where a bucket belongs. */
const ROW_NAMES: Readonly<Record<TableName, (facts: RequestFacts) => RowName>> = {
  operations: ({ operation }) => ({ operation }),
  buckets: (facts) => ({ bucket: shownBucket(facts) }),
  identities: (facts) => ({ identity: identityOf(facts) }),
  codes: (facts) => ({ code: codeOf(facts) }),
  refused: (facts) => ({ code: codeOf(facts), identity: identityOf(facts), bucket: shownBucket(facts) }),
  slow: (facts) => ({ operation: facts.operation, bucket: shownBucket(facts) }),
};
const TABLES = Object.entries(ROW_NAMES) as [TableName, (facts: RequestFacts) => RowName][];

/** How much of a text is searched for credentials: looking takes time, and clients choose the length. */
const LOOKED_AT = 256;

interface TrafficOptions {
  /** Time of our own from which a request counts as slow, milliseconds. */
  readonly slowMs: number;
  readonly now?: () => number;
  readonly random?: () => number;
}

/**
 * What came of the requests of the last day, minute by minute, in 2.4 MB of memory that is taken at the start: sums of
 * all requests for each minute of the day, and tables by name for each minute of the last hour and each quarter of an
 * hour of the day. It counts by the clock of the wall when it hears of the end of a request.
 */
export class Traffic implements RequestObserver {
  readonly minutes = new TimeRing(MINUTE_MS, DAY_MINUTES + SPARE, SERIES.length + LATENCY_CLASSES);
  readonly tableMinutes = new TimeRing(MINUTE_MS, 60 + SPARE, TABLES.length * TABLE_WIDTH);
  readonly tableQuarters = new TimeRing(QUARTER_MS, 96 + SPARE, TABLES.length * TABLE_WIDTH);
  readonly tables: Readonly<Record<TableName, NamedRows<RequestFacts>>>;
  readonly #slowMs: number;
  readonly #now: () => number;
  /** Of the request that is being counted. */
  readonly #amounts = new Float64Array(ROW_FIELDS.length);
  #minute = 0;
  #quarter = 0;
  #aged = -1;

  constructor({ slowMs, now = Date.now, random }: TrafficOptions) {
    this.#slowMs = slowMs;
    this.#now = now;
    const rings = [this.tableMinutes, this.tableQuarters];
    this.tables = Object.fromEntries(
      TABLES.map(([name, nameOf], index) => [
        name,
        new NamedRows({ nameOf, rings, offset: index * TABLE_WIDTH, ...(random !== undefined && { random }) }),
      ]),
    ) as Record<TableName, NamedRows<RequestFacts>>;
  }

  get now(): number {
    return this.#now();
  }

  /** Memory of all counters; it never changes. */
  get bytes(): number {
    return this.minutes.bytes + this.tableMinutes.bytes + this.tableQuarters.bytes;
  }

  ended(facts: RequestFacts): void {
    const now = this.#now();
    const { status, ownMs, clientLeft } = facts;
    const isSlow = ownMs >= this.#slowMs;
    const isFailure = clientLeft || status >= 400 || status === 0;
    this.#sum(facts, this.minutes.open(now), isSlow);
    this.#age(now);
    this.#minute = this.tableMinutes.open(now);
    this.#quarter = this.tableQuarters.open(now);
    const amounts = this.#amounts;
    amounts[FIELD.requests] = 1;
    amounts[FIELD.failures] = isFailure ? 1 : 0;
    amounts[FIELD.slow] = isSlow ? 1 : 0;
    amounts[FIELD.bytesIn] = facts.bytesIn;
    amounts[FIELD.bytesOut] = facts.bytesOut;
    amounts[FIELD.ownMs] = ownMs;
    // Strangers make up any number of names. Only one that was of use takes the place of another.
    this.#count('operations', facts, facts.operation);
    this.#count('buckets', facts, bucketOf(facts), !isFailure);
    this.#count('identities', facts, identityKey(facts.auth), !isFailure);
    if (isSlow) this.#count('slow', facts, `${facts.operation}\n${bucketOf(facts)}`);
    if (facts.failure !== undefined) this.#countFailure(facts);
  }

  /** A call to a backend has ended, also one that belongs to no request. */
  backendCall({ attempt, outcome, started, ended }: BackendCallFacts): void {
    const start = this.minutes.open(this.#now());
    const { cells } = this.minutes;
    add(cells, start + AT.backendCalls, 1);
    if (attempt > 1) add(cells, start + AT.backendRetries, 1);
    if (outcome === 'throttled') add(cells, start + AT.backendThrottles, 1);
    if (ended !== undefined) add(cells, start + AT.backendMs, ended - started);
  }

  #sum({ status, clientLeft, bytesIn, bytesOut, ownMs }: RequestFacts, start: number, isSlow: boolean): void {
    const { cells } = this.minutes;
    add(cells, start + AT.requests, 1);
    if (clientLeft || status === 0) add(cells, start + AT.aborted, 1);
    else if (status >= 500) add(cells, start + AT.serverErrors, 1);
    else if (status >= 400) add(cells, start + AT.clientErrors, 1);
    if (isSlow) add(cells, start + AT.slow, 1);
    add(cells, start + AT.bytesIn, bytesIn);
    add(cells, start + AT.bytesOut, bytesOut);
    add(cells, start + SERIES.length + latencyClass(ownMs), 1);
  }

  #countFailure(facts: RequestFacts): void {
    const { status } = facts;
    this.#count('codes', facts, codeOf(facts));
    if (status < 400 || status >= 500 || !hasFailed(facts)) return;
    this.#count('refused', facts, `${codeOf(facts)}\n${identityOf(facts)}\n${bucketOf(facts)}`);
  }

  #count(table: TableName, facts: RequestFacts, key: string, mayEnter = true): void {
    const row = this.tables[table].rowOf(key, facts, mayEnter);
    const [amounts, minutes, quarters] = [this.#amounts, this.tableMinutes.cells, this.tableQuarters.cells];
    for (let field = 0; field < amounts.length; field += 1) {
      const amount = amounts[field] ?? 0;
      add(minutes, this.#minute + row + field, amount);
      add(quarters, this.#quarter + row + field, amount);
    }
  }

  /** With each quarter of an hour, whichever way the clock goes. */
  #age(now: number): void {
    const quarter = Math.floor(now / QUARTER_MS);
    if (quarter === this.#aged) return;
    this.#aged = quarter;
    for (const rows of Object.values(this.tables)) rows.age();
  }
}

/** Where each of these names stands. */
function indexOf<T extends string>(names: readonly T[]): Readonly<Record<T, number>> {
  return Object.fromEntries(names.map((name, index) => [name, index])) as Record<T, number>;
}

function add(cells: Float64Array, index: number, amount: number): void {
  cells[index] = (cells[index] ?? 0) + amount;
}

function bucketOf({ bucket = '' }: RequestFacts): string {
  return clippedName(bucket);
}

function shownBucket({ bucket = '' }: RequestFacts): string {
  return clippedName(redactText(bucket, LOOKED_AT));
}

function codeOf({ failure }: RequestFacts): string {
  return clippedName(String(failure?.code ?? 'InternalError'));
}

/** Tells identities apart without making a text for each request. */
function identityKey(auth: AuthFacts | undefined): string {
  const identity = auth?.identity;
  if (identity === undefined) return '';
  return identity.kind === 'anonymous' ? 'anonymous' : (identity.user?.arn ?? identity.account.name);
}

/** As the journal's filter `identity` names it: `account`, `account/user`, `anonymous`, or the key that was claimed. */
function identityOf({ auth, head }: RequestFacts): string {
  const identity = auth?.identity;
  if (identity === undefined) return auth?.failure === undefined ? '' : clippedName(claimedKeyId(head) ?? '');
  if (identity.kind === 'anonymous') return 'anonymous';
  const { account, user } = identity;
  return clippedName(user === undefined ? account.name : `${account.name}/${user.name}`);
}
