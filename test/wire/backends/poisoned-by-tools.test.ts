import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BlobStore, WriteRequest } from '../../../src/store/blob-store.ts';
import { isStoreError } from '../../../src/store/store-error.ts';
import { outcome } from '../../support/clients/acl-client.ts';
import { BACKENDS, type Cloud, startCloud } from '../../support/backends/clouds.ts';
import { startGatewayOver, type TestGateway } from '../../support/gateway/gateway.ts';
import { type RawAnswer, roundTrip } from '../../support/clients/raw-http.ts';
import { signedHead } from '../../support/clients/sign-raw.ts';
import { testCall } from '../../support/test-call.ts';

/*
 * What tools of the clouds may have written beside the gateway: records that are none of ours, metadata and content
 * headers that no header line can carry. Every operation answers with what can be said or with an error of S3's, and
 * the neighbours stay in reach.
 */
const TOKEN = `1e${'0'.repeat(11)}1${'8'.repeat(18)}`;
const RECORDS: Readonly<Record<string, string>> = {
  'no JSON': '{',
  'an array': '[]',
  'an empty one': '{}',
  'a number': '5',
  'a later format': '{"v":99,"s":1}',
  'format 0': '{"v":0,"s":1}',
  'deep nesting': '['.repeat(3000),
  ...Object.fromEntries(
    [
      '"s":1e300',
      '"s":-1',
      '"s":0.5',
      '"k":"q"',
      '"k":5',
      '"k":"t"',
      '"k":"v"',
      '"k":"l"',
      '"k":"m"',
      `"k":"l","b":"${TOKEN}"`,
      `"k":"m","b":"${TOKEN}","z":5`,
      '"k":"m","b":"../../b/other"',
      '"k":"m","b":5',
      '"tg":5',
      '"tg":[["a"]]',
      '"tg":[[1,2]]',
      '"tg":[]',
      '"l":["c",1e300,null]',
      '"l":["x",1,1]',
      '"l":{}',
      '"l":["c",4102444800000,1]',
      '"p":{"r":[[1,1000000000000,1]]}',
      '"p":{}',
      '"p":null',
      '"p":{"r":[[1,-1,5]]}',
      '"p":{"r":[[1,2,3]],"h":5}',
      '"h":["EVIL\\r\\nX: y","v","COMPOSITE"]',
      '"h":5',
      '"h":["CRC32","v\\r\\nX: y","FULL_OBJECT"]',
      '"a":["zz"]',
      '"a":5',
      '"a":["r@a"]',
      '"a":["r=x\\r\\ny"]',
      '"ov":"../b/other"',
      `"ov":"${'a'.repeat(64)}"`,
      '"ov":5',
      '"m":{"a":5}',
      '"m":"x"',
      '"m":{"a\\r\\nX: y":"v","ok":"v"}',
      '"m":{"__proto__":"v"}',
      '"g":{"contentType":5}',
      '"g":{"contentType":"a\\r\\nX: y"}',
      '"z":-1',
      '"e":"x\\r\\nX: y"',
      '"e":5',
      '"e":""',
      '"o":5',
      '"o":"x\\u0000"',
      '"c":"x\\nX: y"',
      '"c":5',
      '"key":5',
      '"key":"other"',
      '"t":1e300',
      '"t":"x"',
      '"x":"\\u0000"',
      '"x":5',
      '"w":"\\r\\n"',
      '"w":{}',
      '"n":5',
      '"r":5',
      '"u":1',
      '"st":1',
      '"nv":"x"',
      `"nv":"${TOKEN}"`,
      '"ad":["x"]',
      `"ad":["${TOKEN}"],"d":["${TOKEN}"]`,
      '"fl":"x"',
      '"rv":5',
      '"__proto__":{"kind":"marker"}',
      '"constructor":5',
      '"toString":5',
    ].map((field) => [field, field.startsWith('"s"') ? `{"v":1,${field}}` : `{"v":1,"s":1700000000000000,${field}}`]),
  ),
};

const NATIVE: Readonly<Record<string, Pick<WriteRequest, 'headers' | 'metadata'>>> = {
  'line breaks and NUL': { metadata: { a: 'v\r\nX: y', b: '\0', c: 'v\nw', ok: 'v' } },
  'text beyond latin-1': { metadata: { a: 'žluť', b: '\ud83d\ude00', c: '\ud800', ok: 'v' } },
  'bytes of latin-1': { metadata: { a: '\u00e9\u00ff', b: '\u0080\u009f', ok: 'v' } },
  'names that are no tokens': { metadata: { 'a b': 'v', 'a\r\nX': 'v', é: 'v', '': 'v', 'a:b': 'v', ž: 'v', ok: 'v' } },
  'names of a member': { metadata: { __proto__x: 'v', hasownproperty: 'v', tostring: 'v', constructor: 'v', ok: 'v' } },
  'upper case, twice': { metadata: { Name: 'v', NAME: 'w', ok: 'v' } },
  'blanks around and none': { metadata: { a: ' v ', b: '', c: ' ', ok: 'v' } },
  "the gateway's own names": { metadata: { s3up: '{', s3gw_md5: 'x\r\n"', s3gw_cache: 'x', s3gwbucket: 'x', ok: 'v' } },
  long: { metadata: { a: 'v'.repeat(7000), ok: 'v' } },
  markup: { metadata: { a: '<&>"\'', b: '&amp;&#0;', c: ']]>', ok: 'v' } },
  'content headers with line breaks': {
    headers: {
      contentType: 'a\r\nX: y',
      cacheControl: '\0',
      contentDisposition: 'a\nb',
      contentLanguage: '\r',
      contentEncoding: 'gzip\n',
    },
    metadata: { ok: 'v' },
  },
  'content headers beyond latin-1': {
    headers: {
      contentType: 'ž',
      cacheControl: '\ud83d\ude00',
      contentDisposition: 'attachment; filename="žluť"',
      contentLanguage: 'č',
      contentEncoding: 'ř',
    },
    metadata: { ok: 'v' },
  },
  'content headers in latin-1': {
    headers: { contentType: '\u00e9', contentDisposition: '\u00ff', cacheControl: 'a'.repeat(4000) },
    metadata: { ok: 'v' },
  },
};

let gateway: TestGateway<BlobStore>;

function send(
  method: string,
  target: string,
  { headers = {}, body = '' }: { readonly headers?: Readonly<Record<string, string>>; readonly body?: string } = {},
): Promise<RawAnswer> {
  return roundTrip(
    gateway.port,
    signedHead({ method, target, headers: { 'content-length': String(body.length), ...headers } }) + body,
    method,
  );
}

/** The forms of a read of an object, and what an error of it may be. */
const READS: readonly (readonly [method: string, query: string, headers?: Readonly<Record<string, string>>])[] = [
  ['GET', ''],
  ['HEAD', ''],
  ['GET', '', { range: 'bytes=1-2' }],
  ['GET', '?partNumber=1'],
  ['HEAD', '?partNumber=1'],
  ['GET', '?acl'],
  ['GET', '?tagging'],
  ['GET', '?retention'],
  ['GET', '?legal-hold'],
  ['GET', '?attributes', { 'x-amz-object-attributes': 'ETag,Checksum,ObjectParts,StorageClass,ObjectSize' }],
  ['GET', '?versionId=null'],
  ['HEAD', '?versionId=null'],
  ['GET', '', { 'if-none-match': '"x"' }],
  ['GET', '', { 'x-amz-checksum-mode': 'ENABLED' }],
  ['GET', '', { 'if-modified-since': 'Sun, 06 Nov 1994 08:49:37 GMT' }],
];
const LISTINGS = [
  '',
  '?list-type=2',
  '?versions',
  '?list-type=2&delimiter=%2F',
  '?list-type=2&prefix=dir%2F&delimiter=x',
  '?versions&delimiter=%2F',
  '?list-type=2&fetch-owner=true&encoding-type=url',
];
const CHANGES: readonly (readonly [method: string, query: string, body?: string])[] = [
  ['PUT', '?tagging', '<Tagging><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tagging>'],
  ['PUT', '?acl', '<AccessControlPolicy/>'],
  ['DELETE', '?tagging'],
  ['POST', '?uploads'],
  ['PUT', '', 'anew'],
];

/**
 * Records that name what is not there look like those whose object is being written anew: clients are told to try
 * again.
 */
const DANGLING = /"k":"[tvlm]"|"ov":"a|"nv":"1/;

function check(answer: RawAnswer, what: string): void {
  const isDangling = DANGLING.test(what) && answer.status === 503;
  expect(isDangling || answer.status < 500, `${what}: ${answer.status} ${answer.body}`).toBe(true);
  expect(answer.headers, what).not.toHaveProperty('x');
}

/** Everything that can be done to an object that somebody else has spoilt, removal last. */
async function useIt({
  bucket,
  key,
  what,
}: {
  readonly bucket: string;
  readonly key: string;
  readonly what: string;
}): Promise<void> {
  const target = `/${bucket}/${key}`;
  for (const [method, query, headers] of READS) {
    check(await send(method, target + query, headers === undefined ? {} : { headers }), `${what}: ${method} ${query}`);
  }
  for (const query of LISTINGS) {
    const listing = await send('GET', `/${bucket}${query}`);
    expect(outcome(listing), query).toBe('200');
    if (!query.includes('prefix=')) expect(listing.body).toContain('<Key>neighbour</Key>');
  }
  check(
    await send('PUT', `/${bucket}/copy-of-${key.replaceAll('/', '-')}`, { headers: { 'x-amz-copy-source': target } }),
    `${what}: copy`,
  );
  for (const [method, query, body] of CHANGES) {
    check(await send(method, target + query, body === undefined ? {} : { body }), `${what}: ${method} ${query}`);
  }
  check(await send('DELETE', target), `${what}: DELETE`);
}

describe.each(BACKENDS)('over %s', (backend) => {
  let cloud: Cloud;

  beforeAll(async () => {
    cloud = await startCloud(backend);
    gateway = await startGatewayOver<BlobStore>(cloud.open());
    for (const bucket of ['plain', 'kept']) {
      await send('PUT', `/${bucket}`);
      if (bucket === 'kept') {
        await send('PUT', `/${bucket}?versioning`, {
          body: '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>',
        });
      }
      expect(outcome(await send('PUT', `/${bucket}/neighbour`, { body: 'bytes' }))).toBe('200');
    }
  }, 180_000);
  afterAll(async () => {
    await gateway.close();
    await cloud.stop();
  });

  /** @returns false where the service itself refuses it */
  async function poison(
    bucket: string,
    key: string,
    request: Pick<WriteRequest, 'headers' | 'metadata'>,
  ): Promise<boolean> {
    try {
      await gateway.store.write({ container: bucket, name: key }, Buffer.from('bytes'), request, testCall());
      return true;
    } catch (error) {
      if (isStoreError(error)) return false;
      throw error;
    }
  }

  let made = 0;
  let seen = 0;

  /** Messages of errors that were logged since somebody asked last. */
  function errors(): readonly string[] {
    const lines = gateway.logged.slice(seen);
    seen = gateway.logged.length;
    return lines
      .filter(({ level }) => level === 'error')
      .map(({ message, fields }) => `${message} ${String((fields as { err?: Error }).err?.stack)}`);
  }

  // How a record is read is the same for all; that damage gets from there to here is not.
  test.each(Object.entries(RECORDS).filter((_, index) => backend === 'memory' || index % 12 === 4))(
    'a record: %s',
    async (_, record) => {
      for (const bucket of ['plain', 'kept']) {
        const key = `dir/k${++made}`;
        expect(await poison(bucket, key, { metadata: { s3gw: record } })).toBe(true);
        await useIt({ bucket, key, what: record });
        await gateway.store.remove({ container: bucket, name: key }, undefined, testCall()).catch(() => undefined);
      }
      expect(errors()).toEqual([]);
    },
  );

  test.each(Object.entries(NATIVE))('metadata: %s', async (what, request) => {
    for (const bucket of ['plain', 'kept']) {
      const key = `dir/n${++made}`;
      if (!(await poison(bucket, key, request))) continue;
      const answer = await send('GET', `/${bucket}/${key}`);
      expect([answer.status, answer.headers['x-amz-meta-ok'], answer.body]).toEqual([200, 'v', 'bytes']);
      await useIt({ bucket, key, what });
    }
    expect(errors()).toEqual([]);
  });
});
