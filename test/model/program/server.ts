import { type RawAnswer, RawConnection } from '../../support/raw-http.ts';
import { signedHead } from '../../support/sign-raw.ts';
import type { Call } from '../reference/calls.ts';
import { targetOf, wireRequest } from './wire.ts';

/** A real server to compare with, spoken to over connections that are kept. */
export class Server {
  readonly name: string;
  readonly #ports: readonly number[];
  readonly #connections = new Map<number, RawConnection>();
  #requests = 0;

  /** @param ports several: replicas over the same data, which get the requests in turn */
  constructor(name: string, ...ports: readonly number[]) {
    this.name = name;
    this.#ports = ports;
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
    const given = Object.entries(request.headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as const],
    );
    const headers = { ...Object.fromEntries(given), 'content-length': String(Buffer.byteLength(body)) };
    return this.#roundTrip(method, signedHead({ method, target: targetOf(bucket, request), headers }) + body);
  }

  close(): void {
    for (const connection of this.#connections.values()) connection.close();
    this.#connections.clear();
  }

  async #roundTrip(method: string, bytes: string): Promise<RawAnswer> {
    const port = this.#ports[this.#requests++ % this.#ports.length] ?? 0;
    const connection = await this.#connection(port);
    connection.send(bytes);
    const answer = await connection.answer(method);
    if (answer.headers['connection'] === 'close') {
      connection.close();
      this.#connections.delete(port);
    }
    return answer;
  }

  async #connection(port: number): Promise<RawConnection> {
    const kept = this.#connections.get(port);
    if (kept?.ended === false) return kept;
    const opened = await RawConnection.open(port);
    this.#connections.set(port, opened);
    return opened;
  }
}
