import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { outcome } from '../../support/clients/acl-client.ts';
import { RawConnection, roundTrip } from '../../support/clients/raw-http.ts';
import { framedLength, signedChunks } from '../../support/clients/signed-chunks.ts';
import { signedHead } from '../../support/clients/sign-raw.ts';
import { trailerBody } from '../../support/clients/trailer-body.ts';
import { type AttackedGateway, BACKENDS, sideBySide, startOver } from '../front-door/backends.ts';

/*
 * Small bodies, which are taken at once when they have come with their head: in one piece with the next request behind
 * them, in two pieces that end anywhere, shorter or longer than was said, and from clients that leave right after.
 */
const BODY = 'a small body, 30 bytes of it !';
const sum = Buffer.alloc(4);
sum.writeUInt32BE(crc32(BODY));
const CRC = sum.toString('base64');

interface Kind {
  readonly length: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly payloadHash: string;
  readonly body: (head: string) => string;
  /** Of a body of which a byte more is announced than belongs to it. */
  readonly tooLong: string;
  /** The same with a byte less. */
  readonly tooShort: string;
}

const plain = { length: BODY.length, headers: {}, payloadHash: 'UNSIGNED-PAYLOAD', body: () => BODY };
const trailer = trailerBody(BODY, 'x-amz-checksum-crc32', CRC);

const KINDS: Readonly<Record<string, Kind>> = {
  'nothing said': { ...plain, tooLong: '200', tooShort: '200' },
  'a signed hash': {
    ...plain,
    payloadHash: createHash('sha256').update(BODY).digest('hex'),
    tooLong: '400 XAmzContentSHA256Mismatch',
    tooShort: '400 XAmzContentSHA256Mismatch',
  },
  'Content-MD5': {
    ...plain,
    headers: { 'content-md5': createHash('md5').update(BODY).digest('base64') },
    tooLong: '400 BadDigest',
    tooShort: '400 BadDigest',
  },
  'signed chunks': {
    length: framedLength([BODY]),
    headers: { 'content-encoding': 'aws-chunked', 'x-amz-decoded-content-length': String(BODY.length) },
    payloadHash: 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
    body: (head) => signedChunks(head, [BODY]),
    tooLong: '400 MalformedTrailerError',
    tooShort: '200',
  },
  'a checksum behind it': {
    ...trailer,
    length: trailer.body.length,
    body: () => trailer.body,
    tooLong: '400 MalformedTrailerError',
    tooShort: '200',
  },
};

describe.each(BACKENDS)('over %s', (backend) => {
  let gateway: AttackedGateway;
  let keys = 0;

  beforeAll(async () => {
    gateway = await startOver(backend);
    const head = signedHead({ method: 'PUT', target: '/arrived', headers: { 'content-length': '0' } });
    expect((await roundTrip(gateway.port, head)).status).toBe(200);
  });
  afterAll(async () => {
    expect(gateway.failures()).toEqual([]);
    await gateway.close();
  });

  function put(target: string, kind: Kind, more = 0): { readonly head: string; readonly body: string } {
    const { headers, payloadHash, length } = kind;
    const all = { ...headers, 'content-length': String(length + more) };
    const head = signedHead({ method: 'PUT', target, headers: all, payloadHash });
    return { head, body: kind.body(head) };
  }

  async function stored(target: string): Promise<string | undefined> {
    const answer = await roundTrip(gateway.port, signedHead({ target }));
    return answer.status === 200 ? answer.body : undefined;
  }

  test.each(Object.entries(KINDS))(
    '%s: with the next requests behind it, in two pieces cut anywhere',
    async (_, kind) => {
      const { body } = put('/arrived/length', kind);
      const here = [
        -1,
        0,
        1,
        2,
        Math.floor(body.length / 2),
        body.length - 2,
        body.length - 1,
        body.length,
        body.length + 1,
      ];
      await sideBySide(here, async (at) => {
        const [one, other] = [`/arrived/${(keys += 1)}`, `/arrived/${(keys += 1)}`];
        const first = put(one, kind);
        const second = put(other, kind);
        const wire =
          first.head +
          first.body +
          signedHead({ target: one }) +
          second.head +
          second.body +
          signedHead({ target: other });
        const cut = first.head.length + at;
        const connection = await RawConnection.open(gateway.port);
        connection.send(wire.slice(0, cut));
        await new Promise((resolve) => setTimeout(resolve, 5));
        connection.send(wire.slice(cut));
        for (let turn = 0; turn < 2; turn += 1) {
          expect((await connection.answer('PUT')).status, `cut at ${at}`).toBe(200);
          expect((await connection.answer()).body, `cut at ${at}`).toBe(BODY);
        }
        connection.close();
      });
    },
  );

  test.each(Object.entries(KINDS))('%s: a byte of the next request is taken for one of its own', async (_, kind) => {
    const target = `/arrived/${(keys += 1)}`;
    const { head, body } = put(target, kind, 1);
    const connection = await RawConnection.open(gateway.port);
    connection.send(head + body + signedHead({ method: 'DELETE', target: '/arrived/none' }));
    const answer = await connection.answer('PUT');
    expect(answer.status === 200 ? '200' : outcome(answer)).toBe(kind.tooLong);
    expect((await connection.answer()).status).toBe(405);
    connection.close();
    expect(await stored(target)).toBe(kind.tooLong === '200' ? `${BODY}D` : undefined);
  });

  test.each(Object.entries(KINDS))('%s: its last byte is taken for one of the next request', async (_, kind) => {
    const target = `/arrived/${(keys += 1)}`;
    const { head, body } = put(target, kind, -1);
    const connection = await RawConnection.open(gateway.port);
    connection.send(head + body);
    const answer = await connection.answer('PUT');
    expect(answer.status === 200 ? '200' : outcome(answer)).toBe(kind.tooShort);
    connection.close();
    const whole = kind.headers['content-encoding'] === undefined ? BODY.slice(0, -1) : BODY;
    expect(await stored(target)).toBe(kind.tooShort === '200' ? whole : undefined);
  });

  test.each(Object.entries(KINDS))('%s: from a client that leaves at once, all of it or nothing', async (_, kind) => {
    const targets = Array.from({ length: 24 }, () => `/arrived/${(keys += 1)}`);
    await sideBySide(targets, async (target, at) => {
      const { head, body } = put(target, kind);
      const wire = head + body;
      const connection = await RawConnection.open(gateway.port);
      const sent = at % 3 === 0 ? wire.slice(0, -1 - (at % 4)) : wire;
      connection.send(sent);
      for (let turn = 0; turn < at % 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      connection.close();
    });
    const found = await Promise.all(targets.map(stored));
    expect(found.filter((text) => text !== undefined && text !== BODY)).toEqual([]);
  });
});
