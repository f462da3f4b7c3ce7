import { afterEach, describe, expect, test } from 'vitest';
import { parseBlobPage } from '../../../adapters/azure/list-xml.ts';
import type { BlobStore, ReadRequest } from '../../../src/store/blob-store.ts';
import type { SurveyedStore } from '../../../src/store/survey.ts';
import { testCall } from '../../support/test-call.ts';
import { serve as serveAzure } from '../../unit/adapters/azure/scripted-service.ts';
import { serve as serveGcs } from '../../unit/adapters/gcs/scripted-service.ts';
import type { Turn } from '../../unit/adapters/scripted-peer.ts';

/** Forms of answers that the services were recorded to give, with values of our own. */

const REF = { container: 'bucket', name: 'name' };
const running: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((service) => service.stop()));
});

function answered(status: string, lines: readonly string[], body = ''): Turn {
  const head = [`HTTP/1.1 ${status}`, ...lines].map((line) => `${line}\r\n`).join('');
  return (socket) => socket.write(`${head}\r\n${body}`);
}

const HELLO_MD5 = '5d41402abc4b2a76b9719d911017c592';
const HELLO_BASE64 = 'XUFAKrxLKna5cZ2REBfFkg==';

describe('Azure', () => {
  async function store(turn: Turn): Promise<BlobStore> {
    const service = await serveAzure('usual', [turn]);
    running.push(service);
    return service.store;
  }

  const ABOUT = ['accept-ranges: bytes', 'content-type: a/b', 'etag: "0x8DB"', 'x-ms-blob-type: BlockBlob'];
  const WHEN = 'last-modified: Mon, 30 Jan 2023 21:10:39 GMT';

  test.each([
    ['a blob written whole has an MD5', ['content-length: 5', `content-md5: ${HELLO_BASE64}`], { md5: HELLO_MD5 }],
    ['a blob made of blocks has none', ['content-length: 5'], { md5: undefined }],
    [
      'a tier may be inferred',
      ['content-length: 5', 'x-ms-access-tier: Hot', 'x-ms-access-tier-inferred: true'],
      { archived: undefined },
    ],
    [
      'an archived blob says its tier, also while it is brought back',
      ['content-length: 5', 'x-ms-access-tier: Archive', 'x-ms-archive-status: rehydrate-pending-to-hot'],
      { archived: true },
    ],
    ['metadata are in lower case', ['content-length: 5', 'x-ms-meta-keya: vala'], { metadata: { keya: 'vala' } }],
  ])('Get Blob Properties: %s', async (_what, lines, expected) => {
    const service = await store(answered('200 OK', [...ABOUT, WHEN, ...lines]));
    const { archived, md5, ...found } = await service.head(REF, testCall());
    const common = {
      size: 5,
      contentType: 'a/b',
      revision: '"0x8DB"',
      lastModified: Date.UTC(2023, 0, 30, 21, 10, 39),
    };
    expect({ archived, md5, ...found }).toMatchObject({ ...common, ...expected });
  });

  test('Get Blob of a range: the MD5 of the whole stands apart from that of the range', async () => {
    const lines = ['content-length: 1', 'content-range: bytes 0-0/5', 'content-md5: wdn1D4aCWhojAuwkScFxlg=='];
    const whole = `x-ms-blob-content-md5: ${HELLO_BASE64}`;
    const service = await store(answered('206 Partial Content', [...ABOUT, WHEN, ...lines, whole], 'h'));
    const { properties, body } = await service.read(REF, { range: { first: 0, last: 0 } }, testCall());
    body.discard();
    expect(properties).toMatchObject({ size: 5, md5: HELLO_MD5 });
  });

  test.each([0, 1, 2])(
    "Put Blob: Last-Modified %d s behind the answer's own Date says nothing of our clock",
    async (s) => {
      const now = Math.floor(Date.now() / 1000) * 1000;
      const dates = [
        `date: ${new Date(now).toUTCString()}`,
        `last-modified: ${new Date(now + s * 1000).toUTCString()}`,
      ];
      const service: BlobStore & Partial<SurveyedStore> = await store(
        answered('201 Created', ['content-length: 0', `content-md5: ${HELLO_BASE64}`, 'etag: "0x8DB"', ...dates]),
      );
      const skews: number[] = [];
      service.clock?.onReading((skewMs) => skews.push(skewMs));
      const written = await service.write(REF, Buffer.from('hello'), { metadata: {} }, testCall());
      expect([written.lastModified, skews.length]).toEqual([now + s * 1000, 1]);
      // `Date` has whole seconds, and a busy machine takes its time.
      expect(Math.abs(skews[0] ?? NaN)).toBeLessThan(1000);
    },
  );

  test('Put Blob: Content-MD5 is that of the blob, though a CRC64 stands beside it', async () => {
    const lines = ['content-length: 0', `content-md5: ${HELLO_BASE64}`, 'x-ms-content-crc64: +JGsS7CR5kg=', WHEN];
    const service = await store(answered('201 Created', [...lines, 'etag: "0x8DB"']));
    expect(await service.write(REF, Buffer.from('hello'), { metadata: {} }, testCall())).toMatchObject({
      revision: '"0x8DB"',
      md5: HELLO_MD5,
    });
  });

  test.each([
    ['by version 2018-11-09', `content-md5: ${HELLO_BASE64}`, HELLO_MD5],
    ['by 2019-07-07 and later ones', 'x-ms-content-crc64: 4EPG9bmlaxU=', undefined],
  ])('Put Block without a digest: %s', async (_version, line, md5) => {
    const lines = ['content-length: 0', line, 'x-ms-request-server-encrypted: true'];
    const service = await store(answered('201 Created', lines));
    const staged = await service.stagePart(REF, Buffer.from('hello'), {}, testCall());
    expect([staged.tokens.length, staged.md5]).toEqual([1, md5]);
  });

  const ROWS =
    '<Blob><Name>a</Name><Properties><Creation-Time>Fri, 24 Feb 2023 00:32:46 GMT</Creation-Time><Last-Modified>Fri, 24 Feb 2023 00:32:46 GMT</Last-Modified><Etag>0x8DB15FEA6906119</Etag><Content-Length>5</Content-Length><Content-Type>a/b</Content-Type><Content-Encoding /><Content-Language /><Content-CRC64 /><Content-MD5>XUFAKrxLKna5cZ2REBfFkg==</Content-MD5><Cache-Control /><Content-Disposition /><BlobType>BlockBlob</BlobType><AccessTier>Hot</AccessTier><AccessTierInferred>true</AccessTierInferred><LeaseStatus>unlocked</LeaseStatus><LeaseState>available</LeaseState><ServerEncrypted>true</ServerEncrypted></Properties><Metadata><keya>vala</keya></Metadata><OrMetadata /></Blob>' +
    '<Blob><Name Encoded="true">b%EF%BF%BE</Name><Properties><Last-Modified>Fri, 24 Feb 2023 00:32:46 GMT</Last-Modified><Etag>0x1</Etag><Content-Length>1</Content-Length></Properties></Blob>';
  const PAGE = `<?xml version="1.0" encoding="utf-8"?><EnumerationResults ServiceEndpoint="https://account.blob.core.windows.net/" ContainerName="c"><MaxResults>2</MaxResults><Blobs>${ROWS}</Blobs><NextMarker>2!68!x</NextMarker></EnumerationResults>`;

  test('List Blobs: the document begins with a byte order mark', () => {
    const page = parseBlobPage(Buffer.from(`\ufeff${PAGE}`));
    expect(page).toEqual(parseBlobPage(Buffer.from(PAGE)));
    expect(page.nextToken).toBe('2!68!x');
    expect(page.entries).toMatchObject([
      { name: 'a', size: 5, md5: HELLO_MD5, contentType: 'a/b', metadata: { keya: 'vala' } },
      { name: 'b\uFFFE', size: 1, revision: '"0x1"' },
    ]);
  });
});

describe('Cloud Storage', () => {
  const ABOUT = [
    ...[
      'content-type: text/plain',
      'last-modified: Tue, 12 Feb 2019 10:19:17 GMT',
      'x-goog-generation: 1549966757861446',
    ],
    ...['x-goog-metageneration: 3', 'x-goog-storage-class: STANDARD'],
  ];
  const HELLO = [
    ...['content-length: 5', `x-goog-hash: crc32c=mnG7TA==, md5=${HELLO_BASE64}`],
    ...['x-goog-stored-content-encoding: identity', 'x-goog-stored-content-length: 5'],
  ];
  const NOT_TO_KEEP = ['cache-control: no-cache, no-store, max-age=0, must-revalidate', 'pragma: no-cache'];

  async function properties(turn: Turn, request: ReadRequest = {}): Promise<object> {
    const service = await serveGcs([turn]);
    running.push(service);
    const read = await service.store.read(REF, request, testCall());
    read.body.discard();
    return { cacheControl: undefined, md5: undefined, contentEncoding: undefined, ...read.properties };
  }

  test.each([
    ['of a private object', [...HELLO, 'cache-control: private, max-age=0'], {}],
    [
      'of one that somebody set',
      [...HELLO, 'cache-control: public, max-age=60'],
      { cacheControl: 'public, max-age=60' },
    ],
    ["under a customer's key", [...HELLO, ...NOT_TO_KEEP, 'x-goog-encryption-algorithm: AES256'], {}],
    ['under a KMS key', [...HELLO, ...NOT_TO_KEEP, 'x-goog-encryption-kms-key-name: projects/p'], {}],
    ['in a bucket whose readers pay', [...HELLO, ...NOT_TO_KEEP], {}],
  ])('GET %s: Cache-Control is the default, or what was set', async (_what, lines, expected) => {
    const found = await properties(answered('200 OK', [...ABOUT, ...lines], 'hello'));
    expect(found).toMatchObject({
      size: 5,
      md5: HELLO_MD5,
      cacheControl: undefined,
      contentEncoding: undefined,
      ...expected,
    });
  });

  test('GET of a composed object: no MD5, and an ETag of another form', async () => {
    const lines = [
      'content-length: 5',
      'x-goog-hash: crc32c=53nbPg==',
      'x-goog-component-count: 3',
      'etag: "-CMeLu5n8"',
    ];
    const found = await properties(
      answered('200 OK', [...ABOUT, ...lines, 'x-goog-stored-content-length: 5'], 'hello'),
    );
    expect(found).toMatchObject({ size: 5, md5: undefined, revision: '1549966757861446.3' });
  });

  test('GET of a range of a packed object: with a length, or without', async () => {
    const lines = ['content-encoding: gzip', 'content-range: bytes 1-2/5', 'x-goog-stored-content-encoding: gzip'];
    for (const [framing, body] of [
      ['content-length: 2', 'el'],
      ['transfer-encoding: chunked', '2\r\nel\r\n0\r\n\r\n'],
    ] as const) {
      const turn = answered(
        '206 Partial Content',
        [...ABOUT, ...lines, framing, 'x-goog-stored-content-length: 5'],
        body,
      );
      expect(await properties(turn, { range: { first: 1, last: 2 } })).toMatchObject({
        size: 5,
        contentEncoding: 'gzip',
      });
    }
  });
});
