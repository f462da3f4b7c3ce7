import { createHash } from 'node:crypto';
import { OPERATION_TABLE, type OperationRow } from '../../src/protocol/operation-table.ts';
import {
  ACCESS_KEY,
  OTHER_ACCESS_KEY,
  presignedHead,
  presignedV2Head,
  type RawRequestOptions,
  signedHead,
} from '../support/clients/sign-raw.ts';
import { OPERATIONS } from '../../src/operations/index.ts';
import type { Random } from '../support/random.ts';
import type { FuzzRequest } from './client.ts';
import { furtherRequest } from './further.ts';
import { BODIES, BUCKETS, HEADERS, KEYS, PARAMETERS, PAYLOADS, POLICIES, VALUES } from './samples.ts';

const SIGNERS: readonly ((options: RawRequestOptions) => string)[] = [
  signedHead,
  signedHead,
  signedHead,
  presignedHead,
  presignedV2Head,
];
const BUILT = OPERATION_TABLE.filter(({ name }) => OPERATIONS[name] !== undefined);
const METHODS = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'PATCH'];
/** Of requests, how many are altered byte by byte after they were signed. */
const ALTERED = 0.25;
const ALTERED_NEARLY_RIGHT = 0.1;

/**
 * Of requests, how many are no operation that is signed in its head: forms, preflights, visits of websites, the token
 * service.
 */
const FURTHER = 0.12;
/** Of requests, how many are as a client would send them, but for one thing perhaps: they get furthest. */
const NEARLY_RIGHT = 0.5;

/** Ids that the gateway has given out: without them nothing would get past the first look. */
export interface KnownIds {
  readonly uploads: readonly string[];
  readonly versions: readonly string[];
}

/** One request as raw bytes: an operation of the table, dressed at random, signed or not, and altered or not. */
export function randomRequest(random: Random, ids: KnownIds): FuzzRequest {
  if (random.chance(FURTHER)) return furtherText(random);
  const row = random.pick(random.chance(0.9) ? BUILT : OPERATION_TABLE);
  const nearlyRight = random.chance(NEARLY_RIGHT);
  const options = nearlyRight ? nearlyRightOptions(row, random, ids) : randomOptions(row, random, ids);
  const body = nearlyRight
    ? bodyOf(row, random)
    : random.pick(BODIES).slice(0, random.chance(0.5) ? undefined : random.below(40));
  const headers = { ...options.headers };
  if (headers['transfer-encoding'] === undefined) {
    headers['content-length'] = nearlyRight || random.chance(0.97) ? String(body.length) : random.pick(VALUES);
  }
  if (nearlyRight && row.body === 'xml') {
    headers['content-md5'] = createHash('md5').update(body, 'latin1').digest('base64');
  }
  const text = `${signed({ ...options, headers }, random)}${body}`;
  if (random.chance(nearlyRight ? ALTERED_NEARLY_RIGHT : ALTERED)) return { text: altered(text, random), whole: false };
  return { text, whole: headers['content-length'] === String(body.length) };
}

function furtherText(random: Random): FuzzRequest {
  const { head, body } = furtherRequest(random);
  if (random.chance(ALTERED)) return { text: altered(head + body, random), whole: false };
  return {
    text: head + body,
    whole: /\ncontent-length: \d+\r\n/.exec(head)?.length === 1 && !/transfer-encoding|expect/.test(head),
  };
}

function signed(options: RawRequestOptions, random: Random): string {
  if (random.chance(0.15)) return anonymous(options);
  try {
    return random.pick(SIGNERS)({
      ...options,
      accessKey: random.chance(0.7) ? ownerOf(options.target) : random.pick([ACCESS_KEY, OTHER_ACCESS_KEY]),
      payloadHash: random.chance(0.8) ? 'UNSIGNED-PAYLOAD' : random.pick(PAYLOADS),
      encoding: random.chance(0.7) ? 'latin1' : 'utf8',
    });
  } catch {
    // What cannot be decoded cannot be signed by version 2.
    return anonymous(options);
  }
}

function ownerOf(target: string): string {
  return target.startsWith('/fuzz-two') ? OTHER_ACCESS_KEY : ACCESS_KEY;
}

function anonymous({ method = 'GET', target, headers = {} }: RawRequestOptions): string {
  return `${method} ${target} HTTP/1.1\r\nhost: localhost\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`;
}

function pathOf(level: OperationRow['level'], bucket: string, key: string): string {
  return {
    service: '/',
    bucket: `/${bucket}`,
    object: `/${bucket}/${key}`,
    control: `/v20180820/tags/arn%3Aaws%3As3%3A%3A%3A${bucket}`,
  }[level];
}

function nearlyRightOptions(row: OperationRow, random: Random, ids: KnownIds): RawRequestOptions {
  const bucket = random.chance(0.8) ? random.pick(BUCKETS.slice(0, 2)) : random.pick(BUCKETS);
  const key = random.chance(0.9) ? random.pick(KEYS.slice(0, 3)) : random.pick(KEYS);
  const path = pathOf(row.level, bucket, key);
  const { subresource, query, value, header } = row.match;
  const pairs: string[] = [];
  if (subresource !== undefined) {
    pairs.push(subresource === 'uploadId' ? `uploadId=${random.pick(ids.uploads)}` : subresource);
  }
  if (query !== undefined) pairs.push(`${query}=${value ?? random.pick(['1', '2'])}`);
  if (row.level === 'object' && subresource !== 'uploadId' && random.chance(0.2)) {
    pairs.push(`versionId=${random.pick([...ids.versions, 'null'])}`);
  }
  if (random.chance(0.2)) pairs.push(`${random.pick(PARAMETERS)}=${encoded(random.pick(VALUES))}`);
  const headers: Record<string, string> = {};
  if (header !== undefined) headers[header] = valueFor(header, random);
  if (random.chance(0.3)) {
    const [name, values] = random.pick(HEADERS);
    headers[name] ??= random.pick(values);
  }
  return { method: row.method, target: pairs.length === 0 ? path : `${path}?${pairs.join('&')}`, headers };
}

/** A document of the right kind, as far as the sub-resource tells; bytes where an object is sent. */
function bodyOf({ body, match: { subresource = '' } }: OperationRow, random: Random): string {
  if (body === 'none') return '';
  if (body === 'object') return random.pick(['', 'x', 'some bytes', 'b'.repeat(5000)]);
  if (subresource === 'policy') return random.pick(POLICIES);
  const root = ROOTS[subresource];
  const fitting = BODIES.filter((text) => root !== undefined && text.startsWith(`<${root}`));
  return fitting.length === 0 || random.chance(0.1) ? random.pick(BODIES) : random.pick(fitting);
}

const ROOTS: Readonly<Record<string, string>> = {
  versioning: 'Versioning',
  delete: 'Delete',
  uploadId: 'Complete',
  tagging: 'Tagging',
  retention: 'Retention',
  'legal-hold': 'LegalHold',
  'object-lock': 'ObjectLock',
  ownershipControls: 'Ownership',
  publicAccessBlock: 'PublicAccess',
  acl: 'AccessControl',
  cors: 'CORS',
  website: 'Website',
  encryption: 'ServerSide',
  accelerate: 'Accelerate',
  '': 'CreateBucket',
};

function valueFor(header: string, random: Random): string {
  return random.pick(HEADERS.find(([name]) => name === header)?.[1] ?? ['x']);
}

function randomOptions(row: OperationRow, random: Random, ids: KnownIds): RawRequestOptions {
  const bucket = random.chance(0.7) ? random.pick(BUCKETS.slice(0, 4)) : random.pick(BUCKETS);
  const key = random.chance(0.6) ? random.pick(KEYS.slice(0, 4)) : random.pick(KEYS);
  const path = pathOf(row.level, bucket, key);
  const { subresource, query, value, header } = row.match;
  const pairs = random.some(PARAMETERS, 2).map((name) => `${name}=${encoded(random.pick(VALUES))}`);
  if (subresource !== undefined) {
    pairs.push(
      subresource.endsWith('Id') ? `${subresource}=${encoded(random.pick([...VALUES, ...ids.uploads]))}` : subresource,
    );
  }
  if (query !== undefined) pairs.push(`${query}=${value ?? random.pick(['1', '2', encoded(random.pick(VALUES))])}`);
  const headers = Object.fromEntries(random.some(HEADERS, 3).map(([name, values]) => [name, random.pick(values)]));
  if (header !== undefined) headers[header] = valueFor(header, random);
  const method = random.chance(0.95) ? row.method : random.pick(METHODS);
  return { method, target: pairs.length === 0 ? path : `${path}?${pairs.join('&')}`, headers };
}

function encoded(value: string): string {
  return value.replaceAll(/[ &"<>]/g, encodeURIComponent);
}

/** Bytes of the whole request turned, put in, taken out, doubled; lines doubled, cut, swapped. */
function altered(request: string, random: Random): string {
  let text = request;
  for (let turn = random.below(4); turn >= 0; turn -= 1) {
    const at = random.below(text.length);
    const length = random.below(6);
    const kind = random.below(7);
    if (kind === 0) {
      text = `${text.slice(0, at)}${String.fromCharCode(random.below(256))}${text.slice(at + 1)}`;
    } else if (kind === 1) {
      text = text.slice(0, at) + text.slice(at + length);
    } else if (kind === 2) {
      text = `${text.slice(0, at)}${text.slice(at, at + length)}${text.slice(at)}`;
    } else if (kind === 3) {
      text = `${text.slice(0, at)}${random.pick(['\r', '\n', '\r\n', '\0', ' ', '\t', '%', '&', '=', ';', ',', '"', '/', '?', '#'])}${text.slice(at)}`;
    } else if (kind === 4) {
      text = text.slice(0, at);
    } else if (kind === 5) {
      text = withLines(text, (lines) => [...lines, random.pick(lines)]);
    } else {
      text = withLines(text, (lines) => lines.toSorted(() => random.next() - 0.5));
    }
  }
  return text;
}

function withLines(text: string, change: (lines: readonly string[]) => readonly string[]): string {
  const end = text.indexOf('\r\n\r\n');
  const [first = '', ...lines] = (end < 0 ? text : text.slice(0, end)).split('\r\n');
  if (lines.length === 0) return text;
  return `${[first, ...change(lines)].join('\r\n')}${end < 0 ? '' : text.slice(end)}`;
}
