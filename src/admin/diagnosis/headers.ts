import { redactHeader } from '../../observe/redact.ts';
import { isSecretName } from '../../observe/secret-names.ts';
import { quotedValue, type Alteration, type Subject } from './alteration.ts';
import { withLine, type HeaderLine } from './canonical-parts.ts';
import type { Cause } from './diagnosis.ts';

/** Headers that stand between client and server change, and values that clients are known to sign for them. */
const ALTERED_BY_PROXIES: Readonly<Record<string, readonly string[]>> = {
  accept: ['*/*', 'application/json'],
  'accept-encoding': [
    'identity',
    'gzip',
    'gzip, deflate',
    'gzip, deflate, br',
    'gzip, deflate, br, zstd',
    'gzip;q=1.0,deflate;q=0.6,identity;q=0.3',
    'gzip,gzip(gfe)',
  ],
  'accept-language': [],
  'cache-control': ['no-cache', 'max-age=0'],
  connection: ['keep-alive', 'Keep-Alive', 'close'],
  'content-encoding': ['aws-chunked'],
  'content-length': ['0'],
  'content-md5': [],
  'content-type': [
    'application/octet-stream',
    'binary/octet-stream',
    'application/xml',
    'application/x-www-form-urlencoded',
    'application/x-www-form-urlencoded; charset=utf-8',
  ],
  cookie: [],
  date: [],
  expect: ['100-continue'],
  forwarded: [],
  'if-match': [],
  'if-none-match': [],
  'keep-alive': [],
  origin: [],
  pragma: ['no-cache'],
  range: [],
  referer: [],
  te: ['trailers'],
  'transfer-encoding': ['chunked'],
  upgrade: [],
  'user-agent': [],
  via: [],
  'x-amzn-trace-id': [],
  'x-forwarded-for': [],
  'x-forwarded-host': [],
  'x-forwarded-port': [],
  'x-forwarded-proto': ['http', 'https'],
  'x-real-ip': [],
};

/** Never tried: they carry what the signature itself is made of, or credentials. */
const FIXED = new Set(['host', 'x-amz-date', 'x-amz-content-sha256', 'authorization']);
const MAX_SPACES = 4;
const MAX_LINES = 24;

/** Names among the signed headers that proxies commonly add, change or remove. */
export function commonlyAltered(signedHeaders: readonly string[]): string[] {
  return signedHeaders.filter(isCommonlyAltered);
}

/** The same and the host, of which the hints speak apart. */
export function proneToChange(signedHeaders: readonly string[]): string[] {
  return signedHeaders.filter((name) => name === 'host' || isCommonlyAltered(name));
}

function isCommonlyAltered(name: string): boolean {
  return Object.hasOwn(ALTERED_BY_PROXIES, name);
}

/** Names of signed headers that did not come at all; clients may sign an empty one, but hardly ever do. */
export function missingHeaders({ claim, request }: Subject): string[] {
  return claim.signedHeaders.filter((name) => request.headers.get(name.toLowerCase()) === undefined);
}

/** Other values of signed headers that the client may have signed, those that proxies are known for first. */
export function headerAlterations(subject: Subject): Alteration[] {
  const open = subject.parts.lines.filter(({ name }) => !FIXED.has(name) && !isSecretName(name));
  const lines = open
    .toSorted((a, b) => Number(isCommonlyAltered(b.name)) - Number(isCommonlyAltered(a.name)))
    .slice(0, MAX_LINES);
  return [
    ...lines.flatMap((line) => distinct(subject, line, 'altered-header', knownValues(subject, line))),
    ...lines.flatMap((line) => distinct(subject, line, 'altered-header', rewritten(line))),
    ...lines.flatMap((line) => distinct(subject, line, 'trimmed-space', spacings(subject, line))),
  ];
}

function distinct(
  { parts, request }: Subject,
  { name, value }: HeaderLine,
  cause: Cause,
  values: Iterable<string>,
): Alteration[] {
  const others = new Set(values);
  others.delete(value);
  const came = (): string =>
    request.headers.get(name) === undefined ? 'did not come' : `came as ${quotedValue(redactHeader(name, value))}`;
  return [...others].map((other) => ({
    cause,
    // Of dozens one fits at most: values are long, and looking for secrets in them takes longer than trying them.
    get text() {
      return wording(cause, name, redactHeader(name, other), came());
    },
    parts: withLine(parts, name, other),
  }));
}

function wording(cause: Cause, name: string, signed: string, came: string): string {
  return cause === 'trimmed-space'
    ? `The header ${name} was signed with other spaces, as ${quotedValue(signed)}, but ${came}: spaces were trimmed or folded on the way, or the client does not fold them when it signs.`
    : `The header ${name} was signed as ${quotedValue(signed)}, but ${came}: something in between changed it.`;
}

/** Of headers that proxies change: what they commonly were. */
function* knownValues({ request }: Subject, { name, value }: HeaderLine): Iterable<string> {
  const known = isCommonlyAltered(name) ? ALTERED_BY_PROXIES[name] : undefined;
  if (known === undefined) return;
  yield '';
  yield* known;
  if (name === 'content-type') yield* contentTypes(value);
  if (name === 'content-length') yield request.headers.get('x-amz-decoded-content-length') ?? '0';
  if (name === 'content-encoding') yield* [`aws-chunked,${value}`, value.replace(/^aws-chunked\s*,?\s*/, '')];
  if (name === 'if-none-match' || name === 'if-match') {
    yield* [value.replace(/^W\//, ''), value.replace(/-gzip"$/, '"')];
  }
  if (value.includes(',')) yield value.slice(0, value.lastIndexOf(',')).trimEnd();
}

function* contentTypes(value: string): Iterable<string> {
  const end = value.indexOf(';');
  yield end < 0 ? value : value.slice(0, end).trimEnd();
  yield* ['; charset=utf-8', ';charset=utf-8', '; charset=UTF-8', ';charset=UTF-8'].map(
    (charset) => `${value}${charset}`,
  );
}

/** The value with the spaces that canonicalisation folds, or that may have been folded before. */
function* spacings({ request }: Subject, { name, value }: HeaderLine): Iterable<string> {
  if (request.headers.get(name) === undefined) return;
  yield request.headers.get(name) ?? '';
  yield* [`${value} `, ` ${value}`, ` ${value} `];
  const spaces = [...value.matchAll(/ /g)].slice(0, MAX_SPACES);
  for (const { index } of spaces) {
    yield* [`${value.slice(0, index)} ${value.slice(index)}`, `${value.slice(0, index)}${value.slice(index + 1)}`];
  }
}

/** What proxies do to any header: join lists, change the charset, undo escapes, change case. */
function* rewritten({ value }: HeaderLine): Iterable<string> {
  if (value.includes(',')) {
    yield* [value.replaceAll(', ', ','), value.replaceAll(/,(?! )/g, ', '), value.slice(0, value.indexOf(','))];
  }
  if (/[\x80-\xff]/.test(value)) yield Buffer.from(value, 'latin1').toString('utf8');
  yield Buffer.from(value, 'utf8').toString('latin1');
  if (/%[0-9a-f]{2}/i.test(value)) {
    yield value.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  }
  if (value !== value.toLowerCase()) yield value.toLowerCase();
}
