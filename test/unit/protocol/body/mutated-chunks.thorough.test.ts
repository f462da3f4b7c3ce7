import { describe, expect, it } from 'vitest';
import { isS3Error } from '../../../../src/errors/s3-error.ts';
import { createChecksumHasher } from '../../../../src/protocol/checksums/hasher.ts';
import { HELD, STREAMED, type StreamingKind, type TestBody, framed, requestBody, store } from './bodies.ts';

/*
 * Bodies in chunks, altered: each byte of the framing by each kind of change, bytes of the data, whole chunks, the
 * headers that announce them. What is taken in all the same must be, to the byte, what the client had signed (or what
 * the checksum in the trailer is of), and only where framing is forgiven.
 */
const CHUNKS = [
  Buffer.alloc(8192, 'first '),
  Buffer.alloc(8203, 'second '),
  Buffer.from('the rest of these bytes ...'),
];
const NAME = 'x-amz-checksum-crc32';
const CRC = createChecksumHasher('CRC32');
CRC.update(Buffer.concat(CHUNKS));
const TRAILER = [NAME, CRC.digest().toString('base64')] as const;

interface Kind {
  readonly kind: StreamingKind;
  readonly trailer?: readonly [string, string];
}

const KINDS: readonly Kind[] = [
  { kind: 'streaming-signed' },
  { kind: 'streaming-signed-trailer', trailer: TRAILER },
  { kind: 'streaming-unsigned-trailer', trailer: TRAILER },
];

interface Mutation {
  readonly how: string;
  readonly body: TestBody;
  /** Framing may be forgiven, and what it frames is the same; else it must be refused. */
  readonly mayBeSame?: boolean;
}

/** Ranges of the body by what stands there. */
interface Span {
  readonly what: 'size' | 'signature' | 'data' | 'trailer' | 'framing';
  readonly from: number;
  readonly to: number;
}

function spansOf(wire: string): Span[] {
  const spans: Span[] = [];
  let at = 0;
  for (;;) {
    const [header = '', size = '', signature = ''] =
      /^([0-9a-f]+)(?:;chunk-signature=([0-9a-f]+))?\r\n/.exec(wire.slice(at, at + 200)) ?? [];
    spans.push({ what: 'size', from: at, to: at + size.length });
    const signed = at + header.length - 2 - signature.length;
    spans.push({ what: 'framing', from: at + size.length, to: signed });
    spans.push({ what: 'signature', from: signed, to: signed + signature.length });
    spans.push({ what: 'framing', from: signed + signature.length, to: at + header.length });
    at += header.length;
    const length = Number.parseInt(size, 16);
    if (length === 0) break;
    spans.push(
      { what: 'data', from: at, to: at + length },
      { what: 'framing', from: at + length, to: at + length + 2 },
    );
    at += length + 2;
  }
  spans.push({ what: 'trailer', from: at, to: wire.length });
  return spans;
}

const text = (body: TestBody): string => Buffer.concat(body.wire).toString('latin1');
const withText = (body: TestBody, wire: string): TestBody => ({ ...body, wire: [Buffer.from(wire, 'latin1')] });
const put = (wire: string, at: number, by: string, instead = 1): string =>
  wire.slice(0, at) + by + wire.slice(at + instead);

/** Park and Miller's generator: the same places each time. */
let seed = 20_261;
const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;

/** Every place of a short range, some of a long one. */
function places({ from, to }: Span, most: number): number[] {
  if (to - from <= most) return Array.from({ length: to - from }, (_, index) => from + index);
  const drawn = Array.from({ length: most - 2 }, () => from + Math.floor(random() * (to - from)));
  return [from, ...drawn, to - 1];
}

function* ofBytes(body: TestBody): Iterable<Mutation> {
  const wire = text(body);
  for (const span of spansOf(wire)) {
    const mayBeSame = span.what === 'framing' || span.what === 'trailer' || span.what === 'size';
    for (const at of places(span, span.what === 'data' ? 60 : 1000)) {
      const byte = wire.charCodeAt(at);
      const where = `${span.what} at ${at}`;
      for (const other of new Set([byte ^ 1, byte ^ 0x20, byte ^ 0x80, 0, 0x0a, 0x0d, 0x30, 0x3b])) {
        if (other === byte) continue;
        // Signatures are hexadecimal in either case.
        const isCase = span.what === 'signature' && other === (byte ^ 0x20);
        const mutated = withText(body, put(wire, at, String.fromCharCode(other)));
        yield { how: `${where}: ${byte} becomes ${other}`, body: mutated, mayBeSame: mayBeSame || isCase };
      }
      yield { how: `${where}: removed`, body: withText(body, put(wire, at, '')), mayBeSame };
      yield { how: `${where}: doubled`, body: withText(body, put(wire, at, wire.charAt(at), 0)), mayBeSame };
      for (const added of ['\n', ' ', '0']) {
        yield {
          how: `${where}: ${JSON.stringify(added)} before it`,
          body: withText(body, put(wire, at, added, 0)),
          mayBeSame,
        };
      }
      // Blank lines at the end are framing.
      yield {
        how: `${where}: nothing from here on`,
        body: withText(body, wire.slice(0, at)),
        mayBeSame: span.what === 'trailer',
      };
    }
  }
}

/** The pieces of a body: each chunk with its header, and what follows the last one. */
function piecesOf(wire: string): string[] {
  const sizes = spansOf(wire).filter(({ what }) => what === 'size');
  const trailer = spansOf(wire).find(({ what }) => what === 'trailer')?.from ?? wire.length;
  return [...sizes.map(({ from }, index) => wire.slice(from, sizes[index + 1]?.from ?? trailer)), wire.slice(trailer)];
}

function* ofChunks(body: TestBody): Iterable<Mutation> {
  const pieces = piecesOf(text(body));
  const made = (how: string, changed: readonly string[]): Mutation => ({ how, body: withText(body, changed.join('')) });
  for (const [index, piece] of pieces.entries()) {
    if (index < pieces.length - 1) {
      yield made(`piece ${index} left out`, pieces.toSpliced(index, 1));
      yield made(`piece ${index} twice`, pieces.toSpliced(index, 0, piece));
    }
    for (let other = index + 1; other < pieces.length; other += 1) {
      yield made(
        `pieces ${index} and ${other} change places`,
        pieces.with(index, pieces[other] ?? '').with(other, piece),
      );
    }
    yield made(`an empty chunk before piece ${index}`, pieces.toSpliced(index, 0, pieces.at(-2) ?? ''));
  }
  yield made('only the last chunk', pieces.slice(-2));
  yield made('nothing', []);
  yield made('twice', [...pieces, ...pieces]);
  yield made('another chunk behind it', [...pieces, pieces[0] ?? '']);
}

const SIGNATURE = /chunk-signature=([0-9a-f]{64})/g;

function* ofSignatures(body: TestBody): Iterable<Mutation> {
  const wire = text(body);
  const signatures = [...wire.matchAll(SIGNATURE)].map(([, signature = '']) => signature);
  for (const [index, signature] of signatures.entries()) {
    for (const other of [
      ...signatures,
      '0'.repeat(64),
      '',
      signature.slice(1),
      `${signature}0`,
      `${signature},${signature}`,
    ]) {
      if (other === signature) continue;
      const changed = withText(body, wire.replace(`=${signature}`, `=${other}`));
      yield { how: `signature ${index} becomes ${other}`, body: changed };
    }
    yield { how: `no signature ${index}`, body: withText(body, wire.replace(`;chunk-signature=${signature}`, '')) };
    yield {
      how: `signature ${index} twice`,
      body: withText(body, wire.replace(`=${signature}`, `=${signature};chunk-signature=${signature}`)),
    };
  }
}

function* ofTrailer(body: TestBody): Iterable<Mutation> {
  const wire = text(body);
  const line = `${TRAILER.join(':')}\r\n`;
  const signature = /x-amz-trailer-signature:[0-9a-f]{64}\r\n/.exec(wire)?.[0] ?? '';
  const made = (how: string, changed: string): Mutation => ({ how, body: withText(body, changed) });
  for (const added of [
    line,
    'x-amz-checksum-crc32:AAAAAA==\r\n',
    'x-amz-meta-a:b\r\n',
    'x-amz-acl:public-read\r\n',
    ':\r\n',
  ]) {
    yield made(`${added.trim()} after it`, wire.replace(/\r\n$/, `${added}\r\n`));
    yield made(
      `${added.trim()} before it`,
      wire.includes(line) ? wire.replace(line, added + line) : wire.replace(/\r\n$/, added),
    );
  }
  if (!wire.includes(line)) return;
  yield made('no trailer', wire.replace(line, ''));
  yield made('neither trailer nor signature', wire.replace(line, '').replace(signature, ''));
  yield made('another algorithm', wire.replace(NAME, 'x-amz-checksum-crc32c'));
  yield made('another value', wire.replace(TRAILER[1], 'AAAAAA=='));
  if (signature === '') return;
  yield made('no signature of the trailer', wire.replace(signature, ''));
  yield made('its signature twice', wire.replace(signature, signature + signature));
  yield made(
    'a chunk signature for it',
    wire.replace(signature, `x-amz-trailer-signature:${SIGNATURE.exec(wire)?.[1] ?? ''}\r\n`),
  );
}

function* ofHeaders(body: TestBody): Iterable<Mutation> {
  const { headers } = body;
  const size = Number(headers['x-amz-decoded-content-length']);
  const lengths = [
    size - 1,
    size + 1,
    0,
    size * 2,
    -size,
    `0x${size.toString(16)}`,
    `${size}.0`,
    `${size},${size}`,
    '',
    ' ',
  ];
  for (const length of lengths) {
    yield {
      how: `length ${length}`,
      body: { ...body, headers: { ...headers, 'x-amz-decoded-content-length': String(length) } },
    };
  }
  for (const trailer of [undefined, 'x-amz-checksum-sha256', `${NAME},${NAME}`, 'x-amz-meta-a', '']) {
    const { 'x-amz-trailer': announced, ...rest } = headers;
    if (trailer === announced || (announced === undefined && trailer === '')) continue;
    yield {
      how: `announces ${trailer}`,
      body: { ...body, headers: { ...rest, ...(trailer !== undefined && { 'x-amz-trailer': trailer }) } },
    };
  }
  for (const kind of KINDS.map((other) => other.kind)) {
    if (kind !== body.payload.kind) yield { how: `said to be ${kind}`, body: { ...body, payload: { kind } } };
  }
}

function* mutationsOf(body: TestBody): Iterable<Mutation> {
  yield* ofBytes(body);
  yield* ofChunks(body);
  yield* ofSignatures(body);
  yield* ofTrailer(body);
  yield* ofHeaders(body);
}

describe.each([
  ['held', HELD],
  ['streamed', STREAMED],
])('bodies in chunks, %s', (_, options) => {
  it.each(KINDS)('$kind: what is altered is refused, or is what it was', { timeout: 60_000 }, async (kind) => {
    const body = framed({ chunks: CHUNKS, ...kind });
    const taken = await store(requestBody(body), options);
    expect(taken.bytes.equals(body.content)).toBe(true);
    const wrong: string[] = [];
    let tried = 0;
    let forgiven = 0;
    for (const { how, body: mutated, mayBeSame = false } of mutationsOf(body)) {
      tried += 1;
      const outcome = await store(requestBody(mutated), options).catch((error: unknown) => error);
      if (outcome instanceof Error) {
        if (!isS3Error(outcome)) wrong.push(`${how}: ${outcome.message}`);
        continue;
      }
      forgiven += 1;
      const { bytes, facts } = outcome as typeof taken;
      const isSame = bytes.equals(body.content) && JSON.stringify(facts) === JSON.stringify(taken.facts);
      if (!isSame || !mayBeSame) wrong.push(`${how}: taken`);
    }
    expect(wrong).toEqual([]);
    expect(tried).toBeGreaterThan(2000);
    expect(forgiven).toBeLessThan(tried / 10);
  });
});
