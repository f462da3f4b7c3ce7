import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { testCall } from '../../../support/test-call.ts';
import { type Answer, Gateway, elements } from '../multipart/gateway.ts';

const KEYS = Array.from({ length: 1000 }, (_, n) => `logs/${String(n).padStart(4, '0')}`);

async function gatewayWith(keys: readonly string[]): Promise<Gateway> {
  const gateway = await Gateway.open();
  for (const key of keys) await gateway.fixture.put(key, 'text');
  gateway.fixture.calls.length = 0;
  return gateway;
}

function remove(gateway: Gateway, keys: readonly string[], etag = '', anonymous = false): Promise<Answer> {
  return removeItems(gateway, keys.map((key) => `<Object><Key>${key}</Key>${etag}</Object>`).join(''), anonymous);
}

function removeItems(gateway: Gateway, items: string, anonymous = false): Promise<Answer> {
  const body = `<Delete>${items}</Delete>`;
  const digest = createHash('md5').update(body).digest('base64');
  return gateway.send('DeleteObjects', { query: 'delete', body, headers: { 'content-md5': digest }, anonymous });
}

describe('DeleteObjects', () => {
  it('of 1,000 keys side by side looks at all with two calls, and removes them 256 at a time', async () => {
    const gateway = await gatewayWith(KEYS);
    const { xml } = await remove(gateway, KEYS);
    expect(elements(xml, 'Key')).toHaveLength(1000);
    const methods = gateway.fixture.calls.map(({ method }) => method);
    expect(methods.filter((method) => method === 'list').length).toBeLessThanOrEqual(2);
    expect(methods.filter((method) => method.startsWith('remove'))).toEqual(new Array<string>(4).fill('removeMany'));
    expect(methods).not.toContain('head');
    expect((await gateway.fixture.memory.list('bucket', { limit: 10 }, testCall())).entries).toEqual([]);
  });

  it('removes each on the revision that was listed, and settles by itself what is in doubt', async () => {
    const gateway = await gatewayWith(KEYS.slice(0, 20));
    const { fixture } = gateway;
    let batches = 0;
    fixture.plan = ({ method }) =>
      method === 'removeMany' && (batches += 1) === 1 ? { kind: 'removeSome' } : undefined;
    const { xml } = await remove(gateway, KEYS.slice(0, 20));
    expect([elements(xml, 'Key').length, elements(xml, 'Code')]).toEqual([20, []]);
    // Ten were removed. Of the others nobody knew: each head was read, and those that were there were removed.
    const methods = fixture.calls
      .map(({ method }) => method)
      .filter((method) => method === 'head' || method.startsWith('remove'));
    expect(methods).toEqual(['removeMany', ...new Array<string>(10).fill('head'), 'removeMany']);
    expect((await fixture.memory.list('bucket', { limit: 10 }, testCall())).entries).toEqual([]);
  });

  it('answers for each key what became of it when the service fails at some', async () => {
    const gateway = await gatewayWith(KEYS.slice(0, 20));
    const { fixture } = gateway;
    fixture.plan = ({ method }) => (method === 'removeMany' ? { kind: 'loseRequest' } : undefined);
    const { xml } = await remove(gateway, KEYS.slice(0, 20));
    expect(new Set(elements(xml, 'Code'))).toEqual(new Set(['ServiceUnavailable']));
    expect(elements(xml, 'Key')).toHaveLength(20);
    expect((await fixture.memory.list('bucket', { limit: 30 }, testCall())).entries).toHaveLength(20);
  });

  it('of 1,000 keys that a policy decides about lets others work in between', async () => {
    const gateway = await gatewayWith([]);
    const statement = {
      Effect: 'Allow',
      Principal: '*',
      Action: 's3:DeleteObject',
      Resource: 'arn:aws:s3:::bucket/open/*',
    };
    const body = JSON.stringify({ Version: '2012-10-17', Statement: statement });
    expect((await gateway.send('PutBucketPolicy', { query: 'policy', body })).status).toBe(204);
    let rounds = 0;
    let next = setImmediate(function round() {
      rounds += 1;
      next = setImmediate(round);
    });
    const { xml } = await remove(gateway, KEYS, '', true);
    clearImmediate(next);
    expect(elements(xml, 'Code')).toEqual(KEYS.map(() => 'AccessDenied'));
    // Sixteen decisions a round at most.
    expect(rounds).toBeGreaterThan(60);
  });

  it('answers each of two items that are spelled alike with a slash between version and key', async () => {
    const gateway = await gatewayWith(['a/b']);
    const item = (key: string, version: string) =>
      `<Object><Key>${key}</Key><VersionId>${version}</VersionId></Object>`;
    const { xml } = await removeItems(gateway, item('a/b', 'null') + item('b', 'null/a'));
    expect(elements(xml, 'Key')).toEqual(['a/b', 'b']);
    expect(elements(xml, 'Code')).toEqual(['NoSuchVersion']);
    expect(await gateway.fixture.text('a/b')).toBeUndefined();
  });

  it('of keys far apart looks at each by itself, after two small pages at most', async () => {
    const far = KEYS.filter((_, n) => n % 50 === 0);
    const gateway = await gatewayWith(KEYS);
    await remove(gateway, far);
    const methods = gateway.fixture.calls.map(({ method }) => method);
    expect(methods.filter((method) => method === 'list').length).toBeLessThanOrEqual(2);
    expect(methods.filter((method) => method === 'head').length).toBeGreaterThan(10);
    expect((await gateway.send('HeadObject', { key: far[3] ?? '' })).status).toBe('NoSuchKey');
    expect((await gateway.send('HeadObject', { key: 'logs/0001' })).status).toBe(200);
  });

  it('of an object that is replaced after the listing removes what is there then, and on condition refuses', async () => {
    for (const etag of ['', '<ETag>"1cb251ec0d568de6a929b520c4aed8d1"</ETag>']) {
      const gateway = await gatewayWith(KEYS.slice(0, 20));
      const { fixture } = gateway;
      let replaced = false;
      fixture.plan = ({ method }) => {
        if (method !== 'removeMany' || replaced) return undefined;
        replaced = true;
        return { kind: 'interleave', before: () => fixture.put('logs/0000', 'new') };
      };
      const { xml } = await remove(gateway, KEYS.slice(0, 20), etag);
      expect(elements(xml, 'Code')).toEqual(etag === '' ? [] : ['PreconditionFailed']);
      expect(await fixture.text('logs/0000')).toBe(etag === '' ? undefined : 'new');
    }
  });

  it('of keys that are not there, and when the listing fails, answers as for each by itself', async () => {
    const gateway = await gatewayWith(KEYS.slice(0, 10));
    const keys = [...KEYS.slice(0, 10), ...KEYS.slice(900, 910)];
    gateway.fixture.plan = ({ method }) => (method === 'list' ? { kind: 'fail' } : undefined);
    const failed = await remove(gateway, keys.slice(0, 9));
    expect(elements(failed.xml, 'Key')).toHaveLength(9);
    gateway.fixture.plan = () => undefined;
    const { xml } = await remove(gateway, keys);
    expect([elements(xml, 'Key').length, elements(xml, 'Code')]).toEqual([20, []]);
    expect(await gateway.fixture.text('logs/0009')).toBeUndefined();
  });

  it('makes markers in a bucket with versions, each over the head that the listing showed', async () => {
    const gateway = await gatewayWith([]);
    const { fixture } = gateway;
    await fixture.buckets.setVersioning(fixture.bucket, 'enabled', testCall());
    await new Promise((resolve) => setTimeout(resolve, 60));
    for (const key of KEYS.slice(0, 20)) expect((await gateway.send('PutObject', { key, body: 'x' })).status).toBe(200);
    fixture.calls.length = 0;
    const { xml } = await remove(gateway, KEYS.slice(0, 20));
    expect(elements(xml, 'DeleteMarkerVersionId')).toHaveLength(20);
    expect(fixture.calls.filter(({ method, ref }) => method === 'head' && ref.container === 'bucket')).toEqual([]);
    expect((await gateway.send('HeadObject', { key: 'logs/0003' })).status).toBe('NoSuchKey');
  });
});
