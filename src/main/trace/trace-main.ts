import { setTimeout as sleep } from 'node:timers/promises';
import type { ReplicaState, RequestList, RequestSummary, StreamEvents } from '../../admin/inspector/contract.ts';
import { getJsonOfPeer, openStream, PeerError, type PeerRequest } from '../../admin/replicas/peer-client.ts';
import { parseEvents, type ServerSentEvent } from '../../admin/replicas/server-sent-events.ts';
import { plainJson } from '../../observe/written-text.ts';
import { printLines } from '../command-line.ts';
import { StartError } from '../start-error.ts';
import { parseTraceArguments, TRACE_USAGE, type TraceArguments } from './trace-arguments.ts';
import { lostLine, replicaLine, requestLine } from './trace-lines.ts';

const RETRY_MS = 2000;

/**
 * `npm run trace`: the requests of all replicas in a terminal, as they end, until it is told to stop. Sets the exit
 * code.
 */
export async function traceMain(
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  // `| head` closes its end when it has enough.
  process.stdout.once('error', () => stop.abort());
  try {
    const args = parseTraceArguments(argv, environment);
    if (args === undefined) print(TRACE_USAGE);
    else if (args.once) await showPast(args, stop.signal);
    else await showAll(args, stop.signal);
  } catch (error) {
    if (stop.signal.aborted) return;
    if (!(error instanceof StartError) && !(error instanceof PeerError)) throw error;
    printLines(process.stderr, error instanceof StartError ? error.lines : [error.message]);
    process.exitCode = 1;
  }
}

/** What is kept, oldest first. @throws PeerError */
async function showPast(args: TraceArguments, signal: AbortSignal): Promise<void> {
  const query = new URLSearchParams(args.query);
  query.set('limit', query.get('recent') ?? '');
  query.delete('recent');
  const { requests, replicas } = (await getJsonOfPeer(`${args.url}/api/requests?${query.toString()}`, {
    signal,
    ...access(args),
  })) as RequestList;
  const printer = new Printer(args);
  for (const state of replicas.filter(({ up }) => !up)) {
    printer.print({ event: 'replica', data: JSON.stringify(state) });
  }
  for (const request of requests.toReversed()) printer.print({ event: 'finished', data: JSON.stringify(request) });
}

/** Goes on when the admin port comes back; what cannot be had from the beginning ends it. @throws PeerError */
async function showAll(args: TraceArguments, signal: AbortSignal): Promise<void> {
  const printer = new Printer(args);
  const query = new URLSearchParams(args.query);
  for (let isFirst = true; ; isFirst = false) {
    try {
      for await (const event of parseEvents(
        openStream(`${args.url}/api/requests/stream?${query.toString()}`, { signal, ...access(args) }),
      )) {
        printer.print(event);
        // What was shown is not shown again after a pause.
        if (event.event === 'finished') query.set('recent', '0');
      }
    } catch (error) {
      if (isFirst || signal.aborted || !(error instanceof PeerError)) throw error;
      printLines(process.stderr, [`-- ${args.url}: ${error.message}`]);
    }
    await sleep(RETRY_MS, undefined, { signal });
  }
}

function access({ token }: TraceArguments): Pick<PeerRequest, 'credentials'> {
  return { credentials: token === undefined ? {} : { authorization: `Bearer ${token}` } };
}

class Printer {
  readonly #json: boolean;
  readonly #replicas = new Set<string>();
  /** Told already, so that their heartbeats are not. */
  readonly #told = new Map<string, string | undefined>();

  constructor({ json }: TraceArguments) {
    this.#json = json;
  }

  print({ event, data }: ServerSentEvent): void {
    if (event === 'started') return;
    const line = this.#json ? jsonOf(event, data) : this.#line(event, data);
    if (line !== undefined) print(line);
  }

  #line(event: string, data: string): string | undefined {
    if (event === 'finished') return this.#requestLine(JSON.parse(data) as RequestSummary);
    if (event === 'lost') return lostLine(JSON.parse(data) as StreamEvents['lost']);
    return event === 'replica' ? this.#replicaLine(JSON.parse(data) as ReplicaState) : undefined;
  }

  #requestLine(request: RequestSummary): string {
    this.#replicas.add(request.replica);
    return requestLine(request, {
      colours: process.stdout.isTTY && process.env['NO_COLOR'] === undefined,
      nameReplica: this.#replicas.size > 1,
    });
  }

  #replicaLine(state: ReplicaState): string | undefined {
    if (state.up) this.#replicas.add(state.id);
    const line = replicaLine(state);
    if (this.#told.get(state.id) === line) return undefined;
    this.#told.set(state.id, line);
    return line;
  }
}

/** A line for each event, whatever the admin port sent as data. */
function jsonOf(event: string, data: string): string {
  return plainJson(JSON.stringify({ event, data: JSON.parse(data) as unknown }));
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
