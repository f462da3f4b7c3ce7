import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { roundTrip } from '../../support/clients/raw-http.ts';
import { framedLength, signedChunks } from '../../support/clients/signed-chunks.ts';
import { presignedHead, presignedV2Head, type RawRequestOptions, signedHead } from '../../support/clients/sign-raw.ts';

/** A request in pieces. */
interface Sent {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

interface Mutation {
  /** What of the request is altered. */
  readonly element: string;
  readonly how: string;
  readonly altered: Sent;
}

interface Kind {
  readonly kind: string;
  readonly make: () => Sent;
  /** Headers that the signature does not cover: free to alter. */
  readonly unsigned?: readonly string[];
  /** The body is covered by a hash or by the signatures of its chunks. */
  readonly bodySigned?: boolean;
}

const KEY = '/bucket/some%20key';
const BODY = 'the body of an object';
const META = { 'x-amz-meta-a': 'value one', 'x-amz-acl': 'private' };
const CHUNKS = ['a'.repeat(8192), 'the rest'];
const TRAILER = { name: 'x-amz-checksum-crc32', value: 'AAAAAA==' };
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

function put(
  make: (options: RawRequestOptions) => string,
  { body = BODY, ...options }: Omit<RawRequestOptions, 'target'> & { body?: string; target?: string },
): Sent {
  const headers = { 'content-length': String(body.length), ...options.headers };
  return parse(make({ method: 'PUT', target: KEY, ...options, headers }), body);
}

function chunked(payloadHash: string, trailer?: typeof TRAILER): Sent {
  const declared = trailer === undefined ? {} : { 'x-amz-trailer': trailer.name };
  const headers = {
    'content-length': String(framedLength(CHUNKS, trailer)),
    'content-encoding': 'aws-chunked',
    ...declared,
    'x-amz-decoded-content-length': String(CHUNKS.join('').length),
    ...META,
  };
  const head = signedHead({ method: 'PUT', target: KEY, payloadHash, headers });
  return parse(head, signedChunks(head, CHUNKS, trailer));
}

function parse(head: string, body = ''): Sent {
  const [first = '', ...lines] = head.trimEnd().split('\r\n');
  const [method = '', target = ''] = first.split(' ');
  return {
    method,
    target,
    headers: lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
    body,
  };
}

const KINDS: readonly Kind[] = [
  {
    kind: 'version 4 by header, reading',
    make: () => parse(signedHead({ target: `${KEY}?response-content-type=text%2Fplain&versionId=null` })),
  },
  { kind: 'version 4 by header, payload not signed', make: () => put(signedHead, { headers: META }) },
  {
    kind: 'version 4 by header, payload signed',
    make: () => put(signedHead, { headers: META, payloadHash: sha256(BODY) }),
    bodySigned: true,
  },
  { kind: 'version 4, signed chunks', make: () => chunked('STREAMING-AWS4-HMAC-SHA256-PAYLOAD'), bodySigned: true },
  {
    kind: 'version 4, signed chunks and trailer',
    make: () => chunked('STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER', crc()),
    bodySigned: true,
  },
  {
    kind: 'version 4 presigned, reading',
    make: () => parse(presignedHead({ target: `${KEY}?response-content-type=text%2Fplain&versionId=null` })),
  },
  {
    kind: 'version 4 presigned, writing',
    make: () => put(presignedHead, { target: `${KEY}?x-amz-meta-b=two`, headers: META }),
  },
  {
    kind: 'version 2 presigned, reading',
    make: () => parse(presignedV2Head({ target: `${KEY}?response-content-type=text%2Fplain&versionId=null` })),
    unsigned: ['host'],
  },
  {
    kind: 'version 2 presigned, writing',
    make: () =>
      put(presignedV2Head, {
        target: `${KEY}?x-amz-meta-b=two&x-amz-acl=private`,
        headers: { 'content-type': 'text/plain' },
      }),
    unsigned: ['host'],
  },
];

function crc(): typeof TRAILER {
  return { name: TRAILER.name, value: crc32(CHUNKS.join('')) };
}

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway({ presignedV2: true });
  for (const bucket of ['bucket', 'bucketx']) {
    expect(
      (await send(parse(signedHead({ method: 'PUT', target: `/${bucket}`, headers: { 'content-length': '0' } }))))
        .status,
    ).toBe(200);
  }
  expect((await send(put(signedHead, { body: 'as it was' }))).status).toBe(200);
});

afterAll(() => gateway.close());

async function send({
  method,
  target,
  headers,
  body,
}: Sent): Promise<{ readonly status: number; readonly body: string }> {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return roundTrip(gateway.port, Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines}\r\n${body}`, 'latin1'), method);
}

/** Another character of the same kind in its place. */
function flipped(text: string, at: number): string {
  const char = text.charAt(at);
  const other = /[0-8a-eg-yA-Y]/.test(char)
    ? String.fromCharCode(char.charCodeAt(0) + 1)
    : char === '9'
      ? '8'
      : char === 'f'
        ? '0'
        : 'x';
  return `${text.slice(0, at)}${other}${text.slice(at + 1)}`;
}

/** Places to look at in a text: its beginning, its end, and some between. */
function places(text: string): number[] {
  return [...new Set([0, 0.25, 0.5, 0.75, 1].map((part) => Math.floor(part * (text.length - 1))))].filter(
    (at) => at >= 0 && at < text.length,
  );
}

function* mutationsOf(sent: Sent, { unsigned = [], bodySigned = false }: Kind): Iterable<Mutation> {
  for (const method of ['GET', 'HEAD', 'PUT', 'DELETE']) {
    if (method !== sent.method) yield { element: 'method', how: method, altered: { ...sent, method } };
  }
  yield* ofTarget(sent);
  const presigned = !sent.headers.some(([name]) => name === 'authorization');
  for (const [index, [name, value]] of sent.headers.entries()) {
    if (
      unsigned.includes(name) ||
      !(
        name === 'host' ||
        name === 'authorization' ||
        name.startsWith('x-amz-') ||
        (name === 'content-type' && presigned)
      )
    ) {
      continue;
    }
    yield* ofHeader(sent, index, [name, value]);
  }
  for (const added of [
    'x-amz-meta-added',
    'x-amz-copy-source',
    'x-amz-acl',
    'x-amz-tagging',
    'x-amz-grant-read',
    'x-amz-security-token',
    'x-amz-date',
    'x-amz-content-sha256',
  ]) {
    const value = added === 'x-amz-copy-source' ? '/bucket/other' : 'other';
    yield { element: added, how: 'added', altered: { ...sent, headers: [...sent.headers, [added, value]] } };
  }
  if (bodySigned) yield* ofBody(sent);
}

function* ofTarget(sent: Sent): Iterable<Mutation> {
  const [path = '', query = ''] = sent.target.split('?');
  const pairs = query === '' ? [] : query.split('&');
  const withPath = (other: string): Sent => ({ ...sent, target: query === '' ? other : `${other}?${query}` });
  const withPairs = (other: readonly string[]): Sent => ({
    ...sent,
    target: other.length === 0 ? path : `${path}?${other.join('&')}`,
  });
  for (let at = 0; at < path.length; at += 1) {
    if (/[a-z]/.test(path.charAt(at))) {
      yield { element: 'path', how: `flipped at ${at}`, altered: withPath(flipped(path, at)) };
    }
  }
  for (const other of [
    `${path}x`,
    `${path}/`,
    `/${path}`,
    path.replace('/bucket/', '/bucketx/'),
    path.replace('%20', '%2520'),
    path.replace('%20', '+'),
    path.replace('/bucket', '/bucket/.'),
  ]) {
    yield { element: 'path', how: other, altered: withPath(other) };
  }
  for (const [index, pair] of pairs.entries()) {
    const [name = '', value = ''] = pair.split('=');
    for (const at of places(value)) {
      yield {
        element: name,
        how: `flipped at ${at}`,
        altered: withPairs(pairs.with(index, `${name}=${flipped(value, at)}`)),
      };
    }
    yield { element: name, how: 'removed', altered: withPairs(pairs.toSpliced(index, 1)) };
    yield { element: name, how: 'emptied', altered: withPairs(pairs.with(index, name)) };
    yield { element: name, how: 'longer', altered: withPairs(pairs.with(index, `${pair}0`)) };
    yield { element: name, how: 'shorter', altered: withPairs(pairs.with(index, pair.slice(0, -1))) };
    yield {
      element: name,
      how: 'renamed',
      altered: withPairs(pairs.with(index, `${flipped(name, name.length - 1)}=${value}`)),
    };
    yield { element: name, how: 'twice, altered', altered: withPairs([...pairs, `${name}=other`]) };
    yield { element: name, how: 'twice, altered, in front', altered: withPairs([`${name}=other`, ...pairs]) };
  }
  for (const added of [
    'acl',
    'tagging',
    'uploads',
    'versionId=other',
    'partNumber=1&uploadId=x',
    'x-amz-acl=public-read',
    'response-expires=x',
    'x-amz-copy-source=%2Fbucket%2Fother',
  ]) {
    yield { element: added, how: 'added', altered: withPairs([...pairs, added]) };
    yield { element: added, how: 'added in front', altered: withPairs([added, ...pairs]) };
  }
}

function* ofHeader(sent: Sent, index: number, [name, value]: readonly [string, string]): Iterable<Mutation> {
  const withValue = (other: string): Sent => ({ ...sent, headers: sent.headers.with(index, [name, other]) });
  const at =
    name === 'authorization' ? [...value.matchAll(/[a-zA-Z0-9]/g)].map(({ index: place }) => place) : places(value);
  for (const place of at) {
    yield { element: name, how: `flipped at ${place}`, altered: withValue(flipped(value, place)) };
  }
  yield { element: name, how: 'removed', altered: { ...sent, headers: sent.headers.toSpliced(index, 1) } };
  yield { element: name, how: 'emptied', altered: withValue('') };
  yield { element: name, how: 'longer', altered: withValue(`${value}0`) };
  yield { element: name, how: 'shorter', altered: withValue(value.slice(0, -1)) };
  yield { element: name, how: 'twice', altered: { ...sent, headers: sent.headers.toSpliced(index, 0, [name, value]) } };
  yield { element: name, how: 'twice, altered', altered: { ...sent, headers: [...sent.headers, [name, `${value}0`]] } };
  yield {
    element: name,
    how: 'twice, altered, in front',
    altered: { ...sent, headers: [[name, `${value}0`], ...sent.headers] },
  };
  if (name !== 'authorization') return;
  for (const part of value.replace('AWS4-HMAC-SHA256 ', '').split(', ')) {
    yield {
      element: part.slice(0, part.indexOf('=')),
      how: 'removed',
      altered: withValue(value.replace(part, '').replace(', ,', ',')),
    };
    yield { element: part.slice(0, part.indexOf('=')), how: 'twice', altered: withValue(`${value}, ${part}`) };
  }
  const list = /SignedHeaders=([^,]*)/.exec(value)?.[1] ?? '';
  const names = list.split(';');
  for (const one of names) {
    yield {
      element: 'SignedHeaders',
      how: `without ${one}`,
      altered: withValue(value.replace(list, names.filter((other) => other !== one).join(';'))),
    };
  }
  yield {
    element: 'SignedHeaders',
    how: 'reversed',
    altered: withValue(value.replace(list, names.toReversed().join(';'))),
  };
  yield {
    element: 'SignedHeaders',
    how: 'twice',
    altered: withValue(value.replace(list, names.flatMap((one) => [one, one]).join(';'))),
  };
  yield { element: 'SignedHeaders', how: 'in upper case', altered: withValue(value.replace(list, list.toUpperCase())) };
  yield {
    element: 'SignedHeaders',
    how: 'one more',
    altered: withValue(value.replace(list, `content-length;${list}`)),
  };
}

function* ofBody(sent: Sent): Iterable<Mutation> {
  const { body } = sent;
  const step = Math.max(1, Math.floor(body.length / 60));
  for (let at = 0; at < body.length; at += step) {
    if (/[a-z0-9=/+]/i.test(body.charAt(at))) {
      yield { element: 'body', how: `flipped at ${at}`, altered: { ...sent, body: flipped(body, at) } };
    }
  }
  for (const match of body.matchAll(/chunk-signature=|x-amz-trailer-signature:|x-amz-checksum-crc32:/g)) {
    const at = match.index + match[0].length;
    yield { element: match[0], how: 'flipped', altered: { ...sent, body: flipped(body, at) } };
    yield { element: match[0], how: 'renamed', altered: { ...sent, body: flipped(body, match.index) } };
    yield { element: match[0], how: 'shorter', altered: withLength(sent, `${body.slice(0, at)}${body.slice(at + 1)}`) };
  }
  // The line break behind the last signature is framing, and forgiven.
  yield { element: 'body', how: 'shorter', altered: withLength(sent, body.slice(0, -5)) };
  yield { element: 'body', how: 'longer', altered: withLength(sent, `${body}x`) };
  yield { element: 'body', how: 'empty', altered: withLength(sent, '') };
}

function withLength(sent: Sent, body: string): Sent {
  return {
    ...sent,
    body,
    headers: sent.headers.map(([name, value]) =>
      name === 'content-length' ? [name, String(body.length)] : [name, value],
    ),
  };
}

describe.each(KINDS)('$kind', (kind) => {
  test('is let in as it is, and refused when any signed element is flipped, removed, added or doubled', async () => {
    expect((await send(kind.make())).status).toBe(200);
    const before = await state();
    const accepted: string[] = [];
    let tried = 0;
    for (const { element, how, altered } of mutationsOf(kind.make(), kind)) {
      if (JSON.stringify(altered) === JSON.stringify(kind.make())) continue;
      const { status } = await send(altered);
      tried += 1;
      if (![400, 403, 405, 411].includes(status)) accepted.push(`${element}, ${how}: ${status}`);
    }
    expect(accepted).toEqual([]);
    expect(tried).toBeGreaterThan(60);
    expect(await state()).toEqual(before);
  });
});

/** What is stored, with times and tags of all of it. */
async function state(): Promise<string> {
  const list = await send(parse(signedHead({ target: '/bucket?versions' })));
  const object = await send(parse(signedHead({ target: KEY })));
  return `${list.body}${object.body}`;
}

function crc32(text: string): string {
  let crc = 0xffffffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE((crc ^ 0xffffffff) >>> 0);
  return bytes.toString('base64');
}
