import { connect } from 'node:net';

/** How long an answer may take that has to wait for nothing. Some requests announce a body that never comes: nobody answers these. */
const PATIENCE_MS = 400;

export interface Outcome {
  /** 0: none came. */
  readonly status: number;
  /** All that came, latin1. */
  readonly text: string;
}

/** Sends bytes on a connection of their own, and takes what comes until the answer is whole, the connection ends, or nothing comes any more. */
export function exchange(port: number, request: string): Promise<Outcome> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    let text = '';
    const finish = (): void => {
      socket.destroy();
      resolve({ status: Number(/^HTTP\/1\.1 (?!100)(\d{3})/m.exec(text)?.[1] ?? 0), text });
    };
    socket.setTimeout(PATIENCE_MS, finish);
    socket.on('connect', () => socket.write(Buffer.from(request, 'latin1')));
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      if (isWhole(text)) finish();
    });
    socket.on('error', finish).on('close', finish);
  });
}

function isWhole(text: string): boolean {
  const start = text.search(/^HTTP\/1\.1 (?!100)/m);
  const end = text.indexOf('\r\n\r\n', start);
  if (start < 0 || end < 0) return false;
  const head = text.slice(start, end);
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  if (length !== undefined) return text.length >= end + 4 + Number(length);
  return !/\r\ntransfer-encoding: chunked/i.test(head) || text.endsWith('0\r\n\r\n');
}
