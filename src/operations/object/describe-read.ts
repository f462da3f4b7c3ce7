import { type ObjectView, storageClassOf, timeOf } from '../../manifest/index.ts';
import type { Checksum } from '../../protocol/checksums/algorithms.ts';
import {
  type ResponseHeaders,
  addHeaders,
  checksumHeaders,
  describeObject,
} from '../../protocol/headers/object-headers.ts';
import { expirationHeader } from '../../protocol/lifecycle/expiration-headers.ts';
import type { S3Request } from '../../protocol/request.ts';
import { storedEncryptionHeaders } from '../encryption.ts';
import { versionHeaders } from '../object-version.ts';
import type { OperationContext } from '../operation.ts';
import { shownLock } from './object-lock.ts';
import type { ReadTarget } from './read-request.ts';
import { restoreHeaders } from './restore-object.ts';
import { type SelectedBytes, contentRange, selectBytes } from './select-bytes.ts';

/** What GetObject and HeadObject answer with when nothing is refused. */
interface ReadAnswer {
  readonly status: 200 | 206;
  readonly headers: ResponseHeaders;
  /** Of the bytes that are asked for. */
  readonly length: number;
}

/** @throws S3Error InvalidRange, InvalidPart: the object does not have these bytes */
export function describeRead(
  request: S3Request,
  target: ReadTarget,
  view: ObjectView,
  context: OperationContext,
): ReadAnswer {
  const selected = selectBytes(target.selection, view);
  const headers = addHeaders(
    describeSelected(request, view, selected),
    storedEncryptionHeaders(view, target.shown),
    restoreHeaders(view, timeOf(target.bucket.home).now()),
    shownLock(view, context),
    versionHeaders(target.bucket, view.versionId),
    target.versionId === undefined ? expirationHeader(target.bucket.settings.lifecycle, view) : {},
    target.overrides,
  );
  return { status: selected.partial ? 206 : 200, headers, length: selected.length };
}

function describeSelected(request: S3Request, view: ObjectView, selected: SelectedBytes): ResponseHeaders {
  const headers = describeObject(view);
  if (view.archived) headers['x-amz-storage-class'] = storageClassOf(view);
  headers['content-range'] = contentRange(selected, view.size);
  const partNumber = request.query.get('partNumber');
  if (partNumber !== undefined && view.parts !== undefined) headers['x-amz-mp-parts-count'] = String(view.parts.length);
  if (request.headers.get('x-amz-checksum-mode')?.toUpperCase() === 'ENABLED') {
    Object.assign(
      headers,
      checksumHeaders(
        partNumber === undefined ? checksumOfRange(view, selected) : checksumOfPart(view, Number(partNumber)),
      ),
    );
  }
  return headers;
}

/**
 * The checksum of the object where all of its bytes are answered, with or without a range. Fewer must never come with
 * it, because clients would compare them.
 */
function checksumOfRange({ checksum, size }: ObjectView, selected: SelectedBytes): Checksum | undefined {
  return selected.length === size ? checksum : undefined;
}

function checksumOfPart({ checksum, parts }: ObjectView, number: number): Checksum | undefined {
  if (checksum === undefined || parts === undefined) return checksum;
  const value = parts.find((part) => part.number === number)?.checksum;
  return value === undefined ? undefined : { ...checksum, value };
}
