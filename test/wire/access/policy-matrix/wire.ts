import type { Sent } from '../../../support/clients/acl-client.ts';
import { exactly, type Fields, signedV4 } from '../../../support/clients/post-form.ts';
import { type RawAnswer, RawConnection } from '../../../support/clients/raw-http.ts';
import { presignedHead, signedHead } from '../../../support/clients/sign-raw.ts';
import { framedLength, signedChunks } from '../../../support/clients/signed-chunks.ts';
import type { Keys } from '../../../support/clients/sts-client.ts';
import { formOf } from './rows.ts';

/** How a request is signed; `form`: in fields, by a policy that was signed. */
export type Way = 'header' | 'query' | 'chunked' | 'form';

/** Requests one after the other, over one connection as long as the gateway leaves it open. */
export class Client {
  readonly #port: number;
  #connection: RawConnection | undefined;

  constructor(port: number) {
    this.#port = port;
  }

  async send(bytes: string, method: string): Promise<RawAnswer> {
    if (this.#connection === undefined || this.#connection.ended) {
      this.#connection = await RawConnection.open(this.#port);
    }
    this.#connection.send(bytes);
    const answer = await this.#connection.answer(method);
    if (answer.headers['connection'] === 'close') this.close();
    return answer;
  }

  close(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }
}

type Written = Required<Pick<Sent, 'method' | 'target' | 'headers' | 'body'>>;

const WRITERS: Readonly<Record<Exclude<Way, 'form'>, (sent: Written, keys: Keys) => string>> = {
  header: ({ body, ...sent }, { accessKeyId: accessKey, secretAccessKey: secretKey, sessionToken }) => {
    const headers = { ...sent.headers, ...(sessionToken !== undefined && { 'x-amz-security-token': sessionToken }) };
    return signedHead({ ...sent, headers, accessKey, secretKey }) + body;
  },
  query: ({ body, ...sent }, { accessKeyId: accessKey, secretAccessKey: secretKey, sessionToken }) => {
    const joint = sent.target.includes('?') ? '&' : '?';
    const token = sessionToken === undefined ? '' : `${joint}X-Amz-Security-Token=${encodeURIComponent(sessionToken)}`;
    return presignedHead({ ...sent, target: sent.target + token, accessKey, secretKey }) + body;
  },
  chunked: ({ body, ...sent }, { accessKeyId: accessKey, secretAccessKey: secretKey, sessionToken }) => {
    const headers = {
      ...sent.headers,
      ...(sessionToken !== undefined && { 'x-amz-security-token': sessionToken }),
      'x-amz-decoded-content-length': String(body.length),
      'content-length': String(framedLength([body])),
    };
    const payloadHash = 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD';
    const head = signedHead({ ...sent, headers, payloadHash, accessKey, secretKey });
    return head + signedChunks(head, [body], undefined, secretKey);
  },
};

function plain({ method, target, headers, body }: Written): string {
  const lines = Object.entries({ host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

/** A request as it goes over the wire. @param keys absent: nobody signs */
export function written({ method, target, headers = {}, body = '' }: Sent, way: Way, keys: Keys | undefined): string {
  const sent = { method, target, headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) }, body };
  if (keys === undefined) return plain(sent);
  if (way === 'form') throw new Error('a form is written by signedForm');
  return WRITERS[way](sent, keys);
}

/** The form of a browser with a policy that its keys signed. */
export function signedForm(bucket: string, fields: Fields, keys: Keys | undefined): string {
  const token: Fields = keys?.sessionToken === undefined ? [] : [['x-amz-security-token', keys.sessionToken]];
  const all: Fields = [['key', 'object'], ...fields, ...token];
  const signing = keys && { accessKey: keys.accessKeyId, secretKey: keys.secretAccessKey };
  return written(
    formOf(bucket, signing === undefined ? all : signedV4(all, exactly(all, bucket), signing)),
    'header',
    undefined,
  );
}
