import { randomBytes } from 'node:crypto';
import type { Answer, Exchange } from './exchange.ts';
import { checkBeforeChange, preconditionsOf } from './preconditions.ts';
import { Refusal, invalid } from './refusal.ts';
import type { Json } from './resource.ts';
import { EMPTY, Rope } from './rope.ts';
import { checkObjectName } from './rules.ts';
import type { DoubleState } from './state.ts';
import { store } from './store-object.ts';

/**
 * https://cloud.google.com/storage/docs/performing-resumable-uploads: all chunks but the last are multiples of this.
 */
const CHUNK_UNIT = 256 * 1024;

interface Session {
  readonly bucket: string;
  readonly query: URLSearchParams;
  readonly resource: Json;
  received: Rope;
  /** Answer of the upload, once it is complete. */
  done?: Answer;
}

const sessions = new WeakMap<DoubleState, Map<string, Session>>();

function sessionsOf(state: DoubleState): Map<string, Session> {
  const found = sessions.get(state) ?? new Map<string, Session>();
  sessions.set(state, found);
  return found;
}

/** Conditions are judged at the start and once more at the end, when the object would come into being. */
export async function startResumable(exchange: Exchange): Promise<Answer> {
  const { state, query, headers, origin } = exchange;
  const described = await exchange.json();
  const name = described['name'] ?? query.get('name') ?? '';
  if (typeof name !== 'string') throw invalid('Required parameter: name');
  checkObjectName(name);
  checkBeforeChange(state.bucket(exchange.bucket).objects.get(name), preconditionsOf(query));
  const type = headers['x-upload-content-type'];
  const id = randomBytes(24).toString('base64url');
  const resource = { ...(typeof type === 'string' && { contentType: type }), ...described, name };
  sessionsOf(state).set(id, { bucket: exchange.bucket, query, resource, received: EMPTY });
  const location = `${origin}/upload/storage/v1/b/${encodeURIComponent(exchange.bucket)}/o?uploadType=resumable&upload_id=${id}`;
  return { status: 200, headers: { location, 'x-guploader-uploadid': id } };
}

/** A chunk, or a question (`bytes *` + `/` + total or `*`) how far the upload has come. */
export async function continueResumable(exchange: Exchange): Promise<Answer> {
  const session = sessionOf(exchange);
  const body = await exchange.body();
  if (session.done !== undefined) return session.done;
  const { first, total, open } = contentRange(exchange.headers['content-range'] ?? 'bytes 0-*/*');
  const end = first === undefined ? undefined : first + body.size;
  const size = open ? end : total;
  if (first !== undefined && end !== undefined) take(session, body, { first, end, isLast: end === size });
  if (size === undefined || session.received.size < size) return incomplete(session);
  session.done = store(
    { ...exchange, bucket: session.bucket, query: session.query },
    session.resource,
    session.received,
  );
  return session.done;
}

/** 499 answers a cancelled upload; what is asked of it later is not found. */
export function cancelResumable(exchange: Exchange): Answer {
  sessionOf(exchange);
  sessionsOf(exchange.state).delete(exchange.query.get('upload_id') ?? '');
  return { status: 499 };
}

function sessionOf({ state, query }: Exchange): Session {
  const session = sessionsOf(state).get(query.get('upload_id') ?? '');
  if (session === undefined) throw new Refusal(404, 'notFound', 'No such upload session.');
  return session;
}

interface ContentRange {
  /** Absent in a question. */
  readonly first: number | undefined;
  /** Absent while the client does not know it. */
  readonly total: number | undefined;
  /** The body goes on to the end of the upload, wherever that is. */
  readonly open: boolean;
}

/** `bytes 0-99/100`, `bytes 0-99/*`, `bytes 0-*` + `/*` for all that comes, `bytes *` + `/100`. @throws Refusal 400 */
function contentRange(header: string): ContentRange {
  const [, first, last, total] = /^bytes (?:(\d+)-(\d+|\*)|\*)\/(\d+|\*)$/.exec(header) ?? [];
  if (total === undefined) throw invalid('Invalid Content-Range');
  return {
    first: first === undefined ? undefined : Number(first),
    total: total === '*' ? undefined : Number(total),
    open: last === '*' && total === '*',
  };
}

interface Chunk {
  readonly first: number;
  /** Exclusive. */
  readonly end: number;
  readonly isLast: boolean;
}

/**
 * Bytes that are there already are skipped; a gap is refused; of a chunk that is no multiple of the unit only whole
 * units stay.
 */
function take(session: Session, body: Rope, { first, end, isLast }: Chunk): void {
  const have = session.received.size;
  if (first > have) throw new Refusal(503, 'backendError', 'The chunk does not begin where the one before ended.');
  const kept = isLast ? end : Math.floor(end / CHUNK_UNIT) * CHUNK_UNIT;
  if (kept > have) session.received = Rope.join([session.received, body.slice(have - first, kept - first)]);
}

function incomplete({ received }: Session): Answer {
  return { status: 308, ...(received.size > 0 && { headers: { range: `bytes=0-${received.size - 1}` } }) };
}
