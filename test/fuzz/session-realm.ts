import { createHmac, createPrivateKey, generateKeyPairSync, hash, type KeyObject, sign } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startTestGateway, type TestGateway } from '../support/gateway/gateway.ts';
import { RawConnection, type RawAnswer } from '../support/clients/raw-http.ts';
import { signedHead } from '../support/clients/sign-raw.ts';
import { directoryOf, type Keys, keysOf, sessionsOf } from '../support/clients/sts-client.ts';

const CONNECTIONS = 8;

/** Sends requests over a few connections that stay open. */
export class Senders {
  readonly #port: number;
  readonly #idle: RawConnection[] = [];

  constructor(port: number) {
    this.#port = port;
  }

  async send(bytes: string, method: string): Promise<RawAnswer> {
    const connection = this.#idle.pop() ?? (await RawConnection.open(this.#port));
    connection.send(bytes);
    const answer = await connection.answer(method);
    if (answer.headers['connection'] === 'close') connection.close();
    else this.#idle.push(connection);
    return answer;
  }

  close(): void {
    for (const connection of this.#idle) connection.close();
  }
}

/** Does as much of this side by side as there are connections. */
export async function together<T>(cases: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const rest = cases.values();
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      for (const one of rest) await work(one);
    }),
  );
}

/** Keys of an identity provider on loopback: one for each kind, and one that nobody knows. */
export interface Issuer {
  readonly url: string;
  readonly ec: KeyObject;
  readonly stranger: KeyObject;
  /** As its key set has it: what others take for a shared secret. */
  readonly publicPem: string;
  close(): Promise<void>;
}

export async function startIssuer(): Promise<Issuer> {
  const { privateKey: ec, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { privateKey: stranger } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'ES256', use: 'sig' };
  const server = createServer((request, response) => {
    const url = `http://${request.headers.host ?? ''}`;
    const document =
      request.url === '/keys'
        ? { keys: [jwk] }
        : { issuer: url, jwks_uri: `${url}/keys`, response_types_supported: [] };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ec: createPrivateKey(ec.export({ type: 'pkcs8', format: 'pem' })),
    stranger,
    publicPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

export const AUDIENCE = 's3gw';
export const SUBJECTS = 'system:serviceaccount:team:';

/** The buckets `data` and `other`; `alice` may assume `open`, pods `pod`, nobody `closed`; both roles see `data`. */
export async function startRealm(issuer: Issuer): Promise<TestGateway> {
  const accounts = directoryOf({
    identityProviders: [{ issuer: issuer.url, audiences: [AUDIENCE] }],
    users: [{ name: 'alice', buckets: ['data'] }],
    roles: [
      { name: 'open', trust: { users: ['alice'] }, buckets: ['data'] },
      { name: 'closed', trust: { roles: ['closed'] }, buckets: ['data', 'other'] },
      {
        name: 'pod',
        trust: { webIdentity: [{ issuer: issuer.url, subjects: [`${SUBJECTS}*`] }] },
        buckets: ['data'],
      },
    ],
  });
  const gateway = await startTestGateway({ accounts, sessions: sessionsOf(accounts) });
  const senders = new Senders(gateway.port);
  for (const target of ['/data', '/other', '/data/key', '/other/key']) {
    const { status, body } = await senders.send(s3Head(keysOf('main'), 'PUT', target), 'PUT');
    if (status !== 200) throw new Error(body);
  }
  senders.close();
  return gateway;
}

/** A request of S3 without a body, signed with these keys. */
export function s3Head({ accessKeyId, secretAccessKey, sessionToken }: Keys, method: string, target: string): string {
  const headers = {
    ...(method === 'PUT' && { 'content-length': '0' }),
    ...(sessionToken !== undefined && { 'x-amz-security-token': sessionToken }),
  };
  return signedHead({ method, target, headers, accessKey: accessKeyId, secretKey: secretAccessKey });
}

/** A form for STS. @param keys absent: unsigned */
export function stsRequest(form: string, keys?: Keys): string {
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': String(Buffer.byteLength(form)),
    ...(keys?.sessionToken !== undefined && { 'x-amz-security-token': keys.sessionToken }),
  };
  if (keys === undefined) {
    const lines = Object.entries({ host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
    return `POST / HTTP/1.1\r\n${lines.join('')}\r\n${form}`;
  }
  const { accessKeyId: accessKey, secretAccessKey: secretKey } = keys;
  const payloadHash = hash('sha256', form);
  return signedHead({ method: 'POST', target: '/', headers, payloadHash, accessKey, secretKey, service: 'sts' }) + form;
}

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** How a token is signed. */
export type Signing = 'ec' | 'stranger' | 'hmac' | 'none' | 'copied';

export function webToken(
  issuer: Issuer,
  by: Signing,
  { header, payload }: { header: object; payload: unknown },
): string {
  const text = `${encoded(header)}.${encoded(payload)}`;
  if (by === 'none') return `${text}.`;
  if (by === 'hmac') return `${text}.${createHmac('sha256', issuer.publicPem).update(text).digest('base64url')}`;
  const key = { key: by === 'stranger' ? issuer.stranger : issuer.ec, dsaEncoding: 'ieee-p1363' } as const;
  // Copied: the signature of another token.
  const signed = Buffer.from(by === 'copied' ? `${encoded(header)}.${encoded({ iss: issuer.url })}` : text);
  return `${text}.${sign('sha256', signed, key).toString('base64url')}`;
}

/** Text of the first element of this name. */
export function element(body: string, name: string): string | undefined {
  return new RegExp(`<${name}>([^<]*)</${name}>`).exec(body)?.[1];
}

export function credentialsIn(body: string): Required<Keys> | undefined {
  const [accessKeyId, secretAccessKey, sessionToken] = ['AccessKeyId', 'SecretAccessKey', 'SessionToken'].map((name) =>
    element(body, name),
  );
  if (accessKeyId === undefined || secretAccessKey === undefined || sessionToken === undefined) return undefined;
  return { accessKeyId, secretAccessKey, sessionToken };
}
