import { createHash } from 'node:crypto';
import { type Answer, Refusal } from './answer.ts';
import type { Attributes, ReadConditions, Tags, WriteConditions } from './calls.ts';
import { type Lock, lockHeaders } from './lock.ts';

/** An object's bytes and all that rides on them. */
export interface Content {
  readonly body: string;
  /** In quotes. */
  readonly etag: string;
  readonly contentType: string;
  readonly note?: string;
  readonly storageClass: string;
  tags: Tags;
  /** A canned one. */
  acl: string;
  lock: Lock;
  /** Of a multipart object. */
  readonly parts?: readonly { readonly number: number; readonly size: number }[];
}

const etags = new Map<string, string>();

export function etagOf(body: string): string {
  let etag = etags.get(body);
  if (etag === undefined) {
    etag = `"${createHash('md5').update(body).digest('hex')}"`;
    etags.set(body, etag);
  }
  return etag;
}

/** MD5 of the binary MD5s of the parts, and how many they are. */
export function multipartEtag(parts: readonly { readonly etag: string }[]): string {
  const hash = createHash('md5');
  for (const { etag } of parts) hash.update(Buffer.from(etag.slice(1, -1), 'hex'));
  return `"${hash.digest('hex')}-${parts.length}"`;
}

export function newContent(body: string, attributes: Attributes): Content {
  return {
    body,
    etag: etagOf(body),
    contentType: attributes.contentType ?? 'binary/octet-stream',
    ...(attributes.note !== undefined && { note: attributes.note }),
    storageClass: attributes.storageClass ?? 'STANDARD',
    tags: attributes.tags ?? {},
    acl: attributes.acl ?? 'private',
    lock: {},
  };
}

/** Headers of GetObject and HeadObject, but for those of a range. */
export function contentHeaders(content: Content): Answer['headers'] {
  const tagCount = Object.keys(content.tags).length;
  return {
    etag: content.etag,
    'content-type': content.contentType,
    ...(content.note !== undefined && { 'x-amz-meta-note': content.note }),
    ...(content.storageClass !== 'STANDARD' && { 'x-amz-storage-class': content.storageClass }),
    ...lockHeaders(content.lock),
    ...(tagCount > 0 && { 'x-amz-tagging-count': String(tagCount) }),
  };
}

function matches(condition: string, etag: string): boolean {
  return condition === '*' || condition === etag;
}

/** Of PutObject, CopyObject's destination and CompleteMultipartUpload. A delete marker is no object. */
export function judgeWrite({ ifMatch, ifNoneMatch }: WriteConditions, current: Content | undefined): void {
  if (ifMatch !== undefined) {
    if (current === undefined) throw new Refusal(404, 'NoSuchKey');
    if (!matches(ifMatch, current.etag)) throw new Refusal(412, 'PreconditionFailed');
  }
  if (ifNoneMatch !== undefined && current !== undefined && matches(ifNoneMatch, current.etag)) {
    throw new Refusal(412, 'PreconditionFailed');
  }
}

/** Of GetObject, HeadObject, and copy sources (for which S3 has no 304). */
export function judgeRead({ ifMatch, ifNoneMatch }: ReadConditions, { etag }: Content): 'good' | 'notModified' {
  if (ifMatch !== undefined && !matches(ifMatch, etag)) throw new Refusal(412, 'PreconditionFailed');
  return ifNoneMatch !== undefined && matches(ifNoneMatch, etag) ? 'notModified' : 'good';
}
