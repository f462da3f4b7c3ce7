import { canonicalEncoding } from '../../auth/uri-encoding.ts';
import { quotedValue, type Alteration, type Subject } from './alteration.ts';

const MAX_POSITIONS = 8;

/** Other forms of the path that the client may have signed. */
export function pathAlterations({ parts, request }: Subject): Alteration[] {
  const received = parts.path;
  const forms = new Map<string, string>();
  const tried = new Set([received, request.rawPath]);
  for (const [path, what] of candidates(received, request.rawPath, request.headers.get('x-forwarded-prefix'))) {
    if (tried.has(path) || forms.has(path)) continue;
    forms.set(path, what);
  }
  return [
    ...[...forms].map(
      ([path, what]): Alteration => ({
        cause: 're-encoded-path',
        text: `The path was signed as ${quotedValue(path)}, but came as ${quotedValue(request.rawPath)}: ${what}`,
        parts: { ...parts, path },
      }),
    ),
    {
      cause: 'trimmed-space',
      text: 'The path was signed with a space at its end, which was lost on the way.',
      parts: { ...parts, path: `${received}%20` },
    },
  ];
}

const TWICE = 'its escapes were escaped once more on the way.';
const UNESCAPED =
  'its escapes were undone on the way, or the client escapes the path twice, as other AWS services want it but not S3.';
const PLUS = 'a space and a plus were taken for each other.';
const FOLDED =
  'slashes or dot segments were folded. Keys of S3 may hold them: a proxy must pass the path on untouched (nginx: `proxy_pass` without a path; `merge_slashes off`).';
const SLASHES = 'a slash of the key was escaped or unescaped.';
const NORMALISED = 'the Unicode form of its letters was changed.';

function* candidates(
  canonical: string,
  raw: string,
  prefix: string | undefined,
): Iterable<readonly [path: string, what: string]> {
  const decoded = decodeBytes(raw);
  yield [canonicalEncoding(decoded, 'path'), TWICE];
  yield [canonical.replaceAll('%', '%25'), UNESCAPED];
  yield [decoded, 'the client signed it unescaped, or it was escaped on the way.'];
  yield [canonical.replaceAll('%2B', '%20'), PLUS];
  yield [canonical.replaceAll('%20', '%2B'), PLUS];
  yield [canonical.replaceAll('%20', '+'), PLUS];
  yield [canonical.replaceAll('%2B', '+'), PLUS];
  yield [canonical.replaceAll(/\/{2,}/g, '/'), FOLDED];
  yield [withoutDots(canonical), FOLDED];
  yield [withoutDots(canonical.replaceAll(/\/{2,}/g, '/')), FOLDED];
  if (prefix !== undefined) {
    yield [`${prefix.replace(/\/$/, '')}${canonical}`, 'its first part was cut off on the way.'];
  }
  yield* slashes(canonical);
  for (const form of ['NFC', 'NFD'] as const) {
    yield [canonicalEncoding(encodeUtf8(decodeUtf8(decoded).normalize(form)), 'path'), NORMALISED];
  }
}

/** What may have been folded: each slash doubled; each one of the key escaped. */
function* slashes(path: string): Iterable<readonly [path: string, what: string]> {
  const positions = [...path.matchAll(/\//g)].map(({ index }) => index);
  for (const at of positions.slice(0, MAX_POSITIONS)) yield [`${path.slice(0, at)}/${path.slice(at)}`, FOLDED];
  yield [path.endsWith('/') ? path.slice(0, -1) : `${path}/`, 'a slash at its end was added or lost.'];
  const ofKey = positions.slice(2, 2 + MAX_POSITIONS);
  const start = ofKey[0];
  if (start === undefined) return;
  yield [`${path.slice(0, start)}${path.slice(start).replaceAll('/', '%2F')}`, SLASHES];
  if (ofKey.length > 1) yield* ofKey.map((at) => [`${path.slice(0, at)}%2F${path.slice(at + 1)}`, SLASHES] as const);
}

/** RFC 3986, section 5.2.4. */
function withoutDots(path: string): string {
  const kept: string[] = [];
  for (const segment of path.slice(1).split('/')) {
    if (segment === '..') kept.pop();
    else if (segment !== '.') kept.push(segment);
  }
  return `/${kept.join('/')}`;
}

function decodeBytes(text: string): string {
  return text.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

function decodeUtf8(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString('utf8');
}

function encodeUtf8(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}
