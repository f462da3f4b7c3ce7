import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isObject, type Json, parseJson } from './resource.ts';
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

interface Selection {
  readonly [field: string]: Selection | 'all';
}

/**
 * What `fields` leaves of an answer (https://cloud.google.com/storage/docs/json_api#partial-response): `a,b(c,d),e/f`.
 */
export function partial(value: unknown, fields: string | null): unknown {
  return fields === null || fields === '*' ? value : select(value, parseSelection(fields));
}

function select(value: unknown, selection: Selection | 'all'): unknown {
  if (selection === 'all') return value;
  if (Array.isArray(value)) return value.map((item: unknown) => select(item, selection));
  if (!isObject(value)) return value;
  const kept = Object.entries(selection).filter(([field]) => value[field] !== undefined);
  return Object.fromEntries(kept.map(([field, inner]) => [field, select(value[field], inner)]));
}

function parseSelection(text: string): Selection {
  const selection: Record<string, Selection | 'all'> = {};
  for (const item of topLevel(text)) {
    const match = /^(\w+)(?:\((.*)\)|\/(.+))?$/s.exec(item.trim());
    const [, name, group, path] = match ?? [];
    if (name === undefined) continue;
    const inner = group ?? path;
    selection[name] = inner === undefined ? 'all' : parseSelection(inner);
  }
  return selection;
}

function topLevel(text: string): string[] {
  const items: string[] = [];
  let [depth, start] = [0, 0];
  for (let i = 0; i <= text.length; i += 1) {
    const character = text[i];
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (character !== undefined && (character !== ',' || depth > 0)) continue;
    items.push(text.slice(start, i));
    start = i + 1;
  }
  return items;
}
