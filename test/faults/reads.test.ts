import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { BlobStore } from '../../src/store/blob-store.ts';
import { RawConnection } from '../support/clients/raw-http.ts';
import { signedHead } from '../support/clients/sign-raw.ts';
import { firstOf, onNth } from '../support/backends/fault-proxy/plans.ts';
import { World } from '../wire/spec/world.ts';
import { type FaultyBackend, SERVICES, startFaultyBackend } from './backends.ts';
import { outcomeOf, sendTo } from './scene.ts';

const BODY = randomBytes(400_000).toString('latin1');

describe.each(SERVICES)('%s', (service) => {
  let backend: FaultyBackend;
  let store: BlobStore;
  let world: World;
  let bucket: string;

  beforeAll(async () => {
    backend = await startFaultyBackend(service);
    store = backend.open();
    world = await World.open({ versioningDrainMs: 1 }, store);
  });
  afterAll(async () => {
    await world.close();
    await backend.stop();
  });
  beforeEach(async () => {
    backend.proxy.follow();
    bucket = await world.bucket();
  });

  const isRead = ({ kind }: { kind: string }): boolean => kind === 'read' || kind === 'head' || kind === 'list';

  /** What a client sees that reads until the connection ends: `received` of `announced` bytes. */
  async function download(
    target: string,
  ): Promise<{ status: number; announced: number; received: number; whole: boolean }> {
    const connection = await RawConnection.open(world.gateway.port);
    try {
      connection.send(signedHead({ target }));
      const { status, headers, body } = await connection.answer();
      const announced = Number(headers['content-length']);
      return {
        status,
        announced,
        received: Buffer.byteLength(body, 'utf8') === 0 ? 0 : Buffer.byteLength(body, 'latin1'),
        whole: body.length === announced,
      };
    } finally {
      connection.close();
    }
  }

  test.each([
    ['reset', { kind: 'breakBody', after: 150_000, how: 'reset' }],
    ['ended', { kind: 'breakBody', after: 150_000, how: 'end' }],
    ['silent', { kind: 'stallBody', after: 150_000 }],
  ] as const)(
    'a body that is %s halfway is a broken transfer for the client, never a short success',
    async (_name, fault) => {
      const ascii = 'x'.repeat(400_000);
      await world.put(`/${bucket}/k`, ascii);
      for (const versioned of [false, true]) {
        if (versioned) {
          await world.must('PUT', `/${bucket}?versioning`, {
            body: '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>',
          });
          await world.put(`/${bucket}/k`, ascii);
        }
        backend.proxy.follow(({ kind, name }) =>
          kind === 'read' && (!versioned || name?.startsWith('v/') === true) ? fault : undefined,
        );
        const seen = await download(`/${bucket}/k`);
        expect(seen).toMatchObject({ status: 200, announced: 400_000, whole: false });
        expect(seen.received).toBeLessThan(400_000);
        backend.proxy.follow();
      }
    },
  );

  test('a source that breaks off makes no copy, and no part', async () => {
    await world.put(`/${bucket}/source`, BODY);
    const target = await world.bucket();
    const upload = await world.upload(`/${target}/k`);
    backend.proxy.follow(({ kind }) =>
      kind === 'read' ? { kind: 'breakBody', after: 100_000, how: 'end' } : undefined,
    );
    // With a checksum to be computed, the bytes pass through the gateway.
    const copied = await world.copy(`/${target}/k`, `${bucket}/source`, { 'x-amz-checksum-algorithm': 'SHA256' });
    backend.proxy.follow();
    expect(copied.outcome).toMatch(/^50[03] /);
    expect(await world.outcome('GET', `/${target}/k`)).toBe('404 NoSuchKey');
    expect((await world.must('GET', upload)).body).not.toContain('<PartNumber>');
  });

  test.each([
    ['500', { kind: 'refuse', status: 500 }],
    ['503', { kind: 'refuse', status: 503, retryAfter: 0 }],
    ['429', { kind: 'refuse', status: 429 }],
    ['a reset', { kind: 'loseRequest' }],
    ['a reset after it was served', { kind: 'loseAnswer' }],
  ] as const)('reads that meet %s are repeated', async (_name, fault) => {
    await world.put(`/${bucket}/k`, 'text');
    const reads: readonly (readonly [string, string])[] = [
      ['GET', `/${bucket}/k`],
      ['HEAD', `/${bucket}/k`],
      ['GET', `/${bucket}/k?tagging`],
      ['GET', `/${bucket}?list-type=2`],
      ['GET', `/${bucket}?versions`],
    ];
    for (const [method, target] of reads) {
      const once = onNth(1, fault, isRead);
      backend.proxy.follow(firstOf(once, onNth(2, fault, isRead)));
      expect(outcomeOf(await sendTo(world.gateway.port, { method, target })), `${method} ${target}`).toBe('200');
      expect(once.met()).toBeDefined();
    }
  });

  test('reads that meet failures for ever end as such', async () => {
    await world.put(`/${bucket}/k`, 'text');
    backend.proxy.follow((call) => (isRead(call) ? { kind: 'refuse', status: 500 } : undefined));
    expect(await world.outcome('GET', `/${bucket}/k`)).toBe('503 ServiceUnavailable');
    backend.proxy.follow((call) => (isRead(call) ? { kind: 'refuse', status: 503, retryAfter: 3 } : undefined));
    const slow = await world.ask('GET', `/${bucket}/k`);
    expect([slow.outcome, slow.headers['retry-after']]).toEqual(['503 SlowDown', '3']);
  });

  test('a listing whose pages come broken off is repeated', async () => {
    for (const key of ['a', 'b']) await world.put(`/${bucket}/${key}`);
    for (const how of ['reset', 'end'] as const) {
      const once = onNth(1, { kind: 'breakBody', after: 40, how }, ({ kind }) => kind === 'list');
      backend.proxy.follow(once);
      const listed = await world.ask('GET', `/${bucket}?list-type=2`);
      expect(once.met()).toBeDefined();
      // Never a list that lacks something.
      expect(listed.outcome === '200' ? [...listed.body.matchAll(/<Key>/g)].length : listed.outcome).toSatisfy(
        (seen) => seen === 2 || seen === '503 ServiceUnavailable',
      );
    }
  });

  test('empty pages between those with rows lose nothing, in any listing', async () => {
    await world.must('PUT', `/${bucket}?versioning`, {
      body: '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>',
    });
    const keys = ['a', 'b/1', 'b/2', 'c&d', 'e', 'f/1'];
    for (const key of keys) await world.put(`/${bucket}/${encodeURIComponent(key).replaceAll('%2F', '/')}`, 'one');
    await world.put(`/${bucket}/a`, 'two');
    await world.must('DELETE', `/${bucket}/e`);
    const targets = [
      'list-type=2',
      'list-type=2&delimiter=%2F',
      'list-type=2&max-keys=2',
      'delimiter=%2F&max-keys=1',
      'versions',
      'versions&max-keys=2',
      'versions&delimiter=%2F',
      'versions&prefix=b%2F',
    ];
    for (const query of targets) {
      const plain = await everyRow(query);
      backend.proxy.follow(({ kind, count }) =>
        kind === 'list' && count % 2 === 1 ? { kind: 'emptyPage' } : undefined,
      );
      expect(await everyRow(query), query).toEqual(plain);
      backend.proxy.follow();
    }
    expect((await everyRow('versions')).filter((row) => row.startsWith('Key'))).toHaveLength(8);
  });

  /** Rows of all pages, as a client sees them that follows the markers. */
  async function everyRow(query: string): Promise<string[]> {
    const rows: string[] = [];
    for (let more = ''; ; ) {
      const { body } = await world.must('GET', `/${bucket}?${query}${more}`);
      const contents = body.replace(/^.*?(?=<Contents|<CommonPrefixes|<Version>|<DeleteMarker|<\/List)/s, '');
      rows.push(
        ...[...contents.matchAll(/<(Key|Prefix|VersionId|IsLatest)>([^<]*)</g)].map(
          ([, name = '', value = '']) => `${name} ${value}`,
        ),
      );
      if (!body.includes('<IsTruncated>true')) return rows;
      const markers = [
        ['NextContinuationToken', 'continuation-token'],
        ['NextKeyMarker', 'key-marker'],
        ['NextVersionIdMarker', 'version-id-marker'],
        ['NextMarker', 'marker'],
      ] as const;
      more = '';
      for (const [element, parameter] of markers) {
        const value = new RegExp(`<${element}>([^<]*)<`).exec(body)?.[1];
        if (value !== undefined && value !== '') {
          more += `&${parameter}=${encodeURIComponent(value.replaceAll('&amp;', '&'))}`;
        }
      }
      expect(more).not.toBe('');
    }
  }
});
