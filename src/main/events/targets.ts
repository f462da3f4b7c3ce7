import { createHmac } from 'node:crypto';
import type { EventTarget } from '../../../config/schema-events.ts';
import type { Call } from '../../observe/call.ts';
import {
  type RecordSource,
  type RecordedEvent,
  cloudEvent,
  eventRecord,
} from '../../protocol/notifications/event-record.ts';
import { XML_PROLOG, encodeElements } from '../../protocol/xml/encode.ts';
import { type SecretSources, readSecret } from '../secrets.ts';

/** Longest time that a receiver has to take a message. */
const TIMEOUT_MS = 10_000;

/** Sends events to one receiver, in their order. */
export interface EventReceiver {
  /** Resolves when all are taken. @throws Error: not all, or perhaps not */
  send(events: readonly RecordedEvent[], source: RecordSource, call: Call): Promise<void>;
  /** Sends one message as it is. @throws Error: it was not taken */
  greet(message: string, call: Call): Promise<void>;
}

/** @param where path of the setting, for messages @throws StartError: a secret cannot be read */
export function openReceiver(target: EventTarget, where: string, sources: SecretSources): EventReceiver {
  const secret = (name: string, reference: { file: string | undefined; variable: string | undefined }) =>
    reference.file === undefined && reference.variable === undefined
      ? undefined
      : readSecret(reference, `${where}.${name}`, sources);
  switch (target.kind) {
    case 'webhook':
      return webhook(target.url, secret('secret', { file: target.secretFile, variable: target.secretEnv }));
    case 'cloudEvents': {
      const token = secret('token', { file: target.tokenFile, variable: target.tokenEnv });
      return cloudEvents(target.url, target.mode, token);
    }
    case 'azureQueue':
      return azureQueue(readSecret({ file: target.urlFile, variable: target.urlEnv }, `${where}.url`, sources));
  }
}

/** Signed as others sign webhooks: the time and the body, so that an old message cannot be sent again. */
function webhook(url: string, key: string | undefined): EventReceiver {
  const post = (body: string, call: Call): Promise<void> => {
    const time = Math.floor(Date.now() / 1000);
    const signature = key && createHmac('sha256', key).update(`${time}.${body}`).digest('hex');
    const signed = signature === undefined ? {} : { 'x-s3gw-signature': `t=${time},v1=${signature}` };
    return deliver(url, { body, headers: { 'content-type': 'application/json', ...signed } }, call);
  };
  return {
    send: (events, source, call) =>
      post(JSON.stringify({ Records: events.map((event) => eventRecord(event, source)) }), call),
    greet: post,
  };
}

/** https://github.com/cloudevents/spec/blob/main/cloudevents/bindings/http-protocol-binding.md */
function cloudEvents(url: string, mode: 'structured' | 'batch', token: string | undefined): EventReceiver {
  const post = (value: unknown, type: string, call: Call): Promise<void> => {
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const headers = { 'content-type': `application/${type}; charset=utf-8`, ...authorization };
    return deliver(url, { body: JSON.stringify(value), headers }, call);
  };
  return {
    async send(events, source, call) {
      const all = events.map((event) => cloudEvent(event, source));
      if (mode === 'batch') return post(all, 'cloudevents-batch+json', call);
      for (const one of all) await post(one, 'cloudevents+json', call);
    },
    async greet(message, call) {
      const { requestId } = call;
      const type = 'com.amazonaws.s3.TestEvent';
      const one = { specversion: '1.0', id: requestId, source: 'aws:s3', type, data: JSON.parse(message) as unknown };
      await (mode === 'batch' ? post([one], 'cloudevents-batch+json', call) : post(one, 'cloudevents+json', call));
    },
  };
}

/**
 * Put Message, in base64 as Event Grid and Functions have it.
 * https://learn.microsoft.com/rest/api/storageservices/put-message
 */
function azureQueue(queue: string): EventReceiver {
  const url = new URL(queue);
  url.pathname += '/messages';
  // Messages stay until they are taken.
  url.searchParams.set('messagettl', '-1');
  const put = (message: string, call: Call): Promise<void> => {
    const text = Buffer.from(message).toString('base64');
    const body = XML_PROLOG + encodeElements({ QueueMessage: { MessageText: text } });
    return deliver(
      url.href,
      { body, headers: { 'content-type': 'application/xml', 'x-ms-version': '2024-11-04' } },
      call,
    );
  };
  return {
    async send(events, source, call) {
      for (const event of events) await put(JSON.stringify({ Records: [eventRecord(event, source)] }), call);
    },
    greet: put,
  };
}

interface Message {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** @throws Error without the URL, which may hold a secret: anything but 2xx, in time */
async function deliver(url: string, { body, headers }: Message, call: Call): Promise<void> {
  const signal = AbortSignal.any([call.signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const response = await fetch(url, { method: 'POST', body, headers, redirect: 'manual', signal });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`the receiver answered ${response.status}`);
}
