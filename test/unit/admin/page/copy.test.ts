import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import type { RequestDetail } from '../../../../src/admin/inspector/contract.ts';
import { asAwsCli } from '../../../../src/admin/page/web/copy/as-aws-cli.ts';
import { asCurl } from '../../../../src/admin/page/web/copy/as-curl.ts';
import { literal, quoted } from '../../../../src/admin/page/web/copy/shell.ts';

const MARK = '<64 chars, sha256 0123abcd>';
const AUTHORIZATION = `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20261121/eu-north-1/s3/aws4_request, SignedHeaders=host, Signature=${MARK}`;

const OWN_HOST = 's3.example.com';

const UNSIGNED = ['--header', 'x-amz-content-sha256: UNSIGNED-PAYLOAD'];

interface Sent {
  readonly method: string;
  readonly target: string;
  readonly operation?: string;
  readonly bucket?: string;
  readonly key?: string;
  readonly virtualHost?: true;
  readonly headers?: readonly (readonly [string, string])[];
  /** `OWN_HOST` unless given; no other is the gateway's own. */
  readonly host?: string;
  readonly sentBytes?: number;
  readonly verdict?: RequestDetail['authentication']['verdict'];
}

function detail({
  method,
  target,
  headers = [],
  host = OWN_HOST,
  sentBytes = 0,
  verdict = 'accepted',
  ...classification
}: Sent): RequestDetail {
  return {
    summary: {
      id: 'R',
      traceId: '0'.repeat(32),
      replica: 'r',
      href: '/api/requests/R',
      arrived: 0,
      outcome: 'ok',
      method,
      target,
      durationMs: 1,
      bytesIn: 0,
      bytesOut: 0,
      backendCalls: 0,
      slow: false,
    },
    classification: { why: '', ...classification },
    authentication: { verdict },
    authorisation: [],
    backend: { calls: [], total: 0, retries: 0 },
    head: {},
    body: { sentBytes, checksums: [] },
    times: {},
    request: {
      method,
      target,
      scheme: 'https',
      headers: [['Host', host], ...headers],
      headersOmitted: 0,
      ...(host === OWN_HOST && { ownHost: true }),
    },
  };
}

/** What a shell makes of it, word by word. */
function words(command: string, environment: NodeJS.ProcessEnv = {}): string[] {
  const { stdout } = spawnSync('sh', ['-c', `set -- ${command}\nfor word; do printf '%s\\0' "$word"; done`], {
    encoding: 'utf8',
    env: { ...process.env, AWS_ACCESS_KEY_ID: 'MYKEY', AWS_SECRET_ACCESS_KEY: 'MYSECRET', ...environment },
  });
  return stdout.split('\0').slice(0, -1);
}

const curl = (of: RequestDetail): string => asCurl(of) ?? '';

describe('words of a shell', () => {
  it.each(['plain', '', 'a b', "it's", '$(date)`x`"\\', 'ä*', '~', '#x', '--', 'a;b|c&d'])(
    '%j arrives as it is',
    (text) => {
      expect(words(quoted(text) ?? '')).toEqual([text]);
    },
  );

  it('of our own are checked', () => {
    for (const text of ['--x;touch', '', 'a b', '$x', '-', '=ls', '~']) expect(() => literal(text)).toThrow(TypeError);
  });
});

const MINE = 'https://mine.test';
const ENDPOINT = { AWS_ENDPOINT_URL: MINE };
const ANY_GET = { method: 'GET', target: '/b/k', verdict: 'anonymous' } as const;

describe('copy as curl', () => {
  it.each([
    ['another name', 'evil.test'],
    ['our name in front of theirs', 's3.example.com.evil.test'],
    ['our name as a password', 's3.example.com@evil.test'],
    ['none', ''],
  ])('takes the endpoint from who runs it where a stranger named the host: %s', (_what, host) => {
    const command = curl(detail({ ...ANY_GET, host }));
    expect(words(command, ENDPOINT).slice(1)).toEqual(['--path-as-is', '--globoff', '--url', `${MINE}/b/k`]);
    expect(words(command), 'nothing without an endpoint').toEqual([]);
  });

  it.each([
    ['https://s3.example.com/b/k?x', '/b/k?x='],
    ['http://s3.example.com', '/'],
    ['pany://x/y', '/pany://x/y'],
    ['@evil.test/y', '/@evil.test/y'],
  ])('a target never changes the host: %s', (target, path) => {
    expect(words(curl(detail({ ...ANY_GET, target }))).at(-1)).toBe(`https://s3.example.com${path}`);
  });

  it('signs with the keys of whoever runs it, for the region of the signature', () => {
    const command = curl(
      detail({
        method: 'GET',
        target: "/b/it's%20a%20key?x-id=GetObject&versionId=v1&tagging",
        headers: [
          ['Authorization', AUTHORIZATION],
          ['Range', 'bytes=0-9'],
        ],
      }),
    );
    expect(words(command)).toEqual([
      'curl',
      '--path-as-is',
      '--globoff',
      '--aws-sigv4',
      'aws:amz:eu-north-1:s3',
      '--user',
      'MYKEY:MYSECRET',
      ...UNSIGNED,
      '--header',
      'range: bytes=0-9',
      '--url',
      "https://s3.example.com/b/it's%20a%20key?tagging=&versionId=v1&x-id=GetObject",
    ]);
  });

  it('sends a body plain, whatever its framing was', () => {
    const command = curl(
      detail({
        method: 'PUT',
        target: '/b/k',
        sentBytes: 77,
        headers: [
          ['Authorization', AUTHORIZATION],
          ['Content-Encoding', 'aws-chunked'],
          ['Content-Length', '77'],
          ['x-amz-decoded-content-length', '3'],
          ['X-Amz-Trailer', 'x-amz-checksum-crc32'],
          ['x-amz-sdk-checksum-algorithm', 'CRC32'],
          ['x-amz-meta-a', ''],
          ['x-amz-content-sha256', 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD'],
          ['x-amz-server-side-encryption-customer-key', MARK],
        ],
      }),
    );
    expect(words(command).slice(1)).toEqual([
      '--path-as-is',
      '--globoff',
      '--request',
      'PUT',
      '--aws-sigv4',
      'aws:amz:eu-north-1:s3',
      '--user',
      'MYKEY:MYSECRET',
      ...UNSIGNED,
      '--header',
      'x-amz-meta-a;',
      '--data-binary',
      '@BODY_FILE',
      '--url',
      'https://s3.example.com/b/k',
    ]);
  });

  it("takes a presigned URL's own parameters out and signs anew", () => {
    const presigned = `X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKID%2F20261121%2Feu-west-1%2Fs3%2Faws4_request&X-Amz-Date=d&X-Amz-Expires=9&X-Amz-SignedHeaders=host&X-Amz-Signature=${MARK}`;
    const command = curl(detail({ method: 'HEAD', target: `/b/k?response-content-type=a%2Fb&${presigned}` }));
    expect(words(command).slice(3)).toEqual([
      '--head',
      '--aws-sigv4',
      'aws:amz:eu-west-1:s3',
      '--user',
      'MYKEY:MYSECRET',
      ...UNSIGNED,
      '--url',
      'https://s3.example.com/b/k?response-content-type=a%2Fb',
    ]);
  });

  it('leaves anonymous requests unsigned', () => {
    expect(curl(detail({ method: 'GET', target: '/b/', verdict: 'anonymous' }))).not.toContain('sigv4');
  });

  it('never holds what was replaced', () => {
    const secret: Sent['headers'] = [
      ['Authorization', AUTHORIZATION],
      ['x-amz-security-token', MARK],
      ['Cookie', 'a=b'],
      ['x-custom', MARK],
    ];
    expect(curl(detail({ method: 'GET', target: `/b/k?token=${MARK}`, headers: secret }))).not.toMatch(
      /chars, sha256|Signature|cookie/i,
    );
  });
});

describe('copy as aws-cli', () => {
  it.each<[string, Sent, string[]]>([
    [
      'GetObject',
      {
        method: 'GET',
        target: '/b/k%20l?versionId=v1',
        operation: 'GetObject',
        bucket: 'b',
        key: 'k l',
        headers: [['Range', 'bytes=0-9']],
      },
      ['get-object', '--bucket', 'b', '--key', 'k l', '--version-id', 'v1', '--range', 'bytes=0-9', 'OUTPUT_FILE'],
    ],
    [
      'PutObject',
      {
        method: 'PUT',
        target: '/b/k',
        operation: 'PutObject',
        bucket: 'b',
        key: 'k',
        sentBytes: 9,
        headers: [
          ['Content-Type', 'text/plain'],
          ['x-amz-meta-A', "it's"],
          ['x-amz-storage-class', 'STANDARD'],
          ['If-None-Match', '*'],
          ['x-amz-acl', 'private'],
        ],
      },
      [
        'put-object',
        '--bucket',
        'b',
        '--key',
        'k',
        '--content-type',
        'text/plain',
        '--storage-class',
        'STANDARD',
        '--if-none-match',
        '*',
        '--acl',
        'private',
        '--metadata',
        '{"a":"it\'s"}',
        '--body',
        'BODY_FILE',
      ],
    ],
    [
      'ListObjectsV2',
      {
        method: 'GET',
        target: '/b?list-type=2&prefix=a%2Fb+c&delimiter=%2F&max-keys=5',
        operation: 'ListObjectsV2',
        bucket: 'b',
      },
      ['list-objects-v2', '--bucket', 'b', '--prefix', 'a/b c', '--delimiter', '/', '--max-keys', '5', '--no-paginate'],
    ],
    [
      'CompleteMultipartUpload',
      {
        method: 'POST',
        target: '/b/k?uploadId=u',
        operation: 'CompleteMultipartUpload',
        bucket: 'b',
        key: 'k',
        sentBytes: 9,
      },
      [
        'complete-multipart-upload',
        '--bucket',
        'b',
        '--key',
        'k',
        '--upload-id',
        'u',
        '--multipart-upload',
        'file://parts.json',
      ],
    ],
    [
      'PutObjectTagging',
      {
        method: 'PUT',
        target: '/b/k?tagging=',
        operation: 'PutObjectTagging',
        bucket: 'b',
        key: 'k',
        sentBytes: 9,
        headers: [
          ['Content-Type', 'application/xml'],
          ['x-amz-checksum-crc32', 'AAAAAA=='],
          ['x-amz-sdk-checksum-algorithm', 'CRC32'],
        ],
      },
      [
        'put-object-tagging',
        '--bucket',
        'b',
        '--key',
        'k',
        '--checksum-algorithm',
        'CRC32',
        '--tagging',
        'file://tagging.json',
      ],
    ],
    [
      'GetBucketAcl',
      { method: 'GET', target: '/b?acl', operation: 'GetBucketAcl', bucket: 'b' },
      ['get-bucket-acl', '--bucket', 'b'],
    ],
  ])('%s', (_, sent, options) => {
    const headers: Sent['headers'] = [
      ['Authorization', AUTHORIZATION.replace('eu-north-1', 'us-east-1')],
      ...(sent.headers ?? []),
    ];
    expect(words(asAwsCli(detail({ ...sent, headers })) ?? '')).toEqual([
      'aws',
      's3api',
      options[0],
      '--endpoint-url',
      'https://s3.example.com',
      ...options.slice(1),
    ]);
  });

  it("names the service's host where the bucket stood in it", () => {
    const command =
      asAwsCli(
        detail({
          method: 'GET',
          target: '/',
          operation: 'ListObjects',
          bucket: 's3',
          virtualHost: true,
          verdict: 'anonymous',
        }),
      ) ?? '';
    expect(command).toContain("--endpoint-url 'https://example.com'");
    expect(command).toContain('--no-sign-request');
  });

  it('takes the endpoint from who runs it where a stranger named the host', () => {
    const command = asAwsCli(detail({ ...ANY_GET, operation: 'GetObject', bucket: 'b', key: 'k', host: 'evil.test' }));
    const options = ['--no-sign-request', '--bucket', 'b', '--key', 'k', 'OUTPUT_FILE'];
    expect(words(command ?? '', ENDPOINT)).toEqual(['aws', 's3api', 'get-object', '--endpoint-url', MINE, ...options]);
    expect(words(command ?? '')).toEqual([]);
  });

  it('has nothing for what is no operation', () => {
    expect(asAwsCli(detail({ method: 'PATCH', target: '/' }))).toBeUndefined();
  });
});
