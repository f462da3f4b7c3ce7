import { once } from 'node:events';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { RequestDetail, RequestList, SupportBundle, Timeline } from '../../../../src/admin/inspector/contract.ts';
import type { HttpArchive } from '../../../../src/admin/inspector/har.ts';
import { S3Error } from '../../../../src/errors/s3-error.ts';
import { createObjectInspector } from '../../../../src/manifest/inspect/inspect-object.ts';
import { putOf } from '../../../support/manifest/manifest.ts';
import { factsOf } from '../../../support/observe/request-facts.ts';
import { testCall } from '../../../support/test-call.ts';
import { VersionedBucket } from '../../../support/manifest/versioned.ts';
import { type ReplicaOptions, TestReplica, until } from './replica.ts';

// Processes and streams on a machine that may be busy.
vi.setConfig({ testTimeout: 60_000 });

let replica: TestReplica | undefined;

async function start(options: ReplicaOptions = {}): Promise<TestReplica> {
  replica = await TestReplica.start('one', () => [], options);
  return replica;
}

afterEach(() => replica?.close());

describe('requests of one replica', () => {
  it('are told without anything that a terminal obeys, and as they were', async () => {
    const one = await start();
    const key = 'k\u001b[2J\u009b31m\u007f\u202e\u2028\u{e0001}é"\\';
    const id = one.serve(factsOf({ key, status: 403, failure: new S3Error('AccessDenied') }));
    for (const path of [
      '/api/requests',
      `/api/requests/${id}`,
      `/api/requests/${id}/bundle`,
      '/api/requests.har',
      `/api/timeline?bucket=bucket&key=${encodeURIComponent(key)}`,
    ]) {
      const text = await (await fetch(`${one.url}${path}`)).text();
      expect(text.replaceAll('\n', ''), path).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      expect(() => JSON.parse(text) as unknown).not.toThrow();
    }
    expect(((await one.get('/api/requests')).body as RequestList).requests[0]?.key).toBe(key);
  });

  it('are listed newest first, filtered by the server', async () => {
    const one = await start();
    const ids = [
      one.serve(factsOf()),
      one.serve(factsOf({ status: 403, failure: new S3Error('AccessDenied'), bucket: 'other' })),
      one.serve(factsOf()),
    ];
    const all = (await one.get('/api/requests')).body as RequestList;
    expect(all.requests.map(({ id }) => id)).toEqual(ids.toReversed());
    expect(all).toMatchObject({ more: false, replicas: [{ id: 'one', own: true, up: true, kept: 3, inFlight: 0 }] });
    const failed = (await one.get('/api/requests?errors=true&bucket=other')).body as RequestList;
    expect(failed.requests).toMatchObject([
      { id: ids[1], outcome: 'clientError', status: 403, code: 'AccessDenied', identity: 'main', replica: 'one' },
    ]);
    expect((await one.get('/api/requests?limit=2')).body).toMatchObject({
      more: true,
      requests: [{ id: ids[2] }, { id: ids[1] }],
    });
  });

  it.each(['status=x', 'limit=1001', 'limit=-1', 'colour=red', 'scope=some', 'bucket=a&bucket=b'])(
    'refuses ?%s, and says what it expected',
    async (query) => {
      const { status, body } = await (await start()).get(`/api/requests?${query}`);
      expect(status).toBe(400);
      expect(body).toEqual({ error: expect.stringContaining('expected') as unknown });
    },
  );

  it("each have their facts in the order of a person's questions", async () => {
    const one = await start();
    const facts = factsOf({
      status: 403,
      failure: new S3Error('AccessDenied', { cause: new Error('account main may not s3:GetObject') }),
      classification: {
        name: 'GetObjectAcl',
        level: 'object',
        method: 'GET',
        match: { subresource: 'acl' },
        permission: 's3:GetObjectAcl',
      },
      authorization: { action: 's3:GetObjectAcl', allowed: false, rule: 'none' },
      clientAddress: '192.0.2.1',
    });
    facts.heads.push({ name: 'key', before: 'rev-1', kind: 'inline', after: undefined });
    const id = one.serve(facts);
    const { summary, ...detail } = (await one.get(`/api/requests/${id}`)).body as RequestDetail;
    expect(summary.href).toBe(`/api/requests/${id}`);
    expect(detail).toMatchObject({
      classification: { operation: 'GetObjectAcl', why: 'GET on an object, with ?acl' },
      authentication: { verdict: 'accepted', account: 'main' },
      authorisation: [{ action: 's3:GetObjectAcl', allowed: false, rule: 'no rule allows it' }],
      backend: { calls: [], total: 0 },
      head: { before: { kind: 'inline', revision: 'rev-1' } },
      error: { code: 'AccessDenied', status: 403, causes: [{ message: 'account main may not s3:GetObject' }] },
      request: { clientAddress: '192.0.2.1', headers: [['Host', 'localhost']], ownHost: true },
    });
    const foreign = one.serve(factsOf({ head: { rawHeaders: ['Host', 'evil.test'] } }));
    const { request } = (await one.get(`/api/requests/${foreign}`)).body as RequestDetail;
    expect(request).not.toHaveProperty('ownHost');
    expect((await one.get('/api/requests/0000000000000000')).status).toBe(404);
  });

  it('make a timeline of a key, and of an upload, oldest first', async () => {
    const one = await start();
    const ids = [
      one.serve(factsOf({ uploadId: 'up' })),
      one.serve(factsOf({ key: 'elsewhere' })),
      one.serve(factsOf()),
    ];
    const key = (await one.get('/api/timeline?bucket=bucket&key=key')).body as Timeline;
    expect(key.entries.map(({ request }) => request.id)).toEqual([ids[0], ids[2]]);
    const upload = (await one.get('/api/timeline?uploadId=up')).body as Timeline;
    expect(upload.entries.map(({ request }) => request.id)).toEqual([ids[0]]);
    for (const query of [
      'bucket=bucket',
      'bucket=&key=key',
      'bucket=bucket&key=',
      'uploadId=',
      'uploadId=a&uploadId=b',
    ]) {
      expect((await one.get(`/api/timeline?${query}`)).status, query).toBe(400);
    }
  });

  it('are exported: one with its surroundings, all as an archive', async () => {
    const one = await start();
    const id = one.serve(factsOf({ head: { target: '/bucket/key?x=1', rawHeaders: ['Host', 'localhost:9000'] } }));
    one.serve(factsOf());
    const bundle = await one.get(`/api/requests/${id}/bundle`);
    expect(bundle.headers.get('content-disposition')).toBe(`attachment; filename="request-${id}.json"`);
    const { format, replica, request, timeline } = bundle.body as SupportBundle;
    // Others who use the backends are nobody's business to whom it is sent.
    expect(replica).toMatchObject({ own: true });
    expect(replica).not.toHaveProperty('connections');
    expect([format, request.summary.id, timeline.length]).toEqual(['s3-cloud-gateway-request/1', id, 2]);
    const empty = one.serve(factsOf({ uploadId: '' }));
    const { timeline: around } = (await one.get(`/api/requests/${empty}/bundle`)).body as SupportBundle;
    expect(around.map((entry) => entry.request.id)).toEqual([empty]);
    const { log } = (await one.get('/api/requests.har')).body as HttpArchive;
    expect((await one.get('/api/requests.har?bucket=none')).body).toMatchObject({ log: { entries: [] } });
    expect([log.version, log.entries.length]).toEqual(['1.2', 3]);
    expect(log.entries[0]?.request).toMatchObject({
      url: 'http://localhost:9000/bucket/key?x=1',
      queryString: [{ name: 'x', value: '1' }],
    });
  });
});

describe('the stream', () => {
  it('begins with the replica and what is asked for of the past, goes on with what comes', async () => {
    const one = await start();
    const past = one.serve(factsOf());
    const events = one.events('/api/requests/stream?recent=5');
    expect(await events.next()).toMatchObject({ value: { event: 'replica', data: { id: 'one' } } });
    expect(await events.next()).toMatchObject({ value: { event: 'finished', data: { id: past } } });
    const id = one.serve(factsOf());
    expect(await events.next()).toMatchObject({ value: { event: 'started', data: { id } } });
    expect(await events.next()).toMatchObject({ value: { event: 'finished', data: { id, status: 200 } } });
  });

  it('sends only what the filter lets through', async () => {
    const one = await start();
    const events = one.events('/api/requests/stream?errors=true');
    await events.next();
    one.serve(factsOf());
    const id = one.serve(factsOf({ status: 500, failure: new S3Error('InternalError') }));
    expect(await events.next()).toMatchObject({ value: { event: 'finished', data: { id } } });
  });

  it('tells a reader that does not keep up how much it lost, and holds nothing back for it', async () => {
    const one = await start();
    const events = one.events('/api/requests/stream');
    await events.next();
    const key = 'k'.repeat(1000);
    // More than the sockets' buffers and the reader's queue hold together; nothing is read meanwhile.
    const rounds = 300;
    for (let round = 0; round < rounds; round++) {
      for (let i = 0; i < 50; i++) one.serve(factsOf({ key }));
      await sleep(0);
    }
    const last = one.serve(factsOf());
    let lost = 0;
    let seen = 0;
    await until(events, ({ event, data }) => {
      if (event === 'lost') lost += Number(data['count']);
      else if (event !== 'replica') seen += 1;
      return event === 'finished' && data['id'] === last;
    });
    expect(lost).toBeGreaterThan(0);
    expect(lost + seen).toBe(2 * (rounds * 50 + 1));
  });

  it('tells of so many requests a second as are asked for, and how many it left out', async () => {
    const one = await start();
    const events = one.events('/api/requests/stream?rate=5');
    await events.next();
    for (let i = 0; i < 200; i++) one.serve(factsOf());
    let seen = 0;
    let leftOut = 0;
    await until(events, ({ event, data }) => {
      if (event === 'finished') seen += 1;
      if (event === 'leftOut') leftOut += Number(data['count']);
      return event === 'leftOut';
    });
    expect(seen).toBeGreaterThan(0);
    expect(seen + leftOut).toBe(200);
    expect(await one.get('/api/requests/stream?rate=1001')).toMatchObject({ status: 400 });
  });

  it('leaves nothing behind when its reader goes', async () => {
    const one = await start();
    const reader = new AbortController();
    await fetch(`${one.url}/api/requests/stream`, { signal: reader.signal });
    const listening = (): boolean => {
      let told = false;
      const probe = new Proxy(factsOf(), {
        get: (target, name): unknown => (name === 'key' ? ((told = true), 'key') : Reflect.get(target, name)),
      });
      one.journal.begun(probe);
      one.journal.ended(factsOf({ head: { requestId: probe.head.requestId } }));
      return told;
    };
    expect(listening()).toBe(true);
    reader.abort();
    await expect.poll(listening, { timeout: 30_000 }).toBe(false);
  });
});

describe('streams', () => {
  it('are so many at a time, and come free again', async () => {
    const one = await start();
    const readers = Array.from({ length: 48 }, () => new AbortController());
    await Promise.all(readers.map(({ signal }) => fetch(`${one.url}/api/requests/stream`, { signal })));
    expect(await one.get('/api/requests/stream')).toMatchObject({
      status: 503,
      body: { error: '48 streams of your address are open already' },
    });
    const elsewhere = Array.from({ length: 17 }, () =>
      httpGet(`${one.url}/api/requests/stream`, { localAddress: '127.0.0.2' }),
    );
    const statuses = await Promise.all(
      elsewhere.map(async (request) => ((await once(request, 'response'))[0] as IncomingMessage).statusCode),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(16);
    expect(await one.get('/api/requests/stream')).toMatchObject({
      status: 503,
      body: { error: '64 streams are open already' },
    });
    for (const request of elsewhere) request.on('error', () => undefined).destroy();
    readers[0]?.abort();
    await expect
      .poll(
        async () => {
          const reader = new AbortController();
          const { status } = await fetch(`${one.url}/api/requests/stream`, { signal: reader.signal });
          reader.abort();
          return status;
        },
        { timeout: 30_000 },
      )
      .toBe(200);
    for (const reader of readers) reader.abort();
  });
});

describe('the object view', () => {
  it('shows a key whatever it is called, and errors in the words of S3', async () => {
    const key = await VersionedBucket.create();
    const objects = createObjectInspector({ buckets: key.manifest.buckets });
    const one = await start({ stored: { objects } });
    await key.manifest.objects.put(
      { bucket: { ...key.bucket, versioning: 'never' }, key: '../a//b' },
      putOf('x'),
      testCall(),
    );
    const { status, body } = await one.get(`/api/objects/bucket?key=${encodeURIComponent('../a//b')}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      key: '../a//b',
      bucket: { name: 'bucket', versioning: 'never' },
      head: { kind: 'inline' },
    });
    expect(await one.get('/api/objects/nobody?key=x')).toMatchObject({
      status: 404,
      body: { error: expect.stringContaining('NoSuchBucket') as unknown },
    });
    expect((await one.get('/api/objects/bucket')).status).toBe(400);
  });
});
