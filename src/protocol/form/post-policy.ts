import { S3Error } from '../../errors/s3-error.ts';
import { shownJson } from '../../errors/shown-json.ts';
import type { FileSize } from '../body/object-body.ts';
import { isCalendarDay } from '../http-date.ts';
import type { FormFieldReader } from '../request.ts';

/** What the signer of a form lets others upload with it (S3 API reference, "Creating a POST policy"). */
interface PostPolicy {
  /** Milliseconds since the epoch. */
  readonly expiration: number;
  readonly conditions: readonly FieldCondition[];
  readonly ranges: readonly FileSize[];
}

interface FieldCondition {
  /** `content-length-range`: one that is none. */
  readonly kind: 'eq' | 'starts-with' | 'content-length-range';
  /** Lower case; empty: one that is never there. */
  readonly field: string;
  readonly value: string;
  /** As an error shows it. */
  readonly text: string;
}

const ISO_8601 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;
/**
 * What a form may have without a word of the policy: the signature itself, and checksums, which only tell the bytes
 * apart that are meant.
 */
const UNCONDITIONAL = /^(?:x-amz-signature|signature|awsaccesskeyid|policy|file|x-ignore-.*|x-amz-checksum-.*)$/;

/** @param base64 the field `policy` @throws S3Error InvalidPolicyDocument */
export function parsePostPolicy(base64: string): PostPolicy {
  const document = parseJson(base64);
  if (typeof document !== 'object' || document === null || Array.isArray(document)) throw invalid('Invalid JSON.');
  const { expiration, conditions } = document as { readonly expiration?: unknown; readonly conditions?: unknown };
  if (expiration === undefined) throw invalid('Policy missing expiration.');
  const time = readExpiration(expiration);
  if (conditions === undefined) throw invalid('Policy missing conditions.');
  if (!Array.isArray(conditions)) throw invalid("Invalid 'conditions' value: must be a List.");
  const parsed = conditions.map((condition: unknown) => parseCondition(condition));
  return {
    expiration: time,
    conditions: parsed.filter((one): one is FieldCondition => 'kind' in one),
    ranges: parsed.filter((one): one is FileSize => 'min' in one),
  };
}

/** @returns milliseconds since the epoch @throws S3Error InvalidPolicyDocument */
function readExpiration(expiration: unknown): number {
  const isMoment =
    typeof expiration === 'string' && ISO_8601.test(expiration) && isCalendarDay(expiration.slice(0, 10));
  const time = isMoment ? Date.parse(expiration) : NaN;
  if (Number.isNaN(time)) throw invalid(`Invalid 'expiration' value: '${shownJson(expiration)}'`);
  return time;
}

function parseJson(base64: string): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(base64, 'base64')));
  } catch (cause) {
    throw new S3Error('InvalidPolicyDocument', { message: 'Invalid Policy: Invalid JSON.', cause });
  }
}

function parseCondition(condition: unknown): FieldCondition | FileSize {
  if (Array.isArray(condition)) return parseList(condition);
  if (typeof condition !== 'object' || condition === null) {
    throw invalid('Invalid Condition: must be a List or a Simple-Condition.');
  }
  const [entry, another] = Object.entries(condition);
  if (entry === undefined || another !== undefined) {
    throw invalid('Invalid Simple-Condition: Simple-Conditions must have exactly one property specified.');
  }
  const [field, value] = entry as [string, unknown];
  if (typeof value !== 'string') throw invalid('Invalid Simple-Condition: value must be a string.');
  return fieldCondition('eq', field, value);
}

function parseList(list: readonly unknown[]): FieldCondition | FileSize {
  const [operation, left, right] = list;
  const kind = typeof operation === 'string' ? operation.toLowerCase() : '';
  if (list.length !== 3) throw invalid(`Invalid ${kind || 'Condition'}: wrong number of arguments.`);
  if (kind === 'content-length-range') return parseRange(left, right);
  if (kind !== 'eq' && kind !== 'starts-with') throw invalid(`Invalid Condition: unknown operation '${kind}'.`);
  if (typeof left !== 'string' || typeof right !== 'string') {
    throw invalid(`Invalid ${kind}: field and value must be strings.`);
  }
  // S3 reads a field without its sign as a condition that no form meets.
  return left.startsWith('$')
    ? fieldCondition(kind, left.slice(1), right)
    : { kind, field: '', value: right, text: conditionText(kind, left, right) };
}

function parseRange(left: unknown, right: unknown): FieldCondition | FileSize {
  if ([left, right].some(isNoNumber)) {
    // S3 reads it as a condition that no form meets.
    const kind = 'content-length-range';
    return { kind, field: '', value: '', text: `["${kind}", ${JSON.stringify(left)}, ${JSON.stringify(right)}]` };
  }
  const [min, max] = [bytesOf(left), bytesOf(right)];
  if (!(min <= max)) {
    throw invalid('Invalid content-length-range: the bounds must be numbers of bytes, the smaller one first.');
  }
  return { min, max };
}

function isNoNumber(bound: unknown): boolean {
  return typeof bound === 'string' && !/^-?\d+$/.test(bound);
}

/** S3 takes a number and the same in quotes. */
function bytesOf(bound: unknown): number {
  const isScalar = typeof bound === 'string' || typeof bound === 'number';
  return isScalar && /^\d{1,15}$/.test(String(bound)) ? Number(bound) : NaN;
}

function fieldCondition(kind: FieldCondition['kind'], field: string, value: string): FieldCondition {
  return {
    kind,
    field: field.toLowerCase(),
    value,
    text: conditionText(kind, `$${field}`, value),
  };
}

function conditionText(kind: FieldCondition['kind'], field: string, value: string): string {
  return `["${kind}", ${JSON.stringify(field)}, ${JSON.stringify(value)}]`;
}

/**
 * Holds a form against its policy: each condition must be met by a field that is there, and each field be the matter of
 * a condition.
 * @param fields with the bucket that the request is sent to, whatever the form says @param now milliseconds since the
 * epoch
 * @throws S3Error AccessDenied
 */
export function checkPostPolicy({ expiration, conditions }: PostPolicy, fields: FormFieldReader, now: number): void {
  if (now >= expiration) throw refused('Policy expired.');
  const failed = conditions.find((condition) => !isMet(condition, fields.get(condition.field)));
  if (failed !== undefined) throw refused(`Policy Condition failed: ${failed.text}`);
  const named = new Set(conditions.map(({ field }) => field));
  const extra = Array.from(fields.entries(), ([name]) => name).filter(
    (name) => !named.has(name) && !UNCONDITIONAL.test(name),
  );
  if (extra.length > 0) throw refused(`Extra input fields: ${extra.join(', ')}`);
}

function isMet({ kind, field, value }: FieldCondition, sent: string | undefined): boolean {
  if (field === '' || sent === undefined) return false;
  if (kind === 'eq') return sent === value;
  // A list of types is no way around the type that is asked for.
  if (field === 'content-type') return sent.split(',').every((type) => type.trimStart().startsWith(value));
  return sent.startsWith(value);
}

/** What all ranges of a policy leave. @param most what S3 leaves without any */
export function allowedSize(ranges: readonly FileSize[], most: number): FileSize {
  return { min: Math.max(0, ...ranges.map(({ min }) => min)), max: Math.min(most, ...ranges.map(({ max }) => max)) };
}

function refused(reason: string): S3Error {
  return new S3Error('AccessDenied', { message: `Invalid according to Policy: ${reason}` });
}

function invalid(reason: string): S3Error {
  return new S3Error('InvalidPolicyDocument', { message: `Invalid Policy: ${reason}` });
}
