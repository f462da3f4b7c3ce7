import { createHash, createHmac } from 'node:crypto';

export const ACCESS_KEY = 'WIREWIREWIREWIRE0001';
export const SECRET_KEY = 'wire-secret-for-tests-only-00000000000001';
/** Of the second account, which owns nothing. */
export const OTHER_ACCESS_KEY = 'OTHEROTHEROTHEROT0002';
/** Of a user of the first account. */
export const USER_ACCESS_KEY = 'USERUSERUSERUSER0003';
export const REGION = 'us-east-1';

export interface RawRequestOptions {
  readonly method?: string;
  /** Exactly as it goes on the wire, query included; its path is signed as it stands. */
  readonly target: string;
  readonly host?: string;
  /** Further headers; those that begin with `x-amz-` are signed. */
  readonly headers?: Readonly<Record<string, string>>;
  /** `x-amz-content-sha256`; default `UNSIGNED-PAYLOAD`. */
  readonly payloadHash?: string;
  readonly accessKey?: string;
  readonly secretKey?: string;
  readonly now?: Date;
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

/** Head of a request, signed by an implementation of its own: it normalises nothing that a client library would. */
export function signedHead(options: RawRequestOptions): string {
  const { method = 'GET', target, host = 'localhost', payloadHash = 'UNSIGNED-PAYLOAD', accessKey = ACCESS_KEY, secretKey = SECRET_KEY } = options;
  const amzDate = (options.now ?? new Date()).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const scope = `${amzDate.slice(0, 8)}/${REGION}/s3/aws4_request`;
  const headers: Record<string, string> = { host, 'x-amz-content-sha256': payloadHash, 'x-amz-date': amzDate, ...options.headers };
  const signed = Object.keys(headers).filter((name) => name === 'host' || name.startsWith('x-amz-')).sort();
  const [path = '', query = ''] = target.split('?');
  const canonicalQuery = query.split('&').filter(Boolean).map((pair) => (pair.includes('=') ? pair : `${pair}=`)).sort().join('&');
  const canonicalHeaders = signed.map((name) => `${name}:${headers[name] ?? ''}\n`).join('');
  const canonical = [method, path, canonicalQuery, canonicalHeaders, signed.join(';'), payloadHash].join('\n');
  const toSign = ['AWS4-HMAC-SHA256', amzDate, scope, createHash('sha256').update(canonical).digest('hex')].join('\n');
  const key = scope.split('/').reduce<Buffer | string>((previous, part) => hmac(previous, part), `AWS4${secretKey}`);
  headers['authorization'] = `AWS4-HMAC-SHA256 Credential=${accessKey}/${scope}, SignedHeaders=${signed.join(';')}, Signature=${hmac(key, toSign).toString('hex')}`;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`;
}
