import { setTimeout as sleep } from 'node:timers/promises';
import { isFailure, ownTimeMs } from '../journal/kept-request.ts';
import { openStream, PeerError } from '../replicas/peer-client.ts';
import { behind, type Neighbour, type Replicas } from '../replicas/replicas.ts';
import { parseEvents } from '../replicas/server-sent-events.ts';
import { type Question, seenThrough } from './all-requests.ts';
import type { ReplicaState, RequestSummary, StreamEvents } from './contract.ts';
import type { EventSource, Send } from './live-stream.ts';
import type { OwnRequests } from './own-requests.ts';
import type { RequestSelection } from './queries.ts';
import type { StreamRate } from './stream-rate.ts';

/** How often the list of peers is looked at, and the wait before a peer that is gone is asked again. */
const LOOK_MS = 5000;
const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 10_000;

/** How often a reader is told how many requests were left out. */
const COUNT_MS = 1000;

/** Tells one reader how many requests it was not told of. */
export function leftOutEvents(replica: string, rate: StreamRate): EventSource {
  return (send, signal) => {
    const timer = setInterval(() => {
      const count = rate.takeLeftOut();
      if (count > 0) send('leftOut', { replica, count });
    }, COUNT_MS);
    signal.addEventListener('abort', () => clearInterval(timer));
  };
}

interface OwnEventsOptions extends Pick<RequestSelection, 'matcher'> {
  /** Kept requests that come first. */
  readonly recent: number;
  /** Undefined: the reader is told of all. */
  readonly rate: StreamRate | undefined;
}

/** What happens on this replica: some recent requests first, then those that come. */
export function ownEvents(requests: OwnRequests, { matcher, recent, rate }: OwnEventsOptions): EventSource {
  return (_send, signal, sendWritten) => {
    const { journal } = requests;
    const early: (() => void)[] = [];
    let isEarly = true;
    const past = journal.scan({ matcher, limit: recent, running: false });
    // Whatever ends from now on is not in the scan, and must not overtake it.
    const stop = journal.listen((event, request) => {
      if (!matcher.matches(request)) return;
      const told = { id: request.id, isNotable: isFailure(request) || ownTimeMs(request) >= journal.slowMs };
      if (rate !== undefined && !(event === 'started' ? rate.begins(told) : rate.ends(told))) return;
      const tell = (): void => sendWritten(requests.written(event, request));
      if (isEarly) early.push(tell);
      else tell();
    });
    signal.addEventListener('abort', stop);
    void past.then((found) => {
      for (const request of found.requests.toReversed()) sendWritten(requests.written('finished', request));
      for (const tell of early) tell();
      isEarly = false;
    });
  };
}

interface NeighbourEventsOptions extends Pick<Question, 'scope' | 'query' | 'credentials'> {
  readonly replicas: Replicas;
  /** Of all replicas together. Each is asked to send no more than that by itself. */
  readonly rate: StreamRate | undefined;
}

/** What happens on the others. Those that come later are joined; one that is gone is told of and asked again. */
export function neighbourEvents(options: NeighbourEventsOptions): EventSource {
  return (send, signal) => {
    const followed = new Map<string, AbortController>();
    const look = async (): Promise<void> => {
      const neighbours = await options.replicas.neighbours(options.scope);
      for (const [url, stop] of followed) {
        if (neighbours.some((one) => one.url === url)) continue;
        stop.abort();
        followed.delete(url);
      }
      for (const neighbour of neighbours) {
        if (signal.aborted || followed.has(neighbour.url)) continue;
        const stop = new AbortController();
        followed.set(neighbour.url, stop);
        void follow(neighbour, options, { send, signal: AbortSignal.any([signal, stop.signal]) });
      }
    };
    const timer = setInterval(() => void look(), LOOK_MS);
    signal.addEventListener('abort', () => clearInterval(timer));
    void look();
  };
}

interface Following {
  readonly send: Send;
  readonly signal: AbortSignal;
}

/** Listens to one neighbour for as long as a reader listens to us. */
async function follow(
  neighbour: Neighbour,
  { replicas, credentials, query, rate }: NeighbourEventsOptions,
  { send, signal }: Following,
): Promise<void> {
  const { url, scope } = neighbour;
  const asked = new URLSearchParams(query);
  asked.set('scope', scope);
  let wait = FIRST_RETRY_MS;
  let told: string | undefined;
  const isOver = (): boolean => signal.aborted;
  while (!isOver()) {
    try {
      let id: string | undefined;
      for await (const { event, data } of parseEvents(
        openStream(`${url}/api/requests/stream?${asked.toString()}`, { credentials, signal }),
      )) {
        if (event === 'replica') {
          const state = JSON.parse(data) as ReplicaState;
          if (state.own && state.id === replicas.own.id) return void replicas.seenAt(url, state); // it is ourselves
          if (state.own) id = state.id;
          send('replica', state.own ? replicas.seenAt(url, state) : behind(state));
          told = undefined;
          wait = FIRST_RETRY_MS;
        } else if (id !== undefined) {
          forward(event, data, { id, send, rate });
        }
      }
      throw new PeerError('its stream ended');
    } catch (error) {
      if (isOver()) return;
      const state = replicas.missing(url, error);
      if (state.reason !== told) send('replica', state);
      told = state.reason;
    }
    await sleep(wait, undefined, { signal }).catch(() => undefined);
    wait = Math.min(2 * wait, MAX_RETRY_MS);
  }
}

interface Forwarding {
  /** Of the neighbour. */
  readonly id: string;
  readonly send: Send;
  readonly rate: StreamRate | undefined;
}

function forward(event: string, data: string, { id, send, rate }: Forwarding): void {
  if (event === 'started' || event === 'finished') {
    const summary = JSON.parse(data) as RequestSummary;
    const { href, outcome, slow } = summary;
    const told = { id: `${id} ${href}`, isNotable: slow || (outcome !== 'ok' && outcome !== 'running') };
    if (rate !== undefined && !(event === 'started' ? rate.begins(told) : rate.ends(told))) return;
    send(event, seenThrough(summary, id));
  } else if (event === 'lost' || event === 'leftOut') {
    send(event, JSON.parse(data) as StreamEvents[typeof event]);
  }
}
