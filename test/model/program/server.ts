import { KeptConnections } from '../../support/clients/kept-connections.ts';
import type { RawAnswer } from '../../support/clients/raw-http.ts';
import { signedHead } from '../../support/clients/sign-raw.ts';
import type { Call } from '../reference/calls.ts';
import { targetOf, wireRequest } from './wire.ts';

/** A real server to compare with, spoken to over connections that are kept. */
export class Server {
  readonly name: string;
  readonly #ports: readonly number[];
  readonly #connections = new KeptConnections();
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
    this.#connections.close();
  }

  async #roundTrip(method: string, bytes: string): Promise<RawAnswer> {
    const port = this.#ports[this.#requests++ % this.#ports.length] ?? 0;
    const connection = await this.#connections.to(port);
    connection.send(bytes);
    const answer = await connection.answer(method);
    if (answer.headers['connection'] === 'close') this.#connections.drop(port);
    return answer;
  }
}
