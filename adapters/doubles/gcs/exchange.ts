import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Json } from './resource.ts';
import { parseJson } from './resource.ts';
import { Rope } from './rope.ts';
import type { DoubleState } from './state.ts';

/** A request with its path taken apart. */
export interface Exchange {
  readonly state: DoubleState;
  readonly method: string;
  /** Percent-decoded parameters of the route. */
  readonly bucket: string;
  readonly object: string;
  readonly targetBucket: string;
  readonly targetObject: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** Scheme and host under which the double was asked. */
  readonly origin: string;
  /** All of the body; rejects when the client breaks off, so that nothing of it is stored. */
  readonly body: () => Promise<Rope>;
  /** @throws Refusal 400 */
  readonly json: () => Promise<Json>;
}

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** An object goes out as JSON, less what `fields` leaves out. */
  readonly body?: Rope | Json;
  /** The answer names no length. */
  readonly openEnded?: true;
}

export type Handler = (exchange: Exchange) => Promise<Answer> | Answer;

export function ok(body: Json): Answer {
  return { status: 200, body };
}

/** Small chunks are cut out of the large buffers that they were read into, which would be kept otherwise. */
export async function readBody(request: IncomingMessage): Promise<Rope> {
  const pieces: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) {
    pieces.push(chunk.length * 2 < chunk.buffer.byteLength ? Buffer.from(chunk) : chunk);
  }
  if (!request.complete) throw new Error('the client broke off');
  return new Rope(pieces);
}

export async function readJson(body: () => Promise<Rope>): Promise<Json> {
  return parseJson((await body()).bytes().toString('utf8'));
}
