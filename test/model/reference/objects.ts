import { type Answer, ANY, type Json, ok, Refusal } from './answer.ts';
import type { Attributes, CallOf, NamedVersion } from './calls.ts';
import { type Content, contentHeaders, judgeRead, judgeWrite, newContent } from './content.ts';
import type { Version } from './history.ts';
import { newLock, refuseUnlockable } from './locking.ts';
import type { BucketState } from './state.ts';

export function putObject(state: BucketState, call: CallOf<'PutObject'>): Answer {
  refuseUnlockable(state, call);
  judgeWrite(call, state.live(call.key));
  const content = { ...newContent(call.body, call), lock: newLock(state, call) };
  const version = state.add(call.key, content, call);
  return ok({ etag: content.etag, ...created(version) });
}

/** New versions are named; the null version is not. */
export function created({ id }: Version): Answer['headers'] {
  return id === 'null' ? {} : { 'x-amz-version-id': id };
}

export function getObject(state: BucketState, call: CallOf<'GetObject'>): Answer {
  const { body, ...answer } = read(state, call);
  return { ...answer, ...(body !== undefined && { body }) };
}

/** No body, so no error code either; but the length of the body that a GET would have. */
export function headObject(state: BucketState, call: CallOf<'HeadObject'>): Answer {
  try {
    const { status, headers, body } = read(state, call);
    return { status, headers: { ...headers, ...(body !== undefined && { 'content-length': String(body.length) }) } };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { status, headers } = error.answer;
    return { status, headers };
  }
}

function read(state: BucketState, call: CallOf<'GetObject' | 'HeadObject'>): Answer & { readonly body?: string } {
  const version = state.findToRead(call);
  const { content } = version;
  if (judgeRead(call, content) === 'notModified') {
    return { status: 304, headers: { etag: content.etag, 'x-amz-version-id': ANY } };
  }
  const headers = { ...contentHeaders(content), ...state.names(version) };
  const { first, end, headers: more } = select(content, call);
  const isWhole = call.range === undefined && call.partNumber === undefined;
  return { status: isWhole ? 200 : 206, headers: { ...headers, ...more }, body: content.body.slice(first, end) };
}

interface Selected {
  readonly first: number;
  readonly end: number;
  readonly headers: Answer['headers'];
}

function select(content: Content, { range, partNumber }: CallOf<'GetObject' | 'HeadObject'>): Selected {
  const size = content.body.length;
  if (range !== undefined) return selected(content, rangeOf(range, size));
  if (partNumber === undefined) return { first: 0, end: size, headers: {} };
  const parts = content.parts ?? [{ number: 1, size }];
  let first = 0;
  for (const part of parts) {
    if (part.number === partNumber) {
      const { headers, ...bytes } = selected(content, { first, end: first + part.size });
      return {
        ...bytes,
        headers: { ...headers, ...(content.parts !== undefined && { 'x-amz-mp-parts-count': String(parts.length) }) },
      };
    }
    first += part.size;
  }
  throw new Refusal(400, 'InvalidPart');
}

function selected({ body }: Content, { first, end }: { readonly first: number; readonly end: number }): Selected {
  return { first, end, headers: end > first ? { 'content-range': `bytes ${first}-${end - 1}/${body.length}` } : {} };
}

/** `bytes=a-b`, `bytes=a-`, `bytes=-n`. */
function rangeOf(range: string, size: number): { first: number; end: number } {
  const [a = '', b = ''] = range.slice('bytes='.length).split('-');
  const first = a === '' ? Math.max(0, size - Number(b)) : Number(a);
  const end = a === '' || b === '' ? size : Math.min(Number(b) + 1, size);
  if (first >= size) throw new Refusal(416, 'InvalidRange');
  return { first, end };
}

export function getObjectAttributes(state: BucketState, call: CallOf<'GetObjectAttributes'>): Answer {
  const version = state.findToRead(call);
  const { body, etag, storageClass, parts } = version.content;
  const facts = {
    etag: etag.startsWith('@') ? ANY : etag.slice(1, -1),
    size: body.length,
    storageClass,
    ...(parts !== undefined && { parts: parts.length }),
  };
  return ok(state.names(version), facts);
}

export function copyObject(state: BucketState, call: CallOf<'CopyObject'>): Answer {
  refuseUnlockable(state, call);
  const source = copySource(state, call.source);
  if (judgeRead(call.sourceConditions, source.content) === 'notModified') throw new Refusal(412, 'PreconditionFailed');
  refuseIdle(call);
  judgeWrite(call, state.live(call.key));
  const copied = newContent(source.content.body, {
    ...placement(call),
    ...metadata(call.replaceMetadata === true ? call : source.content),
    tags: (call.replaceTags === true ? call.tags : source.content.tags) ?? {},
  });
  // Deviation: S3 gives the copy of a multipart object an ETag of its own, the MD5 of its bytes.
  const content = { ...copied, etag: source.content.etag, lock: newLock(state, call) };
  const version = state.add(call.key, content, call);
  return ok({ ...created(version), ...sourceHeaders(source) }, { etag: content.etag });
}

/** Never copied. */
function placement({ storageClass, acl }: Attributes): Attributes {
  return { ...(storageClass !== undefined && { storageClass }), ...(acl !== undefined && { acl }) };
}

function metadata({ contentType, note }: Attributes): Attributes {
  return { ...(contentType !== undefined && { contentType }), ...(note !== undefined && { note }) };
}

/** A copy onto itself must name the version of its source, or change something that is not a tag or an ACL. */
function refuseIdle(call: CallOf<'CopyObject'>): void {
  if (call.source.key !== call.key || call.source.versionId !== undefined) return;
  if (call.replaceMetadata !== true && call.storageClass === undefined) throw new Refusal(400, 'InvalidRequest');
}

/** What CopyObject and UploadPartCopy read. */
export function copySource(state: BucketState, name: NamedVersion): Version & { readonly content: Content } {
  const isNamedMarker = name.versionId !== undefined && state.find(name).content === undefined;
  if (isNamedMarker) throw new Refusal(400, 'InvalidRequest');
  return state.findToRead(name);
}

export function sourceHeaders({ id }: Version): Answer['headers'] {
  return id === 'null' ? {} : { 'x-amz-copy-source-version-id': id };
}

export function getObjectTagging(state: BucketState, call: CallOf<'GetObjectTagging'>): Answer {
  const version = state.findToAmend(call);
  return ok(state.names(version), version.content.tags);
}

export function putObjectTagging(state: BucketState, call: CallOf<'PutObjectTagging'>): Answer {
  const version = state.findToAmend(call);
  version.content.tags = call.tags;
  return ok(state.names(version));
}

export function deleteObjectTagging(state: BucketState, call: CallOf<'DeleteObjectTagging'>): Answer {
  const version = state.findToAmend(call);
  version.content.tags = {};
  return { ...ok(state.names(version)), status: 204 };
}

/** Grants of canned ACLs behind the owner's. */
const GRANTS: Readonly<Record<string, readonly string[]>> = {
  private: [],
  'public-read': ['AllUsers READ'],
  'public-read-write': ['AllUsers READ', 'AllUsers WRITE'],
  'authenticated-read': ['AuthenticatedUsers READ'],
};

export const CANNED_ACLS = Object.keys(GRANTS);

export function getObjectAcl(state: BucketState, call: CallOf<'GetObjectAcl'>): Answer {
  const version = state.findToRead(call);
  const grants: Json = ['owner FULL_CONTROL', ...(GRANTS[version.content.acl] ?? [])].sort();
  return ok(state.names(version), grants);
}

export function putObjectAcl(state: BucketState, call: CallOf<'PutObjectAcl'>): Answer {
  const version = state.findToAmend(call);
  version.content.acl = call.acl;
  return ok(state.names(version));
}
