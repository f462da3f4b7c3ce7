import { Readable } from 'node:stream';
import { EventQueue } from '../journal/event-queue.ts';
import { formatEvent } from '../replicas/server-sent-events.ts';
import type { StreamEvents } from './contract.ts';

/** How often a replica tells of itself, so that neither side takes the other for gone. */
const HEARTBEAT_MS = 15_000;

export type Send = <Name extends keyof StreamEvents>(name: Name, data: StreamEvents[Name]) => void;

/** Sends what was written already, for whomever. */
type SendWritten = (event: Buffer) => void;

/** Begins to send events, and says how to stop. Called once, when the stream is opened. */
export type EventSource = (send: Send, signal: AbortSignal, sendWritten: SendWritten) => void;

/** How long events wait for others that go out with them: each write costs more than the events in it. */
const TOGETHER_MS = 50;

export function writeEvent<Name extends keyof StreamEvents>(name: Name, data: StreamEvents[Name]): Buffer {
  return Buffer.from(formatEvent(name, data));
}

/** How many events a reader misses with one: the state of a replica is told again, and counts stand for several. */
function tellsOf(data: StreamEvents[keyof StreamEvents]): number {
  if ('count' in data) return data.count;
  return 'href' in data ? 1 : 0;
}

interface LiveStreamOptions {
  readonly replica: string;
  readonly source: EventSource;
  /** Called at once and then again and again. */
  readonly heartbeat: (send: Send) => void;
}

/** The body of an event stream. A reader that does not keep up loses events, and is told how many. */
export function liveStream({ replica, source, heartbeat }: LiveStreamOptions): Readable {
  const queue = new EventQueue();
  const ended = new AbortController();
  const send: Send = (name, data) => queue.push(writeEvent(name, data), tellsOf(data));
  const stream: Readable = new Readable({
    highWaterMark: 64 * 1024,
    read() {
      const taken = queue.take();
      if (taken === undefined) {
        queue.onPush(() =>
          setTimeout(() => {
            if (!this.destroyed) this._read(0);
          }, TOGETHER_MS),
        );
        return;
      }
      const lost = taken.lost === 0 ? [] : [writeEvent('lost', { replica, count: taken.lost })];
      this.push(Buffer.concat([...lost, ...taken.events]));
    },
    destroy(error, done) {
      ended.abort();
      done(error);
    },
  });
  const timer = setInterval(() => heartbeat(send), HEARTBEAT_MS);
  ended.signal.addEventListener('abort', () => clearInterval(timer));
  heartbeat(send);
  source(send, ended.signal, (event) => queue.push(event));
  return stream;
}
