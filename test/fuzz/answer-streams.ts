/** Numbers from 0 to below 1, the same for the same seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface AnswerStream {
  readonly method: 'GET' | 'HEAD';
  /** As the network cuts them. */
  readonly pieces: readonly Buffer[];
}

const STATUS = [
  'HTTP/1.1 200 OK',
  'HTTP/1.1 200 OK',
  'HTTP/1.1 200 OK',
  'HTTP/1.1 404 Not Found',
  'HTTP/1.1 204 No Content',
  'HTTP/1.1 304 Not Modified',
  'HTTP/1.0 200 OK',
  'HTTP/1.1 200',
  'HTTP/1.1  200 OK',
  'HTTP/1.1 2000 OK',
  'HTTP/2.0 200 OK',
  'HTTP/1.1 099 Low',
  'http/1.1 200 OK',
  'HTTP/1.1 206 Partial\tContent',
];
const INTERIM = [
  '',
  '',
  '',
  '',
  'HTTP/1.1 100 Continue\r\n\r\n',
  'HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n',
  'HTTP/1.1 102 Processing\r\nContent-Length: 3\r\n\r\n',
];
const FIELDS = [
  'X-A: b',
  'X-A:b',
  'X-A:  b  ',
  'X-A: b\r\n folded',
  'X-A : b',
  ': b',
  'X-A',
  'Connection: close',
  'Connection: keep-alive',
  'Keep-Alive: timeout=1',
  'X-Ü: b',
  'X-A: \x01',
  'X-A: \0',
  'X-A: ü',
  'X-A: a\rb',
  'X-A: a\nX-B: c',
];
const LENGTHS = [
  '5',
  '5',
  '5',
  '05',
  '+5',
  '-5',
  '5, 5',
  '5,6',
  '0x5',
  '5 ',
  '',
  '99999999999999999999',
  '6',
  '4',
  '0',
];
const CODINGS = [
  'chunked',
  'chunked',
  'chunked',
  'Chunked',
  'identity',
  'gzip, chunked',
  'chunked, gzip',
  'chunked\r\nTransfer-Encoding: chunked',
  'xchunked',
  ' chunked ',
  '',
];
const BODY = 'hello';
const CHUNKED = [
  '5\r\nhello\r\n0\r\n\r\n',
  '2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n',
  '5;a=b\r\nhello\r\n0;x\r\n\r\n',
  '5;a="\r\n"\r\nhello\r\n0\r\n\r\n',
  '0005\r\nhello\r\n000\r\n\r\n',
  '5\nhello\n0\n\n',
  '5\r\nhello\r\n0\r\nX-T: 1\r\n\r\n',
  '6\r\nhello\r\n0\r\n\r\n',
  '4\r\nhello\r\n0\r\n\r\n',
  '5 \r\nhello\r\n0\r\n\r\n',
  ' 5\r\nhello\r\n0\r\n\r\n',
  '0x5\r\nhello\r\n0\r\n\r\n',
  '-5\r\nhello\r\n0\r\n\r\n',
  '5\r\nhello0\r\n\r\n',
  '5\r\nhello\r\n0\r\n',
  'fffffffffffffffff\r\nhello\r\n0\r\n\r\n',
  '5\r\nhello\r\n0\r\nContent-Length: 3\r\n\r\n',
  '5\r\rhello\r\n0\r\n\r\n',
];
const BEHIND = ['', '', '', 'x', '\r\n', 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil'];

/** One answer: mostly nearly right, as what is dangerous is. */
export function answerStream(random: () => number): AnswerStream {
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
  const fields: string[] = [];
  const framing = random();
  let body = BODY;
  if (framing < 0.45) fields.push(`Content-Length: ${pick(LENGTHS)}`);
  if (framing > 0.4 && framing < 0.9) {
    fields.push(`Transfer-Encoding: ${pick(CODINGS)}`);
    body = pick(CHUNKED);
  }
  if (random() < 0.08) fields.push(`Content-Length: ${pick(LENGTHS)}`);
  while (random() < 0.4) fields.splice(Math.floor(random() * (fields.length + 1)), 0, pick(FIELDS));
  const end = random() < 0.06 ? '\n' : '\r\n';
  let text = pick(INTERIM) + [pick(STATUS), ...fields].join(end) + end + end + body + pick(BEHIND);
  if (random() < 0.15) text = mutated(text, random);
  return { method: random() < 0.15 ? 'HEAD' : 'GET', pieces: cut(Buffer.from(text, 'latin1'), random) };
}

/** A byte that is another one, gone, or there twice. */
function mutated(text: string, random: () => number): string {
  const at = Math.floor(random() * text.length);
  const other = String.fromCharCode(Math.floor(random() * 256));
  const instead = ['', other, text.charAt(at) + text.charAt(at)][Math.floor(random() * 3)] ?? '';
  return text.slice(0, at) + instead + text.slice(at + 1);
}

function cut(bytes: Buffer, random: () => number): Buffer[] {
  const way = random();
  if (way < 0.5) return [bytes];
  if (way < 0.6) return Array.from(bytes, (_byte, at) => bytes.subarray(at, at + 1));
  const at = Math.floor(random() * bytes.length);
  return [bytes.subarray(0, at), bytes.subarray(at)].filter((piece) => piece.length > 0);
}
