import { createHash } from 'node:crypto';
import { type RawAnswer, RawConnection } from './raw-http.ts';
import { ACCESS_KEY, OTHER_ACCESS_KEY, THIRD_ACCESS_KEY, USER_ACCESS_KEY, signedHead } from './sign-raw.ts';

export const CALLERS = ['owner', 'other', 'anonymous'] as const;
/**
 * `user`: a user of the owner's account, which may do what the owner may. `third`: one more account that owns nothing.
 */
export type Caller = (typeof CALLERS)[number] | 'user' | 'third';

export interface Sent {
  readonly method: string;
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** That the request is signed for; default us-east-1. */
  readonly region?: string;
  /** `x-amz-content-sha256`; default `UNSIGNED-PAYLOAD`. */
  readonly payloadHash?: string;
  /** Default the right one. */
  readonly secretKey?: string;
}

/** Sends one request as one of the callers, over a connection of its own. */
export async function send(
  port: number,
  caller: Caller,
  { method, target, headers = {}, body = '', ...signing }: Sent,
): Promise<RawAnswer> {
  const all = { ...headers, 'content-length': String(Buffer.byteLength(body)) };
  const connection = await RawConnection.open(port);
  try {
    connection.send(headOf(caller, { ...signing, method, target, headers: all }) + body);
    return await connection.answer(method);
  } finally {
    connection.close();
  }
}

const ACCESS_KEYS = {
  owner: ACCESS_KEY,
  user: USER_ACCESS_KEY,
  other: OTHER_ACCESS_KEY,
  third: THIRD_ACCESS_KEY,
} as const;

function headOf(
  caller: Caller,
  { method, target, headers, ...signing }: Omit<Sent, 'body'> & Required<Pick<Sent, 'headers'>>,
): string {
  if (caller !== 'anonymous') {
    return signedHead({ ...signing, method, target, headers, accessKey: ACCESS_KEYS[caller] });
  }
  const lines = Object.entries({ host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

/** `403 AccessDenied`; of an answer without an error document, its status. */
export function outcome({ status, body }: RawAnswer): string {
  const code = /<Error><Code>([\w.]+)</.exec(body)?.[1];
  return code === undefined ? String(status) : `${status} ${code}`;
}

export function contentMd5(body: string): string {
  return createHash('md5').update(body).digest('base64');
}
