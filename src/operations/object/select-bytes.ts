import { S3Error, invalidArgument } from '../../errors/s3-error.ts';
import type { ObjectView } from '../../manifest/index.ts';
import { isSameState } from '../../protocol/conditions.ts';
import { type RangeRequest, isWholeOfNothing, parseRange, resolveRange } from '../../protocol/range.ts';
import type { S3Request } from '../../protocol/request.ts';

/** Which bytes of an object a GetObject or HeadObject asks for. */
export type ByteSelection =
  | { readonly kind: 'whole' }
  | RangeSelection
  | { readonly kind: 'part'; readonly number: number };

interface RangeSelection {
  readonly kind: 'range';
  readonly range: RangeRequest;
  readonly header: string;
  /** As it came: the range counts only while the object is the one of which the client has the rest. */
  readonly ifRange: string | undefined;
}

/** What of an object decides about ranges and parts. */
type SelectedFrom = Pick<ObjectView, 'size' | 'etag' | 'mtime' | 'parts'>;

export interface SelectedBytes {
  readonly first: number;
  readonly length: number;
  /** True: the answer is 206 with Content-Range; false: 200 with the whole object. */
  readonly partial: boolean;
}

/** @throws S3Error InvalidRequest (both a range and a part number), InvalidArgument */
export function selectionOf(request: S3Request): ByteSelection {
  const header = request.headers.get('range');
  const partNumber = request.query.get('partNumber');
  if (partNumber !== undefined) {
    if (header !== undefined) {
      throw new S3Error('InvalidRequest', {
        message: 'Cannot specify both Range header and partNumber query parameter',
      });
    }
    const number = /^\d{1,5}$/.test(partNumber) ? Number(partNumber) : 0;
    if (number < 1 || number > 10_000) {
      throw invalidArgument('partNumber', partNumber, 'Part number must be an integer between 1 and 10000, inclusive');
    }
    return { kind: 'part', number };
  }
  const range = parseRange(header);
  if (header === undefined || range === undefined) return { kind: 'whole' };
  return { kind: 'range', range, header, ifRange: request.headers.get('if-range') };
}

/** Whether a range that was asked for does not count, since the object is not the one that `If-Range` names. */
export function isOfAnother(selection: ByteSelection, view: SelectedFrom): boolean {
  return selection.kind === 'range' && selection.ifRange !== undefined && !isSameState(selection.ifRange, view);
}

/** @throws S3Error InvalidRange, InvalidPart */
export function selectBytes(selection: ByteSelection, view: SelectedFrom): SelectedBytes {
  switch (selection.kind) {
    case 'whole':
      return { first: 0, length: view.size, partial: false };
    case 'range': {
      if (isOfAnother(selection, view)) return { first: 0, length: view.size, partial: false };
      if (isWholeOfNothing(selection.range, view.size)) return { first: 0, length: 0, partial: false };
      const range = resolveRange(selection.range, view.size);
      if (range === undefined) {
        throw new S3Error('InvalidRange', { extra: { RangeRequested: selection.header, ActualObjectSize: view.size } });
      }
      return { first: range.first, length: range.last - range.first + 1, partial: true };
    }
    case 'part':
      return selectPart(selection.number, view);
  }
}

function selectPart(number: number, view: SelectedFrom): SelectedBytes {
  const parts = view.parts ?? [{ number: 1, size: view.size }];
  let first = 0;
  for (const part of parts) {
    if (part.number === number) return { first, length: part.size, partial: true };
    first += part.size;
  }
  // AWS answers 416 InvalidPartNumber. The suite with which every S3 server is measured wants this
  // (docs/deviations.md).
  throw new S3Error('InvalidPart', { extra: { ActualPartCount: parts.length, PartNumberRequested: number } });
}

export function contentRange({ first, length, partial }: SelectedBytes, size: number): string | undefined {
  return partial && length > 0 ? `bytes ${String(first)}-${String(first + length - 1)}/${String(size)}` : undefined;
}
