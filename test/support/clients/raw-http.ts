import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** A port of loopback; with `tls` the client trusts whatever certificate there is. */
export type At = number | { readonly port: number; readonly tls: boolean };

function isSecure(at: At): boolean {
  return typeof at === 'object' && at.tls;
}

/** A socket that is about to be connected; `secureConnect` or `connect` says when. */
export function dial(at: At): Socket {
  const target = { port: typeof at === 'number' ? at : at.port, host: '127.0.0.1' };
  return isSecure(at) ? connectTls({ ...target, rejectUnauthorized: false }) : connect(target);
}

/** One answer as it came off the wire. */
export interface RawAnswer {
  readonly status: number;
  /** Lower-case names; of a repeated one the last. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** `100 Continue` and the like that came before. */
  readonly interim: readonly number[];
}

/** Not `String.trim`, which takes the byte A0, too. */
const OUTER_BLANKS = /^[ \t]+|[ \t]+$/g;

/** A client that sends exactly the bytes it is given: no library in between mends them. */
export class RawConnection {
  readonly #socket: Socket;
  /**
   * What has come and was not taken; put together only when somebody looks, or large bodies would be copied over and
   * over.
   */
  #pieces: Buffer[] = [];
  #length = 0;
  #wake: (() => void) | undefined;
  #ended = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk) => {
      this.#pieces.push(chunk);
      this.#length += chunk.length;
      this.#wake?.();
    });
    const end = (): void => {
      this.#ended = true;
      this.#wake?.();
    };
    socket.on('end', end).on('close', end).on('error', end);
  }

  static async open(at: At): Promise<RawConnection> {
    const socket = dial(at);
    await new Promise<void>((resolve, reject) => {
      socket.once(isSecure(at) ? 'secureConnect' : 'connect', resolve).once('error', reject);
    });
    return new RawConnection(socket);
  }

  send(bytes: string | Buffer): void {
    if (!this.#socket.destroyed) this.#socket.write(bytes);
  }

  /** Takes nothing off the socket until `resume`: a slow reader. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Everything received that no answer has taken. */
  get pending(): string {
    return this.#received.toString('latin1');
  }

  /** Whether the server has closed its side. */
  get ended(): boolean {
    return this.#ended;
  }

  /** The next final answer. @param method HEAD answers have no body */
  async answer(method = 'GET'): Promise<RawAnswer> {
    const interim: number[] = [];
    for (;;) {
      const head = await this.#head();
      if (head.status >= 200) return { ...head, body: await this.#body(head, method), interim };
      interim.push(head.status);
    }
  }

  /** Resolves when the server has closed the connection. */
  async closed(): Promise<void> {
    while (!this.#ended) await this.#more();
  }

  close(): void {
    this.#socket.destroy();
  }

  async #head(): Promise<Pick<RawAnswer, 'status' | 'headers'>> {
    for (;;) {
      const end = this.#received.indexOf('\r\n\r\n');
      if (end >= 0) {
        const [statusLine = '', ...lines] = this.#take(end + 4)
          .toString('latin1')
          .trimEnd()
          .split('\r\n');
        const headers = lines.map(
          (line) =>
            [
              line.slice(0, line.indexOf(':')).toLowerCase(),
              line.slice(line.indexOf(':') + 1).replaceAll(OUTER_BLANKS, ''),
            ] as const,
        );
        return { status: Number(statusLine.split(' ')[1]), headers: Object.fromEntries(headers) };
      }
      if (this.#ended) throw new Error(`the connection ended before an answer: ${JSON.stringify(this.pending)}`);
      await this.#more();
    }
  }

  async #body({ status, headers }: Pick<RawAnswer, 'status' | 'headers'>, method: string): Promise<string> {
    if (method === 'HEAD' || status === 204 || status === 304) return '';
    if (headers['transfer-encoding'] === 'chunked') return this.#chunks();
    const length = Number(headers['content-length'] ?? 0);
    while (this.#length < length && !this.#ended) await this.#more();
    return this.#take(length).toString('utf8');
  }

  async #chunks(): Promise<string> {
    let body = '';
    for (;;) {
      while (!this.#received.includes('\r\n')) await this.#moreOrFail();
      const size = Number.parseInt(this.#take(this.#received.indexOf('\r\n') + 2).toString('latin1'), 16);
      while (this.#length < size + 2) await this.#moreOrFail();
      body += this.#take(size + 2)
        .toString('utf8')
        .slice(0, -2);
      if (size === 0) return body;
    }
  }

  get #received(): Buffer {
    const whole = this.#pieces.length === 1 ? this.#pieces[0] : undefined;
    if (whole !== undefined) return whole;
    const joined = Buffer.concat(this.#pieces);
    this.#pieces = [joined];
    return joined;
  }

  #take(count: number): Buffer {
    const received = this.#received;
    const rest = received.subarray(count);
    this.#pieces = [rest];
    this.#length = rest.length;
    return received.subarray(0, count);
  }

  async #moreOrFail(): Promise<void> {
    if (this.#ended) throw new Error('the connection ended in the midst of a chunked body');
    await this.#more();
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}

/** Sends one request on a connection of its own. */
export async function roundTrip(at: At, bytes: string | Buffer, method = 'GET'): Promise<RawAnswer> {
  const connection = await RawConnection.open(at);
  try {
    connection.send(bytes);
    return await connection.answer(method);
  } finally {
    connection.close();
  }
}
