import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BlobStore } from '../../../src/store/blob-store.ts';
import { type Caller, type Sent, outcome, send } from '../../support/clients/acl-client.ts';
import { BACKENDS, type Cloud, startCloud } from '../../support/backends/clouds.ts';
import { type TestGateway, startGatewayOver } from '../../support/gateway/gateway.ts';
import { testCall } from '../../support/test-call.ts';

/* Buckets that are parts of one container, on a store that other gateways use as well. */

const MIB = 1024 * 1024;
const SYSTEM = 'system-of-parts';
const PLACES = new Map([
  ['team-a', { container: 'shared', prefix: 'teams/a/' }],
  ['team.b', { container: 'shared', prefix: 'teams/b/' }],
  ['nowhere', { container: 'not-there', prefix: 'x/' }],
]);

describe.each(BACKENDS)('buckets that are parts of a container, over %s', (name) => {
  let cloud: Cloud;
  let base: BlobStore;
  let gateway: TestGateway<BlobStore>;
  const call = testCall();

  /** Another gateway over the same store. */
  const beside = (places: typeof PLACES): Promise<TestGateway<BlobStore>> =>
    startGatewayOver(keptOpen(base), { places, systemContainer: SYSTEM, versioningDrainMs: 0 });

  beforeAll(async () => {
    cloud = await startCloud(name);
    base = cloud.open();
    await base.createContainer('shared', {}, call);
    for (const blob of ['outside', 'teams/a', 'teams/a/', 'teams/a/native', 'teams/b/native', 'teams/c/native']) {
      await base.write({ container: 'shared', name: blob }, Buffer.from(blob), { metadata: {} }, call);
    }
    gateway = await beside(PLACES);
  }, 180_000);
  afterAll(async () => {
    await gateway.close();
    await base.close();
    await cloud.stop();
  });

  async function ask(sent: Sent, caller: Caller = 'owner', at = gateway): Promise<string> {
    return outcome(await send(at.port, caller, sent));
  }

  async function must(sent: Sent, at = gateway): Promise<string> {
    const answer = await send(at.port, 'owner', sent);
    expect(outcome(answer), `${sent.method} ${sent.target}`).toMatch(/^20[04]$/);
    return answer.body;
  }

  const get = (target: string, at = gateway): Promise<string> => must({ method: 'GET', target }, at);
  const tags = (body: string, tag: string): string[] =>
    [...body.matchAll(new RegExp(`<${tag}>([^<]*)</${tag}>`, 'g'))].map(([, text]) => text ?? '');
  const keys = async (bucket: string): Promise<string[]> => tags(await get(`/${bucket}?list-type=2`), 'Key');

  test('have what lies under their prefix, whatever tool wrote it', async () => {
    expect([await keys('team-a'), await keys('team.b')]).toEqual([['native'], ['native']]);
    expect(await get('/team-a/native')).toBe('teams/a/native');
    expect(await ask({ method: 'GET', target: '/team-a/outside' })).toBe('404 NoSuchKey');
    expect(tags(await get('/'), 'Name')).toEqual(['team-a', 'team.b']);
  });

  test('put, list, copy and delete under it, and nowhere else', async () => {
    await must({ method: 'PUT', target: '/team-a/dir/%C3%A4%0A..', body: 'odd' });
    await must({ method: 'PUT', target: '/team-a/dir/../../b/native', body: 'not above' });
    await must({ method: 'PUT', target: '/team.b/dir/x', headers: { 'x-amz-copy-source': '/team-a/native' } });
    expect(await get('/team.b/native')).toBe('teams/b/native');
    expect(await get('/team.b/dir/x')).toBe('teams/a/native');
    const listed = await get('/team-a?list-type=2&delimiter=%2F&encoding-type=url');
    expect(tags(listed, 'Prefix').filter((text) => text !== '')).toEqual(['dir/']);
    expect(tags(listed, 'Key')).toEqual(['native']);
    const inside = await get('/team-a?list-type=2&prefix=dir%2F&encoding-type=url&max-keys=1');
    const [token = ''] = tags(inside, 'NextContinuationToken');
    const more = await get(
      `/team-a?list-type=2&prefix=dir%2F&encoding-type=url&continuation-token=${encodeURIComponent(token)}`,
    );
    expect([...tags(inside, 'Key'), ...tags(more, 'Key')]).toEqual(['dir/../../b/native', 'dir/%C3%A4%0A..']);
    for (const key of ['dir/%C3%A4%0A..', 'dir/../../b/native']) {
      await must({ method: 'DELETE', target: `/team-a/${key}` });
    }
    expect(await keys('team-a')).toEqual(['native']);
    const { entries } = await base.list('shared', { limit: 100 }, call);
    expect(entries.map((entry) => entry.name)).toEqual([
      'outside',
      'teams/a',
      'teams/a/',
      'teams/a/native',
      'teams/b/dir/x',
      'teams/b/native',
      'teams/c/native',
    ]);
  });

  test('multipart uploads end under it', async () => {
    const started = await must({ method: 'POST', target: '/team-a/big?uploads' });
    const id = encodeURIComponent(tags(started, 'UploadId')[0] ?? '');
    const part = await send(gateway.port, 'owner', {
      method: 'PUT',
      target: `/team-a/big?partNumber=1&uploadId=${id}`,
      body: 'x'.repeat(MIB),
    });
    const body = `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${part.headers['etag'] ?? ''}</ETag></Part></CompleteMultipartUpload>`;
    expect(tags(await get('/team-a?uploads'), 'Key')).toEqual(['big']);
    expect(tags(await get('/team.b?uploads'), 'Key')).toEqual([]);
    await must({ method: 'POST', target: `/team-a/big?uploadId=${id}`, body });
    await gateway.idle();
    expect((await base.head({ container: 'shared', name: 'teams/a/big' }, call)).size).toBe(MIB);
    expect((await get('/team-a/big')).length).toBe(MIB);
    await must({ method: 'DELETE', target: '/team-a/big' });
  });

  test('each has versions and settings of its own', async () => {
    await must({ method: 'PUT', target: '/team-a?versioning', body: versioning('Enabled') });
    for (const body of ['one', 'two']) await must({ method: 'PUT', target: '/team-a/versioned', body });
    await must({ method: 'PUT', target: '/team.b/versioned', body: 'unversioned' });
    expect(tags(await get('/team-a?versions&prefix=versioned'), 'VersionId')).toHaveLength(2);
    expect(await get('/team.b?versioning')).not.toContain('Status');
    await must({ method: 'DELETE', target: '/team-a/versioned' });
    expect(await get('/team.b/versioned')).toBe('unversioned');
    const versions = tags(await get('/team-a?versions&prefix=versioned'), 'VersionId');
    expect(versions).toHaveLength(3);
    expect(await get(`/team-a/versioned?versionId=${versions[2] ?? ''}`)).toBe('one');
  });

  test('no client makes or deletes one, or reaches the container around', async () => {
    expect(await ask({ method: 'PUT', target: '/team-a' })).toBe('200');
    expect(await ask({ method: 'PUT', target: '/team-a' }, 'other')).toBe('409 BucketAlreadyExists');
    expect(await ask({ method: 'PUT', target: '/team-a', headers: { 'x-amz-acl': 'public-read' } })).toBe(
      '409 BucketAlreadyExists',
    );
    for (const target of ['/team-a', '/team.b']) {
      expect(await ask({ method: 'DELETE', target })).toBe('403 AccessDenied');
    }
    expect(await ask({ method: 'GET', target: '/team-a' }, 'other')).toBe('403 AccessDenied');
    expect(await ask({ method: 'GET', target: '/shared' })).toBe('404 NoSuchBucket');
    expect(await ask({ method: 'DELETE', target: '/shared' })).toBe('404 NoSuchBucket');
    expect((await base.headContainer('shared', call)).owner).toBeUndefined();
    for (const method of ['GET', 'PUT', 'DELETE']) {
      expect(await ask({ method, target: '/nowhere' })).toBe('404 NoSuchBucket');
    }
  });

  test('keys have the room that the prefix leaves', async () => {
    const fits = 'k'.repeat(1024 - 'teams/a/'.length);
    await must({ method: 'PUT', target: `/team-a/${fits}`, body: 'fits' });
    expect(await get(`/team-a/${fits}`)).toBe('fits');
    for (const sent of [
      { method: 'PUT', target: `/team-a/${fits}k`, body: 'x' },
      { method: 'GET', target: `/team-a/${fits}k` },
      { method: 'POST', target: `/team-a/${fits}k?uploads` },
      { method: 'PUT', target: `/team-a/${fits}k`, headers: { 'x-amz-copy-source': '/team-a/native' } },
    ]) {
      expect(await ask(sent)).toBe('400 KeyTooLongError');
    }
    const body = `<Delete><Object><Key>${fits}</Key></Object><Object><Key>${fits}k</Key></Object></Delete>`;
    const headers = { 'content-md5': createHash('md5').update(body).digest('base64') };
    const deleted = await must({ method: 'POST', target: '/team-a?delete', headers, body });
    expect(tags(deleted, 'Key')).toEqual([fits, `${fits}k`]);
  });

  test('a place keeps its versions and settings under another name, and its old name has none of them', async () => {
    const before = tags(await get('/team-a?versions&prefix=versioned'), 'VersionId');
    const moved = await beside(
      new Map([
        ['team-a', { container: 'shared', prefix: 'teams/c/' }],
        ['renamed', { container: 'shared', prefix: 'teams/a/' }],
      ]),
    );
    try {
      expect(await get('/renamed/native', moved)).toBe('teams/a/native');
      expect(await get('/renamed?versioning', moved)).toContain('<Status>Enabled</Status>');
      await must({ method: 'PUT', target: '/renamed/versioned', body: 'three' }, moved);
      const now = tags(await get('/renamed?versions&prefix=versioned', moved), 'VersionId');
      expect(now.slice(1)).toEqual(before);
      await must({ method: 'PUT', target: '/renamed?versioning', body: versioning('Suspended') }, moved);
      expect(await get('/team-a/native', moved)).toBe('teams/c/native');
      expect(await get('/team-a?versioning', moved)).not.toContain('Status');
      expect(tags(await get('/', moved), 'Name')).toEqual(['renamed', 'team-a']);
    } finally {
      await moved.close();
    }
    const back = await beside(PLACES);
    try {
      expect(await get('/team-a?versioning', back)).toContain('<Status>Suspended</Status>');
      expect(await get('/team-a/versioned', back)).toBe('three');
      await must({ method: 'PUT', target: '/team-a?versioning', body: versioning('Enabled') }, back);
    } finally {
      await back.close();
    }
    const without = await beside(new Map());
    try {
      expect(await ask({ method: 'GET', target: '/team-a' }, 'owner', without)).toBe('404 NoSuchBucket');
      expect(tags(await get('/', without), 'Name')).toEqual(['shared']);
      expect(await get('/shared/outside', without)).toBe('outside');
    } finally {
      await without.close();
    }
  });

  test('a bucket that has a container does not become part of another by the configuration', async () => {
    for (const own of ['own-name', 'own.dotted']) {
      await must({ method: 'PUT', target: `/${own}` });
      await must({ method: 'PUT', target: `/${own}/key`, body: 'own' });
    }
    const place = { container: 'shared', prefix: 'teams/d/' };
    for (const own of ['own-name', 'own.dotted']) {
      const mapped = await beside(new Map([[own, place]]));
      try {
        for (const method of ['GET', 'DELETE']) {
          expect(await ask({ method, target: `/${own}` }, 'owner', mapped)).toBe('409 InvalidBucketState');
        }
      } finally {
        await mapped.close();
      }
      expect(await get(`/${own}/key`)).toBe('own');
    }
  });

  test('a container that is a bucket is not divided', async () => {
    await must({ method: 'PUT', target: '/whole' });
    await must({ method: 'PUT', target: '/whole/p/key', body: 'x' });
    const divided = await beside(new Map([['part', { container: 'whole', prefix: 'p/' }]]));
    try {
      expect(await ask({ method: 'GET', target: '/part' }, 'owner', divided)).toBe('404 NoSuchBucket');
      expect(await get('/whole/p/key', divided)).toBe('x');
    } finally {
      await divided.close();
    }
  });

  test('a bucket may be made that is called as the container, and gets another', async () => {
    await must({ method: 'PUT', target: '/shared' });
    await must({ method: 'PUT', target: '/shared/mine', body: 'x' });
    expect(await keys('shared')).toEqual(['mine']);
    await must({ method: 'DELETE', target: '/shared/mine' });
    await must({ method: 'DELETE', target: '/shared' });
    expect(await keys('team.b')).toContain('native');
    expect((await base.headContainer('shared', call)).owner).toBeUndefined();
  });
});

function versioning(status: string): string {
  return `<VersioningConfiguration><Status>${status}</Status></VersioningConfiguration>`;
}

/** The store for one of several gateways: the test closes it. */
function keptOpen(store: BlobStore): BlobStore {
  return new Proxy(store, {
    get(target, name): unknown {
      if (name === 'close') return () => Promise.resolve();
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
