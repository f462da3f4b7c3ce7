import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AzuriteProcess, type GcsDouble, startAzurite, startGcsDouble } from '../../../adapters/doubles/index.ts';
import { outcome } from '../../support/clients/acl-client.ts';
import { type RawAnswer, RawConnection } from '../../support/clients/raw-http.ts';
import { signedHead } from '../../support/clients/sign-raw.ts';
import { describePeak, peakOf } from './two-clouds/peak-memory.ts';
import { type Replica, startReplica } from '../../testbed/gateway-process.ts';

type Headers = Readonly<Record<string, string>>;

const KEYS = { accessKey: 'MAINMAINMAINMAIN0001', secretKey: 'main-secret-for-tests-only-00000000000001' };
const MIB = 1024 * 1024;
const CLOUDS = ['azure', 'gcs'] as const;
const WAYS = [
  ['azure', 'gcs'],
  ['gcs', 'azure'],
] as const;
const LARGE = 200 * MIB;
/**
 * What a copy may add to the process at most, whatever its size: slabs, socket buffers and garbage not collected yet,
 * 17 to 50 MiB. One that held the whole object would add all of it.
 */
const BOUND = 96 * MIB;

let azurite: AzuriteProcess;
let double: GcsDouble;
let gateway: Replica;
let port: number;

/** One gateway process, configured as a user would, with a backend in each cloud: names of buckets decide. */
beforeAll(async () => {
  azurite = await startAzurite();
  double = await startGcsDouble();
  gateway = await startReplica(
    {
      S3GW_BACKENDS: JSON.stringify({
        main: {
          kind: 'azure',
          owner: 'main',
          endpoint: azurite.endpoint,
          credential: { kind: 'accountKey', keyEnv: 'TWO_CLOUDS_KEY' },
        },
        google: {
          kind: 'gcs',
          owner: 'main',
          endpoint: double.endpoint,
          bucketPrefix: 'two-',
          credential: { kind: 'anonymous' },
        },
      }),
      S3GW_BUCKETS: JSON.stringify({ rules: [{ pattern: 'gcs-*', backend: 'google' }], default: 'main' }),
      S3GW_LISTENERS: JSON.stringify([{ host: '127.0.0.1', port: 0 }]),
      TWO_CLOUDS_KEY: accountKey(azurite),
    },
    1,
  );
  port = Number(new URL(gateway.endpoints[0] ?? '').port);
  for (const cloud of CLOUDS) {
    for (const kind of ['plain', 'versioned']) await must('PUT', `/${cloud}-${kind}`);
    await must(
      'PUT',
      `/${cloud}-versioned?versioning`,
      {},
      '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>',
    );
  }
}, 120_000);

afterAll(async () => {
  await gateway.stop();
  await double.stop();
  await azurite.stop();
});

function accountKey({ storeOptions: { credential } }: AzuriteProcess): string {
  if (credential.kind !== 'accountKey') throw new Error('the emulator has an account key');
  return credential.key;
}

async function ask(
  method: string,
  target: string,
  headers: Headers = {},
  body: string | Buffer = '',
): Promise<RawAnswer> {
  const connection = await RawConnection.open(port);
  try {
    connection.send(
      signedHead({
        method,
        target,
        headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
        ...KEYS,
      }),
    );
    if (body.length > 0) connection.send(body);
    return await connection.answer(method);
  } finally {
    connection.close();
  }
}

async function must(
  method: string,
  target: string,
  headers: Headers = {},
  body: string | Buffer = '',
): Promise<RawAnswer> {
  const answer = await ask(method, target, headers, body);
  expect(outcome(answer), `${method} ${target} ${answer.body.slice(0, 500)}`).toMatch(/^20[0-6]$/);
  return answer;
}

function copy(target: string, source: string, headers: Headers = {}): Promise<RawAnswer> {
  return ask('PUT', target, { 'x-amz-copy-source': source, ...headers });
}

function element(xml: string, name: string): string {
  return new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1]?.replaceAll('&quot;', '"') ?? '';
}

const ABOUT = [
  'etag',
  'content-length',
  'content-type',
  'cache-control',
  'content-language',
  'content-encoding',
  'expires',
  'x-amz-storage-class',
  'x-amz-tagging-count',
];

/** All that a client can learn of an object, but for times and version ids. */
async function facts(target: string): Promise<Record<string, string>> {
  const { headers } = await must('HEAD', target, { 'x-amz-checksum-mode': 'ENABLED' });
  const kept = Object.entries(headers).filter(
    ([name]) => ABOUT.includes(name) || name.startsWith('x-amz-meta-') || name.startsWith('x-amz-checksum-'),
  );
  const { body } = await must('GET', target);
  const { body: tags } = await must('GET', `${target}?tagging`);
  return {
    ...Object.fromEntries(kept),
    md5: md5(body),
    tags: [...tags.matchAll(/<Key>([^<]*)<\/Key><Value>([^<]*)</g)]
      .map(([, key = '', value = '']) => `${key}=${value}`)
      .join('&'),
  };
}

function md5(text: string): string {
  return createHash('md5').update(text).digest('hex');
}

const RICH = {
  'content-type': 'text/x-rich; charset=utf-8',
  'cache-control': 'max-age=7',
  'content-language': 'de',
  'content-encoding': 'identity-ish',
  expires: 'Thu, 01 Dec 2033 16:00:00 GMT',
  'x-amz-meta-plain': 'one',
  'x-amz-meta-not-an_identifier': 'two',
  'x-amz-tagging': 'a=1&b=2%20x',
};

/** An upload of two parts, the first of 5 MiB. @returns its ETag */
async function multipart(target: string, headers: Headers = {}): Promise<string> {
  const id = element((await must('POST', `${target}?uploads`, headers)).body, 'UploadId');
  const etags = [];
  for (const [i, size] of [5 * MIB, 1000].entries()) {
    etags.push(
      (await must('PUT', `${target}?partNumber=${i + 1}&uploadId=${id}`, {}, Buffer.alloc(size, 65 + i))).headers[
        'etag'
      ] ?? '',
    );
  }
  return element((await complete(target, id, etags)).body, 'ETag');
}

function complete(target: string, id: string, etags: readonly string[]): Promise<RawAnswer> {
  const parts = etags.map((etag, i) => `<Part><PartNumber>${i + 1}</PartNumber><ETag>${etag}</ETag></Part>`);
  return must(
    'POST',
    `${target}?uploadId=${id}`,
    {},
    `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`,
  );
}

test('buckets lie where the rules say, and are listed together', async () => {
  const names = [...(await must('GET', '/')).body.matchAll(/<Name>([^<]*)</g)].map(([, name]) => name);
  expect(names).toEqual(['azure-plain', 'azure-versioned', 'gcs-plain', 'gcs-versioned']);
  expect([...double.state.buckets.keys()].filter((name) => !name.includes('system')).toSorted()).toEqual([
    'two-gcs-plain',
    'two-gcs-versioned',
  ]);
});

describe.each(WAYS)('from %s to %s', (from, to) => {
  const sourceOf = (key: string, kind = 'plain'): string => `${from}-${kind}/${key}`;

  test.each([['plain'], ['versioned']])(
    'CopyObject keeps all that a copy within one cloud keeps (%s)',
    async (kind) => {
      const source = sourceOf(`rich-${to}`, kind);
      await must('PUT', `/${source}`, { ...RICH, 'x-amz-checksum-crc32': checksumOf('rich') }, 'rich');
      const copied = await copy(`/${to}-${kind}/rich-copy`, source);
      expect(outcome(copied)).toBe('200');
      expect((await must('PUT', `/${from}-${kind}/within`, { 'x-amz-copy-source': source })).status).toBe(200);
      const original = await facts(`/${source}`);
      expect(await facts(`/${to}-${kind}/rich-copy`)).toEqual(original);
      expect(await facts(`/${from}-${kind}/within`)).toEqual(original);
      expect(original).toMatchObject({
        etag: `"${md5('rich')}"`,
        'content-type': RICH['content-type'],
        'x-amz-meta-not-an_identifier': 'two',
        'x-amz-checksum-crc32': checksumOf('rich'),
        tags: 'a=1&b=2 x',
      });
      expect(element(copied.body, 'ETag')).toBe(original['etag']);
    },
  );

  test('CopyObject replaces what it is told to replace', async () => {
    await must('PUT', `/${sourceOf('replaced')}`, RICH, 'text');
    const headers = {
      'x-amz-metadata-directive': 'REPLACE',
      'x-amz-tagging-directive': 'REPLACE',
      'content-type': 'a/b',
      'x-amz-meta-new': 'n',
      'x-amz-tagging': 'c=3',
    };
    expect(outcome(await copy(`/${to}-plain/replaced`, sourceOf('replaced'), headers))).toBe('200');
    expect(await facts(`/${to}-plain/replaced`)).toEqual({
      etag: `"${md5('text')}"`,
      'content-length': '4',
      'content-type': 'a/b',
      'x-amz-meta-new': 'n',
      'x-amz-tagging-count': '1',
      tags: 'c=3',
      md5: md5('text'),
      ...checksumsOf(await facts(`/${sourceOf('replaced')}`)),
    });
  });

  test('CopyObject of an object made of parts keeps its ETag; a checksum that is asked for is computed', async () => {
    const etag = await multipart(`/${sourceOf('parts')}`, { 'x-amz-meta-of': 'parts' });
    expect(etag).toMatch(/^"[0-9a-f]{32}-2"$/);
    expect(outcome(await copy(`/${to}-plain/parts`, sourceOf('parts')))).toBe('200');
    expect(await facts(`/${to}-plain/parts`)).toEqual(await facts(`/${sourceOf('parts')}`));
    expect(outcome(await copy(`/${to}-versioned/parts`, sourceOf('parts')))).toBe('200');
    expect(await facts(`/${to}-versioned/parts`)).toEqual(await facts(`/${sourceOf('parts')}`));
    const summed = await copy(`/${to}-plain/summed`, sourceOf('parts'), { 'x-amz-checksum-algorithm': 'SHA256' });
    expect(element(summed.body, 'ETag')).toBe(etag);
    const bytes = (await must('GET', `/${sourceOf('parts')}`)).body;
    expect((await facts(`/${to}-plain/summed`))['x-amz-checksum-sha256']).toBe(
      createHash('sha256').update(bytes).digest('base64'),
    );
  });

  test('CopyObject takes a version by its id, and makes one', async () => {
    const source = sourceOf(`history-${to}`, 'versioned');
    const old = (await must('PUT', `/${source}`, {}, 'old')).headers['x-amz-version-id'] ?? '';
    await must('PUT', `/${source}`, {}, 'new');
    const copied = await copy(`/${to}-versioned/history`, `${source}?versionId=${old}`);
    expect(copied.headers['x-amz-copy-source-version-id']).toBe(old);
    const made = copied.headers['x-amz-version-id'] ?? '';
    expect((await must('GET', `/${to}-versioned/history?versionId=${made}`)).body).toBe('old');
    expect(outcome(await copy(`/${to}-versioned/history`, source))).toBe('200');
    expect((await must('GET', `/${to}-versioned/history`)).body).toBe('new');
    const { body } = await must('GET', `/${to}-versioned?versions&prefix=history`);
    expect([...body.matchAll(/<Version>/g)].length).toBeGreaterThanOrEqual(2);
  });

  test('conditions on either end hold', async () => {
    const source = sourceOf(`conditional-to-${to}`);
    await must('PUT', `/${source}`, {}, 'text');
    const target = `/${to}-plain/conditions`;
    const etag = `"${md5('text')}"`;
    const refused = '412 PreconditionFailed';
    expect(outcome(await copy(target, source, { 'x-amz-copy-source-if-match': '"other"' }))).toBe(refused);
    expect(outcome(await copy(target, source, { 'x-amz-copy-source-if-none-match': etag }))).toBe(refused);
    expect(outcome(await copy(target, source, { 'if-match': etag }))).toBe('404 NoSuchKey');
    expect(outcome(await ask('GET', target))).toBe('404 NoSuchKey');
    expect(outcome(await copy(target, source, { 'x-amz-copy-source-if-match': etag, 'if-none-match': '*' }))).toBe(
      '200',
    );
    expect(outcome(await copy(target, source, { 'if-none-match': '*' }))).toBe(refused);
    expect(outcome(await copy(target, source, { 'if-match': etag }))).toBe('200');
    expect(outcome(await copy(target, sourceOf('nothing')))).toBe('404 NoSuchKey');
  });

  test('UploadPartCopy takes whole objects and ranges', async () => {
    await multipart(`/${sourceOf('ranges')}`);
    await must('PUT', `/${sourceOf('tail')}`, {}, 'tail');
    const target = `/${to}-plain/assembled`;
    const id = element((await must('POST', `${target}?uploads`)).body, 'UploadId');
    const part = async (number: number, source: string, headers: Headers = {}): Promise<string> => {
      const answer = await copy(`${target}?partNumber=${number}&uploadId=${id}`, source, headers);
      expect(outcome(answer)).toBe('200');
      return element(answer.body, 'ETag');
    };
    const etags = [
      await part(1, sourceOf('ranges'), { 'x-amz-copy-source-range': `bytes=10-${5 * MIB + 499}` }),
      await part(2, sourceOf('ranges')),
      await part(3, sourceOf('tail')),
    ];
    const whole = 'A'.repeat(5 * MIB) + 'B'.repeat(1000);
    const pieces = [whole.slice(10, 5 * MIB + 500), whole, 'tail'];
    expect(etags).toEqual(pieces.map((piece) => `"${md5(piece)}"`));
    const digests = Buffer.concat(pieces.map((piece) => createHash('md5').update(piece).digest()));
    expect(element((await complete(target, id, etags)).body, 'ETag')).toBe(
      `"${createHash('md5').update(digests).digest('hex')}-3"`,
    );
    expect(md5((await must('GET', target)).body)).toBe(md5(pieces.join('')));
  });

  test.runIf(existsSync('/proc/self/status'))(
    '200 MiB pass through in bounded memory',
    async () => {
      const pid = gateway.pids[0] ?? 0;
      const source = sourceOf('large');
      await putLarge(`/${source}`);
      const target = `/${to}-plain/large`;
      const copying = await peakOf(pid, async () => expect(outcome(await copy(target, source))).toBe('200'));
      const id = element((await must('POST', `${target}?uploads`)).body, 'UploadId');
      const part = async (): Promise<void> =>
        expect(
          outcome(
            await copy(`${target}?partNumber=1&uploadId=${id}`, source, {
              'x-amz-copy-source-range': `bytes=1-${LARGE - 1}`,
            }),
          ),
        ).toBe('200');
      const partCopying = await peakOf(pid, part);
      console.info(
        `${from} to ${to}: CopyObject ${describePeak(copying)}; UploadPartCopy ${describePeak(partCopying)}`,
      );
      const [original, copied] = [await must('HEAD', `/${source}`), await must('HEAD', target)];
      expect([copied.headers['etag'], copied.headers['content-length']]).toEqual([
        original.headers['etag'],
        String(LARGE),
      ]);
      expect(copying.added).toBeLessThan(BOUND);
      expect(partCopying.added).toBeLessThan(BOUND);
      for (const key of [`/${source}`, target]) await must('DELETE', key);
      await must('DELETE', `${target}?uploadId=${id}`);
    },
    180_000,
  );
});

function checksumOf(text: string): string {
  // CRC-32, bit by bit: the test's own, so that it shares no mistake.
  let crc = ~0;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(~crc >>> 0);
  return bytes.toString('base64');
}

function checksumsOf(found: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(found).filter(([name]) => name.startsWith('x-amz-checksum-')));
}

async function putLarge(target: string): Promise<void> {
  const connection = await RawConnection.open(port);
  try {
    connection.send(signedHead({ method: 'PUT', target, headers: { 'content-length': String(LARGE) }, ...KEYS }));
    const piece = Buffer.alloc(MIB, 'large');
    for (let sent = 0; sent < LARGE; sent += MIB) connection.send(piece);
    expect(outcome(await connection.answer('PUT'))).toBe('200');
  } finally {
    connection.close();
  }
}
