import type { AccountDirectory } from '../access/accounts.ts';
import type { RateLimits } from '../access/rates/rate-limits.ts';
import type { Sessions } from '../access/sessions/sessions.ts';
import type { Manifest } from '../manifest/index.ts';
import type { CallWatch } from '../observe/call-facts.ts';
import type { Log } from '../observe/log.ts';
import type { RequestObservers } from '../observe/request-observers.ts';
import type { HeadSampler } from '../observe/trace-context.ts';
import type { AnyOperation, OperationSettings } from '../operations/operation.ts';
import type { HoldBudget } from '../protocol/body/hold-budget.ts';
import type { OperationName } from '../protocol/operation-table.ts';
import type { ConnectionLimit } from './connection-limit.ts';
import type { LogOf } from './logged-access.ts';
import type { ProxyTrust } from './proxy-trust.ts';
import type { StallWatch } from './stall-watch.ts';

/** What the dispatcher works with. */
export interface DispatcherOptions {
  readonly accounts: AccountDirectory;
  /** Absent: there are no temporary credentials. */
  readonly sessions?: Sessions;
  /** Absent: no caller is limited. */
  readonly rates?: RateLimits;
  readonly manifest: Manifest;
  /** Operations by their names in the operation table. A name that is missing here answers NotImplemented. */
  readonly operations: Readonly<Partial<Record<OperationName, AnyOperation>>>;
  readonly settings: OperationSettings;
  /** Names under which clients reach the service, for virtual-hosted requests. */
  readonly baseHosts: readonly string[];
  /** Names under which visitors reach the websites of buckets. */
  readonly websiteHosts?: readonly string[];
  readonly proxies: ProxyTrust;
  readonly stalls: StallWatch;
  readonly holdBudget: HoldBudget;
  /** Absent: what requests hold before they are signed is not counted. */
  readonly connections?: ConnectionLimit;
  readonly log: Log;
  /** Why no change is served at the moment; undefined: changes are served. */
  readonly changesRefused?: (() => string | undefined) | undefined;
  readonly observers?: RequestObservers;
  /** The server access log of a bucket; undefined: it keeps none. Absent: no bucket does. */
  readonly logOf?: LogOf;
  readonly calls?: CallWatch;
  /** Absent: nothing is traced. */
  readonly sampler?: HeadSampler | undefined;
  /** Accept presigned URLs of signature version 2. */
  readonly presignedV2?: boolean;
  /** Milliseconds between the white space of long answers; default 10,000. */
  readonly longAnswerMs?: number;
  /** Clients that leave without an answer after this many milliseconds are logged; default 10,000. */
  readonly patienceMs?: number;
}
