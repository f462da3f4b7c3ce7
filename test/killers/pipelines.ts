import type { Killer } from './killer.ts';

/*
 * Requests of nobody, sent all at once behind one that the gateway has to ask its backend for. Each connection sends
 * another 99 before it has an answer.
 */

const BEHIND = 99;
/** The largest number that one address may have open. */
const CONNECTIONS = 2000;
/** A handshake costs the flood as much as the gateway. */
const ENCRYPTED_CONNECTIONS = 250;
const LINES = Array.from({ length: 10 }, (_none, at) => `x-${String(at)}: y\r\n`).join('');
const FIRST = 'GET /flooded/nothing HTTP/1.1\r\nHost: localhost\r\n\r\n';

const put = (headers: string, body: string): string =>
  `PUT /flooded/nothing HTTP/1.1\r\nHost: localhost\r\n${headers}${LINES}\r\n${body}`;
const tinyChunks = (body: string): string => `${body.replaceAll('x', '1\r\nx\r\n')}0\r\n\r\n`;
/** As `x-amz-content-sha256` has it, without a trailer. */
const awsChunked = (body: string): string => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;

const FRAMINGS: Readonly<Record<string, string>> = {
  'without bodies': `GET / HTTP/1.1\r\nHost: localhost\r\n${LINES}\r\n`,
  'as short as they can be': 'GET / HTTP/1.1\r\nHost:a\r\n\r\n',
  'with bodies of a known length': put('Content-Length: 500\r\n', 'x'.repeat(500)),
  'in chunks of a byte': put('Transfer-Encoding: chunked\r\n', tinyChunks('x'.repeat(80))),
  'in aws-chunked': put(
    'Content-Length: 512\r\nContent-Encoding: aws-chunked\r\nX-Amz-Decoded-Content-Length: 500\r\n' +
      'X-Amz-Content-Sha256: STREAMING-UNSIGNED-PAYLOAD-TRAILER\r\n',
    awsChunked('x'.repeat(500)),
  ),
  'that expect to be told to go on': put('Content-Length: 500\r\nExpect: 100-continue\r\n', 'x'.repeat(500)),
  'with a body that fills what is read at once': put('Content-Length: 1000000\r\n', 'x'.repeat(60_000)),
};

/** As many requests as a client may send by the time it hears that there are too many. */
function pipeline(framing: string): Buffer {
  return Buffer.from(FIRST + framing.repeat(framing.length > 10_000 ? 1 : BEHIND));
}

export const PIPELINES: Readonly<Record<string, Killer>> = Object.fromEntries(
  Object.entries(FRAMINGS).flatMap(([name, framing]) => {
    const bytes = pipeline(framing);
    const pieces = (): readonly Buffer[] => [bytes];
    return [
      [`pipelined requests ${name}`, { connections: CONNECTIONS, pieces }],
      [
        `pipelined requests ${name}, over TLS`,
        { connections: ENCRYPTED_CONNECTIONS, tls: true, encrypted: true, pieces },
      ],
    ];
  }),
);
