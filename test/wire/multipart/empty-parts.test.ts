import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Sent, send } from '../../support/clients/acl-client.ts';
import type { RawAnswer } from '../../support/clients/raw-http.ts';
import { type AttackedGateway, BACKENDS, startOver } from '../front-door/backends.ts';

/* The last part of an upload may be empty: writers that do not know where their data ends make such parts. */
const OBJECT = '/parts/stream';
const FULL = 'x'.repeat(5 * 1024 * 1024);

describe.each(BACKENDS)('an empty last part over %s', (backend) => {
  let gateway: AttackedGateway;
  const ask = (sent: Sent): Promise<RawAnswer> => send(gateway.port, 'owner', sent);

  beforeAll(async () => {
    gateway = await startOver(backend);
    await ask({ method: 'PUT', target: '/parts' });
    const created = await ask({ method: 'POST', target: `${OBJECT}?uploads` });
    const uploadId = /<UploadId>([^<]+)</.exec(created.body)?.[1] ?? '';
    const parts: string[] = [];
    for (const [at, body] of [FULL, ''].entries()) {
      const target = `${OBJECT}?partNumber=${String(at + 1)}&uploadId=${uploadId}`;
      const { headers } = await ask({ method: 'PUT', target, body });
      parts.push(`<Part><PartNumber>${String(at + 1)}</PartNumber><ETag>${headers['etag'] ?? ''}</ETag></Part>`);
    }
    const body = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`;
    expect((await ask({ method: 'POST', target: `${OBJECT}?uploadId=${uploadId}`, body })).status).toBe(200);
  });
  afterAll(() => gateway.close());

  test('is read as nothing', async () => {
    const got = await ask({ method: 'GET', target: `${OBJECT}?partNumber=2` });
    const head = await ask({ method: 'HEAD', target: `${OBJECT}?partNumber=2` });
    for (const { status, headers } of [got, head]) {
      expect([status, headers['content-length'], headers['content-range']]).toEqual([206, '0', undefined]);
      expect(headers['x-amz-mp-parts-count']).toBe('2');
    }
    expect(got.body.length).toBe(0);
  });

  test('leaves the part before it as it is', async () => {
    const got = await ask({ method: 'GET', target: `${OBJECT}?partNumber=1` });
    expect([got.status, got.body === FULL]).toEqual([206, true]);
  });

  test('is not read by who may not have it as it was', async () => {
    const headers = { 'if-match': '"no-such-state"' };
    expect((await ask({ method: 'GET', target: `${OBJECT}?partNumber=2`, headers })).status).toBe(412);
    expect((await send(gateway.port, 'other', { method: 'GET', target: `${OBJECT}?partNumber=2` })).status).toBe(403);
  });
});
