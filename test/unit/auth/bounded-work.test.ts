import { describe, expect, it } from 'vitest';
import { MAX_SIGNED_HEADERS } from '../../../src/auth/signed-headers.ts';
import { SignatureDiagnoser } from '../../../src/admin/diagnosis/diagnoser.ts';
import type { RawRequest } from '../../../src/auth/raw-request.ts';
import { SigningKeys } from '../../../src/auth/signing-key.ts';
import type { S3Error } from '../../../src/errors/s3-error.ts';
import { ACCESS_KEY, AMZ_DATE, CREDENTIAL, judge, NOW, SECRET_KEY, sdkSigned } from './signed-requests.ts';

const SIGNATURE = '0'.repeat(64);
const SCOPE = '20130524/us-east-1/s3/aws4_request';
const LINES = 4000;
/** Of one request of 22 KB the canonical text had 36 million characters. */
const CPU_MS = 200;

/** A header many times, and a list of names. */
function byHeader(names: readonly string[], lines: readonly string[]): RawRequest {
  const authorization = `AWS4-HMAC-SHA256 Credential=${ACCESS_KEY}/${SCOPE},SignedHeaders=${names.join(';')},Signature=${SIGNATURE}`;
  const rawHeaders = [
    'host',
    'h',
    'x-amz-date',
    AMZ_DATE,
    'x-amz-content-sha256',
    'UNSIGNED-PAYLOAD',
    'authorization',
    authorization,
    ...lines,
  ];
  return { method: 'GET', rawTarget: '/bucket/key', rawHeaders, now: NOW };
}

function presigned(names: readonly string[], lines: readonly string[]): RawRequest {
  const query =
    `X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=${encodeURIComponent(`${ACCESS_KEY}/${SCOPE}`)}&X-Amz-Date=${AMZ_DATE}` +
    `&X-Amz-Expires=600&X-Amz-SignedHeaders=${encodeURIComponent(names.join(';'))}&X-Amz-Signature=${SIGNATURE}`;
  return { method: 'GET', rawTarget: `/bucket/key?${query}`, rawHeaders: ['host', 'h', ...lines], now: NOW };
}

function refusalOf(raw: RawRequest, credential = true): { readonly error: S3Error; readonly cpuMs: number } {
  const before = process.threadCpuUsage();
  let error: unknown;
  try {
    judge(raw, credential ? {} : { credentialFor: () => undefined });
  } catch (thrown) {
    error = thrown;
  }
  const { user, system } = process.threadCpuUsage(before);
  return { error: error as S3Error, cpuMs: (user + system) / 1000 };
}

const repeated = Array.from({ length: LINES }, () => ['a', 'b']).flat();
const distinct = Array.from({ length: LINES }, (_, index) => [`h${String(index).padStart(5, '0')}`, '']).flat();
const WAYS = [
  { way: 'by header', make: byHeader, code: 'AuthorizationHeaderMalformed' },
  { way: 'presigned', make: presigned, code: 'AuthorizationQueryParametersError' },
] as const;

describe.each(WAYS)('a list of signed headers, $way', ({ make, code }) => {
  const lists: readonly [name: string, names: readonly string[], lines: readonly string[]][] = [
    ['one name 3,000 times, with 4,000 lines of it', Array.from({ length: 3000 }, () => 'a'), repeated],
    [
      '5,000 names that differ, with 4,000 lines',
      Array.from({ length: 5000 }, (_, index) => `h${String(index).padStart(5, '0')}`),
      distinct,
    ],
    ['a name twice', ['a', 'a', 'host'], ['a', 'b']],
    ['names that are not sorted', ['host', 'a'], ['a', 'b']],
    ['a name in upper case', ['A', 'host'], ['a', 'b']],
    ['an empty name', ['', 'host'], []],
    ['a name at the end that is empty', ['host', ''], []],
    [
      'one name too many',
      Array.from({ length: MAX_SIGNED_HEADERS + 1 }, (_, index) => `h${String(index).padStart(5, '0')}`),
      distinct,
    ],
  ];

  it.each(lists)('%s', (_, names, lines) => {
    for (const known of [true, false]) {
      const { error, cpuMs } = refusalOf(make(names, lines), known);
      expect(error).toMatchObject({ code, status: 400 });
      expect(cpuMs).toBeLessThan(CPU_MS);
    }
  });

  it('is explained at no greater cost', () => {
    const sources = {
      region: 'us-east-1',
      maxSkewMs: 900_000,
      baseHosts: [],
      ports: [],
      credentialFor: () => CREDENTIAL,
      credentials: () => [],
    };
    const diagnoser = new SignatureDiagnoser(sources);
    for (const [, names, lines] of lists) {
      const raw = make(names, lines);
      const { error } = refusalOf(raw);
      const before = process.threadCpuUsage();
      diagnoser.diagnose(raw, error);
      expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(CPU_MS);
    }
  });

  it('a header that did not come', () => {
    const names = make === byHeader ? ['a', 'host', 'x-amz-content-sha256', 'x-amz-date'] : ['a', 'host'];
    expect(refusalOf(make(names, [])).error).toMatchObject({ code: 'SignatureDoesNotMatch' });
    expect(refusalOf(make(names, ['a', 'b'])).error).toMatchObject({ code: 'SignatureDoesNotMatch' });
  });
});

describe('an Authorization header', () => {
  it.each([
    ['a component twice', (value: string) => `${value},Signature=${SIGNATURE}`],
    ['a component that is none', (value: string) => `${value},Version=1`],
    ['a comma at its end', (value: string) => `${value},`],
    ['commas only', () => `AWS4-HMAC-SHA256 ${','.repeat(15_000)}`],
  ])('with %s is malformed', async (_, edit) => {
    const raw = await sdkSigned({});
    const at = raw.rawHeaders.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === 'authorization') + 1;
    const rawHeaders = raw.rawHeaders.with(at, edit(raw.rawHeaders[at] ?? ''));
    expect(refusalOf({ ...raw, rawHeaders }).error).toMatchObject({ code: 'AuthorizationHeaderMalformed' });
  });
});

it('a refused signature echoes what was signed, up to a bound', () => {
  const { error } = refusalOf(byHeader(['h', 'host', 'x-amz-content-sha256', 'x-amz-date'], ['h', 'v'.repeat(15_000)]));
  expect(error.code).toBe('SignatureDoesNotMatch');
  const { CanonicalRequest: text = '', CanonicalRequestBytes: bytes = '' } = error.extra;
  expect(String(text)).toHaveLength(4096);
  expect(Buffer.from(String(bytes).replaceAll(' ', ''), 'hex').toString('latin1')).toBe(text);
});

it('strangers push no key out of those that are remembered', () => {
  const signingKeys = new SigningKeys(2);
  const scope = {
    date: '20130524',
    region: 'us-east-1',
    service: 's3',
    terminator: 'aws4_request',
    text: SCOPE,
    accessKeyId: ACCESS_KEY,
  };
  const key = signingKeys.keyFor(ACCESS_KEY, SECRET_KEY, scope);
  for (const day of ['20000101', '20000102', '20000103', '20000104']) {
    const raw = byHeader(['host', 'x-amz-content-sha256', 'x-amz-date'], []);
    const rawHeaders = raw.rawHeaders.map((text) => text.replace('/20130524/', `/${day}/`));
    expect(() => judge({ ...raw, rawHeaders }, { credentialFor: () => undefined, signingKeys })).toThrow(
      expect.objectContaining({ code: 'InvalidAccessKeyId' }) as Error,
    );
  }
  expect(signingKeys.keyFor(ACCESS_KEY, SECRET_KEY, scope)).toBe(key);
});
