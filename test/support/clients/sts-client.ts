import { createHash, createHmac } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { SignatureV4 } from '@smithy/signature-v4';
import { ACCOUNT } from '../../../config/schema-accounts.ts';
import type { AccountDirectory } from '../../../src/access/accounts.ts';
import { SealingKeys } from '../../../src/access/sessions/sealing-keys.ts';
import { Sessions } from '../../../src/access/sessions/sessions.ts';
import { accountDirectory } from '../../../src/main/accounts/account-settings.ts';

export interface Keys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export interface StsAnswer {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Text of the first element of this name. */
  field(name: string): string | undefined;
  /** Of the credentials in it. */
  keys(): Required<Keys>;
}

interface StsCall {
  readonly port: number;
  readonly parameters: Readonly<Record<string, string>>;
  /** Absent: unsigned. */
  readonly keys?: Keys;
  readonly host?: string;
  readonly region?: string;
  readonly service?: string;
  /** In the query of a GET instead of a form. */
  readonly method?: 'GET' | 'POST';
  /** Presigned, with this many seconds. */
  readonly presigned?: number;
  /** Sent instead of what was signed. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly now?: Date;
}

/** Calls STS as SDKs do, signed by the signer that they have. */
export async function callSts(call: StsCall): Promise<StsAnswer> {
  const {
    port,
    parameters,
    keys,
    host = `127.0.0.1:${port}`,
    region = 'us-east-1',
    service = 'sts',
    method = 'POST',
    ...rest
  } = call;
  const form = new URLSearchParams({ Version: '2011-06-15', ...parameters }).toString();
  const isForm = method === 'POST';
  const plain = {
    method,
    protocol: 'http:',
    hostname: host,
    path: '/',
    query: isForm ? {} : Object.fromEntries(new URLSearchParams(form)),
    headers: {
      host,
      ...(isForm && { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' }),
      ...rest.headers,
    },
    ...(isForm && { body: form }),
  };
  const signer = keys && new SignatureV4({ credentials: keys, region, service, sha256: Sha256 });
  const options = { signingDate: rest.now ?? new Date() };
  const signs = async (by: SignatureV4): Promise<typeof plain> =>
    (rest.presigned === undefined
      ? by.sign(plain, options)
      : by.presign(plain, { ...options, expiresIn: rest.presigned })) as Promise<typeof plain>;
  const signed = signer === undefined ? plain : await signs(signer);
  const query = new URLSearchParams(signed.query as Record<string, string>)
    .toString()
    .replaceAll('+', '%20')
    .replaceAll('*', '%2A');
  return send({
    port,
    method,
    path: query === '' ? '/' : `/?${query}`,
    headers: signed.headers,
    body: rest.body ?? (isForm ? form : ''),
  });
}

interface Sent {
  readonly port: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export function send({ port, method, path, headers, body }: Sent): Promise<StsAnswer> {
  return new Promise((resolve, reject) => {
    const lengths = body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const request = httpRequest(
      { host: '127.0.0.1', port, method, path, headers: { ...headers, ...lengths }, agent: false },
      (response) => {
        let text = '';
        response
          .setEncoding('utf8')
          .on('data', (piece: string) => (text += piece))
          .on('error', reject)
          .on('end', () => {
            const field = (name: string): string | undefined =>
              new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1];
            const keys = (): Required<Keys> => ({
              accessKeyId: field('AccessKeyId') ?? '',
              secretAccessKey: field('SecretAccessKey') ?? '',
              sessionToken: field('SessionToken') ?? '',
            });
            resolve({ status: response.statusCode ?? 0, text, headers: response.headers, field, keys });
          });
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

class Sha256 {
  readonly #hash;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash =
      secret === undefined
        ? createHash('sha256')
        : createHmac('sha256', typeof secret === 'string' ? secret : toBytes(secret));
  }

  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(typeof data === 'string' ? data : toBytes(data));
  }

  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.#hash.digest());
  }
}

function toBytes(data: ArrayBuffer | ArrayBufferView): Uint8Array {
  return data instanceof ArrayBuffer
    ? new Uint8Array(data)
    : new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

const SEALING_SECRET = 'sealing-secret-for-tests-only-0000000000';
export const NUMBER = '123456789012';
/** Access keys are `<name>-key`, secrets `<name>-secret`. */
export const keysOf = (name: string): Keys => ({ accessKeyId: `${name}-key`, secretAccessKey: `${name}-secret` });
export const roleArn = (name: string, number = NUMBER): string => `arn:aws:iam::${number}:role/${name}`;

/** An account as a file has it; each user and the account itself get a key. */
export function directoryOf(account: object, others: readonly object[] = []): AccountDirectory {
  const withKeys = (thing: object & { readonly name?: string; readonly users?: readonly object[] }): object => ({
    ...thing,
    keys: [keysOf(thing.name ?? '')],
    users: (thing.users ?? []).map((user) => ({ ...user, keys: [keysOf((user as { name: string }).name)] })),
  });
  const accounts = [{ name: 'main', accountNumber: NUMBER, ...account }, ...others].map((one) =>
    ACCOUNT.parse(withKeys(one)),
  );
  return accountDirectory(accounts, { folder: '/nowhere', environment: {} });
}

export function sessionsOf(
  accounts: AccountDirectory,
  secrets: readonly string[] = [SEALING_SECRET],
  now: () => number = Date.now,
): Sessions {
  const keys = new SealingKeys(secrets);
  return new Sessions({ accounts, keys: () => keys, now });
}
