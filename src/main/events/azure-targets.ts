import { createHash, createHmac } from 'node:crypto';
import type { Call } from '../../observe/call.ts';
import { type RecordedEvent, cloudEvent, eventId } from '../../protocol/notifications/event-record.ts';
import { XML_PROLOG, encodeElements } from '../../protocol/xml/encode.ts';
import { greetingEvent } from './http-targets.ts';
import { type EventReceiver, KEYS_AT_ONCE, deliver, messageOf, sendByKey } from './receiver.ts';

/** Makes a value of `Authorization`. */
export type Authorization = () => string | Promise<string>;

/**
 * Put Message, in base64 as Event Grid and Functions have it.
 * https://learn.microsoft.com/rest/api/storageservices/put-message
 */
export function azureQueue(queue: string): EventReceiver {
  const url = new URL(queue);
  url.pathname += '/messages';
  // Messages stay until they are taken.
  url.searchParams.set('messagettl', '-1');
  const put = (message: string, call: Call): Promise<void> => {
    const text = Buffer.from(message).toString('base64');
    const body = XML_PROLOG + encodeElements({ QueueMessage: { MessageText: text } });
    const headers = { 'content-type': 'application/xml', 'x-ms-version': '2024-11-04' };
    return deliver(url.href, { body, headers }, call);
  };
  return {
    atOnce: () => 1,
    async send(events, source, call) {
      for (const event of events) await put(messageOf(event, source), call);
    },
    greet: put,
    notify: (event, call) => put(JSON.stringify(event), call),
  };
}

/** How a topic of Event Grid is sent to. */
type EventGridAccess = { readonly key: string } | { readonly authorization: Authorization };

/** Events of one batch: below the megabyte that the service takes, also with the longest keys. */
const EVENTS_OF_GRID = 64;

/**
 * A batch to a custom topic of the schema CloudEvents.
 * https://learn.microsoft.com/azure/event-grid/post-to-custom-topic
 * https://learn.microsoft.com/azure/event-grid/authenticate-with-microsoft-entra-id
 */
export function eventGrid(topic: string, access: EventGridAccess): EventReceiver {
  const url = new URL(topic);
  url.searchParams.set('api-version', '2018-01-01');
  const post = async (all: readonly object[], call: Call): Promise<void> => {
    const proof = 'key' in access ? { 'aeg-sas-key': access.key } : { authorization: await access.authorization() };
    const headers = { 'content-type': 'application/cloudevents-batch+json; charset=utf-8', ...proof };
    await deliver(url.href, { body: JSON.stringify(all), headers }, call);
  };
  return {
    atOnce: () => EVENTS_OF_GRID,
    send: (events, source, call) =>
      post(
        events.map((event) => cloudEvent(event, source)),
        call,
      ),
    greet: (message, call) => post([greetingEvent(message, call)], call),
    notify: (event, call) => post([event], call),
  };
}

/** The service's limit of names of sessions and messages, characters. */
const MAX_ID = 128;

/**
 * Messages of a queue or topic of Service Bus, those of one key in a batch and in one session. 16 events are below the
 * 256 KB that the service takes, also with the longest keys. The id of a message is that of the event and of what asked
 * for it: a queue that detects duplicates drops repetitions, and not what a second configuration sends there.
 * https://learn.microsoft.com/rest/api/servicebus/send-message-batch
 */
export function serviceBus(entity: string, authorization: Authorization): EventReceiver {
  const url = `${entity.replace(/\/+$/, '')}/messages`;
  const post = async (messages: readonly object[], call: Call): Promise<void> => {
    const type = 'application/vnd.microsoft.servicebus.json';
    const headers = { 'content-type': type, authorization: await authorization() };
    await deliver(url, { body: JSON.stringify(messages), headers }, call);
  };
  const message = (body: string, label: string, { SessionId, MessageId }: MessageNames): object => ({
    Body: body,
    BrokerProperties: { SessionId, MessageId, Label: label, ContentType: 'application/json' },
  });
  return {
    atOnce: () => KEYS_AT_ONCE,
    send: (events, source, call) =>
      sendByKey(events, (key, own) => {
        const SessionId = nameWithin(MAX_ID, `${source.bucket}/${key}`);
        const ids = (event: RecordedEvent): MessageNames => {
          const id = `${eventId(event)}.${source.ruleId}.${source.form}`;
          return { SessionId, MessageId: nameWithin(MAX_ID, id) };
        };
        return post(
          own.map((event) => message(messageOf(event, source), event.name, ids(event))),
          call,
        );
      }),
    greet: (text, call) =>
      post([message(text, 's3:TestEvent', { SessionId: 's3:TestEvent', MessageId: call.requestId })], call),
    notify: (event, call) => {
      const { type, id } = event;
      return post([message(JSON.stringify(event), type, { SessionId: type, MessageId: nameWithin(MAX_ID, id) })], call);
    },
  };
}

interface MessageNames {
  readonly SessionId: string;
  readonly MessageId: string;
}

/** The name, or if it is too long for a service, what stands for it. @param most bytes */
export function nameWithin(most: number, name: string): string {
  return Buffer.byteLength(name) <= most ? name : createHash('sha256').update(name).digest('hex');
}

/** How long a signature is good for, and how long before its end a new one is made. Seconds. */
const SIGNED_FOR = 3600;
const RENEWED_AHEAD = 600;

/**
 * Signatures by the key of a shared access policy, for an entity and all below it.
 * https://learn.microsoft.com/rest/api/eventhub/generate-sas-token
 * @param now milliseconds since the epoch
 */
export function sharedAccess(
  entity: string,
  { keyName, key }: { readonly keyName: string; readonly key: string },
  now: () => number = Date.now,
): Authorization {
  let signed = { until: 0, header: '' };
  return () => {
    const time = Math.floor(now() / 1000);
    if (signed.until - RENEWED_AHEAD <= time) {
      const until = time + SIGNED_FOR;
      const resource = encodeURIComponent(entity.replace(/\/+$/, ''));
      const signature = createHmac('sha256', key).update(`${resource}\n${until}`).digest('base64');
      const fields = [`sr=${resource}`, `sig=${encodeURIComponent(signature)}`, `se=${until}`];
      signed = { until, header: `SharedAccessSignature ${fields.join('&')}&skn=${encodeURIComponent(keyName)}` };
    }
    return signed.header;
  };
}
