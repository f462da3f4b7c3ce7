import { ReceiverNotReached } from '../../manifest/index.ts';
import type { Call } from '../../observe/call.ts';
import { defined } from '../../observe/defined.ts';
import { bridgeEvent } from '../../protocol/notifications/event-bridge.ts';
import { type RecordSource, type RecordedEvent, eventRecord } from '../../protocol/notifications/event-record.ts';
import { mapConcurrent } from '../../streams/map-concurrent.ts';

/** Longest time that a receiver has to take a message. */
const TIMEOUT_MS = 10_000;
/** Events of one send to a receiver that takes several in a request. */
export const MANY = 100;
/** Events of one send to a receiver that takes those of one key in a request: as many requests at once. */
export const KEYS_AT_ONCE = 16;

/** Whose form the JSON of messages has. */
export type MessageForm = 's3' | 'eventBridge';

/** Where events come from, and in which form they are sent. */
export interface EventOrigin extends RecordSource {
  readonly form: MessageForm;
}

/** A CloudEvent that is about no object, as its JSON has it. */
export interface NoticeEvent {
  readonly specversion: '1.0';
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly data: unknown;
  readonly [attribute: string]: unknown;
}

/** Sends events to one receiver, in their order. */
export interface EventReceiver {
  /** Most events of one `send`, which may take as long as one request. */
  atOnce(form: MessageForm): number;
  /** Resolves when all are taken. @throws Error: not all, or perhaps not */
  send(events: readonly RecordedEvent[], source: EventOrigin, call: Call): Promise<void>;
  /** Sends one message as it is. @throws Error: it was not taken */
  greet(message: string, call: Call): Promise<void>;
  /** Sends one CloudEvent; as the text of a message where the receiver takes other messages. @throws as `greet` */
  notify(event: NoticeEvent, call: Call): Promise<void>;
}

/** The JSON of a message that holds one event. */
export function messageOf(event: RecordedEvent, source: EventOrigin): string {
  return JSON.stringify(source.form === 's3' ? s3Records([event], source) : bridgeEvent(event, source));
}

/** S3's own form. */
export function s3Records(events: readonly RecordedEvent[], source: RecordSource): object {
  return { Records: events.map((event) => eventRecord(event, source)) };
}

/**
 * Sends the events of each key in a request of its own, in their order: for services that keep the order of what has
 * one name. @throws the first failure
 */
export async function sendByKey(
  events: readonly RecordedEvent[],
  send: (key: string, events: readonly RecordedEvent[]) => Promise<void>,
): Promise<void> {
  const byKey = [...Map.groupBy(events, ({ key }) => key)];
  await mapConcurrent(byKey, KEYS_AT_ONCE, ([key, own]) => send(key, own));
}

interface Message {
  readonly body: string;
  /** Undefined: not sent. */
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/** What the operator can do about a refusal. Services that are busy, or down, are tried again in any case. */
const ADVICE: Readonly<Record<number, string>> = {
  400: 'it does not understand the message: is the kind of the target right, and for Event Grid the schema of the topic?',
  401: 'it does not accept the key, token or signature of the target',
  403: 'the target may not send there, or its quota is used up',
  404: 'nothing of that name is there: check the address of the target',
  410: 'nothing of that name is there: check the address of the target',
  413: 'the message is too large for it',
  429: 'it wants to be sent less at a time',
};

/** Such as ECONNREFUSED or TimeoutError. TypeError: no request can be made of the URL and the headers. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { code } = (error.cause ?? {}) as NodeJS.ErrnoException;
  return code ?? error.name;
}

/**
 * One POST. @throws Error without the URL, its headers or the answer, which may hold a secret: anything but 2xx, in
 * time; ReceiverNotReached: no answer came in time
 */
export async function deliver(url: string, { body, headers }: Message, call: Call): Promise<void> {
  const signal = AbortSignal.any([call.signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const init = { method: 'POST', body, headers: defined(headers), redirect: 'manual', signal } as const;
  const response = await fetch(url, init).catch((error: unknown) => {
    call.signal.throwIfAborted();
    // Neither the error nor its cause goes on: they may quote the URL, or a header.
    throw new ReceiverNotReached(codeOf(error));
  });
  await response.body?.cancel();
  if (response.ok) return;
  const advice = ADVICE[response.status];
  throw new Error(`the receiver answered ${response.status}${advice === undefined ? '' : `: ${advice}`}`);
}
