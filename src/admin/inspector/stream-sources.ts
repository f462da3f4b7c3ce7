import { setTimeout as sleep } from 'node:timers/promises';
import { type Credentials, openStream } from '../replicas/peer-client.ts';
import type { Replicas } from '../replicas/replicas.ts';
import { parseEvents } from '../replicas/server-sent-events.ts';
import { seenFrom } from './all-requests.ts';
import type { ReplicaState, RequestSummary, StreamEvents } from './contract.ts';
import type { EventSource, Send } from './live-stream.ts';
import type { OwnRequests } from './own-requests.ts';
import type { Selection } from './queries.ts';

/** How often the list of peers is looked at, and the wait before a peer that is gone is asked again. */
const LOOK_MS = 5000;
const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 10_000;

/** What happens on this replica: some recent requests first, then those that come. */
export function ownEvents(requests: OwnRequests, { matcher }: Selection, recent: number): EventSource {
  return (send, signal) => {
    const { journal } = requests;
    const early: (() => void)[] = [];
    let isEarly = true;
    const past = journal.scan({ matcher, limit: recent, running: false });
    // Whatever ends from now on is not in the scan, and must not overtake it.
    const stop = journal.listen((event, request) => {
      if (!matcher.matches(request)) return;
      const tell = (): void => send(event, requests.summary(request));
      if (isEarly) early.push(tell);
      else tell();
    });
    signal.addEventListener('abort', stop);
    void past.then((found) => {
      for (const request of found.requests.toReversed()) send('finished', requests.summary(request));
      for (const tell of early) tell();
      isEarly = false;
    });
  };
}

export interface PeerEventsOptions {
  readonly replicas: Replicas;
  readonly credentials: Credentials;
  /** The caller's, without `scope`. */
  readonly query: URLSearchParams;
}

/** What happens on the others. Peers that come later are joined; one that is gone is told of and asked again. */
export function peerEvents(options: PeerEventsOptions): EventSource {
  return (send, signal) => {
    const followed = new Map<string, AbortController>();
    const look = async (): Promise<void> => {
      const urls = await options.replicas.urls();
      for (const [url, stop] of followed) {
        if (urls.includes(url)) continue;
        stop.abort();
        followed.delete(url);
      }
      for (const url of urls) {
        if (signal.aborted || followed.has(url)) continue;
        const stop = new AbortController();
        followed.set(url, stop);
        void follow(url, options, { send, signal: AbortSignal.any([signal, stop.signal]) });
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

/** Listens to one peer for as long as somebody listens to us. */
async function follow(url: string, { replicas, credentials, query }: PeerEventsOptions, { send, signal }: Following): Promise<void> {
  let wait = FIRST_RETRY_MS;
  let told: ReplicaState | undefined;
  const isOver = (): boolean => signal.aborted;
  while (!isOver()) {
    let id: string | undefined;
    try {
      for await (const { event, data } of parseEvents(openStream(`${url}/api/requests/stream?${query.toString()}`, { credentials, signal }))) {
        if (event === 'replica') {
          const state = replicas.seenAt(url, JSON.parse(data) as ReplicaState);
          if (state.id === replicas.own.id) return; // the own address, found among the peers
          id = state.id;
          told = undefined;
          wait = FIRST_RETRY_MS;
          send('replica', state);
        } else if (id !== undefined) {
          forward(event, data, { id, send });
        }
      }
      throw new Error('the stream ended');
    } catch (error) {
      if (isOver()) return;
      const state = replicas.missing(url, error);
      if (state.reason !== told?.reason) send('replica', state);
      told = state;
    }
    await sleep(wait, undefined, { signal }).catch(() => undefined);
    wait = Math.min(2 * wait, MAX_RETRY_MS);
  }
}

function forward(event: string, data: string, { id, send }: { readonly id: string; readonly send: Send }): void {
  if (event === 'started' || event === 'finished') send(event, seenFrom(JSON.parse(data) as RequestSummary, id));
  else if (event === 'lost') send('lost', JSON.parse(data) as StreamEvents['lost']);
}
