import type { Call } from '../../observe/call.ts';
import { nameWithin } from './azure-targets.ts';
import { type EventReceiver, KEYS_AT_ONCE, deliver, messageOf, sendByKey } from './receiver.ts';

/** The service's limit of ordering keys, bytes. */
const MAX_ORDERING_KEY = 1024;

interface Topic {
  /** `projects/<project>/topics/<topic>`. */
  readonly topic: string;
  /** Scheme and host. */
  readonly endpoint: string;
}

/**
 * Messages of a topic of Pub/Sub. All of one request must have one ordering key, so those of one key go in one. The
 * attributes are for filters of subscriptions.
 * https://cloud.google.com/pubsub/docs/reference/rest/v1/projects.topics/publish
 * https://cloud.google.com/pubsub/docs/ordering
 * @param authorization undefined for an emulator
 */
export function pubSub(
  { topic, endpoint }: Topic,
  authorization: () => string | Promise<string> | undefined,
): EventReceiver {
  const url = new URL(`/v1/${topic}:publish`, endpoint).href;
  const publish = async (messages: readonly object[], call: Call): Promise<void> => {
    const headers = { 'content-type': 'application/json', authorization: await authorization() };
    await deliver(url, { body: JSON.stringify({ messages }), headers }, call);
  };
  const dataOf = (text: string): string => Buffer.from(text).toString('base64');
  return {
    atOnce: () => KEYS_AT_ONCE,
    send: (events, source, call) =>
      sendByKey(events, (key, own) => {
        const { bucket } = source;
        const orderingKey = nameWithin(MAX_ORDERING_KEY, `${bucket}/${key}`);
        const messages = own.map((event) => ({
          data: dataOf(messageOf(event, source)),
          attributes: { eventName: event.name, bucket, key },
          orderingKey,
        }));
        return publish(messages, call);
      }),
    greet: (message, call) => publish([{ data: dataOf(message), attributes: { eventName: 's3:TestEvent' } }], call),
    notify: (event, call) =>
      publish([{ data: dataOf(JSON.stringify(event)), attributes: { eventName: event.type } }], call),
  };
}
