import type { Socket } from 'node:net';
import { type At, dial } from '../support/clients/raw-http.ts';
import { endOfAnswer } from './answers.ts';

/** One request as raw bytes. */
export interface FuzzRequest {
  /** latin1 */
  readonly text: string;
  /** Whether it ends where it says: another may follow on the connection. */
  readonly whole: boolean;
}

export interface Outcome {
  /** 0: none came. */
  readonly status: number;
  /** All that came, latin1. */
  readonly text: string;
}

/** How long anything may take. Some broken requests announce a body that never comes: nobody answers these. */
const PATIENCE_MS = 2000;
const WHOLE_PATIENCE_MS = 30_000;

/** The request's method, as far as it has one: answers to HEAD have no body. */
function methodOf(text: string): string {
  return text.slice(0, text.indexOf(' '));
}

function statusOf(text: string): number {
  return Number(/^HTTP\/1\.1 (?!100)(\d{3})/m.exec(text)?.[1] ?? 0);
}

/**
 * Sends bytes on a connection of their own, and takes what comes until the answer is whole, the connection ends, or
 * nothing comes any more.
 */
export function exchange(at: At, { text: request }: FuzzRequest): Promise<Outcome> {
  return new Promise((resolve) => {
    const socket = dial(at);
    const method = methodOf(request);
    let text = '';
    const finish = (): void => {
      socket.destroy();
      resolve({ status: statusOf(text), text });
    };
    socket.setTimeout(PATIENCE_MS, finish);
    socket.on('connect', () => socket.write(request, 'latin1'));
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      if (endOfAnswer(text, method) > 0) finish();
    });
    socket.on('error', finish).on('close', finish);
  });
}

/**
 * A connection that is kept: requests go out many at a time, and answers must come one for each, in order. The last of
 * each lot asks for what only it asks for: an answer that belongs to another is found out.
 */
export class KeptConnection {
  readonly #at: At;
  #socket: Socket | undefined;
  #lots = 0;

  constructor(at: At) {
    this.#at = at;
  }

  /**
   * @returns an outcome for each; what the gateway did not answer before it hung up is sent again, on a new connection
   */
  async exchange(requests: readonly FuzzRequest[]): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    for (let vain = 0; outcomes.length < requests.length; ) {
      const rest = requests.slice(outcomes.length);
      const { answers, crossed } = await this.#lot(rest);
      outcomes.push(...answers.map((text) => ({ status: statusOf(text), text })));
      if (crossed !== undefined) {
        throw new Error(
          `answers do not belong to their requests: ${JSON.stringify(rest.map(({ text }) => text.slice(0, 1500)))}\n-> ${JSON.stringify(crossed.slice(0, 1500))}`,
        );
      }
      vain = answers.length === 0 ? vain + 1 : 0;
      if (vain > 1) outcomes.push({ status: 0, text: '' });
    }
    return outcomes;
  }

  close(): void {
    this.#socket?.destroy();
  }

  /** One lot on the connection that is there: whole answers, as many as came. */
  async #lot(
    requests: readonly FuzzRequest[],
  ): Promise<{ readonly answers: readonly string[]; readonly crossed?: string }> {
    this.#lots += 1;
    const name = `probe-${this.#lots}-of-${process.pid}`;
    const probe = `GET /nobodys-${name} HTTP/1.1\r\nhost: localhost\r\n\r\n`;
    const socket = (this.#socket = this.#socket?.writable === true ? this.#socket : dial(this.#at));
    const texts = await answersOn(socket, [...requests.map(({ text }) => text), probe]);
    if (texts.length <= requests.length) {
      socket.destroy();
      return { answers: texts };
    }
    const last = texts.pop() ?? '';
    return { answers: texts, ...(!last.includes(name) && { crossed: last }) };
  }
}

/** Sends all and takes answers until there is one for each, or the connection ends. */
function answersOn(socket: Socket, requests: readonly string[]): Promise<string[]> {
  return new Promise((resolve) => {
    const methods = requests.map(methodOf);
    const answers: string[] = [];
    let text = '';
    const finish = (): void => {
      socket
        .removeAllListeners('data')
        .removeAllListeners('error')
        .removeAllListeners('close')
        .on('error', () => undefined);
      clearTimeout(patience);
      resolve(answers);
    };
    const patience = setTimeout(finish, WHOLE_PATIENCE_MS);
    socket
      .on('error', finish)
      .on('close', finish)
      .on('data', (chunk) => {
        text += chunk.toString('latin1');
        for (
          let end = endOfAnswer(text, methods[answers.length] ?? '');
          end > 0;
          end = endOfAnswer(text, methods[answers.length] ?? '')
        ) {
          answers.push(text.slice(0, end));
          text = text.slice(end);
          if (answers.length === requests.length) finish();
        }
      });
    socket.write(requests.join(''), 'latin1');
  });
}
