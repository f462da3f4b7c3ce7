import { request as httpRequest } from 'node:http';
import type { Agent, IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

interface Passing {
  readonly backend: URL;
  readonly agent: Agent;
  /** Raw. */
  readonly target: string;
  /** Names and values in turn, as they came. */
  readonly headers: readonly string[];
  /** Absent: the request's own body, as it comes. */
  readonly body?: Buffer;
}

/** Sends a request to the backend; a client that breaks off breaks this off, too. Rejects when no answer comes. */
export function passOn(
  request: IncomingMessage,
  { backend, agent, target, headers, body }: Passing,
): Promise<IncomingMessage> {
  const onward = httpRequest({
    host: backend.hostname,
    port: backend.port,
    agent,
    method: request.method,
    path: target,
    headers: [...headers],
  });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    onward.once('response', resolve).on('error', reject);
  });
  // An answer may come before the body has gone, and then decides; else the failure is an event of `onward`, too.
  pipeline(body === undefined ? request : Readable.from([body]), onward).catch(() => undefined);
  return answered;
}
