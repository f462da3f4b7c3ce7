import type { ReplicaList, ReplicaState } from '../inspector/contract.ts';
import type { PeerAddresses } from './peer-addresses.ts';
import { PeerError, type PeerRequest, getJsonOfPeer } from './peer-client.ts';

/** How far a question goes: this process, the workers beside it, or all replicas with theirs. */
export const SCOPES = ['own', 'replica', 'all'] as const;
export type ReplicaScope = (typeof SCOPES)[number];

/** The admin port of another process, which may answer for its workers, too. */
export interface Neighbour {
  readonly url: string;
  /** What it is asked for. */
  readonly scope: Exclude<ReplicaScope, 'all'>;
}

/** A neighbour as it was met: itself first, then workers beside it. Never empty. */
export interface Met extends Neighbour {
  readonly states: readonly [ReplicaState, ...ReplicaState[]];
}

interface ReplicasOptions {
  /** Workers of this replica; this one may be among them. */
  readonly siblings: PeerAddresses;
  /** Other replicas; this one may be among them. */
  readonly peers: PeerAddresses;
  /** This process, as it is now. */
  readonly own: () => ReplicaState;
}

/** All replicas, by what their admin ports say. Nothing is remembered but which id an address had. */
export class Replicas {
  readonly #options: ReplicasOptions;
  readonly #idOf = new Map<string, string>();

  constructor(options: ReplicasOptions) {
    this.#options = options;
  }

  get own(): ReplicaState {
    return this.#options.own();
  }

  /** Those to be asked, without those that are known to be ourselves. */
  async neighbours(scope: ReplicaScope): Promise<Neighbour[]> {
    const [siblings, peers] = await Promise.all([this.#options.siblings.current(), this.#options.peers.current()]);
    const beside = scope === 'own' ? [] : siblings.map((url): Neighbour => ({ url, scope: 'own' }));
    const beyond =
      scope === 'all'
        ? peers.filter((url) => !siblings.includes(url)).map((url): Neighbour => ({ url, scope: 'replica' }))
        : [];
    this.#forgetAllBut([...siblings, ...peers]);
    return [...beside, ...beyond].filter(({ url }) => this.#idOf.get(url) !== this.own.id);
  }

  /** The neighbours, asked who they are. One that does not answer is there with the reason; each is there once. */
  async meet(scope: ReplicaScope, request: PeerRequest): Promise<Met[]> {
    const met = await Promise.all((await this.neighbours(scope)).map((one) => this.#meet(one, request)));
    const known = new Set([this.own.id]);
    return met.filter(({ states: [{ id }] }) => !known.has(id) && known.add(id));
  }

  /** @returns the base URL of the neighbour with this id, among the configured ones only */
  async find(id: string, request: PeerRequest): Promise<string | undefined> {
    const known = (await this.neighbours('all')).find(({ url }) => this.#idOf.get(url) === id);
    if (known !== undefined) return known.url;
    return (await this.meet('all', request)).find(({ states: [state] }) => state.up && state.id === id)?.url;
  }

  /** What a neighbour said of itself, as others see it. */
  seenAt(url: string, state: ReplicaState): ReplicaState {
    this.#idOf.set(url, state.id);
    return { ...state, address: url, own: false, up: true };
  }

  /** @param error why there is no answer */
  missing(url: string, error: unknown): ReplicaState {
    const reason = error instanceof PeerError ? error.message : 'it does not answer as a replica would';
    return { id: this.#idOf.get(url) ?? url, address: url, own: false, up: false, reason };
  }

  async #meet({ url, scope }: Neighbour, request: PeerRequest): Promise<Met> {
    try {
      const { replicas } = (await getJsonOfPeer(`${url}/api/replicas?scope=${scope}`, request)) as ReplicaList;
      const [own, ...beside] = replicas;
      if (typeof own?.id !== 'string') throw new PeerError('it does not answer as a replica would');
      return { url, scope, states: [this.seenAt(url, own), ...beside.map(behind)] };
    } catch (error) {
      return { url, scope, states: [this.missing(url, error)] };
    }
  }

  #forgetAllBut(urls: readonly string[]): void {
    for (const url of this.#idOf.keys()) {
      if (!urls.includes(url)) this.#idOf.delete(url);
    }
  }
}

/** A worker beside a neighbour: only that reaches it, under an address that says nothing here. */
export function behind({ address: _address, ...state }: ReplicaState): ReplicaState {
  return { ...state, own: false };
}
