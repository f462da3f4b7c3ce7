import { S3Error } from '../errors/s3-error.ts';
import { decodePercent } from './percent.ts';
import { decodeXml, rootOf } from './xml/decode.ts';
import { type XmlDocument, xml } from './xml/document.ts';
import { TAGGING } from './xml/tagging-shape.ts';

/** A tag of an object or a bucket. */
export interface Tag {
  readonly key: string;
  readonly value: string;
}

/** What S3 allows for one kind of resource. */
export interface TaggingRules {
  readonly maxTags: number;
  readonly tooMany: () => S3Error;
  /** Said of keys that begin with `aws:`. */
  readonly reserved: string;
}

/** AWS answers BadRequest for too many; docs/deviations.md says why this does not. */
export const OBJECT_TAGGING: TaggingRules = {
  maxTags: 10,
  tooMany: () => new S3Error('InvalidTag', { message: 'Object tags cannot be greater than 10' }),
  reserved: 'Your TagKey cannot be prefixed with aws:',
};

export const BUCKET_TAGGING: TaggingRules = {
  maxTags: 50,
  tooMany: () => new S3Error('BadRequest', { message: 'Bucket tag count cannot be greater than 50' }),
  reserved: 'System tags cannot be added/updated by requester',
};

/** Bytes of a tagging document that are read: 50 tags of the largest size, every character escaped, stay below. */
export const MAX_TAGGING_BYTES = 256 * 1024;

const HEADER = 'x-amz-tagging';
/** Unicode characters. */
const MAX_KEY = 128;
const MAX_VALUE = 256;
/** What no tag has, standing there as it is. */
const UNENCODED = /[^\w .:/=+\-@%\x80-\xff]/;
const ALLOWED = /^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/u;

/**
 * `x-amz-tagging`: `k1=v1&k2=v2`, each percent-encoded, `+` for a space. No `=` means an empty value.
 * @returns by key @throws S3Error InvalidArgument (encoding, an empty or repeated key), InvalidTag
 */
export function parseTaggingHeader(header: string): readonly Tag[] {
  const tags = header
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => parsePair(pair, header));
  if (tags.some((tag) => tag.key === '') || repeatedKey(tags) !== undefined) throw malformedHeader(header);
  return checkTags(tags, OBJECT_TAGGING);
}

/** The header that says the same. */
export function formatTaggingHeader(tags: readonly Tag[]): string {
  return tags.map(({ key, value }) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`).join('&');
}

/**
 * Body of PutObjectTagging and PutBucketTagging. As recorded on S3, a document without a set of tags has no tags.
 * @returns by key
 * @throws S3Error MalformedXML, InvalidTag, and `rules.tooMany`
 */
export function parseTaggingDocument(bytes: Uint8Array, rules: TaggingRules): readonly Tag[] {
  const { tags = [] } = decodeXml(TAGGING, bytes);
  return checkTags(
    tags.map(({ Key: key, Value: value }) => ({ key, value })),
    rules,
  );
}

/**
 * The field `tagging` of a form. As recorded on S3, a document with another root has no tags.
 * @returns by key @throws S3Error MalformedXML, InvalidTag
 */
export function parseFormTagging(bytes: Uint8Array): readonly Tag[] {
  return rootOf(bytes) === TAGGING.root ? parseTaggingDocument(bytes, OBJECT_TAGGING) : [];
}

export function taggingDocument(tags: readonly Tag[]): XmlDocument {
  return xml(TAGGING, { tags: tags.map(({ key, value }) => ({ Key: key, Value: value })) });
}

function parsePair(pair: string, header: string): Tag {
  if (UNENCODED.test(pair)) throw malformedHeader(header);
  const equals = pair.indexOf('=');
  try {
    return {
      key: decode(equals < 0 ? pair : pair.slice(0, equals)),
      value: equals < 0 ? '' : decode(pair.slice(equals + 1)),
    };
  } catch (error) {
    throw malformedHeader(header, error);
  }
}

/** Node hands headers over as latin-1: UTF-8 that was sent as it is becomes itself again here. */
function decode(text: string): string {
  const escaped = text.replaceAll('+', ' ').replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16)}`);
  return decodePercent(escaped);
}

function malformedHeader(value: string, cause?: unknown): S3Error {
  const message = `The header '${HEADER}' shall be encoded as UTF-8 then URLEncoded URL query parameters without tag name duplicates.`;
  return new S3Error('InvalidArgument', { message, extra: { ArgumentName: HEADER, ArgumentValue: value }, cause });
}

/** @returns by key @throws S3Error InvalidTag, and `rules.tooMany` */
export function checkTags(tags: readonly Tag[], rules: TaggingRules): readonly Tag[] {
  if (tags.length > rules.maxTags) throw rules.tooMany();
  for (const tag of tags) checkTag(tag, rules);
  const repeated = repeatedKey(tags);
  if (repeated !== undefined) throw invalidTag('Cannot provide multiple Tags with the same key', { TagKey: repeated });
  return tags.toSorted((a, b) => (a.key < b.key ? -1 : 1));
}

function checkTag({ key, value }: Tag, { reserved }: TaggingRules): void {
  if (key === '' || !isText(key, MAX_KEY)) throw invalidTag('The TagKey you have provided is invalid', { TagKey: key });
  if (/^aws:/i.test(key)) throw invalidTag(reserved, { TagKey: key });
  if (!isText(value, MAX_VALUE)) {
    throw invalidTag('The TagValue you have provided is invalid', { TagKey: key, TagValue: value });
  }
}

function isText(text: string, maxCharacters: number): boolean {
  return text.length <= 2 * maxCharacters && Array.from(text).length <= maxCharacters && ALLOWED.test(text);
}

function repeatedKey(tags: readonly Tag[]): string | undefined {
  const seen = new Set<string>();
  return tags.find(({ key }) => seen.size === seen.add(key).size)?.key;
}

function invalidTag(message: string, extra: Readonly<Record<string, string>>): S3Error {
  return new S3Error('InvalidTag', { message, extra });
}
