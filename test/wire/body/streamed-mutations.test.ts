import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { outcome } from '../../support/clients/acl-client.ts';
import { Random } from '../../support/random.ts';
import { type RawAnswer, RawConnection } from '../../support/clients/raw-http.ts';
import { framedLength, signedChunks } from '../../support/clients/signed-chunks.ts';
import { signedHead } from '../../support/clients/sign-raw.ts';
import { trailerBody } from '../../support/clients/trailer-body.ts';
import { type AttackedGateway, BACKENDS, sideBySide, startOver } from '../front-door/backends.ts';

/*
 * Bodies that are longer than the gateway holds, so that the backend has most of the bytes before the last of them is
 * verified: altered at random, in every way in which bodies are covered. A refused one leaves the key as it was, and an
 * upload without the part.
 */
const CHUNKS = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(40 * 1024)).concat('the rest');
const BODY = CHUNKS.join('');
const NAME = 'x-amz-checksum-crc32';
const sum = Buffer.alloc(4);
sum.writeUInt32BE(crc32(BODY));
const CRC = sum.toString('base64');

interface Whole {
  readonly headers: Readonly<Record<string, string>>;
  readonly payloadHash: string;
  /** @param head as it was signed */
  readonly body: (head: string) => string;
}

function signedInChunks(payloadHash: string, trailer?: { readonly name: string; readonly value: string }): Whole {
  return {
    headers: {
      'content-encoding': 'aws-chunked',
      'x-amz-decoded-content-length': String(BODY.length),
      'content-length': String(framedLength(CHUNKS, trailer)),
      ...(trailer && { 'x-amz-trailer': trailer.name }),
    },
    payloadHash,
    body: (head) => signedChunks(head, CHUNKS, trailer),
  };
}

function plain(headers: Readonly<Record<string, string>>, payloadHash = 'UNSIGNED-PAYLOAD'): Whole {
  return { headers: { 'content-length': String(BODY.length), ...headers }, payloadHash, body: () => BODY };
}

function unsignedInChunks(): Whole {
  const { headers, payloadHash, body } = trailerBody(BODY, NAME, CRC);
  return { headers: { ...headers, 'content-length': String(body.length) }, payloadHash, body: () => body };
}

const KINDS: Readonly<Record<string, Whole>> = {
  'signed chunks': signedInChunks('STREAMING-AWS4-HMAC-SHA256-PAYLOAD'),
  'signed chunks and trailer': signedInChunks('STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER', { name: NAME, value: CRC }),
  'a checksum behind it': unsignedInChunks(),
  'a signed hash': plain({}, createHash('sha256').update(BODY).digest('hex')),
  'Content-MD5': plain({ 'content-md5': createHash('md5').update(BODY).digest('base64') }),
  'a checksum before it': plain({ [NAME]: CRC }),
};

interface Mutation {
  readonly how: string;
  readonly alter: (body: string) => string;
  /** The client leaves without having sent all. */
  readonly leaves?: boolean;
}

function flipped(body: string, at: number): string {
  return body.slice(0, at) + String.fromCharCode(body.charCodeAt(at) ^ 1) + body.slice(at + 1);
}

/** Of data and framing alike, early, late and anywhere; all as long as the body that was announced, or cut off. */
function mutations(length: number): readonly Mutation[] {
  const random = new Random(length);
  // Behind the last signature stand line ends only, which are framing and forgiven.
  const last = length - 5;
  const places = [100, 41_000, last, ...Array.from({ length: 9 }, () => 100 + random.below(length - 200))];
  const flips = places.map((at) => ({ how: `flipped at ${at}`, alter: (body: string) => flipped(body, at) }));
  const swaps = [0, 1].map((at) => ({
    how: `halves ${at} change places`,
    alter: (body: string) => {
      const middle = 60_000 + 40_000 * at;
      return body.slice(middle) + body.slice(0, middle);
    },
  }));
  const cuts = [0, 60_000, last - 100].map((at) => ({
    how: `nothing from ${at} on`,
    alter: (body: string) => body.slice(0, at),
    leaves: true,
  }));
  return [...flips, ...swaps, ...cuts];
}

describe.each(BACKENDS)('over %s', (backend) => {
  let gateway: AttackedGateway;

  /** @returns undefined: the client left before an answer */
  async function send(
    method: string,
    target: string,
    whole?: Whole,
    mutation?: Mutation,
  ): Promise<RawAnswer | undefined> {
    const { headers = { 'content-length': '0' }, payloadHash = 'UNSIGNED-PAYLOAD', body } = whole ?? {};
    const head = signedHead({ method, target, headers, payloadHash });
    const sent = body?.(head) ?? '';
    const connection = await RawConnection.open(gateway.port);
    try {
      connection.send(head + (mutation?.alter(sent) ?? sent));
      if (mutation?.leaves === true) {
        await new Promise((done) => setTimeout(done, 20));
        return undefined;
      }
      return await connection.answer(method);
    } finally {
      connection.close();
    }
  }

  async function told(method: string, target: string): Promise<string> {
    const answer = await send(method, target);
    return answer === undefined ? '' : answer.status === 200 ? answer.body : outcome(answer);
  }

  beforeAll(async () => {
    gateway = await startOver(backend);
    expect(await told('PUT', '/streamed')).toBe('');
  });
  afterAll(() => gateway.close());

  test.each(Object.entries(KINDS))('%s: an altered body is refused, and leaves nothing behind', async (kind, whole) => {
    const id = kind.replaceAll(/\W/g, '-');
    const old = plain({});
    const kept = `/streamed/${id}-kept`;
    expect((await send('PUT', kept, { ...old, headers: { 'content-length': '3' }, body: () => 'old' }))?.status).toBe(
      200,
    );
    const upload = /<UploadId>([^<]+)</.exec(await told('POST', `/streamed/${id}-upload?uploads`))?.[1] ?? '';
    const part = `/streamed/${id}-upload?partNumber=1&uploadId=${upload}`;
    const length = Number(whole.headers['content-length']);
    await sideBySide(mutations(length), async (mutation, at) => {
      for (const target of [`/streamed/${id}-${at}`, kept, part]) {
        const answer = await send('PUT', target, whole, mutation);
        if (answer !== undefined) expect([400, 403], `${mutation.how}: ${answer.body}`).toContain(answer.status);
      }
    });
    const list = await told('GET', `/streamed?prefix=${id}`);
    expect([...list.matchAll(/<Key>([^<]*)</g)].map(([, key]) => key)).toEqual([`${id}-kept`]);
    expect(await told('GET', kept)).toBe('old');
    expect(await told('GET', `/streamed/${id}-upload?uploadId=${upload}`)).not.toContain('<Part>');
    for (const target of [kept, part]) expect((await send('PUT', target, whole))?.status).toBe(200);
    expect((await told('GET', kept)) === BODY).toBe(true);
    expect(gateway.failures()).toEqual([]);
  });
});
