import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAzureStore } from '../../../adapters/azure/index.ts';
import { startAzurite, startGcsDouble } from '../../../adapters/doubles/index.ts';
import { createGcsStore } from '../../../adapters/gcs/index.ts';
import type { BlobStore } from '../../../src/store/blob-store.ts';
import {
  type BackendRequest,
  type RecordingProxy,
  startRecordingProxy,
} from '../../support/backends/recording-proxy.ts';
import { type Headers, World, element } from '../spec/world.ts';

const METHOD = 'x-amz-server-side-encryption';
const KEY_ID = `${METHOD}-aws-kms-key-id`;
const ARN = 'arn:aws:kms:us-east-1:444444444444:key/1234abcd-12ab-34cd-56ef-1234567890ab';
const KMS: Headers = { [METHOD]: 'aws:kms', [KEY_ID]: ARN };
const OTHER: Headers = { [METHOD]: 'aws:kms', [KEY_ID]: 'alias/other' };
/** Nobody may find these in a request that names no key. */
const BYTES = 'bytes of which the service must know the key';
const MIB = 1024 * 1024;

interface Recorded {
  readonly proxy: RecordingProxy;
  readonly store: BlobStore;
  /** What the service calls the keys. */
  readonly keys: Readonly<Record<string, string>>;
  /** The key that a request names. */
  keyOf(request: BackendRequest): string | undefined;
  stop(): Promise<void>;
}

const CLOUDS: Readonly<Record<string, () => Promise<Recorded>>> = { azure, gcs };

async function azure(): Promise<Recorded> {
  // Azurite itself refuses headers that it does not know.
  const azurite = await startAzurite({ customerKeys: true });
  const proxy = await startRecordingProxy(azurite.storeOptions.endpoint ?? '');
  return {
    proxy,
    store: createAzureStore({ ...azurite.storeOptions, endpoint: proxy.endpoint }),
    keys: { [ARN]: 'scope-of-key', 'alias/other': 'scope-of-other', 'alias/aws/s3': 'scope-of-all' },
    keyOf: ({ headers }) => headers['x-ms-encryption-scope']?.toString(),
    async stop() {
      proxy.stop();
      await azurite.stop();
    },
  };
}

async function gcs(): Promise<Recorded> {
  const double = await startGcsDouble();
  const proxy = await startRecordingProxy(double.endpoint);
  const named = (key: string): string => `projects/p/locations/us/keyRings/r/cryptoKeys/${key}`;
  return {
    proxy,
    store: createGcsStore({ endpoint: proxy.endpoint, credential: { kind: 'anonymous' } }),
    keys: { [ARN]: named('one'), 'alias/other': named('other'), 'alias/aws/s3': named('all') },
    keyOf: ({ url }) => new URL(url, 'http://localhost').searchParams.get('kmsKeyName') ?? undefined,
    async stop() {
      proxy.stop();
      await double.stop();
    },
  };
}

const byDefault = (content: string): string =>
  `<ServerSideEncryptionConfiguration><Rule><ApplyServerSideEncryptionByDefault>${content}</ApplyServerSideEncryptionByDefault></Rule></ServerSideEncryptionConfiguration>`;

describe.each(Object.keys(CLOUDS))('KMS keys by name on %s', (name) => {
  let cloud: Recorded;
  let world: World;
  let bucket: string;

  beforeAll(async () => {
    cloud = (await CLOUDS[name]?.()) as Recorded;
    world = await World.open({ kmsKeys: cloud.keys, systemContainer: 'kms-system' }, cloud.store);
  });
  afterAll(async () => {
    await world.close();
    await cloud.stop();
  });
  beforeEach(async () => {
    bucket = await world.bucket();
  });

  /** Does the work. @returns keys of all requests that brought bytes of the body, in order */
  async function keysOfBytes(work: () => Promise<unknown>): Promise<(string | undefined)[]> {
    await world.gateway.idle();
    cloud.proxy.requests.length = 0;
    await work();
    await world.gateway.idle();
    return cloud.proxy.requests.filter(({ body }) => body.includes(BYTES)).map((request) => cloud.keyOf(request));
  }

  /** Status, method and name of the key, as an answer says them. */
  const said = ({ outcome, headers }: { outcome: string; headers: Record<string, string | undefined> }): unknown[] => [
    outcome,
    headers[METHOD],
    headers[KEY_ID],
  ];

  it('a PUT goes to the service under its key, and PUT, GET, HEAD say which', async () => {
    let put: unknown[] = [];
    const keys = await keysOfBytes(async () => {
      put = said(await world.put(`/${bucket}/o`, BYTES, KMS));
    });
    expect(keys).toEqual([cloud.keys[ARN]]);
    expect(put).toEqual(['200', 'aws:kms', ARN]);
    const got = await world.ask('GET', `/${bucket}/o`);
    expect([got.body, ...said(got)]).toEqual([BYTES, '200', 'aws:kms', ARN]);
    const some = await world.ask('GET', `/${bucket}/o`, { headers: { range: 'bytes=9-12' } });
    expect([some.body, ...said(some)]).toEqual([BYTES.slice(9, 13), '206', 'aws:kms', ARN]);
    expect(said(await world.ask('HEAD', `/${bucket}/o`))).toEqual(['200', 'aws:kms', ARN]);
    const streamed = BYTES + 'x'.repeat(200_000);
    expect(await keysOfBytes(() => world.put(`/${bucket}/large`, streamed, OTHER))).toEqual([
      cloud.keys['alias/other'],
    ]);
    expect((await world.ask('GET', `/${bucket}/large`)).body === streamed).toBe(true);
  });

  it('who names no key means the one that the configuration has for them', async () => {
    const headers = { [METHOD]: 'aws:kms' };
    expect(await keysOfBytes(() => world.put(`/${bucket}/o`, BYTES, headers))).toEqual([cloud.keys['alias/aws/s3']]);
  });

  it('all parts go under the key of their upload, and Create, parts and Complete say which', async () => {
    const created = await world.must('POST', `/${bucket}/o?uploads`, { headers: KMS });
    expect(said(created)).toEqual(['200', 'aws:kms', ARN]);
    const upload = `/${bucket}/o?uploadId=${element(created.body, 'UploadId')}`;
    const first = BYTES.padEnd(5 * MIB, '.');
    await world.put(`/${bucket}/source`, BYTES, OTHER);
    const etags: string[] = [];
    const keys = await keysOfBytes(async () => {
      const part = await world.put(`${upload}&partNumber=1`, first);
      const copied = await world.copyPart(upload, `/${bucket}/source`, {}, 2);
      expect([said(part), said(copied)]).toEqual([
        ['200', 'aws:kms', ARN],
        ['200', 'aws:kms', ARN],
      ]);
      etags.push(part.headers['etag'] ?? '', element(copied.body, 'ETag').replaceAll('&quot;', ''));
    });
    expect(keys).toEqual([cloud.keys[ARN], cloud.keys[ARN]]);
    expect(
      await keysOfBytes(async () => {
        expect(said(await world.complete(upload, etags))).toEqual(['200', 'aws:kms', ARN]);
      }),
    ).toEqual([]);
    const got = await world.ask('GET', `/${bucket}/o`);
    expect([got.body === first + BYTES, ...said(got)]).toEqual([true, '200', 'aws:kms', ARN]);
  });

  it.each([
    ['no key to one', {}, KMS, ARN],
    ['one key to another', OTHER, KMS, ARN],
    ['a key to none', KMS, { [METHOD]: 'AES256' }, undefined],
    ['a key to what the bucket has, which is none', KMS, {}, undefined],
  ] as const)('a copy from %s', async (_what, from, to, key) => {
    await world.put(`/${bucket}/from`, BYTES, from);
    const keys = await keysOfBytes(async () => {
      const copied = await world.copy(`/${bucket}/to`, `/${bucket}/from`, to);
      expect(said(copied)).toEqual(['200', key === undefined ? 'AES256' : 'aws:kms', key]);
    });
    expect(keys).toEqual([key === undefined ? undefined : cloud.keys[key]]);
    const got = await world.ask('GET', `/${bucket}/to`);
    expect([got.body, ...said(got)]).toEqual([BYTES, '200', key === undefined ? 'AES256' : 'aws:kms', key]);
  });

  it('versions say each its own', async () => {
    const body = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';
    await world.must('PUT', `/${bucket}?versioning`, { body });
    const first = (await world.put(`/${bucket}/o`, 'first', KMS)).headers['x-amz-version-id'] ?? '';
    await world.put(`/${bucket}/o`, 'second');
    expect(said(await world.ask('HEAD', `/${bucket}/o?versionId=${first}`))).toEqual(['200', 'aws:kms', ARN]);
    expect(said(await world.ask('HEAD', `/${bucket}/o`))).toEqual(['200', 'AES256', undefined]);
  });

  it.each([
    ['a key that nobody mapped', { ...KMS, [KEY_ID]: 'alias/unknown' }, '400 KMS.NotFoundException'],
    ['a key without its method', { [KEY_ID]: ARN }, '400 InvalidArgument'],
    ['a key beside AES256', { [METHOD]: 'AES256', [KEY_ID]: ARN }, '400 InvalidArgument'],
    ['two layers', { ...KMS, [METHOD]: 'aws:kms:dsse' }, '501 NotImplemented'],
    ['a method that is none', { [METHOD]: 'aws:fde' }, '400 InvalidArgument'],
  ])('%s is refused and stores nothing', async (_what, headers, outcome) => {
    await world.put(`/${bucket}/from`, 'x');
    const keys = await keysOfBytes(async () => {
      expect(await world.outcome('PUT', `/${bucket}/o`, { body: BYTES, headers })).toBe(outcome);
      expect(await world.outcome('POST', `/${bucket}/o?uploads`, { headers })).toBe(outcome);
      expect((await world.copy(`/${bucket}/o`, `/${bucket}/from`, headers)).outcome).toBe(outcome);
    });
    expect(keys).toEqual([]);
    expect(await world.outcome('HEAD', `/${bucket}/o`)).toBe('404');
  });

  it('a bucket has a key for all that say nothing else', async () => {
    const rule = byDefault(`<SSEAlgorithm>aws:kms</SSEAlgorithm><KMSMasterKeyID>${ARN}</KMSMasterKeyID>`);
    await world.must('PUT', `/${bucket}?encryption`, { body: rule });
    const read = (await world.must('GET', `/${bucket}?encryption`)).body;
    expect([element(read, 'SSEAlgorithm'), element(read, 'KMSMasterKeyID')]).toEqual(['aws:kms', ARN]);
    expect(await keysOfBytes(() => world.put(`/${bucket}/o`, BYTES))).toEqual([cloud.keys[ARN]]);
    expect(said(await world.ask('HEAD', `/${bucket}/o`))).toEqual(['200', 'aws:kms', ARN]);
    expect(said(await world.copy(`/${bucket}/copied`, `/${bucket}/o`))).toEqual(['200', 'aws:kms', ARN]);
    expect(said(await world.must('POST', `/${bucket}/p?uploads`))).toEqual(['200', 'aws:kms', ARN]);
    const plain = { [METHOD]: 'AES256' };
    expect(await keysOfBytes(() => world.put(`/${bucket}/plain`, BYTES, plain))).toEqual([undefined]);
    expect(said(await world.put(`/${bucket}/all`, BYTES, { [METHOD]: 'aws:kms' }))).toEqual([
      ...['200', 'aws:kms', 'alias/aws/s3'],
    ]);
    await world.must('DELETE', `/${bucket}?encryption`);
    expect(await keysOfBytes(() => world.put(`/${bucket}/o`, BYTES))).toEqual([undefined]);
  });

  it('a bucket has no key that nobody mapped', async () => {
    const rule = byDefault('<SSEAlgorithm>aws:kms</SSEAlgorithm><KMSMasterKeyID>alias/unknown</KMSMasterKeyID>');
    expect(await world.outcome('PUT', `/${bucket}?encryption`, { body: rule })).toBe('400 KMS.NotFoundException');
    const dsse = byDefault('<SSEAlgorithm>aws:kms:dsse</SSEAlgorithm>');
    expect(await world.outcome('PUT', `/${bucket}?encryption`, { body: dsse })).toBe('501 NotImplemented');
    expect(element((await world.must('GET', `/${bucket}?encryption`)).body, 'SSEAlgorithm')).toBe('AES256');
  });
});

describe('KMS keys where none are mapped', () => {
  it('are not offered', async () => {
    const world = await World.open();
    try {
      const bucket = await world.bucket();
      expect(await world.outcome('PUT', `/${bucket}/o`, { body: 'x', headers: KMS })).toBe('501 NotImplemented');
      const body = byDefault('<SSEAlgorithm>aws:kms</SSEAlgorithm>');
      expect(await world.outcome('PUT', `/${bucket}?encryption`, { body })).toBe('501 NotImplemented');
    } finally {
      await world.close();
    }
  });
});
