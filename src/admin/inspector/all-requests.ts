import type { GatheredOverview } from '../overview/contract.ts';
import { mergeOverviews } from '../overview/merge-overviews.ts';
import { type PeerCredentials, getJsonOfPeer } from '../replicas/peer-client.ts';
import type { Met, Replicas, ReplicaScope } from '../replicas/replicas.ts';
import type { Overview, ReplicaState, RequestList, RequestSummary, Timeline, TimelineEntry } from './contract.ts';
import type { HarEntry, HttpArchive } from './har.ts';

export interface Caller {
  readonly credentials: PeerCredentials;
  /** Aborted when the caller no longer waits for the answer. */
  readonly signal: AbortSignal;
}

/** The same question for others. */
export interface Question extends Caller {
  readonly scope: ReplicaScope;
  /** The caller's parameters, without `scope`. */
  readonly query: URLSearchParams;
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

  async states(scope: ReplicaScope, caller: Caller): Promise<ReplicaState[]> {
    return [this.#replicas.own, ...(await this.#replicas.meet(scope, caller)).flatMap(({ states }) => states)];
  }

  /** @param own the answer of this replica */
  async list(own: Omit<RequestList, 'replicas'>, limit: number, question: Question): Promise<RequestList> {
    const { answers, replicas } = await this.#ask<RequestList>('requests', question, (list, id) => ({
      ...list,
      requests: list.requests.map((request) => seenThrough(request, id)),
    }));
    const lists = [own, ...answers];
    const all = lists.flatMap(({ requests }) => requests).sort((a, b) => b.arrived - a.arrived);
    return { requests: all.slice(0, limit), more: all.length > limit || lists.some(({ more }) => more), replicas };
  }

  async archive(own: readonly HarEntry[], question: Question): Promise<HarEntry[]> {
    const { answers } = await this.#ask<HttpArchive>('requests.har', question, (archive) => archive);
    return [...own, ...answers.flatMap(({ log }) => log.entries)].sort((a, b) =>
      a.startedDateTime.localeCompare(b.startedDateTime),
    );
  }

  async timeline(own: readonly TimelineEntry[], question: Question): Promise<Pick<Timeline, 'entries' | 'replicas'>> {
    const { answers, replicas } = await this.#ask<Timeline>('timeline', question, (timeline, id) => ({
      ...timeline,
      entries: timeline.entries.map((entry) => ({ ...entry, request: seenThrough(entry.request, id) })),
    }));
    const entries = [own, ...answers.map((timeline) => timeline.entries)].flat();
    return { entries: entries.sort((a, b) => a.request.arrived - b.request.arrived), replicas };
  }

  /** @param own what this process has counted */
  async overview(own: GatheredOverview, question: Question): Promise<Overview> {
    const { answers, replicas } = await this.#ask<GatheredOverview>('overview', question, (overview) => overview);
    return { ...mergeOverviews([own, ...answers]), replicas };
  }

  async #ask<T>(route: string, question: Question, seen: (answer: T, id: string) => T): Promise<Answers<T>> {
    const ask = async ({ url, scope, states }: Met): Promise<{ states: readonly ReplicaState[]; answer?: T }> => {
      const [neighbour] = states;
      if (!neighbour.up) return { states };
      const query = new URLSearchParams(question.query);
      query.set('scope', scope);
      try {
        return {
          states,
          answer: seen((await getJsonOfPeer(`${url}/api/${route}?${query.toString()}`, question)) as T, neighbour.id),
        };
      } catch (error) {
        return { states: [this.#replicas.missing(url, error)] };
      }
    };
    const asked =
      question.scope === 'own' ? [] : await Promise.all((await this.#replicas.meet(question.scope, question)).map(ask));
    return {
      answers: asked.flatMap(({ answer }) => (answer === undefined ? [] : [answer])),
      replicas: [this.#replicas.own, ...asked.flatMap(({ states }) => states)],
    };
  }
}

/** A request that a neighbour told of, with the path that leads to it through that. @param neighbour id */
export function seenThrough(request: RequestSummary, neighbour: string): RequestSummary {
  return { ...request, href: `/api/replicas/${encodeURIComponent(neighbour)}${request.href.slice('/api'.length)}` };
}
