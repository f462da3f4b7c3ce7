import { createHmac, hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { canonicalRequests } from '../../../src/auth/canonical-request.ts';
import { ChunkSignatureChain, type ChunkSigningContext } from '../../../src/auth/chunk-signature.ts';
import { signableRequest } from '../../../src/auth/raw-request.ts';
import { sign } from '../../../src/auth/signature.ts';
import { deriveSigningKey } from '../../../src/auth/signing-key.ts';
import {
  ACCESS_KEY,
  AMZ_DATE,
  authorization,
  CREDENTIAL,
  EMPTY_SHA256,
  judge,
  rawRequest,
  SECRET_KEY,
  type Headers,
} from './signed-requests.ts';

// "Authenticating Requests (AWS Signature Version 4)", S3 API reference: its published examples; the last two are our
// own.
const EXAMPLE_HOST = 'examplebucket.s3.amazonaws.com';
const STREAM_HEADERS = {
  host: 's3.amazonaws.com',
  'content-encoding': 'aws-chunked',
  'x-amz-decoded-content-length': '66560',
  'x-amz-storage-class': 'REDUCED_REDUNDANCY',
};

interface Vector {
  readonly name: string;
  readonly method: string;
  readonly target: string;
  readonly headers: Headers;
  readonly signature: string;
  readonly payload: string;
}

const VECTORS: readonly Vector[] = [
  {
    name: 'GET with a range',
    method: 'GET',
    target: '/test.txt',
    headers: { host: EXAMPLE_HOST, range: 'bytes=0-9', 'x-amz-content-sha256': EMPTY_SHA256 },
    signature: 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    payload: 'hash',
  },
  {
    name: 'PUT of a key with an escape',
    method: 'PUT',
    target: '/test%24file.text',
    headers: {
      host: EXAMPLE_HOST,
      date: 'Fri, 24 May 2013 00:00:00 GMT',
      'x-amz-content-sha256': '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072',
      'x-amz-storage-class': 'REDUCED_REDUNDANCY',
    },
    signature: '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
    payload: 'hash',
  },
  {
    name: 'query name without value',
    method: 'GET',
    target: '/?lifecycle',
    headers: { host: EXAMPLE_HOST, 'x-amz-content-sha256': EMPTY_SHA256 },
    signature: 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
    payload: 'hash',
  },
  {
    name: 'query with two parameters',
    method: 'GET',
    target: '/?max-keys=2&prefix=J',
    headers: { host: EXAMPLE_HOST, 'x-amz-content-sha256': EMPTY_SHA256 },
    signature: '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
    payload: 'hash',
  },
  {
    name: 'signed chunks',
    method: 'PUT',
    target: '/examplebucket/chunkObject.txt',
    headers: {
      ...STREAM_HEADERS,
      'content-length': '66824',
      'x-amz-content-sha256': 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
    },
    signature: '4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9',
    payload: 'streaming-signed',
  },
  {
    name: 'signed chunks and trailer',
    method: 'PUT',
    target: '/examplebucket/chunkObject.txt',
    headers: {
      ...STREAM_HEADERS,
      'x-amz-content-sha256': 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER',
      'x-amz-trailer': 'x-amz-checksum-crc32c',
    },
    signature: '106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e',
    payload: 'streaming-signed-trailer',
  },
  {
    name: 'own: dots, double slash, UTF-8, %2F and %2B, copy headers',
    method: 'PUT',
    target: '/dst/a%20b%2Bc/%C3%A9//x..y?partNumber=2&uploadId=ab%2Fcd%3D',
    headers: {
      host: 'localhost:8014',
      'x-amz-content-sha256': EMPTY_SHA256,
      'x-amz-copy-source': '/src/k%2Fe%20y?versionId=v1',
      'x-amz-copy-source-range': 'bytes=0-9',
    },
    signature: '9eeb409a7d729cc91fb95211d12e93b13fe96eef0f334471864058b0ddefe370',
    payload: 'hash',
  },
  {
    name: 'own: sub-resource with a version',
    method: 'PUT',
    target: '/bkt/key?acl&versionId=null',
    headers: { host: 'localhost:8014', 'x-amz-content-sha256': EMPTY_SHA256, 'x-amz-acl': 'public-read' },
    signature: 'b501a8f965bf931724828da7b5fd4a8ad33637eed7248831f51cdb545ae9e67c',
    payload: 'hash',
  },
];

function signedVector(vector: Vector, signature = vector.signature) {
  const signed = { ...vector.headers, 'x-amz-date': AMZ_DATE };
  return rawRequest(vector.method, vector.target, { ...signed, authorization: authorization(signed, signature) });
}

describe('AWS vectors', () => {
  it.each(VECTORS)('header: $name', (vector) => {
    expect(judge(signedVector(vector))).toMatchObject({
      kind: 'signed',
      method: 'header',
      accessKeyId: ACCESS_KEY,
      credential: CREDENTIAL,
      payload: { kind: vector.payload },
    });
  });

  it.each(VECTORS)('header, one digit off: $name', (vector) => {
    const last = vector.signature.endsWith('0') ? '1' : '0';
    expect(() => judge(signedVector(vector, vector.signature.slice(0, -1) + last))).toThrow(
      expect.objectContaining({ code: 'SignatureDoesNotMatch' }),
    );
  });

  it('derives the published signing key', () => {
    const key = deriveSigningKey(SECRET_KEY, {
      date: '20130524',
      region: 'us-east-1',
      service: 's3',
      terminator: 'aws4_request',
    });
    const published = Buffer.from('dbb893acc010964918f1fd433add87c70e8b0db6be30c1fbeafefa5ec6ba8378', 'hex');
    expect(sign(key, 'text')).toBe(createHmac('sha256', published).update('text').digest('hex'));
  });

  it('makes the published canonical request', () => {
    const headers = {
      host: EXAMPLE_HOST,
      range: 'bytes=0-9',
      'x-amz-content-sha256': EMPTY_SHA256,
      'x-amz-date': AMZ_DATE,
    };
    const [canonical = ''] = canonicalRequests(signableRequest(rawRequest('GET', '/test.txt', headers)), {
      signedHeaders: Object.keys(headers),
      payloadHash: EMPTY_SHA256,
    });
    expect(hash('sha256', canonical)).toBe('7344ae5b7ee6c3e7e6b0fe0640412a37625d1fbfff95c48bbb2dc43964946972');
  });

  it('presigned GET', () => {
    const target =
      `/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=${ACCESS_KEY}%2F20130524%2Fus-east-1%2Fs3%2Faws4_request` +
      `&X-Amz-Date=${AMZ_DATE}&X-Amz-Expires=86400&X-Amz-SignedHeaders=host` +
      '&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404';
    expect(judge(rawRequest('GET', target, { host: EXAMPLE_HOST }))).toMatchObject({
      kind: 'signed',
      method: 'query',
      payload: { kind: 'unsigned' },
    });
  });
});

const CHAINS = [
  {
    vector: 'signed chunks',
    chunks: [
      'ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648',
      '0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497',
      'b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9',
    ],
    trailer: undefined,
  },
  {
    vector: 'signed chunks and trailer',
    chunks: [
      'b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2',
      '1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7',
      '2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992',
    ],
    trailer: 'd81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435',
  },
];

function chainOf(name: string): ChunkSignatureChain {
  const vector = VECTORS.find((candidate) => candidate.name === name);
  const verdict = vector === undefined ? undefined : judge(signedVector(vector));
  const signing: ChunkSigningContext | undefined = verdict?.kind === 'signed' ? verdict.signing : undefined;
  if (signing === undefined) {
    throw new Error(`vector ${name} gave no signing context`);
  }
  return new ChunkSignatureChain(signing);
}

describe('chunk signatures', () => {
  const sizes = [65536, 1024, 0];

  it.each(CHAINS)('$vector', ({ vector, chunks, trailer }) => {
    const chain = chainOf(vector);
    for (const [i, signature] of chunks.entries()) {
      const data = Buffer.alloc(sizes[i] ?? 0, 'a');
      chain.update(data.subarray(0, 1000));
      chain.update(data.subarray(1000));
      expect(chain.endChunk(signature), `chunk ${i}`).toBe(true);
    }
    if (trailer !== undefined) {
      expect(chain.endTrailer('x-amz-checksum-crc32c:sOO8/Q==\n', trailer)).toBe(true);
    }
  });

  it('notices changed data, and the chunk after it', () => {
    const chain = chainOf('signed chunks');
    chain.update(Buffer.alloc(65536, 'b'));
    expect(chain.endChunk(CHAINS[0]?.chunks[0] ?? '')).toBe(false);
    chain.update(Buffer.alloc(1024, 'a'));
    expect(chain.endChunk(CHAINS[0]?.chunks[1] ?? '')).toBe(false);
  });
});
