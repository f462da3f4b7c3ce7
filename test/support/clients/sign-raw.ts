import { createHmac, hash } from 'node:crypto';

export const ACCESS_KEY = 'WIREWIREWIREWIRE0001';
export const SECRET_KEY = 'wire-secret-for-tests-only-00000000000001';
/** Of the second account, which owns nothing. */
export const OTHER_ACCESS_KEY = 'OTHEROTHEROTHEROT0002';
/** Of a third account, which owns nothing either. */
export const THIRD_ACCESS_KEY = 'THIRDTHIRDTHIRDTH004';
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
  /** Signs all headers, as some clients do. */
  readonly signAll?: boolean;
  /** `x-amz-content-sha256`; default `UNSIGNED-PAYLOAD`. */
  readonly payloadHash?: string;
  readonly accessKey?: string;
  readonly secretKey?: string;
  readonly now?: Date;
  /** Signs values without blanks around and with single ones within, as the rules say and most clients do. */
  readonly trims?: boolean;
  /** Encoding in which the text will be sent; default UTF-8. */
  readonly encoding?: 'latin1' | 'utf8';
  /** Default us-east-1. */
  readonly region?: string;
  /** Default `s3`. */
  readonly service?: string;
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

/** Keys of secrets and scopes, which many requests share. */
const signingKeys = new Map<string, Buffer>();

function signingKey(secretKey: string, scope: string): Buffer {
  const name = `${secretKey}\n${scope}`;
  let key = signingKeys.get(name);
  if (key === undefined) {
    key = scope.split('/').reduce<Buffer>((previous, part) => hmac(previous, part), Buffer.from(`AWS4${secretKey}`));
    if (signingKeys.size >= MAX_SIGNING_KEYS) signingKeys.clear();
    signingKeys.set(name, key);
  }
  return key;
}

const MAX_SIGNING_KEYS = 100;

interface Signing {
  readonly scope: string;
  readonly amzDate: string;
  readonly secretKey: string;
  readonly encoding: BufferEncoding;
}

/** Signs the lines of a canonical request. */
function signatureOf(canonical: readonly string[], { scope, amzDate, secretKey, encoding }: Signing): string {
  const toSign = [
    'AWS4-HMAC-SHA256',
    amzDate,
    scope,
    hash('sha256', encoding === 'latin1' ? Buffer.from(canonical.join('\n'), encoding) : canonical.join('\n')),
  ].join('\n');
  return hmac(signingKey(secretKey, scope), toSign).toString('hex');
}

function canonicalValue(value: string): string {
  return value.replaceAll(/^[ \t]+|[ \t]+$/g, '').replaceAll(/[ \t]+/g, ' ');
}

function canonicalQuery(query: string): string {
  const pairs = query
    .split('&')
    .filter(Boolean)
    .map((pair) => (pair.includes('=') ? pair : `${pair}=`));
  // By name first: `a-b` comes after `a`, though `-` comes before `=`.
  return pairs.toSorted((a, b) => (a.replace('=', '\0') < b.replace('=', '\0') ? -1 : 1)).join('&');
}

function signingOf(options: RawRequestOptions): Signing {
  const { now, secretKey = SECRET_KEY, region = REGION, service = 's3', encoding = 'utf8' } = options;
  const amzDate = (now ?? new Date()).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  return { amzDate, scope: `${amzDate.slice(0, 8)}/${region}/${service}/aws4_request`, secretKey, encoding };
}

/** Head of a request, signed by an implementation of its own: it normalises nothing that a client library would. */
export function signedHead(options: RawRequestOptions): string {
  const {
    method = 'GET',
    target,
    host = 'localhost',
    payloadHash = 'UNSIGNED-PAYLOAD',
    accessKey = ACCESS_KEY,
    signAll = false,
  } = options;
  const signing = signingOf(options);
  const headers: Record<string, string> = {
    host,
    'x-amz-content-sha256': payloadHash,
    'x-amz-date': signing.amzDate,
    ...options.headers,
  };
  const signed = Object.keys(headers)
    .filter((name) => signAll || name === 'host' || name.startsWith('x-amz-'))
    .sort();
  const [path = '', query = ''] = target.split('?');
  const canonicalHeaders = signed
    .map((name) => `${name}:${options.trims === true ? canonicalValue(headers[name] ?? '') : (headers[name] ?? '')}\n`)
    .join('');
  const signature = signatureOf(
    [method, path, canonicalQuery(query), canonicalHeaders, signed.join(';'), payloadHash],
    signing,
  );
  headers['authorization'] =
    `AWS4-HMAC-SHA256 Credential=${accessKey}/${signing.scope}, SignedHeaders=${signed.join(';')}, Signature=${signature}`;
  return headText(method, target, headers);
}

/** The same request, signed in its query: what a presigned URL makes of it. */
export function presignedHead(options: RawRequestOptions): string {
  const { method = 'GET', target, host = 'localhost', accessKey = ACCESS_KEY } = options;
  const signing = signingOf(options);
  const headers: Record<string, string> = { host, ...options.headers };
  const signed = Object.keys(headers)
    .filter((name) => name === 'host' || name.startsWith('x-amz-'))
    .sort();
  const [path = '', given = ''] = target.split('?');
  const parameters = {
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': `${accessKey}/${signing.scope}`,
    'X-Amz-Date': signing.amzDate,
    'X-Amz-Expires': '600',
    'X-Amz-SignedHeaders': signed.join(';'),
  };
  const added = Object.entries(parameters)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
  const query = given === '' ? added : `${given}&${added}`;
  const canonicalHeaders = signed
    .map((name) => `${name}:${options.trims === true ? canonicalValue(headers[name] ?? '') : (headers[name] ?? '')}\n`)
    .join('');
  const signature = signatureOf(
    [method, path, canonicalQuery(query), canonicalHeaders, signed.join(';'), 'UNSIGNED-PAYLOAD'],
    signing,
  );
  return headText(method, `${path}?${query}&X-Amz-Signature=${signature}`, headers);
}

function headText(method: string, target: string, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

/** The same presigned by version 2: `x-amz-*` headers stand in the query, where they are signed in lower case. */
export function presignedV2Head(options: RawRequestOptions): string {
  const {
    method = 'GET',
    target,
    host = 'localhost',
    accessKey = ACCESS_KEY,
    secretKey = SECRET_KEY,
    now = new Date(),
  } = options;
  const [path = '', query = ''] = target.split('?');
  const pairs = query
    .split('&')
    .filter(Boolean)
    .map((pair) => pair.split('=').map(decodeURIComponent) as [string, string?]);
  const expires = String(Math.floor(now.getTime() / 1000) + 600);
  const amz = pairs
    .filter(([name]) => name.startsWith('x-amz-'))
    .sort()
    .map(([name, value = '']) => `${name}:${value}\n`)
    .join('');
  const sub = pairs
    .filter(([name]) => V2_RESOURCE.test(name))
    .sort()
    .map(([name, value]) => (value === undefined || value === '' ? name : `${name}=${value}`));
  const type = pairs.find(([name]) => name === 'content-type')?.[1] ?? options.headers?.['content-type'] ?? '';
  const text = `${method}\n\n${type}\n${expires}\n${amz}${path}${sub.length === 0 ? '' : `?${sub.join('&')}`}`;
  const signature = createHmac('sha1', secretKey).update(text).digest('base64');
  const added = `AWSAccessKeyId=${accessKey}&Expires=${expires}&Signature=${encodeURIComponent(signature)}`;
  return headText(method, `${path}?${query === '' ? '' : `${query}&`}${added}`, { host, ...options.headers });
}

const V2_RESOURCE =
  /^(?:acl|tagging|versionId|uploads|uploadId|partNumber|retention|legal-hold|delete|location|response-.*)$/;
