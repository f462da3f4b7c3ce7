import type { ReplicaList, ReplicaState } from '../inspector/contract.ts';
import type { PeerAddresses } from './peer-addresses.ts';
import { PeerError, type PeerRequest, getJson } from './peer-client.ts';

/** Another replica, as it was met last. */
export interface Peer {
  /** Base URL of its admin port. */
  readonly url: string;
  readonly state: ReplicaState;
}

export interface ReplicasOptions {
  readonly addresses: PeerAddresses;
  /** This replica, as it is now. */
  readonly own: () => ReplicaState;
}

/** All replicas, by what their admin ports say. Nothing is remembered but which id an address had. */
export class Replicas {
  readonly #addresses: PeerAddresses;
  readonly #own: () => ReplicaState;
  readonly #idOf = new Map<string, string>();

  constructor({ addresses, own }: ReplicasOptions) {
    this.#addresses = addresses;
    this.#own = own;
  }

  get own(): ReplicaState {
    return this.#own();
  }

  /** The others, asked anew. One that does not answer is there with the reason; the own address is left out. */
  async peers(request: PeerRequest): Promise<Peer[]> {
    const urls = await this.#addresses.current();
    for (const url of this.#idOf.keys()) {
      if (!urls.includes(url)) this.#idOf.delete(url);
    }
    const peers = await Promise.all(urls.map((url) => this.#meet(url, request)));
    const own = this.#own().id;
    return peers.filter(({ state }) => state.id !== own);
  }

  /** Base URLs of the others, as far as they are known not to be our own. */
  async urls(): Promise<readonly string[]> {
    const own = this.#own().id;
    return (await this.#addresses.current()).filter((url) => this.#idOf.get(url) !== own);
  }

  /** @returns the base URL of the replica with this id, among the configured ones only */
  async find(id: string, request: PeerRequest): Promise<string | undefined> {
    const urls = await this.#addresses.current();
    const known = urls.find((url) => this.#idOf.get(url) === id);
    if (known !== undefined) return known;
    return (await this.peers(request)).find(({ state }) => state.up && state.id === id)?.url;
  }

  /** What a replica said of itself, as others see it. */
  seenAt(url: string, state: ReplicaState): ReplicaState {
    this.#idOf.set(url, state.id);
    return { ...state, address: url, own: false, up: true };
  }

  /** @param error why there is no answer */
  missing(url: string, error: unknown): ReplicaState {
    const reason = error instanceof PeerError ? error.message : 'it does not answer as a replica would';
    return { id: this.#idOf.get(url) ?? url, address: url, own: false, up: false, reason };
  }

  async #meet(url: string, request: PeerRequest): Promise<Peer> {
    try {
      const { replicas } = await getJson(`${url}/api/replicas?scope=own`, request) as ReplicaList;
      const [state] = replicas;
      if (state === undefined || typeof state.id !== 'string') throw new PeerError('it does not answer as a replica would');
      return { url, state: this.seenAt(url, state) };
    } catch (error) {
      return { url, state: this.missing(url, error) };
    }
  }
}
