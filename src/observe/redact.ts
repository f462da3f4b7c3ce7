import { fingerprint, unescapeFully } from './fingerprint.ts';
import { redactAuthorization } from './redact-authorization.ts';
import { redactError } from './redact-error.ts';
import { LOOKED_AT, redactText } from './redact-text.ts';
import { isSecretName, isSecretParameter } from './secret-names.ts';

/*
 * The one place that takes credentials out of what is kept or shown: spans, logs, the request journal, exports, pages.
 * Each is replaced by `<n chars, sha256 xxxxxxxx>`; access key ids, scopes and names of signed headers stay, order and
 * encoding of everything else too. What is redacted already stays as it is. What is too long is cut off first: `atMost`
 * is how much is looked at, in UTF-16 code units.
 */
export { fingerprint, redactError, redactText };

const MAX_DEPTH = 6;
const MOST_GROWTH = 2;
/** Longest canonical request that is looked at. */
const MAX_CANONICAL = 32 * 1024;
/** Looked at most often and never secret, whatever they hold. */
const HARMLESS = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'content-type',
  'date',
  'user-agent',
  'x-amz-content-sha256',
  'x-amz-date',
]);

/** Redacts the values of the headers of one name. */
type HeaderTreatment = (value: string, atMost?: number) => string;
const asHarmless: HeaderTreatment = (value, atMost) =>
  value.includes('=') ? redactText(value, atMost) : cutAt(value, atMost);
const asSecret: HeaderTreatment = (value) => fingerprint(value);
const asAuthorization: HeaderTreatment = (value, atMost = LOOKED_AT) => redactAuthorization(value.slice(0, atMost));
/** By name as it came: every request has the same few. Clients choose names, hence the bounds. */
const treatments = new Map<string, HeaderTreatment>();
const MAX_TREATMENTS = 256;
const MAX_NAME_CHARS = 64;

/** The value of a header or of a query parameter, its escapes undone or not. @param name any case */
export function redactHeader(name: string, value: string, atMost?: number): string {
  return headerTreatment(name)(value, atMost);
}

/** @param name any case */
function headerTreatment(name: string): HeaderTreatment {
  const known = treatments.get(name);
  if (known !== undefined) return known;
  const treatment = treatmentOf(plainName(name).toLowerCase());
  if (name.length <= MAX_NAME_CHARS && treatments.size < MAX_TREATMENTS) treatments.set(name, treatment);
  return treatment;
}

function treatmentOf(name: string): HeaderTreatment {
  if (name === 'authorization') return asAuthorization;
  if (isSecretParameter(name)) return asSecret;
  return HARMLESS.has(name) ? asHarmless : redactText;
}

/** A named text of our own: a field of a log line, an element of an error. @param name any case */
function redactField(name: string, value: string): string {
  const lower = name.toLowerCase();
  if (lower === 'authorization') return asAuthorization(value);
  return isSecretName(lower) ? fingerprint(value) : redactText(value);
}

/** A raw query without its `?`. Names may be escaped, in any case, and repeated. */
export function redactQuery(rawQuery: string, atMost = LOOKED_AT): string {
  if (rawQuery === '') return '';
  const cut = rawQuery.length > atMost;
  const pairs = rawQuery.slice(0, atMost).split('&');
  let redacted = '';
  for (const [index, pair] of pairs.entries()) {
    // Marks are longer than what many a short pair says.
    if (redacted.length > MOST_GROWTH * atMost) break;
    redacted += `&${redactPair(pair, cut && index === pairs.length - 1)}`;
  }
  return redacted.slice(1);
}

/** A request target or a whole URL, as it came off the wire. */
export function redactTarget(target: string, atMost = LOOKED_AT): string {
  const mark = target.indexOf('?');
  if (mark < 0 || mark > atMost) return redactText(target, atMost);
  return `${redactText(target.slice(0, mark))}?${redactQuery(target.slice(mark + 1), atMost - mark)}`;
}

/** A canonical request of signature version 4: its query and its header lines. */
export function redactCanonicalRequest(canonical: string): string {
  const cut = canonical.length > MAX_CANONICAL;
  const [method = '', path = '', query = '', ...rest] = canonical.slice(0, MAX_CANONICAL).split('\n');
  // A line that is cut could hold the beginning of anything.
  const lines = (cut ? rest.slice(0, -1) : rest).map((line) => {
    const colon = line.indexOf(':');
    return colon < 0
      ? redactText(line)
      : `${line.slice(0, colon + 1)}${redactHeader(line.slice(0, colon), line.slice(colon + 1))}`;
  });
  return [method, redactTarget(path), redactQuery(query), ...lines, ...(cut ? ['…'] : [])].join('\n');
}

/**
 * Fields of a log line, whatever they are: texts and errors within objects and lists; anything deeper than six levels
 * is left out.
 */
export function redactFields(fields: Readonly<Record<string, unknown>>, depth = 0): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, redactUnknown(name, value, depth)]));
}

function redactUnknown(name: string, value: unknown, depth: number): unknown {
  if (typeof value === 'string') return redactField(name, value);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Error) return redactError(value);
  if (depth >= MAX_DEPTH) return undefined;
  if ('toJSON' in value && typeof value.toJSON === 'function') {
    return redactUnknown(name, (value.toJSON as () => unknown)(), depth + 1);
  }
  if (Array.isArray(value)) return value.map((one: unknown) => redactUnknown(name, one, depth + 1));
  return redactFields(value as Readonly<Record<string, unknown>>, depth + 1);
}

/** @param cut the rest of it is missing: a character stands for it, so that the value is taken for what it is */
function redactPair(pair: string, cut: boolean): string {
  const equals = pair.indexOf('=');
  if (equals < 0) return cut ? redactText(`${pair}…`, pair.length) : redactText(pair);
  const name = pair.slice(0, equals);
  const value = pair.slice(equals + 1);
  return `${name}=${cut ? redactHeader(name, `${value}…`, value.length) : redactHeader(name, value)}`;
}

/** The name a parameter or a header stands for: escapes undone, blanks around it gone. */
function plainName(name: string): string {
  return name.includes('%') || name.includes('+') ? unescapeFully(name).replaceAll('+', ' ').trim() : name;
}

function cutAt(text: string, atMost = LOOKED_AT): string {
  return text.length > atMost ? `${text.slice(0, atMost)}…` : text;
}
