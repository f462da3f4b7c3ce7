import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { type RawAnswer, roundTrip } from '../../support/clients/raw-http.ts';
import { OTHER_ACCESS_KEY, type RawRequestOptions, signedHead } from '../../support/clients/sign-raw.ts';

let gateway: TestGateway;

const VERSIONING = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';
const IDS = ['', 'bogus', 'null', 'a'.repeat(32), '%00'];
const OPERATIONS: readonly RawRequestOptions[] = [
  { method: 'GET', target: '' },
  { method: 'HEAD', target: '' },
  { method: 'DELETE', target: '' },
  ...['acl', 'tagging', 'retention', 'legal-hold'].map((sub) => ({ method: 'GET', target: `&${sub}` })),
  { method: 'GET', target: '&attributes', headers: { 'x-amz-object-attributes': 'ETag' } },
  { method: 'PUT', target: '&acl', headers: { 'x-amz-acl': 'private' } },
  { method: 'DELETE', target: '&tagging' },
];

beforeAll(async () => {
  gateway = await startTestGateway();
  for (const bucket of ['plain', 'versioned']) {
    expect((await owner({ method: 'PUT', target: `/${bucket}` })).status).toBe(200);
    if (bucket === 'versioned') {
      expect((await owner({ method: 'PUT', target: '/versioned?versioning' }, VERSIONING)).status).toBe(200);
    }
    expect((await owner({ method: 'PUT', target: `/${bucket}/key` }, 'x')).status).toBe(200);
  }
  expect((await send({ method: 'PUT', target: '/theirs', accessKey: OTHER_ACCESS_KEY })).status).toBe(200);
});

afterAll(() => gateway.close());

function send(options: RawRequestOptions, body = ''): Promise<RawAnswer> {
  return roundTrip(
    gateway.port,
    signedHead({ ...options, headers: { 'content-length': String(body.length), ...options.headers } }) + body,
    options.method,
  );
}

const owner = send;

describe.each(OPERATIONS)('$method ?versionId=...$target', ({ method = 'GET', target, headers }) => {
  test.each(IDS)('a stranger learns nothing from the id %j', async (id) => {
    for (const bucket of ['plain', 'versioned']) {
      const answer = await send({
        method,
        target: `/${bucket}/key?versionId=${id}${target}`,
        accessKey: OTHER_ACCESS_KEY,
        ...(headers && { headers }),
      });
      expect([bucket, answer.status]).toEqual([bucket, 403]);
    }
  });
});

test.each(IDS)('nor as the source of a copy: %j', async (id) => {
  for (const bucket of ['plain', 'versioned']) {
    const copySource = { 'x-amz-copy-source': `/${bucket}/key?versionId=${id}` };
    expect(
      (await send({ method: 'PUT', target: '/theirs/copy', accessKey: OTHER_ACCESS_KEY, headers: copySource })).status,
    ).toBe(403);
  }
});

test('the owner is told what is wrong with it', async () => {
  for (const bucket of ['plain', 'versioned']) {
    const answer = await owner({ target: `/${bucket}/key?versionId=bogus` });
    expect([answer.status, answer.body]).toEqual([
      400,
      expect.stringContaining('Invalid version id specified') as string,
    ]);
  }
});
