import type { ReplicaState, RequestDetail, RequestSummary } from '../../../src/admin/inspector/contract.ts';

/** What an inspector might have seen: requests made up for what is rare in truth, or takes long. */
export const STAGED_REPLICAS: readonly ReplicaState[] = [
  { id: 'gateway-0', own: true, up: true, inFlight: 1, kept: 4, keptBytes: 4000, maxBytes: 8_000_000, slowMs: 1000 },
  { id: 'gateway-1', own: false, up: true, address: 'http://192.0.2.1:9001', inFlight: 0 },
  {
    id: 'http://192.0.2.2:9001',
    own: false,
    up: false,
    address: 'http://192.0.2.2:9001',
    reason: 'connection refused',
  },
];

export const CANONICAL_REQUEST = [
  'PUT',
  '/photos/a%20b',
  'x-id=PutObject',
  'accept-encoding:identity',
  'host:s3.example.com:9000',
  'x-amz-date:20261121T184312Z',
  'x-amz-meta-note:two  spaces',
  '',
  'accept-encoding;host;x-amz-date;x-amz-meta-note',
  'UNSIGNED-PAYLOAD',
].join('\n');
export const STRING_TO_SIGN = `AWS4-HMAC-SHA256\n20261121T184312Z\n20261121/us-east-1/s3/aws4_request\n${'8b1a9953'.repeat(8)}`;

export function stagedSummary(id: string, rest: Partial<RequestSummary> = {}): RequestSummary {
  const replica = rest.replica ?? 'gateway-0';
  return {
    id,
    replica,
    href: replica === 'gateway-0' ? `/api/requests/${id}` : `/api/replicas/${replica}/requests/${id}`,
    traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    arrived: Date.now(),
    outcome: 'ok',
    method: 'PUT',
    target: '/photos/a%20b?x-id=PutObject',
    operation: 'PutObject',
    bucket: 'photos',
    key: 'a b',
    identity: 'main',
    status: 200,
    durationMs: 12.5,
    firstByteMs: 12,
    bytesIn: 2048,
    bytesOut: 0,
    backendCalls: 1,
    slow: false,
    ...rest,
  };
}

/** A signature that did not fit. */
export function stagedFailure(summary: RequestSummary): RequestDetail {
  const message = 'The request signature we calculated does not match the signature you provided.';
  return {
    ...stagedSuccess(summary),
    authentication: {
      verdict: 'refused',
      method: 'header',
      accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
      failure: {
        code: 'SignatureDoesNotMatch',
        message,
        canonicalRequest: CANONICAL_REQUEST,
        stringToSign: STRING_TO_SIGN,
        commonlyAltered: ['accept-encoding', 'host'],
        hints: [{ cause: 'changed-host', certainty: 'proved', text: 'The client signed for the host s3.example.com.' }],
      },
    },
    authorisation: [],
    backend: { calls: [], total: 0, retries: 0 },
    error: { code: 'SignatureDoesNotMatch', status: 403, message, causes: [{ name: 'S3Error', message }] },
  };
}

export function stagedSuccess(summary: RequestSummary): RequestDetail {
  return {
    summary,
    classification: { operation: 'PutObject', why: 'PUT on an object', level: 'object', bucket: 'photos', key: 'a b' },
    authentication: { verdict: 'accepted', method: 'header', accessKeyId: 'AKIAIOSFODNN7EXAMPLE', account: 'main' },
    authorisation: [{ action: 's3:PutObject', allowed: true, rule: 'owner of the bucket' }],
    backend: {
      calls: [
        {
          system: 'azure',
          operation: 'write',
          target: '/photos/a%20b',
          startMs: 1.5,
          durationMs: 3,
          attempt: 1,
          status: 503,
          outcome: 'throttled',
          failure: 'ServerBusy',
        },
        {
          system: 'azure',
          operation: 'write',
          target: '/photos/a%20b',
          startMs: 6,
          durationMs: 5,
          attempt: 2,
          status: 201,
          outcome: 'ok',
          requestId: '9d2f5b1a-101e',
          bytesSent: 2048,
        },
      ],
      total: 2,
      retries: 1,
    },
    head: { after: { kind: 'inline', revision: '"0x8DE2916"' } },
    body: {
      framing: 'streaming-unsigned',
      sentBytes: 2100,
      declaredBytes: 2048,
      decodedBytes: 2048,
      chunks: 1,
      checksums: [{ algorithm: 'CRC32', declared: 'Sm9obkQ=', computed: 'Sm9obkQ=' }],
    },
    times: {
      authenticatedMs: 0.4,
      authorisedMs: 0.9,
      firstByteMs: 12,
      endMs: 12.5,
      blockedOnClientMs: 0.2,
      blockedOnBackendMs: 8,
    },
    request: {
      method: 'PUT',
      target: '/photos/a%20b?x-id=PutObject',
      httpVersion: '1.1',
      clientAddress: '192.0.2.7',
      scheme: 'http',
      headersOmitted: 0,
      ownHost: true,
      headers: [
        ['Host', 's3.example.com:9000'],
        ['x-amz-meta-note', 'two  spaces'],
        [
          'Authorization',
          'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20261121/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=<64 chars, sha256 01234567>',
        ],
      ],
    },
  };
}
