import { setTimeout as sleep } from 'node:timers/promises';
import { type Call } from '../model/reference/calls.ts';
import type { Answer } from '../model/reference/answer.ts';
import { factsOf } from '../model/program/facts.ts';
import { targetOf, wireRequest } from '../model/program/wire.ts';
import { KeptConnections } from '../support/clients/kept-connections.ts';
import type { RawAnswer, RawConnection } from '../support/clients/raw-http.ts';
import { signedHead } from '../support/clients/sign-raw.ts';
import type { Random } from '../support/random.ts';

/** A client that hears nothing for so long hangs up. */
const PATIENCE_MS = 20_000;
/** Between attempts to reach a replica. */
const DOWN_MS = 20;
/** A client that leaves does so within this time after it sent its request. */
const LEAVES_WITHIN_MS = 60;

export interface Account {
  readonly accessKey: string;
  readonly secretKey: string;
}

/** A call, when it was sent and answered, and how. Times in milliseconds of one monotonic clock. */
export interface Recorded {
  readonly client: number;
  readonly bucket: string;
  readonly call: Call;
  readonly sentAt: number;
  readonly answeredAt: number;
  /** Absent: the client heard nothing, so the call may take effect at any time after it was sent, or never. */
  readonly answer?: Answer;
  /** Sent when nothing else was under way any more. */
  readonly atRest?: true;
}

interface ClientOptions {
  readonly name: number;
  readonly ports: readonly number[];
  readonly account: Account;
  readonly random: Random;
  /** Probability of leaving before the answer. */
  readonly leaves: number;
}

/** One user of the service: one request at a time, each to a replica of its choice; now and then it hangs up. */
export class Client {
  readonly #options: ClientOptions;
  readonly #connections = new KeptConnections();
  leaves: number;
  left = 0;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.leaves = options.leaves;
  }

  async send(bucket: string, call: Call): Promise<Recorded> {
    const { name } = this.#options;
    const sentAt = performance.now();
    const answer = await this.#ask(bucket, call);
    return { client: name, bucket, call, sentAt, answeredAt: performance.now(), ...(answer && { answer }) };
  }

  /** `PUT /bucket`; `undefined`: not heard. */
  async createBucket(bucket: string): Promise<number | undefined> {
    return (await this.#exchange('PUT', `/${bucket}`, '', {}))?.status;
  }

  /** Of what is archived; it changes nothing that a history tells. */
  async restore(bucket: string, key: string): Promise<void> {
    const body = '<RestoreRequest><Days>1</Days></RestoreRequest>';
    await this.#exchange('POST', `/${bucket}/${key}?restore`, body, {});
  }

  close(): void {
    this.#connections.close();
  }

  async #ask(bucket: string, call: Call): Promise<Answer | undefined> {
    const request = wireRequest(call, bucket);
    const given = Object.entries(request.headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as const],
    );
    const answer = await this.#exchange(
      request.method,
      targetOf(bucket, request),
      request.body,
      Object.fromEntries(given),
    );
    return answer === undefined ? undefined : factsOf(call, answer);
  }

  async #exchange(
    method: string,
    target: string,
    body: string,
    headers: Readonly<Record<string, string>>,
  ): Promise<RawAnswer | undefined> {
    const { account, random } = this.#options;
    const reached = await this.#reach();
    if (reached === undefined) return undefined;
    const { port, connection } = reached;
    const bytes =
      signedHead({
        ...account,
        method,
        target,
        headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
      }) + body;
    try {
      const leaving = random.chance(this.leaves) ? this.#leaveSoon(connection) : undefined;
      const patience = setTimeout(() => connection.close(), PATIENCE_MS);
      try {
        connection.send(bytes);
        const answer = await connection.answer(method);
        if (answer.headers['connection'] === 'close') this.#connections.drop(port);
        return isWhole(answer, method) ? answer : undefined;
      } finally {
        clearTimeout(patience);
        clearTimeout(leaving);
      }
    } catch {
      this.#connections.drop(port);
      return undefined;
    }
  }

  /** A replica that listens; one that is down at the moment has seen nothing of the request, so another is asked. */
  async #reach(): Promise<{ readonly port: number; readonly connection: RawConnection } | undefined> {
    const until = performance.now() + PATIENCE_MS;
    while (performance.now() < until) {
      const port = this.#options.random.pick(this.#options.ports);
      const connection = await this.#connections.to(port).catch(() => undefined);
      if (connection !== undefined) return { port, connection };
      await sleep(DOWN_MS);
    }
    return undefined;
  }

  #leaveSoon(connection: RawConnection): NodeJS.Timeout {
    return setTimeout(() => {
      this.left += 1;
      connection.close();
    }, this.#options.random.next() * LEAVES_WITHIN_MS);
  }
}

/** A connection that ends in the midst of a body gives what has come: that is no answer. */
function isWhole({ headers, body, status }: RawAnswer, method: string): boolean {
  const length = headers['content-length'];
  return (
    method === 'HEAD' ||
    status === 204 ||
    status === 304 ||
    length === undefined ||
    Buffer.byteLength(body) === Number(length)
  );
}
