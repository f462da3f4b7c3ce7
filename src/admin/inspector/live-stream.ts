import { Readable } from 'node:stream';
import { EventQueue } from '../../observe/journal/event-queue.ts';
import { formatEvent } from '../replicas/server-sent-events.ts';
import type { StreamEvents } from './contract.ts';

/** How often a replica tells of itself, so that neither side takes the other for gone. */
const HEARTBEAT_MS = 15_000;

export type Send = <Name extends keyof StreamEvents>(name: Name, data: StreamEvents[Name]) => void;

/** Begins to send events, and says how to stop. Called once, when the stream is opened. */
export type EventSource = (send: Send, signal: AbortSignal) => void;

export interface LiveStreamOptions {
  readonly replica: string;
  readonly source: EventSource;
  /** Called at once and then again and again. */
  readonly heartbeat: (send: Send) => void;
}

/** The body of an event stream. A reader that does not keep up loses events, and is told how many. */
export function liveStream({ replica, source, heartbeat }: LiveStreamOptions): Readable {
  const queue = new EventQueue();
  const ended = new AbortController();
  const send: Send = (name, data) => queue.push(formatEvent(name, data));
  const stream: Readable = new Readable({
    highWaterMark: 64 * 1024,
    read() {
      const taken = queue.take();
      if (taken === undefined) {
        queue.onPush(() => this._read(0));
        return;
      }
      const lost = taken.lost === 0 ? '' : formatEvent('lost', { replica, count: taken.lost } satisfies StreamEvents['lost']);
      this.push(lost + taken.texts.join(''));
    },
    destroy(error, done) {
      ended.abort();
      done(error);
    },
  });
  const timer = setInterval(() => heartbeat(send), HEARTBEAT_MS);
  ended.signal.addEventListener('abort', () => clearInterval(timer));
  heartbeat(send);
  source(send, ended.signal);
  return stream;
}
