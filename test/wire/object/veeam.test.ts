import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outcome } from '../../support/clients/acl-client.ts';
import { type RawAnswer, roundTrip } from '../../support/clients/raw-http.ts';
import { OTHER_ACCESS_KEY, signedHead } from '../../support/clients/sign-raw.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';

/* The objects of Veeam's Smart Object Storage API (SOSAPI), in buckets that the configuration names for Veeam. */

const FOLDER = '.system-d26a9498-cb7c-4a87-a44a-8ae204f5ba6c';
const TIB = 1024 ** 4;

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway({
    veeam: [{ pattern: 'veeam-small' }, { pattern: 'veeam-*', capacityBytes: 10 * TIB }],
  });
  for (const bucket of ['veeam-small', 'veeam-large', 'veeam-own', 'plain']) await send('PUT', `/${bucket}`);
});

afterAll(() => gateway.close());

interface Sent {
  readonly body?: string;
  readonly accessKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function send(method: string, target: string, { body = '', headers = {}, ...by }: Sent = {}): Promise<RawAnswer> {
  const all = { 'content-length': String(Buffer.byteLength(body)), ...headers };
  return roundTrip(gateway.port, signedHead({ method, target, headers: all, ...by }) + body, method);
}

const text = ({ body }: RawAnswer): string => body;

describe('system.xml', () => {
  it('names version, model and what there is', async () => {
    const answer = await send('GET', `/veeam-large/${FOLDER}/system.xml`);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/xml');
    expect(text(answer)).toMatch(
      /<SystemInfo><ProtocolVersion>&quot;1.0&quot;<\/ProtocolVersion><ModelName>&quot;s3-cloud-gateway [\w.-]+&quot;</,
    );
    expect(text(answer)).toContain('<CapacityInfo>true</CapacityInfo>');
    expect(text(answer)).toContain('<UploadSessions>false</UploadSessions><IAMSTS>false</IAMSTS>');
  });

  it('does not promise a capacity that nobody has said', async () => {
    const answer = await send('GET', `/veeam-small/${FOLDER}/system.xml`);
    expect(text(answer)).toContain('<CapacityInfo>false</CapacityInfo>');
  });

  it('has the headers of an object, for HEAD as for GET', async () => {
    const got = await send('GET', `/veeam-large/${FOLDER}/system.xml`);
    const head = await send('HEAD', `/veeam-large/${FOLDER}/system.xml`);
    expect(head.status).toBe(200);
    expect(head.headers['content-length']).toBe(String(got.body.length));
    expect(head.headers['etag']).toBe(got.headers['etag']);
    expect(head.headers['last-modified']).toMatch(/ GMT$/);
  });

  it('knows conditions and ranges', async () => {
    const target = `/veeam-large/${FOLDER}/system.xml`;
    const whole = await send('GET', target);
    const etag = whole.headers['etag'] ?? '';
    expect((await send('GET', target, { headers: { 'if-none-match': etag } })).status).toBe(304);
    expect(outcome(await send('GET', target, { headers: { 'if-match': '"other"' } }))).toBe('412 PreconditionFailed');
    const part = await send('GET', target, { headers: { range: 'bytes=2-6' } });
    expect([part.status, text(part)]).toEqual([206, text(whole).slice(2, 7)]);
    expect(outcome(await send('GET', target, { headers: { range: 'bytes=9999-' } }))).toBe('416 InvalidRange');
  });
});

describe('capacity.xml', () => {
  it('says the capacity that the operator gave, and that the rest is not known', async () => {
    const answer = await send('GET', `/veeam-large/${FOLDER}/capacity.xml`);
    expect(text(answer)).toContain(
      `<CapacityInfo><Capacity>${10 * TIB}</Capacity><Available>-1</Available><Used>-1</Used></CapacityInfo>`,
    );
  });

  it('is not there without a capacity', async () => {
    expect(outcome(await send('GET', `/veeam-small/${FOLDER}/capacity.xml`))).toBe('404 NoSuchKey');
  });
});

describe('the objects', () => {
  it.each(['system.xml', 'capacity.xml'])('%s is in no other bucket', async (name) => {
    expect(outcome(await send('GET', `/plain/${FOLDER}/${name}`))).toBe('404 NoSuchKey');
  });

  it('are no other keys, and no versions', async () => {
    expect(outcome(await send('GET', `/veeam-large/${FOLDER}/other.xml`))).toBe('404 NoSuchKey');
    expect(outcome(await send('GET', `/veeam-large/${FOLDER}/`))).toBe('404 NoSuchKey');
    expect(outcome(await send('GET', `/veeam-large/${FOLDER}/system.xml?versionId=null`))).toBe('404 NoSuchVersion');
  });

  it('are read by those who may read objects', async () => {
    const target = `/veeam-large/${FOLDER}/system.xml`;
    const asOther = (method: string): Promise<RawAnswer> => send(method, target, { accessKey: OTHER_ACCESS_KEY });
    expect(outcome(await asOther('GET'))).toBe('403 AccessDenied');
    expect((await asOther('HEAD')).status).toBe(403);
    const policy = JSON.stringify({
      Version: '2012-10-17',
      Statement: {
        Effect: 'Allow',
        Principal: { AWS: '555555555555' },
        Action: 's3:GetObject',
        Resource: `arn:aws:s3:::veeam-large/${FOLDER}/*`,
      },
    });
    expect((await send('PUT', '/veeam-large?policy', { body: policy })).status).toBe(204);
    await expect.poll(async () => (await asOther('GET')).status).toBe(200);
  });

  it('are not listed', async () => {
    expect(text(await send('GET', `/veeam-large?list-type=2&prefix=${FOLDER}`))).toContain('<KeyCount>0</KeyCount>');
  });

  it('give way to those that are stored', async () => {
    const target = `/veeam-own/${FOLDER}/system.xml`;
    await send('PUT', target, { body: '<mine/>' });
    expect(text(await send('GET', target))).toBe('<mine/>');
    await send('DELETE', target);
    expect(text(await send('GET', target))).toContain('<SystemInfo>');
  });
});
