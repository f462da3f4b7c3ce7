import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Sent, send } from '../../support/clients/acl-client.ts';
import type { RawAnswer } from '../../support/clients/raw-http.ts';
import { type AttackedGateway, BACKENDS, startOver } from '../front-door/backends.ts';

/*
 * A download that broke off goes on with `Range`, and with `If-Range` for what it has already. If the object is another
 * one by now, the range would be bytes of the new object behind those of the old one.
 */
const OBJECT = '/downloads/film';
const BYTES = '0123456789';

describe.each(BACKENDS)('If-Range over %s', (backend) => {
  let gateway: AttackedGateway;
  let etag = '';
  let modified = '';
  const ask = (sent: Sent): Promise<RawAnswer> => send(gateway.port, 'owner', sent);

  beforeAll(async () => {
    gateway = await startOver(backend);
    await ask({ method: 'PUT', target: '/downloads' });
    await ask({ method: 'PUT', target: OBJECT, body: BYTES });
    const { headers } = await ask({ method: 'HEAD', target: OBJECT });
    etag = headers['etag'] ?? '';
    modified = headers['last-modified'] ?? '';
  });
  afterAll(() => gateway.close());

  const read = async (ifRange: string, range: string): Promise<unknown[]> => {
    const headers = { range, 'if-range': ifRange };
    const got = await ask({ method: 'GET', target: OBJECT, headers });
    const head = await ask({ method: 'HEAD', target: OBJECT, headers });
    const said = ({ status, headers: lines }: RawAnswer): unknown[] => [
      status,
      lines['content-range'],
      lines['content-length'],
    ];
    expect(said(head)).toEqual(said(got));
    return [got.status, got.body];
  };

  test.each([
    ['bytes=4-', '456789'],
    ['bytes=-3', '789'],
    ['bytes=2-3', '23'],
  ])('%s of the same object', async (range, bytes) => {
    for (const same of [etag, modified, etag.replaceAll('"', '')]) {
      expect(await read(same, range), same).toEqual([206, bytes]);
    }
  });

  test.each(['bytes=4-', 'bytes=-3', 'bytes=2-3', 'bytes=10-', 'bytes=99-'])(
    '%s of another object is all of it',
    async (range) => {
      const earlier = new Date(Date.parse(modified) - 1000).toUTCString();
      const later = new Date(Date.parse(modified) + 1000).toUTCString();
      for (const another of ['"no-such-state"', `W/${etag}`, earlier, later, 'yesterday', '', '*']) {
        expect(await read(another, range), another).toEqual([200, BYTES]);
      }
    },
  );

  test('a range that begins behind the end is refused while the object is the same', async () => {
    const headers = { range: 'bytes=10-', 'if-range': etag };
    expect((await ask({ method: 'GET', target: OBJECT, headers })).status).toBe(416);
  });

  test('conditions decide first, and without a range it says nothing', async () => {
    const conditional = { range: 'bytes=4-', 'if-range': etag, 'if-match': '"no-such-state"' };
    expect((await ask({ method: 'GET', target: OBJECT, headers: conditional })).status).toBe(412);
    const whole = await ask({ method: 'GET', target: OBJECT, headers: { 'if-range': '"no-such-state"' } });
    expect([whole.status, whole.body]).toEqual([200, BYTES]);
  });
});
