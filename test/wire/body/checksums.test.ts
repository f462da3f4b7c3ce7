import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CHECKSUM_ALGORITHMS, type ChecksumAlgorithm } from '../../../src/protocol/checksums/algorithms.ts';
import { createChecksumHasher } from '../../../src/protocol/checksums/hasher.ts';
import { contentMd5, outcome, send, type Sent } from '../../support/clients/acl-client.ts';
import { type TestGateway, startTestGateway } from '../../support/gateway/gateway.ts';
import type { RawAnswer } from '../../support/clients/raw-http.ts';
import { trailerBody } from '../../support/clients/trailer-body.ts';

const NEW = ['SHA512', 'MD5', 'XXHASH64', 'XXHASH3', 'XXHASH128'] as const;
const header = (algorithm: string): string => `x-amz-checksum-${algorithm.toLowerCase()}`;

let gateway: TestGateway;
let key: string;
let made = 0;

beforeAll(async () => {
  gateway = await startTestGateway();
  await send(gateway.port, 'owner', { method: 'PUT', target: '/sums' });
});
afterAll(() => gateway.close());
beforeEach(() => {
  key = `/sums/key-${++made}`;
});

function ask(sent: Sent): Promise<RawAnswer> {
  return send(gateway.port, 'owner', sent);
}

async function must(sent: Sent): Promise<RawAnswer> {
  const answer = await ask(sent);
  expect(outcome(answer)).toMatch(/^20[04]$/);
  return answer;
}

function digestOf(algorithm: ChecksumAlgorithm, ...bytes: readonly (string | Buffer)[]): string {
  const hasher = createChecksumHasher(algorithm);
  for (const piece of bytes) hasher.update(Buffer.from(piece));
  return hasher.digest().toString('base64');
}

/** What HEAD tells of checksums. */
async function told(target = key): Promise<Record<string, string | undefined>> {
  const { headers } = await must({ method: 'HEAD', target, headers: { 'x-amz-checksum-mode': 'ENABLED' } });
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('x-amz-checksum-')));
}

function element(body: string, name: string): string | undefined {
  return new RegExp(`<${name}>([^<]*)</${name}>`).exec(body)?.[1];
}

async function begin(headers: Readonly<Record<string, string>>, target = key): Promise<string> {
  return element((await must({ method: 'POST', target: `${target}?uploads`, headers })).body, 'UploadId') ?? '';
}

interface Listed {
  readonly etag: string;
  readonly checksum?: readonly [ChecksumAlgorithm, string];
}

function complete(uploadId: string, parts: readonly Listed[], target = key): Promise<RawAnswer> {
  const listed = parts.map(({ etag, checksum }, index) => {
    const sum = checksum === undefined ? '' : `<Checksum${checksum[0]}>${checksum[1]}</Checksum${checksum[0]}>`;
    return `<Part><PartNumber>${String(index + 1)}</PartNumber><ETag>${etag}</ETag>${sum}</Part>`;
  });
  return ask({
    method: 'POST',
    target: `${target}?uploadId=${uploadId}`,
    body: `<CompleteMultipartUpload>${listed.join('')}</CompleteMultipartUpload>`,
  });
}

async function uploaded(algorithm: ChecksumAlgorithm, parts: readonly string[], target = key): Promise<RawAnswer> {
  const id = await begin({ 'x-amz-checksum-algorithm': algorithm }, target);
  const listed: Listed[] = [];
  for (const [index, body] of parts.entries()) {
    const sum = digestOf(algorithm, body);
    const { headers } = await must({
      method: 'PUT',
      target: `${target}?partNumber=${String(index + 1)}&uploadId=${id}`,
      headers: { [header(algorithm)]: sum },
      body,
    });
    expect(headers[header(algorithm)]).toBe(sum);
    listed.push({ etag: headers['etag'] ?? '', checksum: [algorithm, sum] });
  }
  return complete(id, listed, target);
}

const LARGE = 'x'.repeat(5 * 1024 * 1024);

describe.each(NEW)('%s', (algorithm) => {
  test('in a header', async () => {
    const sum = digestOf(algorithm, 'bytes');
    const { headers } = await must({
      method: 'PUT',
      target: key,
      headers: { [header(algorithm)]: sum, 'x-amz-sdk-checksum-algorithm': algorithm },
      body: 'bytes',
    });
    expect(headers[header(algorithm)]).toBe(sum);
    expect(await told()).toEqual({ [header(algorithm)]: sum, 'x-amz-checksum-type': 'FULL_OBJECT' });
    const attributes = await must({
      method: 'GET',
      target: `${key}?attributes`,
      headers: { 'x-amz-object-attributes': 'Checksum' },
    });
    expect(element(attributes.body, `Checksum${algorithm}`)).toBe(sum);
  });

  test('in a trailer', async () => {
    const sum = digestOf(algorithm, 'bytes in chunks');
    const sent = trailerBody('bytes in chunks', header(algorithm), sum);
    await must({ method: 'PUT', target: key, ...sent });
    expect(await told()).toEqual({ [header(algorithm)]: sum, 'x-amz-checksum-type': 'FULL_OBJECT' });
    expect(
      outcome(await ask({ method: 'PUT', target: `${key}-wrong`, ...trailerBody('others', header(algorithm), sum) })),
    ).toBe('400 BadDigest');
    expect(outcome(await ask({ method: 'HEAD', target: `${key}-wrong` }))).toBe('404');
  });

  test.each([
    ['of other bytes', 'others'],
    ['that is none', undefined],
  ])('one %s is refused, and nothing stored', async (_name, other) => {
    const sum = other === undefined ? 'AAAA' : digestOf(algorithm, other);
    expect(
      outcome(await ask({ method: 'PUT', target: key, headers: { [header(algorithm)]: sum }, body: 'bytes' })),
    ).toBe('400 BadDigest');
    expect(outcome(await ask({ method: 'HEAD', target: key }))).toBe('404');
  });

  test('of parts', async () => {
    const answer = await uploaded(algorithm, [LARGE, 'end']);
    expect(outcome(answer)).toBe('200');
    const parts = [LARGE, 'end'].map((part) => Buffer.from(digestOf(algorithm, part), 'base64'));
    const sum = `${digestOf(algorithm, ...parts)}-2`;
    expect([element(answer.body, `Checksum${algorithm}`), element(answer.body, 'ChecksumType')]).toEqual([
      sum,
      'COMPOSITE',
    ]);
    expect(await told()).toEqual({ [header(algorithm)]: sum, 'x-amz-checksum-type': 'COMPOSITE' });
  });

  test('of the whole of parts cannot be', async () => {
    const headers = { 'x-amz-checksum-algorithm': algorithm, 'x-amz-checksum-type': 'FULL_OBJECT' };
    expect(outcome(await ask({ method: 'POST', target: `${key}?uploads`, headers }))).toBe('400 InvalidRequest');
  });
});

describe('a copy', () => {
  const copy = (headers: Readonly<Record<string, string>> = {}): Promise<RawAnswer> =>
    must({ method: 'PUT', target: `${key}-copy`, headers: { ...headers, 'x-amz-copy-source': key } });

  test.each(CHECKSUM_ALGORITHMS)('has the %s it is asked for, and says so', async (algorithm) => {
    await must({ method: 'PUT', target: key, body: 'bytes' });
    const { body } = await copy({ 'x-amz-checksum-algorithm': algorithm });
    const sum = digestOf(algorithm, 'bytes');
    expect([element(body, `Checksum${algorithm}`), element(body, 'ChecksumType')]).toEqual([sum, 'FULL_OBJECT']);
    expect(await told(`${key}-copy`)).toEqual({ [header(algorithm)]: sum, 'x-amz-checksum-type': 'FULL_OBJECT' });
  });

  test('says the one that its source had', async () => {
    await must({ method: 'PUT', target: key, headers: { [header('SHA1')]: digestOf('SHA1', 'bytes') }, body: 'bytes' });
    expect(element((await copy()).body, 'ChecksumSHA1')).toBe(digestOf('SHA1', 'bytes'));
    expect((await copy()).body).toContain('<ChecksumType>FULL_OBJECT</ChecksumType>');
  });

  test('of what has none has none', async () => {
    await must({ method: 'PUT', target: key, body: 'bytes' });
    expect((await copy()).body).not.toContain('Checksum');
  });

  test('of parts is one object: CRCs are combined', async () => {
    await uploaded('CRC32', [LARGE, 'end']);
    expect((await told())['x-amz-checksum-type']).toBe('COMPOSITE');
    const sum = digestOf('CRC32', LARGE, 'end');
    expect(element((await copy()).body, 'ChecksumCRC32')).toBe(sum);
    expect(await told(`${key}-copy`)).toEqual({ [header('CRC32')]: sum, 'x-amz-checksum-type': 'FULL_OBJECT' });
  });

  test('of parts with digests that cannot be combined has none, unless it is asked for', async () => {
    await uploaded('SHA256', [LARGE, 'end']);
    await copy();
    expect(await told(`${key}-copy`)).toEqual({});
    await copy({ 'x-amz-checksum-algorithm': 'SHA256' });
    expect(await told(`${key}-copy`)).toEqual({
      [header('SHA256')]: digestOf('SHA256', LARGE, 'end'),
      'x-amz-checksum-type': 'FULL_OBJECT',
    });
  });
});

describe('a part that is copied', () => {
  async function copied(
    algorithm: ChecksumAlgorithm,
    source: Readonly<Record<string, string>> = {},
  ): Promise<{ part: RawAnswer; done: RawAnswer }> {
    await must({ method: 'PUT', target: key, headers: source, body: 'bytes' });
    const target = `${key}-parts`;
    const id = await begin({ 'x-amz-checksum-algorithm': algorithm }, target);
    const part = await must({
      method: 'PUT',
      target: `${target}?partNumber=1&uploadId=${id}`,
      headers: { 'x-amz-copy-source': key },
    });
    const sum = element(part.body, `Checksum${algorithm}`) ?? '';
    const done = await complete(id, [{ etag: element(part.body, 'ETag') ?? '', checksum: [algorithm, sum] }], target);
    return { part, done };
  }

  test.each(CHECKSUM_ALGORITHMS)('has the %s that the upload was begun with', async (algorithm) => {
    const { part, done } = await copied(algorithm);
    expect(element(part.body, `Checksum${algorithm}`)).toBe(digestOf(algorithm, 'bytes'));
    expect(outcome(done)).toBe('200');
    expect(element(done.body, `Checksum${algorithm}`)).toBeDefined();
    expect((await told(`${key}-parts`))[header(algorithm)]).toBe(element(done.body, `Checksum${algorithm}`));
    expect((await must({ method: 'GET', target: `${key}-parts` })).body).toBe('bytes');
  });

  test("takes the source's where that is the same", async () => {
    const { part, done } = await copied('CRC32C', { [header('CRC32C')]: digestOf('CRC32C', 'bytes') });
    expect(element(part.body, 'ChecksumCRC32C')).toBe(digestOf('CRC32C', 'bytes'));
    expect(outcome(done)).toBe('200');
  });

  test('of nothing', async () => {
    await must({ method: 'PUT', target: key, body: '' });
    const id = await begin({ 'x-amz-checksum-algorithm': 'XXHASH3' }, `${key}-parts`);
    const { body } = await must({
      method: 'PUT',
      target: `${key}-parts?partNumber=1&uploadId=${id}`,
      headers: { 'x-amz-copy-source': key },
    });
    expect(element(body, 'ChecksumXXHASH3')).toBe(digestOf('XXHASH3', ''));
  });

  test('to an upload without has none', async () => {
    await must({ method: 'PUT', target: key, headers: { [header('SHA1')]: digestOf('SHA1', 'bytes') }, body: 'bytes' });
    const id = await begin({}, `${key}-parts`);
    const { body } = await must({
      method: 'PUT',
      target: `${key}-parts?partNumber=1&uploadId=${id}`,
      headers: { 'x-amz-copy-source': key },
    });
    expect(body).not.toContain('Checksum');
    expect(element(body, 'ETag')).toContain(createHash('md5').update('bytes').digest('hex'));
  });
});

describe('where nothing is declared', () => {
  let computing: TestGateway;
  beforeAll(async () => {
    computing = await startTestGateway({ defaultChecksum: 'CRC64NVME' });
    await send(computing.port, 'owner', { method: 'PUT', target: '/sums' });
  });
  afterAll(() => computing.close());

  test.each([
    ['held', 'bytes'],
    ['streamed', 'y'.repeat(200_000)],
  ])('of a %s body CRC64NVME is computed, if the setting says so', async (_name, body) => {
    const answer = await send(computing.port, 'owner', {
      method: 'PUT',
      target: '/sums/key',
      headers: { 'content-md5': contentMd5(body) },
      body,
    });
    expect(answer.headers[header('CRC64NVME')]).toBe(digestOf('CRC64NVME', body));
    const { headers } = await send(computing.port, 'owner', {
      method: 'HEAD',
      target: '/sums/key',
      headers: { 'x-amz-checksum-mode': 'ENABLED' },
    });
    expect(headers[header('CRC64NVME')]).toBe(digestOf('CRC64NVME', body));
  });

  test('what is declared counts', async () => {
    const headers = { [header('SHA1')]: digestOf('SHA1', 'bytes') };
    expect(
      (await send(computing.port, 'owner', { method: 'PUT', target: '/sums/key', headers, body: 'bytes' })).headers,
    ).not.toHaveProperty(header('CRC64NVME'));
  });
});
