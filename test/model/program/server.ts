import { type RawAnswer, RawConnection } from '../../support/raw-http.ts';
import { signedHead } from '../../support/sign-raw.ts';
import type { Call } from '../reference/calls.ts';
import { targetOf, wireRequest } from './wire.ts';

/** A real server to compare with, spoken to over one connection that is kept. */
export class Server {
  readonly name: string;
  readonly #port: number;
  #connection: RawConnection | undefined;

  constructor(name: string, port: number) {
    this.name = name;
    this.#port = port;
  }

  /** A version id that it could have issued, but has not. */
  readonly unknownVersion = `1${'0'.repeat(31)}`;

  createBucket(bucket: string, objectLock: boolean): Promise<RawAnswer> {
    const headers = { 'content-length': '0', ...(objectLock && { 'x-amz-bucket-object-lock-enabled': 'true' }) };
    return this.#roundTrip('PUT', signedHead({ method: 'PUT', target: `/${bucket}`, headers }));
  }

  /** @param call with the names of this server */
  send(bucket: string, call: Call): Promise<RawAnswer> {
    const request = wireRequest(call, bucket);
    const { method, body } = request;
    const given = Object.entries(request.headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
    const headers = { ...Object.fromEntries(given), 'content-length': String(Buffer.byteLength(body)) };
    return this.#roundTrip(method, signedHead({ method, target: targetOf(bucket, request), headers }) + body);
  }

  close(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }

  async #roundTrip(method: string, bytes: string): Promise<RawAnswer> {
    if (this.#connection?.ended !== false) this.#connection = await RawConnection.open(this.#port);
    const connection = this.#connection;
    connection.send(bytes);
    const answer = await connection.answer(method);
    if (answer.headers['connection'] === 'close') this.close();
    return answer;
  }
}
