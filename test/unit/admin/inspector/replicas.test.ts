import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type {
  Overview,
  ReplicaList,
  RequestDetail,
  RequestList,
  Timeline,
} from '../../../../src/admin/inspector/contract.ts';
import type { HttpArchive } from '../../../../src/admin/inspector/har.ts';
import { S3Error } from '../../../../src/errors/s3-error.ts';
import { factsOf } from '../../../support/observe/request-facts.ts';
import { type ReplicaOptions, TestReplica, until } from './replica.ts';

// Processes and streams on a machine that may be busy.
vi.setConfig({ testTimeout: 60_000 });

const running: { close(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((one) => one.close()));
});

interface Pair {
  readonly one: TestReplica;
  readonly two: TestReplica;
}

/** Two replicas; the first knows itself, the other, and whatever else is given. */
async function startPair(more: readonly string[] = [], options: ReplicaOptions = {}): Promise<Pair> {
  const urls: string[] = [...more];
  const two = await TestReplica.start('two', () => [], options);
  const one = await TestReplica.start('one', () => urls, options);
  urls.push(one.url, two.url);
  running.push(one, two);
  return { one, two };
}

/** Where nobody listens. */
async function deadUrl(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return `http://127.0.0.1:${port}`;
}

describe('all replicas through one', () => {
  it('are listed, a dead one with the reason', async () => {
    const dead = await deadUrl();
    const { one } = await startPair([dead]);
    const { replicas } = (await one.get('/api/replicas')).body as ReplicaList;
    expect(replicas).toMatchObject([
      { id: 'one', own: true, up: true },
      { id: dead, up: false, reason: 'ECONNREFUSED' },
      { id: 'two', own: false, up: true },
    ]);
    expect(replicas).toHaveLength(3);
  });

  it('have one overview, without the one that does not answer', async () => {
    const { one, two } = await startPair([await deadUrl()]);
    one.serve(factsOf());
    two.serve(factsOf());
    two.serve(factsOf({ status: 403, failure: new S3Error('AccessDenied') }));
    const { series, tables, replicas } = (await one.get('/api/overview?scope=all')).body as Overview;
    expect([series.requests.at(-1), series.clientErrors.at(-1)]).toEqual([3, 1]);
    expect(tables.buckets.rows).toMatchObject([{ name: { bucket: 'bucket' }, requests: 3, failures: 1 }]);
    expect(replicas.map(({ up }) => up)).toEqual([true, false, true]);
    const own = (await one.get('/api/overview?window=day')).body as Overview;
    expect([own.stepMs, own.series.requests.at(-1)]).toEqual([300_000, 1]);
  });

  it('have one list of requests, each with the way to its details', async () => {
    const { one, two } = await startPair([await deadUrl()]);
    const ids = [one.serve(factsOf()), two.serve(factsOf()), one.serve(factsOf())];
    const list = (await one.get('/api/requests?scope=all')).body as RequestList;
    expect(list.requests.map(({ id, replica }) => [id, replica])).toEqual([
      [ids[2], 'one'],
      [ids[1], 'two'],
      [ids[0], 'one'],
    ]);
    expect(list.replicas.map(({ up }) => up)).toEqual([true, false, true]);
    for (const { id, href } of list.requests) expect((await one.get(href)).body).toMatchObject({ summary: { id } });
    const href = list.requests[1]?.href ?? '';
    expect(((await one.get(href)).body as RequestDetail).summary.replica).toBe('two');
    expect((await one.get(`${href}/bundle`)).body).toMatchObject({ replica: { id: 'two' } });
    expect((await one.get('/api/requests?scope=all&limit=1')).body).toMatchObject({
      more: true,
      requests: [{ id: ids[2] }],
    });
    expect(((await one.get('/api/requests')).body as RequestList).requests).toHaveLength(2);
  });

  it('have one timeline and one archive', async () => {
    const { one, two } = await startPair();
    const ids = [two.serve(factsOf({ uploadId: 'up' })), one.serve(factsOf({ uploadId: 'up' })), two.serve(factsOf())];
    const { entries } = (await one.get('/api/timeline?uploadId=up&scope=all')).body as Timeline;
    expect(entries.map(({ request }) => request.id)).toEqual([ids[0], ids[1]]);
    expect(entries[0]?.request.href).toBe(`/api/replicas/two/requests/${ids[0]}`);
    const { log } = (await one.get('/api/requests.har?scope=all')).body as HttpArchive;
    expect(log.entries.map((entry) => entry._replica)).toEqual(['two', 'one', 'two']);
  });

  it('have one stream; a replica that dies is told of, and joined again when it is back', async () => {
    const { one, two } = await startPair();
    const events = one.events('/api/requests/stream?scope=all&recent=10');
    await until(events, ({ event, data }) => event === 'replica' && data['id'] === 'two');
    const [here, there] = [one.serve(factsOf()), two.serve(factsOf())];
    const finished = [
      await until(events, ({ event }) => event === 'finished'),
      await until(events, ({ event }) => event === 'finished'),
    ];
    expect(finished.map(({ data }) => data['id']).sort()).toEqual([here, there].sort());
    expect(finished.find(({ data }) => data['id'] === there)?.data['href']).toBe(`/api/replicas/two/requests/${there}`);
    const port = Number(new URL(two.url).port);
    await two.close();
    const gone = await until(events, ({ event, data }) => event === 'replica' && data['up'] === false);
    expect(gone.data).toMatchObject({ id: 'two', address: two.url });
    running.push(await TestReplica.start('two', () => [], { port }));
    await until(events, ({ event, data }) => event === 'replica' && data['id'] === 'two' && data['up'] === true);
  });

  it('never counts itself twice, though its own address is among the peers', async () => {
    const { one } = await startPair();
    const events = one.events('/api/requests/stream?scope=all');
    await until(events, ({ event, data }) => event === 'replica' && data['id'] === 'two');
    const id = one.serve(factsOf());
    const seen: unknown[] = [];
    const last = one.serve(factsOf({ key: 'last' }));
    await until(events, ({ event, data }) => {
      if (event === 'finished') seen.push(data['id']);
      return data['id'] === last && event === 'finished';
    });
    expect(seen).toEqual([id, last]);
  });
});

describe('workers of one replica', () => {
  /** A replica of two workers of which the first is known to others, and a replica that knows it. */
  async function startWorkers(): Promise<{ outside: TestReplica; first: TestReplica; second: TestReplica }> {
    const urls: string[] = [];
    const first = await TestReplica.start('first', () => [], { siblings: () => urls });
    const second = await TestReplica.start('second', () => [], { siblings: () => urls });
    urls.push(first.url, second.url);
    const outside = await TestReplica.start('outside', () => [first.url]);
    running.push(outside, first, second);
    return { outside, first, second };
  }

  it('show beside each other, and to other replicas through the one they know', async () => {
    const { outside, first, second } = await startWorkers();
    const ids = [second.serve(factsOf()), first.serve(factsOf())];
    const beside = (await first.get('/api/requests?scope=replica')).body as RequestList;
    expect(beside.requests.map(({ id }) => id)).toEqual(ids.toReversed());
    const list = (await outside.get('/api/requests?scope=all')).body as RequestList;
    expect(list.requests.map(({ replica }) => replica)).toEqual(['first', 'second']);
    expect(list.replicas.map(({ id, address }) => [id, address])).toEqual([
      ['outside', undefined],
      ['first', first.url],
      ['second', undefined],
    ]);
    expect(list.requests[1]?.href).toBe(`/api/replicas/first/replicas/second/requests/${ids[0]}`);
    for (const { id, href } of list.requests) expect((await outside.get(href)).body).toMatchObject({ summary: { id } });
  });

  it('stream through it, too', async () => {
    const { outside, second } = await startWorkers();
    const events = outside.events('/api/requests/stream?scope=all');
    await until(events, ({ event, data }) => event === 'replica' && data['id'] === 'second');
    const id = second.serve(factsOf());
    const { data } = await until(events, ({ event }) => event === 'finished');
    expect(data).toMatchObject({ id, replica: 'second', href: `/api/replicas/first/replicas/second/requests/${id}` });
  });
});

describe('the token of whoever asks', () => {
  /** A host that would like to have it. */
  async function listenFor(): Promise<{ url: string; heard: IncomingHttpHeaders[] }> {
    const heard: IncomingHttpHeaders[] = [];
    const server: Server = createServer((request, response) => {
      heard.push(request.headers);
      response.end('{}');
    }).listen(0, '127.0.0.1');
    await new Promise((listening) => server.once('listening', listening));
    running.push({ close: () => new Promise((closed) => server.close(() => closed())) });
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard };
  }

  const guarded: ReplicaOptions = {
    parts: [
      (app) =>
        void app.addHook('onRequest', async (request, reply) =>
          request.headers.authorization === 'Bearer right'
            ? undefined
            : reply.code(401).send({ error: 'a token is needed' }),
        ),
    ],
  };

  it('opens the other replicas, too', async () => {
    const { one, two } = await startPair([], guarded);
    const id = two.serve(factsOf());
    const headers = { authorization: 'Bearer right' };
    const list = (await one.get('/api/requests?scope=all', headers)).body as RequestList;
    expect(list.requests.map((request) => request.id)).toEqual([id]);
    expect((await one.get(list.requests[0]?.href ?? '', headers)).body).toMatchObject({ summary: { id } });
    const events = one.events('/api/requests/stream?scope=all&recent=1', headers);
    expect(await until(events, ({ event }) => event === 'finished')).toMatchObject({ data: { id } });
    expect((await one.get('/api/requests?scope=all')).status).toBe(401);
  });

  it('goes to no host that the caller names', async () => {
    const { url, heard } = await listenFor();
    const { one } = await startPair();
    const headers = { authorization: 'Bearer right', cookie: 's3gw_admin=right' };
    for (const name of [url, encodeURIComponent(url), new URL(url).host, `..%2f..%2f@${new URL(url).host}`]) {
      const { status } = await one.get(`/api/replicas/${name}/requests`, headers);
      expect(status).toBeGreaterThanOrEqual(400);
    }
    expect(heard).toEqual([]);
  });

  it('and the like is all that goes to a peer', async () => {
    const { url, heard } = await listenFor();
    const { one } = await startPair([url]);
    const headers = {
      authorization: 'Bearer right',
      cookie: 'other=secret; s3gw_admin=right',
      origin: 'http://evil.example',
      referer: 'http://evil.example/',
    };
    const { replicas } = (await one.get('/api/replicas', headers)).body as ReplicaList;
    expect(replicas).toMatchObject([
      { id: 'one' },
      { id: url, up: false, reason: 'it does not answer as a replica would' },
      { id: 'two' },
    ]);
    expect(heard).toHaveLength(1);
    expect(heard[0]).toMatchObject({ authorization: 'Bearer right' });
    expect(JSON.stringify(heard)).not.toMatch(/evil|other=secret/);
  });
});

describe('what one replica asks of another', () => {
  it.each(['replicas', 'requests?scope=all', 'replicas/one/replicas/two/requests', '../healthz', 'requests/a/b/c'])(
    'is never %s',
    async (path) => {
      const { one } = await startPair();
      const { status } = await one.get(`/api/replicas/two/${path}`);
      expect(status).toBe(404);
    },
  );

  it('is everything else that it has', async () => {
    const { one, two } = await startPair();
    const id = two.serve(factsOf({ key: 'a b/ü' }));
    expect((await one.get('/api/replicas/two/requests?prefix=a%20b%2F%C3%BC')).body).toMatchObject({
      requests: [{ id }],
    });
    expect((await one.get('/api/replicas/two/requests?prefix=b')).body).toMatchObject({ requests: [] });
    expect((await one.get('/api/replicas/two/requests.har')).status).toBe(200);
    expect((await one.get('/api/replicas/two/requests/nothing')).status).toBe(404);
    const events = one.events('/api/replicas/two/requests/stream?recent=1');
    expect(await until(events, ({ event }) => event === 'finished')).toMatchObject({ data: { id } });
  });
});
