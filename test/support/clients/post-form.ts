import { createHmac } from 'node:crypto';
import { ACCESS_KEY, REGION, SECRET_KEY } from './sign-raw.ts';

export type Fields = readonly (readonly [name: string, value: string])[];

export interface FormParts {
  readonly fields: Fields;
  /** Absent: no file. */
  readonly file?: string | Buffer;
  /** null: the part has none. */
  readonly filename?: string | null;
  /** Parts behind the file, whole. */
  readonly behind?: string;
  /** What stands for the closing delimiter and what follows. */
  readonly end?: string;
}

export const BOUNDARY = '----form-of-a-test';

/** The body of a form. */
export function formBody({
  fields,
  file,
  filename = 'file.bin',
  behind = '',
  end = `\r\n--${BOUNDARY}--\r\n`,
}: FormParts): Buffer {
  const parts = fields
    .map(([name, value]) => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
    .join('');
  if (file === undefined) return Buffer.from(`${parts}--${BOUNDARY}--\r\n`);
  const named = filename === null ? '' : `; filename="${filename}"`;
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"${named}\r\nContent-Type: application/octet-stream\r\n\r\n`;
  return Buffer.concat([Buffer.from(parts + head), Buffer.from(file), Buffer.from(behind), Buffer.from(end)]);
}

/** A whole request of a browser, head and body. */
export function formRequest(bucket: string, parts: FormParts, headers: Readonly<Record<string, string>> = {}): Buffer {
  const body = formBody(parts);
  const lines = {
    host: 'localhost',
    'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
    'content-length': String(body.length),
    ...headers,
  };
  const head = Object.entries(lines)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  return Buffer.concat([Buffer.from(`POST /${bucket} HTTP/1.1\r\n${head}\r\n`), body]);
}

interface SigningOptions {
  readonly accessKey?: string;
  readonly secretKey?: string;
  readonly region?: string;
  readonly now?: Date;
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

/** Conditions that just allow these fields. */
export function exactly(fields: Fields, bucket: string): unknown[] {
  return [{ bucket }, ...fields.map(([name, value]) => ['eq', `$${name}`, value])];
}

function policyDocument(
  conditions: readonly unknown[],
  expiration: unknown = new Date(Date.now() + 60_000).toISOString(),
): object {
  return { expiration, conditions };
}

/** The fields with a policy signed by version 4; the policy has conditions on those of the signature, too. */
export function signedV4(
  fields: Fields,
  conditions: readonly unknown[],
  options: SigningOptions & { readonly expiration?: unknown } = {},
): Fields {
  const { accessKey = ACCESS_KEY, secretKey = SECRET_KEY, region = REGION, now = new Date() } = options;
  const amzDate = now.toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const scope = [amzDate.slice(0, 8), region, 's3', 'aws4_request'];
  const signing: Fields = [
    ['x-amz-algorithm', 'AWS4-HMAC-SHA256'],
    ['x-amz-credential', [accessKey, ...scope].join('/')],
    ['x-amz-date', amzDate],
  ];
  const document = policyDocument(
    [...conditions, ...signing.map(([name, value]) => ({ [name]: value }))],
    options.expiration,
  );
  return [...fields, ...signing, ...signatureV4(document, { secretKey, scope })];
}

/** Policy and signature of any document. */
export function signatureV4(
  document: unknown,
  { secretKey, scope }: { readonly secretKey: string; readonly scope: readonly string[] },
): Fields {
  const policy = Buffer.from(typeof document === 'string' ? document : JSON.stringify(document)).toString('base64');
  const key = scope.reduce<Buffer | string>((previous, part) => hmac(previous, part), `AWS4${secretKey}`);
  return [
    ['policy', policy],
    ['x-amz-signature', hmac(key, policy).toString('hex')],
  ];
}

/** The same by version 2. */
export function signedV2(
  fields: Fields,
  conditions: readonly unknown[],
  { accessKey = ACCESS_KEY, secretKey = SECRET_KEY }: SigningOptions = {},
): Fields {
  const policy = Buffer.from(JSON.stringify(policyDocument(conditions))).toString('base64');
  return [
    ...fields,
    ['AWSAccessKeyId', accessKey],
    ['policy', policy],
    ['signature', createHmac('sha1', secretKey).update(policy).digest('base64')],
  ];
}
