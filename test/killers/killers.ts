import { createHash } from 'node:crypto';
import { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { exactly, signedV4 } from '../support/clients/post-form.ts';
import { CROWDS } from './crowds.ts';
import type { Killer } from './killer.ts';
import { PIPELINES } from './pipelines.ts';
import { presignedHead, signedHead, type RawRequestOptions } from '../support/clients/sign-raw.ts';

const MIB = 1024 * 1024;
/** A client's first message of a handshake. */
const HELLO = await clientHello();
const TARGET = '/flooded';
/** Key of an object of 16 MiB that is there before they come. */
export const LARGE = 'large';

const signed = (options: RawRequestOptions): string => signedHead(options);
/** Body bytes in HTTP chunks of one byte each. */
const tinyChunks = (body: Buffer): Buffer => {
  const wire = Buffer.alloc(body.length * 6 + 5, '1\r\nX\r\n', 'latin1');
  for (let at = 0; at < body.length; at += 1) wire[at * 6 + 3] = body[at] ?? 0;
  wire.write('0\r\n\r\n', body.length * 6, 'latin1');
  return wire;
};

function deletion(body: Buffer, size = body.length): (string | Buffer)[] {
  const headers = { 'content-length': String(size), 'content-md5': createHash('md5').update(body).digest('base64') };
  return [signed({ method: 'POST', target: `${TARGET}?delete`, headers }), body];
}

const document = (inner: string): Buffer => Buffer.from(`<Delete>${inner}</Delete>`);
const item = (key: string, attributes = ''): string => `<Object${attributes}><Key>${key}</Key></Object>`;
const attributes = (count: number): string => Array.from({ length: count }, (_, index) => ` a${index}="b"`).join('');

/** Made once: their making should not take the time of what they are sent to. */
const DOCUMENTS = {
  references: document(item('&#x6b;'.repeat(1000)).repeat(1200)),
  amps: document(`<Object><Key>${'&amp;'.repeat(1_580_000)}</Key></Object>`),
  attributes: document(`<Object${attributes(500_000)}/>`),
  key: document(item('k'.repeat(8_000_000))),
  within: document(item('&amp;'.repeat(3000)).repeat(500)),
  nested: document('<a>'.repeat(1_000_000)),
};
const TINY_DOCUMENT = tinyChunks(document(item('k').repeat(40_000)));
const TINY_OBJECT = tinyChunks(Buffer.alloc(MIB, 'x'));
const HALF = Buffer.alloc(900_000, 'x');
const ALMOST = Buffer.alloc(7 * MIB, ' ');

const anonymous = (target: string, headers = ''): string =>
  `GET ${target} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`;
const part = (name: string, value: string): string =>
  `------f\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const FILE = part('file"; filename="f', '').slice(0, -2);
/** A browser's form. @param size bytes that are announced */
const form = (body: string, size = body.length): string =>
  `POST ${TARGET} HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=----f\r\nContent-Length: ${size}\r\n\r\n${body}`;
const lines = (bytes: number, line: (index: number) => string): string => {
  let text = '';
  for (let index = 0; text.length < bytes; index += 1) text += line(index);
  return text;
};

export const KILLERS: Readonly<Record<string, Killer>> = {
  ...PIPELINES,
  ...CROWDS,
  'readers of a large object at 64 KiB/s': {
    connections: 300,
    addresses: 6,
    reads: 64 * 1024,
    pieces: () => [signed({ target: `${TARGET}/${LARGE}`, headers: { connection: 'close' } })],
  },
  'an object in chunks of a byte': {
    connections: 3,
    pieces: () => [
      signed({ method: 'PUT', target: `${TARGET}/tiny`, headers: { 'transfer-encoding': 'chunked' } }),
      TINY_OBJECT,
    ],
  },
  'a document in chunks of a byte': {
    connections: 2,
    pieces: () => [
      signed({
        method: 'POST',
        target: `${TARGET}?delete`,
        headers: {
          'transfer-encoding': 'chunked',
          'x-amz-sdk-checksum-algorithm': 'CRC32',
          'content-md5': 'AAAAAAAAAAAAAAAAAAAAAA==',
        },
      }),
      TINY_DOCUMENT,
    ],
  },
  'documents of references': {
    connections: 6,
    pieces: (index) => deletion(index % 2 === 0 ? DOCUMENTS.references : DOCUMENTS.within),
  },
  'a million references, attributes, elements; a key of 8 MB': {
    connections: 8,
    pieces: (index) =>
      deletion([DOCUMENTS.amps, DOCUMENTS.attributes, DOCUMENTS.key, DOCUMENTS.nested][index % 4] ?? DOCUMENTS.key),
  },
  'documents that never end': { connections: 60, holds: true, pieces: () => deletion(ALMOST, 8 * MIB) },
  // What is streamed ends in memory here, as the backend's is this process's own.
  'bodies that never end': {
    connections: 150,
    holds: true,
    pieces: (index) => [
      signed({ method: 'PUT', target: `${TARGET}/slow${index}`, headers: { 'content-length': String(MIB) } }),
      HALF,
    ],
  },
  'a signature without right over the document': {
    connections: 16,
    pieces: () => [
      signed({
        method: 'POST',
        target: `${TARGET}?delete`,
        headers: { 'content-length': String(8 * MIB) },
        secretKey: 'guessed',
      }),
      ALMOST,
    ],
  },
  'anonymous, a document': {
    connections: 16,
    pieces: () => [`POST ${TARGET}?delete HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${8 * MIB}\r\n\r\n`, ALMOST],
  },
  'secrets that are none': {
    connections: 64,
    pieces: (index) => [
      anonymous(
        `/flooded/k?a=token=\\"${'\\'.repeat(8000)}`,
        `x-a: ${'-eyJaaaaaaaa'.repeat(600)}\r\nx-b${index}: token=\\"${'\\'.repeat(7000)}\r\n`,
      ),
    ],
  },
  'names signed again and again': {
    connections: 32,
    pieces: () => [
      presignedHead({ target: `${TARGET}/k` })
        .replace('X-Amz-SignedHeaders=host', `X-Amz-SignedHeaders=host${'%3Bx'.repeat(1500)}`)
        .replace('\r\n\r\n', `\r\n${lines(6000, () => 'x: a\r\n')}\r\n`),
    ],
  },
  'heads as large as they may be': {
    connections: 64,
    pieces: () => [
      anonymous(
        `${TARGET}/k`,
        lines(14_000, (index) => `x-${index}: y\r\n`),
      ),
    ],
  },
  'heads that never end': {
    connections: 500,
    holds: true,
    pieces: () => [
      anonymous(
        `${TARGET}/k`,
        lines(12_000, (index) => `x-${index}: y\r\n`),
      ).slice(0, -2),
    ],
  },
  'forms of nobody that end before their file': {
    connections: 500,
    holds: true,
    pieces: (index) => [
      form(
        lines(19_000, (field) => part(`x-amz-meta-${field}-${index}`, 'y')),
        5 * 1024 * MIB,
      ),
    ],
  },
  'forms of nobody in parts of nothing': {
    connections: 64,
    pieces: () => [
      form(
        lines(30_000, () => '------f\r\n\r\n'),
        30_000,
      ),
    ],
  },
  'forms of nobody with policies that are none': {
    connections: 64,
    pieces: (index) => [
      form(
        part(
          'policy',
          Buffer.from(index % 2 === 0 ? '['.repeat(13_000) : `{"conditions":[${'{},'.repeat(4000)}{}]}`).toString(
            'base64',
          ),
        ) +
          part('x-amz-signature', '0'.repeat(64)) +
          FILE,
      ),
    ],
  },
  // Of a tenant whose signature is right: what is held, and what goes on in pieces, one after the other.
  'forms whose files never end': {
    connections: 150,
    holds: true,
    pieces: (index) => {
      const range = ['content-length-range', 0, index % 2 === 0 ? MIB : 5 * 1024 * MIB];
      const key = `form${index}`;
      const fields = signedV4([['key', key]], [...exactly([['key', key]], TARGET.slice(1)), range]);
      const before = fields.map(([name, value]) => part(name, value)).join('') + FILE;
      return [form(before, index % 2 === 0 ? MIB : 1024 * MIB), HALF];
    },
  },
  'forms with parts behind their files': {
    connections: 300,
    holds: true,
    pieces: (index) => {
      const range = ['content-length-range', 0, MIB];
      const key = `form${index}`;
      const fields = signedV4([['key', key]], [...exactly([['key', key]], TARGET.slice(1)), range]);
      const before = fields.map(([name, value]) => part(name, value)).join('') + FILE;
      return [form(`${before}x\r\n${lines(18_000, () => part('a', 'y'))}`, MIB)];
    },
  },
  'forms of nobody for tokens': {
    connections: 500,
    holds: true,
    pieces: () => {
      const body = `Action=AssumeRoleWithWebIdentity&${'a=b&'.repeat(24_000)}`;
      const head = 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded';
      return [`${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`];
    },
  },
  'paths without end': {
    connections: 64,
    pieces: () => [anonymous(`${TARGET}/${'a/'.repeat(500)}?prefix=${'%2F'.repeat(2000)}&delimiter=/`)],
  },
  connections: { connections: 1500, holds: true, pieces: () => [] },
  'handshakes that never end': {
    connections: 600,
    holds: true,
    tls: true,
    pieces: (index) => [HELLO.subarray(0, [0, 3, 40, HELLO.length - 1, HELLO.length][index % 5])],
  },
  // Each costs the gateway a signature.
  'handshakes that are left when they are answered': { connections: 48, tls: true, pieces: () => [HELLO] },
  'no handshakes': {
    connections: 64,
    tls: true,
    pieces: (index) => [
      [anonymous('/'), Buffer.alloc(20_000, 22), Buffer.from('16030340004141', 'hex')][index % 3] ?? '',
    ],
  },
};

function clientHello(): Promise<Buffer> {
  return new Promise((resolve) => {
    const socket = new Duplex({
      read: () => undefined,
      write: (bytes: Buffer, _encoding, done) => {
        resolve(bytes);
        done();
      },
    });
    connectTls({ socket, servername: 'localhost' }).on('error', () => undefined);
  });
}
