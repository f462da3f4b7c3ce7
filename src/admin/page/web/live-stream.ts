import type { StreamEvents } from '../../inspector/contract.ts';
import { ApiFailure, apiUrl, getJson } from './api.ts';
import { type Filter, writeFilter } from './filter.ts';

/** Of the kept requests, so many come first. */
const RECENT = 300;
/** Of how many requests a second the list tells at most: more cannot be read, and keep the browser busy. */
export const MOST_A_SECOND = 100;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;

export type Connection = 'connecting' | 'live' | 'broken';

/** What is done with each event. */
type EventHandlers = { readonly [Name in keyof StreamEvents]: (data: StreamEvents[Name]) => void };

interface ConnectionHandlers {
  readonly connection: (state: Connection) => void;
  /** A connection was made, the first or another one: kept requests come again. */
  readonly opened: () => void;
  /** The server asks for a token; the stream is closed. */
  readonly refused: () => void;
}

/** The server-sent events of all replicas that fit a filter; connects again by itself until closed. */
export class LiveStream {
  readonly #filter: Filter;
  readonly #handlers: ConnectionHandlers;
  readonly #events: EventHandlers;
  readonly #closed = new AbortController();
  #source: EventSource | undefined;
  #pauseMs = FIRST_PAUSE_MS;

  constructor(filter: Filter, handlers: ConnectionHandlers, events: EventHandlers) {
    this.#filter = filter;
    this.#handlers = handlers;
    this.#events = events;
    this.#open();
  }

  close(): void {
    this.#closed.abort();
    this.#source?.close();
  }

  #open(): void {
    const parameters = writeFilter(this.#filter);
    parameters.set('scope', 'all');
    parameters.set('recent', String(RECENT));
    parameters.set('rate', String(MOST_A_SECOND));
    const source = new EventSource(apiUrl('/api/requests/stream', parameters));
    this.#source = source;
    this.#handlers.connection('connecting');
    source.addEventListener('open', () => {
      this.#pauseMs = FIRST_PAUSE_MS;
      this.#handlers.opened();
      this.#handlers.connection('live');
    });
    source.addEventListener('error', () => void this.#retry(source));
    this.#listen(source);
  }

  #listen(source: EventSource): void {
    const on = (name: keyof StreamEvents, handle: (data: unknown) => void): void =>
      source.addEventListener(name, (event: MessageEvent<string>) => handle(JSON.parse(event.data)));
    on('replica', (data) => this.#events.replica(data as StreamEvents['replica']));
    on('started', (data) => this.#events.started(data as StreamEvents['started']));
    on('finished', (data) => this.#events.finished(data as StreamEvents['finished']));
    on('lost', (data) => this.#events.lost(data as StreamEvents['lost']));
    on('leftOut', (data) => this.#events.leftOut(data as StreamEvents['leftOut']));
  }

  /** An EventSource does not tell why it failed: another route of the same server does. */
  async #retry(source: EventSource): Promise<void> {
    source.close();
    if (this.#closed.signal.aborted || source !== this.#source) return;
    this.#handlers.connection('broken');
    try {
      await getJson('/api/replicas', this.#closed.signal);
    } catch (error) {
      if (error instanceof ApiFailure && error.status === 401) {
        this.#handlers.refused();
        return;
      }
    }
    const pause = this.#pauseMs;
    this.#pauseMs = Math.min(LONGEST_PAUSE_MS, pause * 2);
    setTimeout(() => {
      if (!this.#closed.signal.aborted && source === this.#source) this.#open();
    }, pause);
  }
}
