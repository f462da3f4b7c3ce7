import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  PutObjectCommand,
  S3Client,
  type ChecksumAlgorithm,
  type S3ClientConfig,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { authenticate } from '../../../../src/auth/authenticate.ts';
import { signableRequest } from '../../../../src/auth/raw-request.ts';
import { SigningKeys } from '../../../../src/auth/signing-key.ts';
import type { AuthVerdict, SigningCredential } from '../../../../src/auth/verdict.ts';
import { S3Error } from '../../../../src/errors/s3-error.ts';
import { HoldBudget } from '../../../../src/protocol/body/hold-budget.ts';
import type { OpenBodyOptions } from '../../../../src/protocol/body/object-body.ts';
import { HttpRequestBody } from '../../../../src/protocol/body/request-body.ts';
import { headerReader, HELD, store, STREAMED, type Headers, type Stored } from './bodies.ts';

const CREDENTIALS = { accessKeyId: 'AKIATEST', secretAccessKey: 'secret/of+test' };
const CONTENT = Buffer.alloc(200_000, 'The quick brown fox. ');
const signingKeys = new SigningKeys();

/** What the server made of the last request. */
interface Seen {
  readonly verdict: AuthVerdict<SigningCredential>;
  readonly stored: Stored | undefined;
  readonly xml: string | undefined;
}

let options: OpenBodyOptions = HELD;
let seen: Seen | undefined;

async function handle(request: IncomingMessage): Promise<Seen> {
  const raw = {
    method: request.method ?? '',
    rawTarget: request.url ?? '',
    rawHeaders: request.rawHeaders,
    now: Date.now(),
  };
  const verdict = authenticate(signableRequest(raw), {
    credentialFor: (id) => (id === CREDENTIALS.accessKeyId ? CREDENTIALS : undefined),
    region: 'us-east-1',
    signingKeys,
  });
  const body = new HttpRequestBody({
    source: request,
    headers: headerReader(request.headers as Headers),
    payload: verdict.payload,
    signing: verdict.kind === 'signed' ? verdict.signing : undefined,
    onFirstRead: () => undefined,
    signal: new AbortController().signal,
    holdBudget: new HoldBudget(1024 * 1024),
  });
  const xml = request.method === 'POST' ? (await body.readAll(10_000)).toString() : undefined;
  const stored = request.method === 'PUT' ? await store(body, options) : undefined;
  return { verdict, stored, xml };
}

const server = createServer((request, response) => {
  handle(request).then(
    (result) => {
      seen = result;
      response.end(result.xml === undefined ? '' : '<DeleteResult/>');
    },
    (error: unknown) => {
      const { code, status } = error instanceof S3Error ? error : { code: String(error), status: 500 };
      response
        .writeHead(status, { connection: 'close' })
        .end(`<Error><Code>${code}</Code><Message>${code}</Message></Error>`);
    },
  );
});

let endpoint = '';
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});
beforeEach(() => {
  seen = undefined;
});

function client(config: S3ClientConfig = {}): S3Client {
  return new S3Client({
    endpoint,
    region: 'us-east-1',
    credentials: CREDENTIALS,
    forcePathStyle: true,
    maxAttempts: 1,
    ...config,
  });
}

const KEY = { Bucket: 'bucket', Key: "dir//a b+c/é%2F!'()*~/../x" };
/** `fetch` folds dot segments away, so a URL handed to it must have none. */
const PLAIN_KEY = { Bucket: 'bucket', Key: "dir//a b+c/é%2F!'()*~" };
const stream = () => Readable.from(CONTENT, { objectMode: false, highWaterMark: 30_000 });

describe.each([
  ['held', HELD],
  ['streamed', STREAMED],
] as const)('uploads of the SDK, %s', (kind, opened) => {
  beforeEach(() => {
    options = opened;
  });

  it.each(['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'] satisfies ChecksumAlgorithm[])(
    'bytes with %s',
    async (algorithm) => {
      await client().send(
        new PutObjectCommand({
          ...KEY,
          Body: CONTENT,
          ChecksumAlgorithm: algorithm,
          Metadata: { note: 'two  blanks' },
        }),
      );
      expect(seen?.stored?.bytes.equals(CONTENT)).toBe(true);
      expect(seen?.stored?.facts.checksum?.algorithm).toBe(algorithm);
      expect(seen?.verdict).toMatchObject({ kind: 'signed', method: 'header' });
    },
  );

  it.each(['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'] satisfies ChecksumAlgorithm[])(
    'a stream with %s in its trailer',
    async (algorithm) => {
      await client().send(
        new PutObjectCommand({ ...KEY, Body: stream(), ContentLength: CONTENT.length, ChecksumAlgorithm: algorithm }),
      );
      expect(seen?.verdict.payload.kind).toBe('streaming-unsigned-trailer');
      expect(seen?.stored?.kind).toBe(kind);
      expect(seen?.stored?.bytes.equals(CONTENT)).toBe(true);
      expect(seen?.stored?.facts.checksum?.algorithm).toBe(algorithm);
    },
  );

  it('without a checksum', async () => {
    const sdk = client({ requestChecksumCalculation: 'WHEN_REQUIRED' });
    await sdk.send(new PutObjectCommand({ ...KEY, Body: CONTENT }));
    expect(seen?.verdict.payload.kind).toBe('hash');
    expect(seen?.stored?.facts).toEqual({});
    await sdk.send(new PutObjectCommand({ ...KEY, Body: stream(), ContentLength: CONTENT.length }));
    expect(seen?.verdict.payload.kind).toBe('unsigned');
    expect(seen?.stored?.bytes.equals(CONTENT)).toBe(true);
  });

  it('without a body', async () => {
    await client().send(new PutObjectCommand(KEY));
    expect(seen?.stored?.bytes.length).toBe(0);
    await client().send(new PutObjectCommand({ ...KEY, Body: '' }));
    expect(seen?.stored?.facts.checksum).toEqual({ algorithm: 'CRC32', value: 'AAAAAA==' });
  });

  it('with a wrong digest', async () => {
    const put = new PutObjectCommand({ ...KEY, Body: CONTENT, ContentMD5: 'rL0Y20zC+Fzt72VPzMSk2A==' });
    await expect(client().send(put)).rejects.toMatchObject({ name: 'BadDigest' });
  });

  it('presigned', async () => {
    const url = await getSignedUrl(client(), new PutObjectCommand({ ...PLAIN_KEY, ContentType: 'text/plain' }), {
      expiresIn: 60,
    });
    const answer = await fetch(url, { method: 'PUT', body: CONTENT });
    expect(answer.status).toBe(200);
    expect(seen?.verdict).toMatchObject({ kind: 'signed', method: 'query' });
    expect(seen?.stored?.bytes.equals(CONTENT)).toBe(true);
  });
});

describe('other requests of the SDK', () => {
  it('an XML body', async () => {
    await client().send(new DeleteObjectsCommand({ Bucket: 'bucket', Delete: { Objects: [{ Key: 'a' }] } }));
    expect(seen?.xml).toContain('<Key>a</Key>');
  });

  it('a presigned GET', async () => {
    const url = await getSignedUrl(
      client(),
      new GetObjectCommand({ ...PLAIN_KEY, ResponseContentType: 'text/plain; x="1"' }),
      { expiresIn: 60 },
    );
    expect((await fetch(url)).status).toBe(200);
    expect((await fetch(`${url}&acl`)).status).toBe(403);
  });

  it('a wrong secret', async () => {
    const sdk = client({ credentials: { ...CREDENTIALS, secretAccessKey: 'other' } });
    await expect(sdk.send(new GetObjectCommand(KEY))).rejects.toMatchObject({ name: 'SignatureDoesNotMatch' });
  });
});
