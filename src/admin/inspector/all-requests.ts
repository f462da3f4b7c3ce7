import { type Credentials, getJson } from '../replicas/peer-client.ts';
import type { Replicas } from '../replicas/replicas.ts';
import type { ReplicaState, RequestList, RequestSummary, Timeline, TimelineEntry } from './contract.ts';
import type { HarEntry, HttpArchive } from './har.ts';

export interface Caller {
  readonly credentials: Credentials;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

interface Answers<T> {
  readonly answers: readonly T[];
  /** This one, then the others, those without an answer included. */
  readonly replicas: readonly ReplicaState[];
}

/** Asks the other replicas the same and puts the answers together; one that fails is named, the others count. */
export class AllRequests {
  readonly #replicas: Replicas;

  constructor(replicas: Replicas) {
    this.#replicas = replicas;
  }

  async states(caller: Caller): Promise<ReplicaState[]> {
    return [this.#replicas.own, ...(await this.#replicas.peers(caller)).map(({ state }) => state)];
  }

  /** @param own the answer of this replica @param query the caller's, without `scope` */
  async list(own: Omit<RequestList, 'replicas'>, query: URLSearchParams, caller: Caller & { readonly limit: number }): Promise<RequestList> {
    const { answers, replicas } = await this.#ask<RequestList>(`/api/requests?${query.toString()}`, caller, (list, id) => ({
      ...list, requests: list.requests.map((request) => seenFrom(request, id)),
    }));
    const all = [own, ...answers].flatMap(({ requests }) => requests).sort((a, b) => b.arrived - a.arrived);
    return { requests: all.slice(0, caller.limit), more: all.length > caller.limit || [own, ...answers].some(({ more }) => more), replicas };
  }

  async archive(own: readonly HarEntry[], query: URLSearchParams, caller: Caller): Promise<HarEntry[]> {
    const { answers } = await this.#ask<HttpArchive>(`/api/requests.har?${query.toString()}`, caller, (archive) => archive);
    return [...own, ...answers.flatMap(({ log }) => log.entries)].sort((a, b) => a.startedDateTime.localeCompare(b.startedDateTime));
  }

  async timeline(own: readonly TimelineEntry[], query: URLSearchParams, caller: Caller): Promise<Pick<Timeline, 'entries' | 'replicas'>> {
    const { answers, replicas } = await this.#ask<Timeline>(`/api/timeline?${query.toString()}`, caller, (timeline, id) => ({
      ...timeline, entries: timeline.entries.map((entry) => ({ ...entry, request: seenFrom(entry.request, id) })),
    }));
    const entries = [own, ...answers.map((timeline) => timeline.entries)].flat();
    return { entries: entries.sort((a, b) => a.request.arrived - b.request.arrived), replicas };
  }

  async #ask<T>(path: string, caller: Caller, seen: (answer: T, id: string) => T): Promise<Answers<T>> {
    const peers = await this.#replicas.peers(caller);
    const asked = await Promise.all(peers.map(async ({ url, state }) => {
      if (!state.up) return { state };
      try {
        return { state, answer: seen(await getJson(url + path, caller) as T, state.id) };
      } catch (error) {
        return { state: this.#replicas.missing(url, error) };
      }
    }));
    return {
      answers: asked.flatMap(({ answer }) => (answer === undefined ? [] : [answer])),
      replicas: [this.#replicas.own, ...asked.map(({ state }) => state)],
    };
  }
}

/** The request of another replica, with the path that leads to it through this one. */
export function seenFrom(request: RequestSummary, replica: string): RequestSummary {
  return { ...request, replica, href: `/api/replicas/${encodeURIComponent(replica)}/requests/${encodeURIComponent(request.id)}` };
}
