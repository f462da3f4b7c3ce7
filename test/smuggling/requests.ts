import { signedHead } from '../support/clients/sign-raw.ts';

export const HOST = 'localhost';
export const BUCKET = 'smuggling';

/** Bytes that two parsers may take for requests of other lengths or numbers. */
export interface Ambiguous {
  readonly name: string;
  readonly bytes: Buffer;
}

/** Path of one of the requests of a case: tells in any log which one it was. */
export function pathOf(name: string, role: 'first' | 'tail' | 'probe' | 'victim'): string {
  return `/${BUCKET}/${slug(name)}--${role}`;
}

export function slug(name: string): string {
  return name.replaceAll(/[^a-z0-9]/gi, (char) => `.${char.charCodeAt(0).toString(16)}`);
}

/** A signed GET: of the probe, of a victim on another connection, or hidden in a body. */
export function get(path: string): string {
  return signedHead({ method: 'GET', target: path, host: HOST });
}

/** A signed PUT with these header lines, which the signature does not cover, in front of its empty line. */
function put(name: string, lines: readonly string[], body: string): Ambiguous {
  const head = signedHead({ method: 'PUT', target: pathOf(name, 'first'), host: HOST }).slice(0, -2);
  return { name, bytes: Buffer.from(`${head}${lines.map((line) => `${line}\r\n`).join('')}\r\n${body}`, 'latin1') };
}

const tail = (name: string): string => get(pathOf(name, 'tail'));
const sizeOf = (text: string): string => text.length.toString(16);

/** Forms of the header that one parser takes for chunked framing and another does not. */
const ENCODINGS = [
  'Transfer-Encoding: chunked',
  'Transfer-Encoding : chunked',
  ' Transfer-Encoding: chunked',
  'Transfer-Encoding:\tchunked',
  'Transfer-Encoding:chunked',
  'Transfer-Encoding: xchunked',
  'Transfer-Encoding: chunked, identity',
  'Transfer-Encoding: identity, chunked',
  'Transfer-Encoding: identity',
  'Transfer-Encoding: gzip, chunked',
  'Transfer-Encoding: CHUNKED',
  'Transfer-Encoding: "chunked"',
  'Transfer-Encoding: chunked;q=1',
  'Transfer-Encoding: \x0bchunked',
  'Transfer-Encoding\x00: chunked',
  'Transfer-Encoding: chunked\x00',
  'Transfer_Encoding: chunked',
  'Transfer-Encoding:\r\n chunked',
  'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity',
  'Transfer-Encoding: identity\r\nTransfer-Encoding: chunked',
  'X: y\nTransfer-Encoding: chunked',
  'X: y\rTransfer-Encoding: chunked',
  'Connection: Transfer-Encoding\r\nTransfer-Encoding: chunked',
  'Transfer-Encoding: ,chunked',
  'Transfer-Encoding: chunked,',
  'TE: chunked',
  'Transfer-Encoding:',
] as const;

const LENGTHS = [
  '+5',
  '-5',
  '0x5',
  '05',
  '5 ',
  ' \t5',
  '5 0',
  '5, 5',
  '5,6',
  '',
  '5\x00',
  '5.0',
  '5e0',
  '18446744073709551621',
  '5\r\nContent-Length: 5',
  '5\r\nContent-Length: 0',
  '0\r\nContent-Length: 5',
  '5\r\n 0',
  '5\n',
] as const;

/** What stands for a chunk of five bytes and the end, to one parser at least. */
const CHUNKS = [
  '5;a=b\r\nhello\r\n0\r\n\r\n',
  '5;a\nhello\r\n0\r\n\r\n',
  '5;a="\r\n"\r\nhello\r\n0\r\n\r\n',
  '5\nhello\n0\n\n',
  '0x5\r\nhello\r\n0\r\n\r\n',
  '+5\r\nhello\r\n0\r\n\r\n',
  ' 5\r\nhello\r\n0\r\n\r\n',
  '5 \r\nhello\r\n0\r\n\r\n',
  '5\rXhello\r\n0\r\n\r\n',
  '5\r\nhello0\r\n\r\n',
  '5\r\nhelloXX0\r\n\r\n',
  '10000000000000005\r\nhello\r\n0\r\n\r\n',
  '-1\r\nhello\r\n0\r\n\r\n',
  '5\r\nhello\r\n0;x\n\r\n',
  '5\r\nhello\r\n00000\r\n\r\n',
  '5\r\nhello\r\n0\r\nContent-Length: 50\r\n\r\n',
  '5\r\nhello\r\n0\r\nTransfer-Encoding: chunked\r\n\r\n',
  '5\r\nhello\r\n0\r\nX : y\r\n\r\n',
  '5\r\nhello\r\n0\r\n folded\r\n\r\n',
  '5\r\nhello\r\n0\r\n',
  '5;\r\nhello\r\n0\r\n\r\n',
  '\r\n5\r\nhello\r\n0\r\n\r\n',
] as const;

function framings(): Ambiguous[] {
  return ENCODINGS.flatMap((encoding) => {
    const [hidden, behind] = [`CL long, ${JSON.stringify(encoding)}`, `CL short, ${JSON.stringify(encoding)}`];
    const long = `0\r\n\r\n${tail(hidden)}`;
    const short = `${sizeOf(tail(behind))}\r\n`;
    return [
      put(hidden, [`Content-Length: ${long.length}`, encoding], long),
      put(behind, [encoding, `Content-Length: ${short.length}`], `${short}${tail(behind)}\r\n0\r\n\r\n`),
    ];
  });
}

/** Each followed by another request at once. */
function bodies(): Ambiguous[] {
  const lengths = LENGTHS.map((length) => ({
    name: `CL ${JSON.stringify(length)}`,
    lines: [`Content-Length: ${length}`],
    body: 'hello',
  }));
  const chunks = CHUNKS.map((chunk) => ({
    name: `chunk ${JSON.stringify(chunk)}`,
    lines: ['Transfer-Encoding: chunked'],
    body: chunk,
  }));
  const others = [
    { name: 'CL before a space', lines: ['Content-Length : 5'], body: 'hello' },
    { name: 'CL hop by hop', lines: ['Connection: Content-Length', 'Content-Length: 5'], body: 'hello' },
    { name: 'CL with NUL in its name', lines: ['Content-\x00Length: 5'], body: 'hello' },
    { name: 'CL behind a bare CR', lines: ['X: y\rContent-Length: 5'], body: 'hello' },
    { name: 'CL behind a bare LF', lines: ['X: y\nContent-Length: 5'], body: 'hello' },
    { name: 'no length at all', lines: [], body: '' },
    { name: 'two Hosts', lines: ['Host: elsewhere', 'Content-Length: 5'], body: 'hello' },
    { name: 'expects 100-continue', lines: ['Expect: 100-continue', 'Content-Length: 5'], body: 'hello' },
    { name: 'expects nonsense', lines: ['Expect: 200-maybe', 'Content-Length: 5'], body: 'hello' },
    {
      name: 'upgrade to websocket',
      lines: ['Connection: Upgrade', 'Upgrade: websocket', 'Content-Length: 5'],
      body: 'hello',
    },
    {
      name: 'upgrade to h2c',
      lines: [
        'Connection: Upgrade, HTTP2-Settings',
        'Upgrade: h2c',
        'HTTP2-Settings: AAMAAABkAAQAAP__',
        'Content-Length: 5',
      ],
      body: 'hello',
    },
    { name: 'pipelined, unambiguous', lines: ['Content-Length: 5'], body: 'hello' },
    { name: 'closes, then a tail', lines: ['Connection: close', 'Content-Length: 5'], body: 'hello' },
  ];
  return [...lengths, ...chunks, ...others].map(({ name, lines, body }) => put(name, lines, body + tail(name)));
}

/** What the first line may be instead; the body is a request. */
const FIRST_LINES: readonly (readonly [name: string, change: (line: string) => string])[] = [
  ['absolute-form', (line) => line.replace(' /', ` http://${HOST}/`)],
  ['absolute-form of another host', (line) => line.replace(' /', ' http://elsewhere/')],
  ['two spaces', (line) => line.replace(' /', '  /')],
  ['tabs', (line) => line.replaceAll(' ', '\t')],
  ['trailing space', (line) => `${line} `],
  ['no version', (line) => line.replace(' HTTP/1.1', '')],
  ['HTTP/1.0', (line) => line.replace('1.1', '1.0')],
  ['HTTP/1.0 that keeps the connection', (line) => `${line.replace('1.1', '1.0')}\r\nConnection: keep-alive`],
  [
    'HTTP/1.0, chunked',
    (line) => `${line.replace('1.1', '1.0')}\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked`,
  ],
  ['HTTP/1.10', (line) => line.replace('1.1', '1.10')],
  ['HTTP/2.0', (line) => line.replace('1.1', '2.0')],
  ['lower-case method', (line) => line.replace('PUT', 'put')],
  ['GET with a body', (line) => line.replace('PUT', 'GET')],
  ['HEAD with a body', (line) => line.replace('PUT', 'HEAD')],
  ['OPTIONS with a body', (line) => line.replace('PUT', 'OPTIONS')],
  ['empty lines before', (line) => `\r\n\r\n${line}`],
  ['bare LF after it', (line) => `${line}\nX: y`],
  ['folded after it', (line) => `${line}\r\n X: y`],
  ['NUL in the target', (line) => line.replace(' HTTP', '\x00 HTTP')],
  ['CR in the target', (line) => line.replace(' HTTP', '\rX HTTP')],
  ['fragment', (line) => line.replace(' HTTP', '#x HTTP')],
  ['bytes beyond ASCII', (line) => line.replace(' HTTP', '\xa0 HTTP')],
];

function firstLines(): Ambiguous[] {
  return FIRST_LINES.map(([name, change]) => {
    const body = tail(name);
    const chunked = name.endsWith('chunked');
    const text = put(
      name,
      chunked ? [] : [`Content-Length: ${body.length}`],
      chunked ? `0\r\n\r\n${body}` : body,
    ).bytes.toString('latin1');
    const end = text.indexOf('\r\n');
    return { name, bytes: Buffer.from(change(text.slice(0, end)) + text.slice(end), 'latin1') };
  });
}

/** All of them, signed now. */
export function ambiguousRequests(): Ambiguous[] {
  return [...framings(), ...bodies(), ...firstLines()];
}
