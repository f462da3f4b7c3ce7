import { BOUNDARY, exactly, type Fields, formBody, signedV2, signedV4 } from '../support/clients/post-form.ts';
import type { Random } from '../support/random.ts';
import { ACCESS_KEY, OTHER_ACCESS_KEY } from '../support/clients/sign-raw.ts';
import { BUCKETS, HEADERS, KEYS, VALUES } from './samples.ts';

/** A request, not altered yet; latin1. */
interface Plain {
  readonly head: string;
  readonly body: string;
}

/** What comes to the same listeners beside the operations that are signed in their head. */
export function furtherRequest(random: Random): Plain {
  return random.pick([form, form, form, preflight, website, tokenService])(random);
}

function request(line: string, headers: Readonly<Record<string, string>>, body = ''): Plain {
  const lines = { host: 'localhost', ...headers, 'content-length': String(body.length) };
  const text = Object.entries(lines)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  return { head: `${line} HTTP/1.1\r\n${text}\r\n`, body };
}

const FIELDS: Fields = [
  ['acl', 'private'],
  ['acl', 'public-read'],
  ['x-amz-acl', 'x'],
  ['Content-Type', 'text/plain'],
  ['content-type', 'a,b'],
  ['success_action_status', '201'],
  ['success_action_status', 'x'],
  ['success_action_redirect', 'http://example.com/${filename}'],
  ['redirect', 'javascript:x'],
  ['tagging', '<Tagging><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tagging>'],
  ['tagging', '<Tagging>'],
  ['x-amz-meta-a', '${filename}'],
  ['x-amz-meta-__proto__', 'v'],
  ['x-amz-storage-class', 'GLACIER'],
  ['x-amz-object-lock-mode', 'GOVERNANCE'],
  ['x-amz-security-token', 'x'],
  ['x-ignore-a', 'a'],
  ['bucket', 'guard-plain'],
  ['key', 'secret-1'],
  ['file', 'not one'],
  ['__proto__', 'v'],
];
const FORM_KEYS = ['a', 'b', 'dir/${filename}', '${filename}', '', '../a', 'k'.repeat(1025), 'secret-1'];
const TYPES = [
  `multipart/form-data; boundary=${BOUNDARY}`,
  `multipart/form-data; boundary="${BOUNDARY}"`,
  'multipart/form-data',
  'multipart/form-data; boundary=x',
  `multipart/mixed; boundary=${BOUNDARY}`,
];

function form(random: Random): Plain {
  const bucket = random.chance(0.8) ? random.pick(BUCKETS.slice(0, 2)) : random.pick(BUCKETS);
  const accessKey = random.chance(0.8) === bucket.startsWith('fuzz-two') ? OTHER_ACCESS_KEY : ACCESS_KEY;
  const fields: Fields = [['key', random.pick(FORM_KEYS)], ...random.some(FIELDS, 3)];
  const allows = random.chance(0.7) ? exactly(fields, bucket) : [['starts-with', '$key', ''], { bucket }];
  const sign = random.pick([signedV4, signedV4, signedV2]);
  const dressed = random.chance(0.8) ? sign(fields, allows, { accessKey }) : fields;
  const filename = random.pick(['f.bin', '../f', 'a"b', '', 'f\u00e9', '${filename}']);
  const file = random.pick(['', 'x', 'b'.repeat(5000)]);
  const body = formBody({ fields: dressed, filename, ...(random.chance(0.95) && { file }) }).toString('latin1');
  const type = random.chance(0.9) ? (TYPES[0] ?? '') : random.pick(TYPES);
  return request(`POST /${bucket}`, { 'content-type': type, ...extra(random) }, body);
}

function extra(random: Random): Record<string, string> {
  if (random.chance(0.7)) return {};
  const [name, values] = random.pick(HEADERS);
  return { [name]: random.pick(values) };
}

const ORIGINS = ['https://example.com', 'http://a.example.com', 'null', '*', 'x'.repeat(3000)];

function preflight(random: Random): Plain {
  const path = `/${random.pick(BUCKETS.slice(0, 4))}/${random.pick(KEYS)}`;
  const names = Array.from({ length: random.below(130) }, (_, index) => `x-a${String(index)}`).join(', ');
  return request(`OPTIONS ${path}`, {
    origin: random.pick(ORIGINS),
    'access-control-request-method': random.pick(['GET', 'PUT', 'PATCH', '']),
    ...(random.chance(0.5) && { 'access-control-request-headers': names }),
  });
}

function website(random: Random): Plain {
  const bucket = random.pick(BUCKETS.slice(0, 4));
  const method = random.pick(['GET', 'GET', 'HEAD', 'OPTIONS', 'POST', 'PUT']);
  return request(`${method} /${random.pick(KEYS)}`, {
    ...extra(random),
    host: `${bucket}.web.localhost`,
    ...(random.chance(0.3) && { origin: random.pick(ORIGINS) }),
  });
}

const ACTIONS = [
  'AssumeRoleWithWebIdentity',
  'AssumeRole',
  'GetCallerIdentity',
  'GetSessionToken',
  'AssumeRoleWithSAML',
  '',
  '__proto__',
];
const TOKENS = [
  'x',
  `${'a'.repeat(40)}.b.c`,
  `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from('{"iss":"https://x"}').toString('base64url')}.`,
  'a'.repeat(5000),
];

function tokenService(random: Random): Plain {
  const parameters = [
    ['Action', random.pick(ACTIONS)],
    ['Version', random.chance(0.9) ? '2011-06-15' : 'x'],
    ['RoleArn', random.pick(['arn:aws:iam::111111111111:role/r', 'x', ''])],
    ['RoleSessionName', random.pick(['me', 'a b', ''])],
    ['WebIdentityToken', random.pick(TOKENS)],
    ['Policy', random.pick(['{}', '{"Statement":[]}', 'x'])],
    ['DurationSeconds', random.pick(['900', '-1', 'x'])],
    ['Tags.member.1.Key', random.pick(VALUES)],
  ].filter(([name]) => name === 'Action' || random.chance(0.8));
  const text = parameters.map(([name = '', value = '']) => `${name}=${encodeURIComponent(value)}`).join('&');
  if (random.chance(0.2)) return request(`GET /?${text}`, extra(random));
  return request('POST /', { 'content-type': 'application/x-www-form-urlencoded', ...extra(random) }, text);
}
