import { fingerprint, unescapeFully } from './fingerprint.ts';
import { redactAuthorization } from './redact-authorization.ts';
import { redactError } from './redact-error.ts';
import { redactText } from './redact-text.ts';
import { isSecretName } from './secret-names.ts';

/*
 * The one place that takes credentials out of what is kept or shown: spans, logs, the request journal, exports, pages.
 * Each is replaced by `<n chars, sha256 xxxxxxxx>`; access key ids, scopes and names of signed headers stay, order and
 * encoding of everything else too. What is redacted already stays as it is.
 */
export { fingerprint, redactAuthorization, redactText };
export { redactError, type RedactedError } from './redact-error.ts';

const MAX_DEPTH = 6;
/** Looked at most often and never secret, whatever they hold. */
const HARMLESS = new Set(['accept-encoding', 'connection', 'content-length', 'content-type', 'date', 'user-agent', 'x-amz-content-sha256', 'x-amz-date']);

/** How the value of a header is to be treated. */
type Treatment = (value: string) => string;
const asHarmless: Treatment = (value) => (value.includes('=') ? redactText(value) : value);
/** By name as it came: every request has the same few. Clients choose names, hence the bounds. */
const treatments = new Map<string, Treatment>();
const MAX_TREATMENTS = 256;
const MAX_NAME_CHARS = 64;

/** The value of a header. @param name any case */
export function redactHeader(name: string, value: string): string {
  const known = treatments.get(name);
  if (known !== undefined) return known(value);
  const treatment = treatmentOf(name.toLowerCase());
  if (name.length <= MAX_NAME_CHARS && treatments.size < MAX_TREATMENTS) treatments.set(name, treatment);
  return treatment(value);
}

function treatmentOf(name: string): Treatment {
  if (name === 'authorization') return redactAuthorization;
  if (isSecretName(name)) return fingerprint;
  return HARMLESS.has(name) ? asHarmless : redactText;
}

/** Headers by name, one value or several each. */
export function redactHeaders<V extends string | readonly string[] | number | undefined>(headers: Readonly<Record<string, V>>): Record<string, V> {
  const kept = Object.entries(headers).map(([name, value]): [string, unknown] => {
    if (typeof value === 'string') return [name, redactHeader(name, value)];
    return [name, Array.isArray(value) ? value.map((one: string) => redactHeader(name, one)) : value];
  });
  return Object.fromEntries(kept) as Record<string, V>;
}

/** Name, value, name, value ... as Node's `rawHeaders` has them; case, order and repeats kept. */
export function redactRawHeaders(rawHeaders: readonly string[]): string[] {
  return rawHeaders.map((text, index) => (index % 2 === 0 ? text : redactHeader(rawHeaders[index - 1] ?? '', text)));
}

/** A field of a form or the decoded value of a query parameter. @param name any case */
export function redactField(name: string, value: string): string {
  return redactHeader(name, value);
}

/** A raw query without its `?`. Names may be escaped, in any case, and repeated. */
export function redactQuery(rawQuery: string): string {
  if (rawQuery === '') return '';
  return rawQuery.split('&').map(redactPair).join('&');
}

/** A request target or a whole URL, as it came off the wire. */
export function redactTarget(target: string): string {
  const mark = target.indexOf('?');
  return mark < 0 ? redactText(target) : `${redactText(target.slice(0, mark))}?${redactQuery(target.slice(mark + 1))}`;
}

/** A canonical request of signature version 4: its query and its header lines. */
export function redactCanonicalRequest(canonical: string): string {
  const [method = '', path = '', query = '', ...rest] = canonical.split('\n');
  const lines = rest.map((line) => {
    const colon = line.indexOf(':');
    return colon < 0 ? redactText(line) : `${line.slice(0, colon + 1)}${redactHeader(line.slice(0, colon), line.slice(colon + 1))}`;
  });
  return [method, redactTarget(path), redactQuery(query), ...lines].join('\n');
}

/** What an S3 error says beside its message; see `S3Error.extra`. Hex dumps of signed text are left out: they can be made again. */
export function redactErrorExtra(extra: Readonly<Record<string, string | number>>): Record<string, string | number> {
  const kept = Object.entries(extra).filter(([name]) => !name.endsWith('Bytes'));
  return Object.fromEntries(kept.map(([name, value]) => [name, typeof value === 'number' ? value : redactElement(name, value)]));
}

function redactElement(name: string, value: string): string {
  return name === 'CanonicalRequest' ? redactCanonicalRequest(value) : redactField(name, value);
}

/** Fields of a log line, whatever they are: texts and errors within objects and lists; anything deeper than six levels is left out. */
export function redactFields(fields: Readonly<Record<string, unknown>>, depth = 0): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, redactUnknown(name, value, depth)]));
}

function redactUnknown(name: string, value: unknown, depth: number): unknown {
  if (typeof value === 'string') return redactField(name, value);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Error) return redactError(value);
  if (depth >= MAX_DEPTH) return undefined;
  if ('toJSON' in value && typeof value.toJSON === 'function') return redactUnknown(name, (value.toJSON as () => unknown)(), depth + 1);
  if (Array.isArray(value)) return value.map((one: unknown) => redactUnknown(name, one, depth + 1));
  return redactFields(value as Readonly<Record<string, unknown>>, depth + 1);
}

function redactPair(pair: string): string {
  const equals = pair.indexOf('=');
  if (equals < 0) return redactText(pair);
  const name = pair.slice(0, equals);
  const value = pair.slice(equals + 1);
  return `${name}=${redactField(plainName(name), value)}`;
}

/** The name a parameter stands for: escapes undone, blanks around it gone. */
function plainName(name: string): string {
  return name.includes('%') || name.includes('+') ? unescapeFully(name).replaceAll('+', ' ').trim() : name;
}
