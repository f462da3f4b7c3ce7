import type { StoredBucket, StoredObject } from './state.ts';
import { conditionNotMet, invalid, Refusal } from './refusal.ts';

/**
 * What a request demands of an object's generation and metageneration.
 * https://cloud.google.com/storage/docs/request-preconditions
 */
interface Preconditions {
  readonly generationMatch: string | undefined;
  readonly generationNotMatch: string | undefined;
  readonly metagenerationMatch: string | undefined;
  readonly metagenerationNotMatch: string | undefined;
}

/** @param prefix `if` for the object of the request, `ifSource` for the source of a rewrite. @throws Refusal 400 */
export function preconditionsOf(query: URLSearchParams, prefix: 'if' | 'ifSource' = 'if'): Preconditions {
  const number = (name: string): string | undefined => integer(query.get(`${prefix}${name}`), `${prefix}${name}`);
  return {
    generationMatch: number('GenerationMatch'),
    generationNotMatch: number('GenerationNotMatch'),
    metagenerationMatch: number('MetagenerationMatch'),
    metagenerationNotMatch: number('MetagenerationNotMatch'),
  };
}

/** Headers of the XML API (https://cloud.google.com/storage/docs/xml-api/reference-headers#xgoogifgenerationmatch). */
export function headerPreconditions(headers: Readonly<Record<string, string | string[] | undefined>>): Preconditions {
  const number = (name: string): string | undefined => {
    const value = headers[name];
    return integer(value === undefined ? null : String(value), name);
  };
  return {
    generationMatch: number('x-goog-if-generation-match'),
    generationNotMatch: undefined,
    metagenerationMatch: number('x-goog-if-metageneration-match'),
    metagenerationNotMatch: undefined,
  };
}

export function integer(value: string | null, name: string): string | undefined {
  if (value === null) return undefined;
  if (!/^\d{1,19}$/.test(value)) throw invalid(`Invalid long value: '${value}' (${name})`);
  return value;
}

/** Before a change. Generation 0 stands for "no live object". @throws Refusal 412 */
export function checkBeforeChange(object: StoredObject | undefined, conditions: Preconditions): void {
  const failed = !matches(object, conditions) || collides(object, conditions);
  if (failed) throw conditionNotMet();
}

/**
 * Before a read: a condition of "not" answers 304
 * (https://cloud.google.com/storage/docs/json_api/v1/status-codes#304-not-modified).
 * @throws Refusal
 */
export function checkBeforeRead(object: StoredObject, conditions: Preconditions): void {
  if (!matches(object, conditions)) throw conditionNotMet();
  if (collides(object, conditions)) throw new Refusal(304, 'notModified', 'Not Modified');
}

function matches(object: StoredObject | undefined, { generationMatch, metagenerationMatch }: Preconditions): boolean {
  if (generationMatch !== undefined && (object?.generation ?? '0') !== generationMatch) return false;
  return (
    metagenerationMatch === undefined || (object !== undefined && String(object.metageneration) === metagenerationMatch)
  );
}

/** "If no live object exists, the precondition fails" (reference of `ifGenerationNotMatch`). */
function collides(
  object: StoredObject | undefined,
  { generationNotMatch, metagenerationNotMatch }: Preconditions,
): boolean {
  if (generationNotMatch !== undefined && (object?.generation ?? '0') === generationNotMatch) return true;
  if (generationNotMatch !== undefined && object === undefined) return true;
  return (
    metagenerationNotMatch !== undefined &&
    (object === undefined || String(object.metageneration) === metagenerationNotMatch)
  );
}

/** Buckets have a metageneration only. @throws Refusal 412 */
export function checkBeforeBucketChange(bucket: StoredBucket, query: URLSearchParams): void {
  const wanted = integer(query.get('ifMetagenerationMatch'), 'ifMetagenerationMatch');
  const unwanted = integer(query.get('ifMetagenerationNotMatch'), 'ifMetagenerationNotMatch');
  const current = String(bucket.metageneration);
  if ((wanted !== undefined && wanted !== current) || unwanted === current) throw conditionNotMet();
}
