import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDecoder } from '../../../../../adapters/shared/http1/body-decoder.ts';
import {
  HeadReader,
  MalformedResponse,
  MAX_HEAD,
  parseResponseHead,
} from '../../../../../adapters/shared/http1/response-head.ts';

/**
 * Feeds one buffer in the pieces that end at `cuts`, as `Exchange` does; each piece in memory of its own that is wiped
 * afterwards.
 */
function parse(
  wire: Buffer,
  cuts: readonly number[],
  method = 'GET',
): { status: number; body: string; junk: number; done: boolean } {
  const reader = new HeadReader();
  let head: ReturnType<typeof parseResponseHead> | undefined;
  let decoder: ReturnType<typeof createDecoder> | undefined;
  let body = '';
  let junk = 0;
  const ends = [...cuts].sort((a, b) => a - b);
  let from = 0;
  for (const to of [...ends, wire.length]) {
    const piece = Buffer.from(wire.subarray(from, to));
    from = Math.max(from, to);
    let rest = piece;
    if (head === undefined) {
      const found = reader.push(rest);
      if (found === undefined) {
        piece.fill(0);
        continue;
      }
      head = parseResponseHead(found.text, method);
      decoder = createDecoder(head.framing);
      rest = rest.subarray(found.end);
    }
    junk += rest.length - (decoder?.push(rest, (data) => (body += data.toString('latin1'))) ?? 0);
    piece.fill(0);
  }
  return { status: head?.status ?? 0, body, junk, done: decoder?.done ?? false };
}

const LENGTH = Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 11\r\nX-A: b\r\n\r\nhello world');
const CHUNKED = Buffer.from(
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;ext="1"\r\nhello\r\n6\r\n world\r\n0\r\nTrailer: x\r\n\r\n',
);

describe('an answer cut anywhere', () => {
  it.each([
    ['length', LENGTH],
    ['chunked', CHUNKED],
  ])('%s: in two, at every byte', (_name, wire) => {
    for (let cut = 0; cut <= wire.length; cut++) {
      expect(parse(wire, [cut])).toEqual({ status: 200, body: 'hello world', junk: 0, done: true });
    }
  });

  it.each([
    ['length', LENGTH],
    ['chunked', CHUNKED],
  ])('%s: byte by byte', (_name, wire) => {
    expect(parse(wire, [...wire.keys()])).toEqual({ status: 200, body: 'hello world', junk: 0, done: true });
  });

  it('is the same for any body, any chunks, any cuts and any junk behind it', () => {
    const body = fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { maxLength: 8 });
    fc.assert(
      fc.property(body, fc.boolean(), fc.nat(20), fc.infiniteStream(fc.nat()), (parts, chunked, junk, numbers) => {
        const content = Buffer.concat(parts);
        const framed = chunked
          ? Buffer.concat([
              ...parts.flatMap((part) => [Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]),
              Buffer.from('0\r\n\r\n'),
            ])
          : content;
        const header = chunked ? 'transfer-encoding: Chunked' : `content-length: ${content.length}`;
        const wire = Buffer.concat([
          Buffer.from(`HTTP/1.1 206 P\r\n${header}\r\n\r\n`),
          framed,
          Buffer.alloc(junk, 'J'),
        ]);
        const cuts = [...numbers.take(5)].map((cut) => cut % (wire.length + 1));
        expect(parse(wire, cuts)).toEqual({ status: 206, body: content.toString('latin1'), junk, done: true });
      }),
    );
  });
});

describe('a head', () => {
  const head = (...lines: string[]) => parseResponseHead(['HTTP/1.1 200 OK', ...lines].join('\r\n'), 'GET');

  it('has lower-case names, values without the space around them, repeated ones as a list', () => {
    const { headers } = head(
      'Content-Length: 0',
      'X-Ms-Meta-Key:   va:lue \t',
      'Empty:',
      'Set-Cookie: a',
      'set-cookie: b',
      'SET-COOKIE: c',
      'X-Latin: \xe9\xa0',
    );
    expect({ ...headers }).toEqual({
      'content-length': '0',
      'x-ms-meta-key': 'va:lue',
      empty: '',
      'set-cookie': ['a', 'b', 'c'],
      'x-latin': '\xe9\xa0',
    });
  });

  it('may have names that objects have by birth', () => {
    const { headers } = head('content-length: 0', 'constructor: a', '__proto__: b', 'toString: c');
    expect(Object.entries(headers)).toEqual([
      ['content-length', '0'],
      ['constructor', 'a'],
      ['__proto__', 'b'],
      ['tostring', 'c'],
    ]);
  });

  it.each([
    ['a folded line', 'HTTP/1.1 200 OK\r\nA: b\r\n c: d\r\nContent-Length: 0'],
    ['a folded first line', 'HTTP/1.1 200 OK\r\n A: b\r\nContent-Length: 0'],
    ['space before the colon', 'HTTP/1.1 200 OK\r\nContent-Length : 0'],
    ['a line without colon', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\nnonsense'],
    ['no name', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n: value'],
    ['a lone LF', 'HTTP/1.1 200 OK\r\nA: b\nContent-Length: 0'],
    ['a lone CR', 'HTTP/1.1 200 OK\r\nA: b\rContent-Length: 0'],
    ['a CR before the end of a line', 'HTTP/1.1 200 OK\r\nA: b\r\r\nContent-Length: 0'],
    ['a lone CR in its first line', 'HTTP/1.1 200 O\rK\r\nContent-Length: 0'],
    ['a NUL', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\nA: \0'],
    ['HTTP/2', 'HTTP/2 200 OK\r\nContent-Length: 0'],
    ['a long status', 'HTTP/1.1 2000 OK\r\nContent-Length: 0'],
    ['a status below 100', 'HTTP/1.1 099 OK\r\nContent-Length: 0'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6'],
    ['the same length twice', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5'],
    ['a list of lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 5, 5'],
    ['a negative length', 'HTTP/1.1 200 OK\r\nContent-Length: -1'],
    ['a length with a sign', 'HTTP/1.1 200 OK\r\nContent-Length: +1'],
    ['a length beyond numbers', 'HTTP/1.1 200 OK\r\nContent-Length: 9007199254740993'],
    ['length and chunks', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked'],
    ['an unknown coding', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked'],
    ['no framing', 'HTTP/1.1 200 OK\r\nA: b'],
  ])('is refused with %s', (_name, text) => {
    expect(() => parseResponseHead(text, 'GET')).toThrow(MalformedResponse);
  });

  it.each([
    ['HEAD', 'HTTP/1.1 200 OK\r\nContent-Length: 5', 'HEAD'],
    ['204', 'HTTP/1.1 204 No Content\r\nContent-Length: 5', 'GET'],
    ['304', 'HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked', 'GET'],
    ['100', 'HTTP/1.1 100 Continue', 'GET'],
  ])('announces no body: %s', (_name, text, method) => {
    expect(parseResponseHead(text, method).framing).toEqual({ kind: 'empty' });
  });

  it.each([
    ['HTTP/1.1 200 OK\r\nContent-Length: 0', true],
    ['HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close', false],
    ['HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: x, Close', false],
    ['HTTP/1.0 200 OK\r\nContent-Length: 0', false],
    ['HTTP/1.0 200 OK\r\nContent-Length: 0\r\nConnection: Keep-Alive', true],
  ])('%j lets the connection live: %s', (text, keepAlive) => {
    expect(parseResponseHead(text, 'GET').keepAlive).toBe(keepAlive);
  });

  it('of an error page may leave its end to the connection', () => {
    expect(parseResponseHead('HTTP/1.0 502 Bad Gateway', 'GET').framing).toEqual({ kind: 'untilClose' });
  });

  it('is refused at its first byte when it is none, and when it does not end', () => {
    expect(() => new HeadReader().push(Buffer.from('\x15\x03\x03'))).toThrow(MalformedResponse);
    const reader = new HeadReader();
    const line = Buffer.from(`HTTP/1.1 200 OK\r\nA: ${'x'.repeat(1000)}`);
    reader.push(line);
    expect(() => {
      for (let i = 0; i < MAX_HEAD; i += 1000) reader.push(Buffer.alloc(1000, 'x'));
    }).toThrow('head too long');
    expect(() =>
      new HeadReader().push(Buffer.concat([Buffer.alloc(MAX_HEAD + 10, 'x'), Buffer.from('\r\n\r\n')])),
    ).toThrow(MalformedResponse);
  });
});

describe('a chunked body', () => {
  it.each([
    ['a size that is none', 'x\r\n'],
    ['no size', '\r\n'],
    ['a negative size', '-1\r\n'],
    ['a size beyond numbers', 'fffffffffffff\r\n'],
    ['a chunk longer than its size', '3\r\nabcd\r\n0\r\n\r\n'],
    ['LF alone', '3\nabc'],
    ['CR alone', '3\rabc'],
    ['an endless line', '1;'.padEnd(2000, 'x')],
    ['an endless trailer', `0\r\n${`A: ${'x'.repeat(900)}\r\n`.repeat(20)}`],
  ])('is refused with %s', (_name, text) => {
    expect(() => createDecoder({ kind: 'chunked' }).push(Buffer.from(text), () => undefined)).toThrow(
      MalformedResponse,
    );
  });

  it('that breaks off is an error wherever it does', () => {
    const wire = Buffer.from('3\r\nabc\r\n0\r\n\r\n');
    for (let end = 0; end < wire.length; end++) {
      const decoder = createDecoder({ kind: 'chunked' });
      decoder.push(wire.subarray(0, end), () => undefined);
      expect(() => decoder.close()).toThrow(MalformedResponse);
    }
  });
});
