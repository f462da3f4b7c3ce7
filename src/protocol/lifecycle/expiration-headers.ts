import { isPrintableAscii } from '../headers/encoded-words.ts';
import { httpDate } from '../headers/object-headers.ts';
import { abortOf, expirationOf, type FilteredObject } from './due.ts';
import type { Lifecycle } from './lifecycle.ts';

/**
 * `x-amz-expiration` of answers that describe a current object, or make one. Days are real ones, and a date that has
 * passed is shown as long as the object is there. https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadObject.html
 */
export function expirationHeader(
  lifecycle: Lifecycle | undefined,
  object: FilteredObject & { readonly mtime: number },
): Readonly<Record<string, string>> {
  const due = lifecycle && expirationOf(lifecycle, object);
  if (due === undefined) return {};
  return { 'x-amz-expiration': `expiry-date="${httpDate(due.at)}", rule-id="${sayableId(due.id)}"` };
}

/** Of answers about an open upload. https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateMultipartUpload.html */
export function abortHeaders(
  lifecycle: Lifecycle | undefined,
  upload: { readonly key: string; readonly initiatedAt: number },
): Readonly<Record<string, string>> {
  const due = lifecycle && abortOf(lifecycle, upload);
  if (due === undefined) return {};
  return { 'x-amz-abort-date': httpDate(due.at), 'x-amz-abort-rule-id': sayableId(due.id) };
}

/** As it is, as S3 sends it; percent-encoded where it could not stand there. */
function sayableId(id: string): string {
  return isPrintableAscii(id) && !/["\\]/.test(id) ? id : encodeURIComponent(id.toWellFormed());
}
