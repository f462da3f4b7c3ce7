import type { FastifyRequest } from 'fastify';
import type { Log } from '../../observe/log.ts';
import type { EndpointName, ManagementAnswer } from './endpoints.ts';
import { answeredFailure } from './management-error.ts';

/**
 * What became of a change. `done`: as asked. `refused`: it could not be done, and nothing was changed. `denied`: the
 * token did not suffice. `failed`: something did not answer, or the gateway failed.
 */
const OUTCOMES = ['done', 'refused', 'denied', 'failed'] as const;
type ChangeOutcome = (typeof OUTCOMES)[number];

/** Lines of the log about denied requests within so long: a token that reads may send any number of them. */
const MAX_DENIED_LINES = 60;
const DENIED_WITHIN_MS = 60_000;

interface ChangeCount {
  readonly endpoint: string;
  readonly outcome: ChangeOutcome;
  readonly count: number;
}

/**
 * The record of changes: a line of the log for each that was asked for, done or not, and counts for metrics. A line
 * says who asked, from where, for what, what was there before and what is there now. It has no secret.
 */
export class ChangeRecords {
  readonly #log: Pick<Log, 'warn'>;
  readonly #counts = new Map<string, ChangeCount>();
  #denied = { since: -Infinity, lines: 0, unlogged: 0 };

  constructor(log: Pick<Log, 'warn'>) {
    this.#log = log;
  }

  /** Of all changes of this process. */
  get counts(): readonly ChangeCount[] {
    return [...this.#counts.values()];
  }

  /** Makes a change and records it. @throws what `change` throws */
  async record(
    request: FastifyRequest,
    endpoint: EndpointName,
    change: () => Promise<ManagementAnswer>,
  ): Promise<ManagementAnswer> {
    try {
      const answer = await change();
      const { status, before, after } = answer;
      this.#write(request, { endpoint, outcome: 'done', status, before: textOf(before), after: textOf(after) });
      return answer;
    } catch (error) {
      const { status = 500, code, error: reason } = answeredFailure(error) ?? {};
      const outcome = status < 500 ? 'refused' : 'failed';
      this.#write(request, { endpoint, outcome, status, code, reason });
      throw error;
    }
  }

  /** Records a request whose token did not suffice. Of many, some are counted only, which the next line says. */
  denied(request: FastifyRequest, code: string): void {
    const now = performance.now();
    const { since, unlogged } = this.#denied;
    if (now - since >= DENIED_WITHIN_MS) this.#denied = { since: now, lines: 0, unlogged };
    if (this.#denied.lines === MAX_DENIED_LINES) {
      this.#denied.unlogged += 1;
      this.#count('', 'denied');
      return;
    }
    this.#denied = { ...this.#denied, lines: this.#denied.lines + 1, unlogged: 0 };
    this.#write(request, { endpoint: '', outcome: 'denied', code, ...(unlogged > 0 && { unlogged }) });
  }

  #write(
    request: FastifyRequest,
    { outcome, ...what }: Readonly<Record<string, unknown>> & { outcome: ChangeOutcome },
  ): void {
    const endpoint = String(what['endpoint']);
    this.#count(endpoint, outcome);
    const { id: requestId, method, params, manager, ip: from } = request;
    const route = request.routeOptions.url;
    // Not `info`: a log level that hides changes of who has access would be no record.
    this.#log.warn(
      { requestId, who: manager, from, method, route, names: params, outcome, ...what },
      'change by the admin API',
    );
  }

  #count(endpoint: string, outcome: ChangeOutcome): void {
    const name = `${endpoint}/${outcome}`;
    this.#counts.set(name, { endpoint, outcome, count: (this.#counts.get(name)?.count ?? 0) + 1 });
  }
}

/** As text: the log leaves out what lies as deep in an object as the statements of a policy. */
function textOf(thing: object | undefined): string | undefined {
  return thing && JSON.stringify(thing);
}
