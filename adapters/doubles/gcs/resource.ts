import { invalid } from './refusal.ts';
import { checkMetadata } from './rules.ts';
import type { ObjectFields, StoredObject } from './state.ts';

/** https://cloud.google.com/storage/docs/json_api/v1/objects#resource, as far as it is asked for here. */
export function objectResource(object: StoredObject): Readonly<Record<string, unknown>> {
  const { bucket, name, bytes, fields, generation, metageneration, componentCount } = object;
  return {
    kind: 'storage#object',
    id: `${bucket}/${name}/${generation}`,
    bucket,
    name,
    size: String(bytes.size),
    generation,
    metageneration: String(metageneration),
    contentType: 'application/octet-stream',
    storageClass: 'STANDARD',
    ...fields,
    ...(fields.metadata !== undefined && Object.keys(fields.metadata).length === 0 && { metadata: undefined }),
    timeCreated: new Date(object.timeCreated).toISOString(),
    updated: new Date(object.updated).toISOString(),
    etag: etagOf(object),
    componentCount,
    // Only where they are asked for: what is composed of thousands of parts would be read again with each compose.
    get crc32c() {
      return bytes.crc32c;
    },
    get md5Hash() {
      return componentCount === undefined ? bytes.md5 : undefined;
    },
  };
}

export function etagOf({ generation, metageneration }: StoredObject): string {
  return Buffer.from(`${generation}/${metageneration}`).toString('base64');
}

const TEXT_FIELDS = [
  'contentType',
  'contentEncoding',
  'contentLanguage',
  'contentDisposition',
  'cacheControl',
  'storageClass',
] as const;

const FLAGS = ['temporaryHold', 'eventBasedHold'] as const;

export type Json = Readonly<Record<string, unknown>>;

/** @throws Refusal 400 */
export function parseJson(text: string): Json {
  if (text === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // refused below
  }
  throw invalid('Parse Error');
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The fields of a whole resource, as in an upload, a rewrite or an update: what is not named is not set.
 * @throws Refusal 400
 */
export function fieldsOf(resource: Json): ObjectFields {
  return mergeFields({}, resource);
}

/**
 * A patch: fields that are named replace, null removes; `metadata` is merged key by key.
 * https://cloud.google.com/storage/docs/json_api#patch
 * @throws Refusal 400
 */
export function mergeFields(before: ObjectFields, patch: Json): ObjectFields {
  const after: Record<string, unknown> = { ...before };
  for (const field of TEXT_FIELDS) {
    const value = patch[field];
    if (value === null) after[field] = undefined;
    else if (typeof value === 'string') after[field] = value;
    else if (value !== undefined) throw invalid(`Invalid value for: ${field}`);
  }
  for (const flag of FLAGS) {
    const value = patch[flag];
    if (value === null) after[flag] = undefined;
    else if (typeof value === 'boolean') after[flag] = value;
    else if (value !== undefined) throw invalid(`Invalid value for: ${flag}`);
  }
  if ('metadata' in patch) after['metadata'] = mergeMetadata(before.metadata ?? {}, patch['metadata']);
  return after;
}

function mergeMetadata(before: Readonly<Record<string, string>>, patch: unknown): Readonly<Record<string, string>> {
  if (patch === null) return {};
  if (!isObject(patch)) throw invalid('Invalid value for: metadata');
  const after: Record<string, string> = { ...before };
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) Reflect.deleteProperty(after, name);
    else if (typeof value === 'string') after[name] = value;
    else throw invalid(`Invalid value for: metadata.${name}`);
  }
  checkMetadata(after);
  return after;
}
