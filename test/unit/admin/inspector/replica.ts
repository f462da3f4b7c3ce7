import { inspectorApi } from '../../../../src/admin/inspector/routes.ts';
import { type PeerAddresses, peerAddresses } from '../../../../src/admin/replicas/peer-addresses.ts';
import { Replicas } from '../../../../src/admin/replicas/replicas.ts';
import { parseEvents } from '../../../../src/admin/replicas/server-sent-events.ts';
import { type AdminPart, type AdminServer, startAdminServer } from '../../../../src/admin/server.ts';
import type { StoredParts } from '../../../../src/admin/inspector/bucket-routes.ts';
import type { EventsOverview } from '../../../../src/admin/overview/contract.ts';
import { Traffic } from '../../../../src/admin/overview/traffic.ts';
import { RequestJournal } from '../../../../src/admin/journal/journal.ts';
import { RequestObservers } from '../../../../src/observe/request-observers.ts';
import type { RequestFacts } from '../../../../src/observe/request-facts.ts';
import { OWNER } from '../../../support/manifest/manifest.ts';
import { testCall } from '../../../support/test-call.ts';
import { SILENT } from '../../../support/silent-log.ts';

interface Event {
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface ReplicaOptions {
  /** Parts in front of the inspector: a guard. */
  readonly parts?: readonly AdminPart[];
  /** What lies in the backend. */
  readonly stored?: Partial<Pick<StoredParts, 'buckets' | 'listing' | 'objects'>>;
  readonly traceUrlTemplate?: string;
  readonly maxBytes?: number;
  readonly port?: number;
  readonly events?: () => EventsOverview;
  /** Addresses of workers beside it. */
  readonly siblings?: () => readonly string[];
}

const NO_EVENTS: EventsOverview = { delivered: 0, failed: 0, dropped: 0, behind: [] };
const nothing = (): Promise<never> => Promise.reject(new Error('nothing that is stored is looked at here'));
const NOTHING_STORED = {
  buckets: { get: nothing, list: nothing },
  listing: { objects: nothing, versions: nothing, isEmpty: nothing },
  objects: { inspect: nothing },
};

/** The admin port of one replica in this process, whose requests are whatever a test says. */
export class TestReplica {
  readonly journal: RequestJournal;
  readonly observers: RequestObservers;
  readonly id: string;
  readonly url: string;
  readonly #server: AdminServer;
  readonly #readers = new AbortController();

  private constructor(
    id: string,
    { journal, observers }: { readonly journal: RequestJournal; readonly observers: RequestObservers },
    server: AdminServer,
  ) {
    this.id = id;
    this.journal = journal;
    this.observers = observers;
    this.#server = server;
    this.url = `http://127.0.0.1:${server.address.port}`;
  }

  /** @param peers asked when it comes to that: addresses of replicas are known once they run */
  static async start(
    id: string,
    peers: () => readonly string[] = () => [],
    options: ReplicaOptions = {},
  ): Promise<TestReplica> {
    const observers = new RequestObservers(SILENT);
    const running = new Set<RequestFacts>();
    observers.add({ begun: (facts) => void running.add(facts), ended: (facts) => void running.delete(facts) });
    const requests = { running: () => [...running], flush: () => observers.flush() };
    const journal = new RequestJournal({ maxBytes: options.maxBytes ?? 1024 * 1024, slowMs: 1000, requests });
    const traffic = new Traffic({ slowMs: 1000 });
    observers.add(journal);
    observers.add(traffic);
    const addresses = (urls: () => readonly string[]): PeerAddresses => ({
      current: () => peerAddresses({ urls: urls(), refreshMs: 1000 }).current(),
    });
    const siblings = addresses(options.siblings ?? (() => []));
    const replicas = new Replicas({
      siblings,
      peers: addresses(peers),
      own: () => ({ id, own: true, up: true, started: 1, version: '1.0.0', ...journal.stats, connections: [] }),
    });
    const api = inspectorApi({
      journal,
      overviews: { traffic, events: options.events ?? (() => NO_EVENTS), flush: () => observers.flush() },
      replicas,
      ...NOTHING_STORED,
      ...options.stored,
      accountNameOf: (id) => (id === OWNER ? 'main' : id),
      newCall: testCall,
      version: '1.0.0',
      traceUrlTemplate: options.traceUrlTemplate,
      isOwnHost: (host) => host === 'localhost',
    });
    return new TestReplica(
      id,
      { journal, observers },
      await startAdminServer({
        log: SILENT,
        host: '127.0.0.1',
        port: options.port ?? 0,
        parts: [...(options.parts ?? []), api],
      }),
    );
  }

  serve(facts: RequestFacts): string {
    const { ended } = facts;
    facts.ended = undefined;
    this.observers.begun(facts);
    facts.ended = ended;
    this.observers.ended(facts);
    return facts.head.requestId;
  }

  async get(
    path: string,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; body: unknown; headers: Headers }> {
    const response = await fetch(this.url + path, { headers });
    return { status: response.status, body: await response.json(), headers: response.headers };
  }

  /** The events of a stream, as they come; the stream ends with the replica. */
  async *events(path: string, headers: Record<string, string> = {}): AsyncGenerator<Event, void> {
    const response = await fetch(this.url + path, { headers, signal: this.#readers.signal });
    if (response.body === null || !response.ok) throw new Error(`the stream was answered ${response.status}`);
    for await (const { event, data } of parseEvents(response.body as AsyncIterable<Uint8Array>)) {
      yield { event, data: JSON.parse(data) as Event['data'] };
    }
  }

  async close(): Promise<void> {
    this.#readers.abort();
    await this.#server.close();
  }
}

/** Reads on until an event is of this kind. */
export async function until(events: AsyncGenerator<Event, void>, wanted: (event: Event) => boolean): Promise<Event> {
  for (;;) {
    const { value, done } = await events.next();
    if (done === true) throw new Error('the stream ended before the event came');
    if (wanted(value)) return value;
  }
}
