import { createHmac } from 'node:crypto';
import type { Call } from '../../observe/call.ts';
import { cloudEvent } from '../../protocol/notifications/event-record.ts';
import { type EventReceiver, MANY, deliver, messageOf, s3Records } from './receiver.ts';

/** Signed as others sign webhooks: the time and the body, so that an old message cannot be sent again. */
export function webhook(url: string, key: string | undefined): EventReceiver {
  const post = (body: string, call: Call): Promise<void> => {
    const time = Math.floor(Date.now() / 1000);
    const signature = key && createHmac('sha256', key).update(`${time}.${body}`).digest('hex');
    const signed = signature && `t=${time},v1=${signature}`;
    return deliver(url, { body, headers: { 'content-type': 'application/json', 'x-s3gw-signature': signed } }, call);
  };
  return {
    atOnce: (form) => (form === 's3' ? MANY : 1),
    async send(events, source, call) {
      if (source.form === 's3') return post(JSON.stringify(s3Records(events, source)), call);
      for (const event of events) await post(messageOf(event, source), call);
    },
    greet: post,
    notify: (event, call) => post(JSON.stringify(event), call),
  };
}

/** https://github.com/cloudevents/spec/blob/main/cloudevents/bindings/http-protocol-binding.md */
export function cloudEvents(url: string, mode: 'structured' | 'batch', token: string | undefined): EventReceiver {
  const authorization = token === undefined ? undefined : `Bearer ${token}`;
  const post = (value: unknown, type: string, call: Call): Promise<void> => {
    const headers = { 'content-type': `application/${type}; charset=utf-8`, authorization };
    return deliver(url, { body: JSON.stringify(value), headers }, call);
  };
  const postAll = async (all: readonly object[], call: Call): Promise<void> => {
    if (mode === 'batch') return post(all, 'cloudevents-batch+json', call);
    for (const one of all) await post(one, 'cloudevents+json', call);
  };
  return {
    atOnce: () => (mode === 'batch' ? MANY : 1),
    send: (events, source, call) =>
      postAll(
        events.map((event) => cloudEvent(event, source)),
        call,
      ),
    greet: (message, call) => postAll([greetingEvent(message, call)], call),
    notify: (event, call) => postAll([event], call),
  };
}

/** The message by which a target is tried, as a CloudEvent. */
export function greetingEvent(message: string, { requestId }: Call): object {
  const data = JSON.parse(message) as { readonly Time?: string };
  const { Time: time } = data;
  const about = { id: requestId, source: 'aws:s3', type: 'com.amazonaws.s3.TestEvent', time };
  return { specversion: '1.0', ...about, datacontenttype: 'application/json', data };
}
