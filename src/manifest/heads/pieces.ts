import { finished } from 'node:stream/promises';
import type { Call } from '../../observe/call.ts';
import type { CustomerKey } from '../../store/customer-key.ts';
import { pagesOf } from '../../store/pages.ts';
import { type ByteSource, JoinedSource, type UploadBody, bodySize } from '../../streams/bytes.ts';
import { splitBody } from '../../streams/split-body.ts';
import type { Piece } from '../records/encryption.ts';
import type { KeyRef } from '../records/key-ref.ts';
import { newPieceId, pieceNote, pieceRef, piecesOfToken, restoredId } from '../records/piece-names.ts';
import { type DeletionRecord, RECORD_NAME, encodeRecord } from '../records/record.ts';
import { isRestored } from '../records/restore.ts';
import { timeOf } from '../records/time.ts';
import { requireKey } from './customer-keys.ts';
import type { Keeping } from './keep-apart.ts';
import type { AnyBody, OpenRequest } from './object-requests.ts';
import type { ObjectView } from '../records/object-view.ts';

const EMPTY = new Uint8Array(0);

interface NewPieces {
  /** What the names of the pieces begin with: an upload's own, or one that was never used. */
  readonly token: string;
  readonly body: AnyBody;
  readonly keeping: Keeping;
  /** Hex MD5 of the body, known before its first byte. */
  readonly md5?: string | undefined;
}

/**
 * Stores a body apart from its record, as pieces that no record names yet: one, unless it is too large for one write
 * or its length shows at its end only. What a failure leaves is the sweeper's.
 */
export async function writePieces(place: KeyRef, target: NewPieces, call: Call): Promise<WrittenPieces> {
  const { body } = target;
  await leaveNote(place, target.token, call);
  if (!('rest' in body)) return writeBody(place, { ...target, body }, call);
  const start = await writeBody(place, { ...target, body: body.start, md5: undefined }, call);
  const rest = await body.rest;
  const end = await writeBody(place, { ...target, body: rest, md5: undefined }, call);
  return { pieces: [...start.pieces, ...end.pieces], ...(rest.byteLength === 0 && { md5: start.md5 }) };
}

interface WrittenPieces {
  readonly pieces: readonly Piece[];
  /** Hex MD5 of all bytes, where the service told it. */
  readonly md5?: string | undefined;
}

async function writeBody(
  place: KeyRef,
  { token, body, keeping, md5 }: NewPieces & { readonly body: UploadBody },
  call: Call,
): Promise<WrittenPieces> {
  const { store } = place.bucket.home;
  const size = bodySize(body);
  if (size === 0) {
    if (!(body instanceof Uint8Array)) await finished(body.stream.resume(), { signal: call.signal });
    return { pieces: [] };
  }
  const pieces: Piece[] = [];
  let answered: string | undefined;
  const { maxWrite } = store.capabilities;
  const known = md5 !== undefined && size <= maxWrite ? { md5 } : {};
  for (const part of splitBody(body, maxWrite)) {
    const id = newPieceId();
    const { md5: of } = await store.write(
      pieceRef(place, token, id),
      part,
      { metadata: {}, ...keeping, ...known },
      call,
    );
    answered = of;
    pieces.push({ id, size: bodySize(part) });
  }
  return { pieces, ...(pieces.length === 1 && { md5: answered }) };
}

/** Only where the names of the pieces do not tell their key. */
async function leaveNote(place: KeyRef, token: string, call: Call): Promise<void> {
  const note = pieceNote(place, token);
  if (note === undefined) return;
  const record: DeletionRecord = { kind: 'void', seq: 0, key: note.trueKey };
  await place.bucket.home.store.write(note.ref, EMPTY, { metadata: { [RECORD_NAME]: encodeRecord(record) } }, call);
}

/**
 * The bytes of an object that lie in pieces.
 * @throws S3Error as `requireKey`; StoreError notFound (the object has changed since), rangeNotSatisfiable
 */
export async function openPieces(
  place: KeyRef,
  view: Pick<ObjectView, 'encryption' | 'pieces' | 'restore'>,
  { range, key }: OpenRequest,
  call: Call,
): Promise<ByteSource> {
  requireKey(view.encryption?.by, key);
  const { size = 0, by } = view.encryption ?? {};
  const { token, pieces } = readableAt(place, view);
  const first = range?.first ?? 0;
  const last = Math.min(range?.last ?? size - 1, size - 1);
  const shown = by?.kind === 'customer' ? key : undefined;
  const spans = spansOf(pieces, first, last);
  const open = spans.map((span) => () => openSpan(place, { token, span, key: shown }, call));
  const [begin, ...rest] = open;
  const source = await begin?.();
  if (source !== undefined && rest.length === 0) return source;
  return new JoinedSource(Math.max(0, last - first + 1), source, rest);
}

/** Where pieces are read: restored ones have copies of other names. */
function readableAt(
  { bucket }: KeyRef,
  { encryption, pieces = [], restore }: Pick<ObjectView, 'encryption' | 'pieces' | 'restore'>,
): { readonly token: string; readonly pieces: readonly Piece[] } {
  const token = encryption?.token ?? '';
  if (restore?.token === undefined || !isRestored(restore, timeOf(bucket.home).now())) return { token, pieces };
  return { token: restore.token, pieces: pieces.map(({ id, size }) => ({ id: restoredId(id), size })) };
}

const locked = (): never => {
  throw new Error('encrypted bytes are read without being opened');
};

/** Stands for the bytes of an encrypted object until they are opened. */
export const LOCKED: ByteSource = { size: 0, pipeTo: async () => locked(), stream: locked, discard: () => undefined };

interface Span {
  readonly id: string;
  readonly first: number;
  readonly last: number;
  readonly isWhole: boolean;
}

/** Which bytes of which pieces make a range of the object. */
function spansOf(pieces: readonly Piece[], first: number, last: number): Span[] {
  const spans: Span[] = [];
  let at = 0;
  for (const { id, size } of pieces) {
    const [from, to] = [Math.max(first - at, 0), Math.min(last - at, size - 1)];
    if (from <= to) spans.push({ id, first: from, last: to, isWhole: from === 0 && to === size - 1 });
    at += size;
  }
  return spans;
}

async function openSpan(
  place: KeyRef,
  { token, span, key }: { readonly token: string; readonly span: Span; readonly key: CustomerKey | undefined },
  call: Call,
): Promise<ByteSource> {
  const { id, first, last, isWhole } = span;
  const request = { ...(!isWhole && { range: { first, last } }), ...(key !== undefined && { key }) };
  return (await place.bucket.home.store.read(pieceRef(place, token, id), request, call)).body;
}

/** Removes what was written under a token, once no record names it for certain. Idempotent. */
export async function removePieces(place: KeyRef, token: string, call: Call): Promise<void> {
  const { store, system } = place.bucket.home;
  for await (const page of pagesOf(store, system, { prefix: piecesOfToken(place, token) }, call)) {
    const names = page.map(({ name }) => ({ name }));
    const outcomes = await store.removeMany(system, names, call);
    const failure = outcomes.find((outcome) => outcome instanceof Error);
    if (failure !== undefined) throw failure;
  }
}
