import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { outcome } from '../../support/clients/acl-client.ts';
import { RawConnection, roundTrip } from '../../support/clients/raw-http.ts';
import { signedChunks } from '../../support/clients/signed-chunks.ts';
import { signedHead } from '../../support/clients/sign-raw.ts';
import { type AttackedGateway, BACKENDS, startOver } from '../front-door/backends.ts';

/*
 * aws-chunked framing with one thing wrong, in bodies that come with their head and in such that come byte by byte
 * behind it. Whatever is refused leaves nothing behind, and the connection to the next request.
 */
const BODY = 'hello world';
const NAME = 'x-amz-checksum-crc32';

function crcOf(text: string): string {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(text));
  return sum.toString('base64');
}

const CRC = crcOf(BODY);
const LINE = `${NAME}:${CRC}\r\n`;
const B = BODY.length.toString(16);

interface Framed {
  readonly body: string;
  readonly expected: string;
  /** `x-amz-decoded-content-length`, if it is not that of the body. */
  readonly decoded?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const INCOMPLETE = '400 IncompleteBody';
const TRAILER = '400 MalformedTrailerError';

const data = (size: string, body = BODY): string => `${size}\r\n${body}\r\n`;
const whole = (size: string, more: Partial<Framed> = {}): Framed => ({
  body: `${data(size)}0\r\n${LINE}\r\n`,
  expected: INCOMPLETE,
  ...more,
});
const ending = (end: string, expected: string): Framed => ({ body: data(B) + end, expected });

const UNSIGNED: Readonly<Record<string, Framed>> = {
  'as it should be': whole(B, { expected: '200' }),
  'a size in large letters': whole(B.toUpperCase(), { expected: '200' }),
  'a size with zeros before it': whole(`0000${B}`, { expected: '200' }),
  'a size with sixteen digits': whole(B.padStart(16, '0'), { expected: '200' }),
  'a size with seventeen digits': whole(B.padStart(17, '0')),
  'a size with a plus': whole(`+${B}`),
  'a size with a minus': whole(`-${B}`),
  'a size of less than nothing': { body: `${data(B)}-1\r\n0\r\n${LINE}\r\n`, expected: INCOMPLETE },
  'a size with 0x': whole(`0x${B}`),
  'a size with an underscore': whole(`0_${B}`),
  'a size with a blank before it': whole(` ${B}`),
  'a size with a blank behind it': whole(`${B} `),
  'a size with a tab': whole(`${B}\t`),
  'a size that is no number': whole('zz'),
  'no size': whole(''),
  'a size beyond 2^53': whole('20000000000001'),
  'a size beyond 2^64': whole('ffffffffffffffff'),
  'a size that wraps at 2^32': whole(`10000000${B}`),
  'an extension': whole(`${B};a=b`),
  'a signature that nobody asked for': whole(`${B};chunk-signature=${'0'.repeat(64)}`),
  'a flood of extensions': whole(`${B}${';a=b'.repeat(5000)}`),
  'a line that never ends': whole('0'.repeat(70_000)),
  'lines that end with LF': { body: `${B}\n${BODY}\n0\n${LINE}\n`, expected: INCOMPLETE },
  'lines that end with CR': { body: `${B}\r${BODY}\r0\r${LINE}\r`, expected: INCOMPLETE },
  'no line end behind the data': { body: `${B}\r\n${BODY}0\r\n${LINE}\r\n`, expected: INCOMPLETE },
  'less data than its chunk says': whole((BODY.length + 1).toString(16)),
  'more data than its chunk says': whole((BODY.length - 1).toString(16)),
  'no final chunk': ending('', INCOMPLETE),
  'half a final chunk': ending('0', INCOMPLETE),
  'a trailer in place of the final chunk': ending(LINE, INCOMPLETE),
  'a chunk behind the final one': ending(`0\r\n${data('1', 'x')}0\r\n${LINE}\r\n`, TRAILER),
  'bytes behind the trailer': ending(`0\r\n${LINE}\r\nGET / HTTP/1.1\r\n\r\n`, TRAILER),
  'a header behind the trailer': ending(`0\r\n${LINE}\r\nx-amz-meta-a: b\r\n`, TRAILER),
  'no trailer': ending('0\r\n\r\n', TRAILER),
  'another name': ending(`0\r\nx-amz-checksum-sha1:AAAA\r\n\r\n`, TRAILER),
  'a name more than was announced': ending(`0\r\n${LINE}x-amz-meta-a:b\r\n\r\n`, TRAILER),
  'a name twice': ending(`0\r\n${LINE}${LINE}\r\n`, TRAILER),
  'a signature of a trailer that has none': ending(
    `0\r\n${LINE}x-amz-trailer-signature:${'0'.repeat(64)}\r\n\r\n`,
    TRAILER,
  ),
  'a trailer without a colon': ending(`0\r\n${NAME}\r\n\r\n`, TRAILER),
  'a trailer without a name': ending(`0\r\n:${CRC}\r\n\r\n`, TRAILER),
  'a trailer that is too large': ending(`0\r\n${LINE}${`x:${'y'.repeat(1000)}\r\n`.repeat(20)}\r\n`, TRAILER),
  'a trailer of blank lines without end': ending(`0\r\n${LINE}${'\r\n'.repeat(10_000)}`, TRAILER),
  'another checksum': ending(`0\r\n${NAME}:${crcOf('hello worle')}\r\n\r\n`, '400 BadDigest'),
  'a checksum that is none': ending(`0\r\n${NAME}:xyz\r\n\r\n`, '400 BadDigest'),
  'one byte less than announced': whole(B, { decoded: String(BODY.length + 1) }),
  'one byte more than announced': whole(B, { decoded: String(BODY.length - 1) }),
  'an announced length with a sign': whole(B, { decoded: `+${BODY.length}`, expected: '411 MissingContentLength' }),
  'an announced length beyond 2^53': whole(B, { decoded: '9007199254740993', expected: '411 MissingContentLength' }),
  'nothing, with a trailer': {
    body: `0\r\n${NAME}:${crcOf('')}\r\n\r\n`,
    decoded: '0',
    expected: '200',
  },
  'nothing, with the trailer of something': { body: `0\r\n${LINE}\r\n`, decoded: '0', expected: '400 BadDigest' },
  'nothing at all': { body: '', decoded: '0', expected: INCOMPLETE },
};

/** A signed body with its trailer, altered. */
const SIGNED: Readonly<Record<string, readonly [alter: (body: string) => string, expected: string]>> = {
  'as it should be': [(body) => body, '200'],
  'a signature of the trailer that is wrong': [
    (body) => body.replace(/(trailer-signature:)[0-9a-f]{4}/, '$10000'),
    '403 SignatureDoesNotMatch',
  ],
  'a signature of the trailer that is empty': [
    (body) => body.replace(/(trailer-signature:)[0-9a-f]{64}/, '$1'),
    '403 SignatureDoesNotMatch',
  ],
  'no signature of the trailer': [(body) => body.replace(/x-amz-trailer-signature:[0-9a-f]{64}\r\n/, ''), TRAILER],
  'two signatures of the trailer': [
    (body) => body.replace(/(x-amz-trailer-signature:[0-9a-f]{64}\r\n)/, '$1$1'),
    TRAILER,
  ],
  'a name under the signature that was not signed': [
    (body) => body.replace(LINE, `${LINE}x-amz-meta-a:b\r\n`),
    '403 SignatureDoesNotMatch',
  ],
  'a signature of the last chunk that is wrong': [
    (body) => body.replace(/(\r\n0;chunk-signature=)[0-9a-f]{4}/, '$10000'),
    '403 SignatureDoesNotMatch',
  ],
  'a last chunk without signature': [(body) => body.replace(/(\r\n0);chunk-signature=[0-9a-f]{64}/, '$1'), INCOMPLETE],
  'a signature with an extension behind it': [
    (body) => body.replace(/(chunk-signature=[0-9a-f]{64})/, '$1;a=b'),
    INCOMPLETE,
  ],
  'a signature in large letters': [
    (body) => body.replace(/chunk-signature=[0-9a-f]{64}/, (text) => text.toUpperCase()),
    INCOMPLETE,
  ],
};

describe.each(BACKENDS)('over %s', (backend) => {
  let gateway: AttackedGateway;

  beforeAll(async () => {
    gateway = await startOver(backend);
    const made = await roundTrip(
      gateway.port,
      signedHead({ method: 'PUT', target: '/chunks', headers: { 'content-length': '0' } }),
    );
    expect(made.status).toBe(200);
  });
  afterAll(() => gateway.close());

  function headOf(key: string, framed: Framed, payloadHash: string): string {
    const headers = {
      'content-encoding': 'aws-chunked',
      'x-amz-trailer': NAME,
      'x-amz-decoded-content-length': framed.decoded ?? String(BODY.length),
      'content-length': String(framed.body.length),
      ...framed.headers,
    };
    return signedHead({ method: 'PUT', target: `/chunks/${key}`, headers, payloadHash });
  }

  /** @param pieces 1: all with the head */
  async function told(head: string, body: string, pieces: number): Promise<string> {
    const connection = await RawConnection.open(gateway.port);
    try {
      if (pieces === 1) {
        connection.send(head + body);
      } else {
        connection.send(head);
        const step = Math.max(1, Math.ceil(body.length / pieces));
        for (let at = 0; at < body.length && connection.pending === ''; at += step) {
          await new Promise((resolve) => setImmediate(resolve));
          connection.send(body.slice(at, at + step));
        }
      }
      const answer = await connection.answer('PUT');
      return answer.status === 200 ? '200' : outcome(answer);
    } finally {
      connection.close();
    }
  }

  async function stored(key: string): Promise<string | undefined> {
    const answer = await roundTrip(gateway.port, signedHead({ target: `/chunks/${key}` }));
    return answer.status === 200 ? answer.body : undefined;
  }

  async function check(
    key: string,
    framed: Framed,
    make: (head: string) => string,
    payloadHash: string,
  ): Promise<void> {
    for (const pieces of [1, 60]) {
      const name = `${key.replaceAll(/\W/g, '-')}-${pieces}`;
      const head = headOf(name, framed, payloadHash);
      expect(await told(head, make(head), pieces), `in ${pieces}`).toBe(framed.expected);
      const left = framed.expected === '200' ? BODY.slice(0, Number(framed.decoded ?? BODY.length)) : undefined;
      expect(await stored(name)).toBe(left);
    }
    expect(gateway.failures()).toEqual([]);
  }

  test.each(Object.entries(UNSIGNED))('unsigned chunks: %s', async (key, framed) => {
    await check(key, framed, () => framed.body, 'STREAMING-UNSIGNED-PAYLOAD-TRAILER');
  });

  test.each(Object.entries(SIGNED))('signed chunks: %s', async (key, [alter, expected]) => {
    const made = (head: string): string => alter(signedChunks(head, [BODY], { name: NAME, value: CRC }));
    const framed = { body: made('x'.repeat(9)), expected };
    await check(`signed ${key}`, framed, made, 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER');
  });
});
