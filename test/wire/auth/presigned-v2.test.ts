import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { type RawAnswer, roundTrip } from '../../support/clients/raw-http.ts';
import { presignedV2Head, type RawRequestOptions, signedHead } from '../../support/clients/sign-raw.ts';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway({ presignedV2: true });
  expect(
    (
      await owner({
        method: 'PUT',
        target: '/bucket',
        headers: { 'content-length': '0', 'x-amz-bucket-object-lock-enabled': 'true' },
      })
    ).status,
  ).toBe(200);
  expect((await put('/bucket/secret', 'secret')).status).toBe(200);
});

afterAll(() => gateway.close());

function owner(options: RawRequestOptions): Promise<RawAnswer> {
  return roundTrip(gateway.port, signedHead(options), options.method);
}

function put(target: string, body: string): Promise<RawAnswer> {
  return roundTrip(
    gateway.port,
    signedHead({ method: 'PUT', target, headers: { 'content-length': String(body.length) } }) + body,
  );
}

/** Somebody's link, as somebody else uses it: with parameters of his own, in front or behind. */
async function steal(link: RawRequestOptions, parameters: string, body = ''): Promise<RawAnswer[]> {
  const head = presignedV2Head({ ...link, headers: { 'content-length': String(body.length), ...link.headers } });
  const before = head.replace('?', `?${parameters}&`);
  const behind = head.replace(' HTTP/1.1', `&${parameters} HTTP/1.1`);
  const answers: RawAnswer[] = [];
  for (const altered of [before, behind]) answers.push(await roundTrip(gateway.port, altered + body, link.method));
  return answers;
}

const link = { method: 'PUT', target: '/bucket/inbox' };

test('a link works', async () => {
  const answer = await roundTrip(
    gateway.port,
    `${presignedV2Head({ ...link, headers: { 'content-length': '4' } })}mine`,
  );
  expect(answer.status).toBe(200);
  expect((await owner({ target: '/bucket/inbox' })).body).toBe('mine');
});

describe('a link to PUT an object', () => {
  test.each(['X-Amz-Copy-Source', 'x-amz-copy-source', 'X-AMZ-COPY-SOURCE', '%58-amz-copy-source'])(
    'copies nothing: %s',
    async (name) => {
      for (const { status } of await steal(link, `${name}=%2Fbucket%2Fsecret`, 'mine')) {
        expect([200, 403]).toContain(status);
      }
      expect((await owner({ target: '/bucket/inbox' })).body).toBe('mine');
    },
  );

  test.each([
    'X-Amz-Acl=public-read',
    'x-AMZ-acl=public-read',
    'X-Amz-Grant-Read=uri%3D%22http%3A%2F%2Facs.amazonaws.com%2Fgroups%2Fglobal%2FAllUsers%22',
  ])('opens nothing: %s', async (parameter) => {
    await steal(link, parameter, 'mine');
    expect((await roundTrip(gateway.port, 'GET /bucket/inbox HTTP/1.1\r\nHost: localhost\r\n\r\n')).status).toBe(403);
    expect((await owner({ target: '/bucket/inbox?acl' })).body).not.toContain('AllUsers');
  });

  test.each([
    'X-Amz-Meta-Added=1',
    'X-Amz-Storage-Class=GLACIER',
    'X-Amz-Website-Redirect-Location=%2Felsewhere',
    'X-Amz-Tagging=a%3Db',
    'X-Amz-Object-Lock-Legal-Hold=ON',
  ])('stores nothing beside: %s', async (parameter) => {
    await steal(link, parameter, 'mine');
    const { headers } = await owner({ method: 'HEAD', target: '/bucket/inbox' });
    expect(Object.keys(headers).filter((name) => /added|storage-class|redirect|tagging|legal-hold/.test(name))).toEqual(
      [],
    );
  });
});

test('a link to DELETE a version does not bypass its retention', async () => {
  const until = new Date(Date.now() + 86_400_000).toISOString();
  const md5 = createHash('md5').update('x').digest('base64');
  const headers = {
    'content-length': '1',
    'content-md5': md5,
    'x-amz-object-lock-mode': 'GOVERNANCE',
    'x-amz-object-lock-retain-until-date': until,
  };
  const stored = await roundTrip(gateway.port, `${signedHead({ method: 'PUT', target: '/bucket/kept', headers })}x`);
  const version = stored.headers['x-amz-version-id'] ?? '';
  expect(version).not.toBe('');
  for (const spelling of ['X-Amz-Bypass-Governance-Retention', 'x-amz-bypass-governance-retention']) {
    for (const { status } of await steal(
      { method: 'DELETE', target: `/bucket/kept?versionId=${version}` },
      `${spelling}=true`,
    )) {
      expect(status).toBe(403);
    }
  }
  expect((await owner({ target: `/bucket/kept?versionId=${version}` })).status).toBe(200);
});

test('a parameter that is not covered and would count is refused; others have no effect', async () => {
  const listing = { target: '/bucket' };
  expect((await steal(listing, 'prefix=secret')).map(({ status }) => status)).toEqual([403, 403]);
  expect((await steal(listing, 'list-type=2')).map(({ status }) => status)).toEqual([403, 403]);
  expect((await steal({ target: '/bucket/secret' }, 'attributes')).map(({ body }) => body)).toEqual([
    'secret',
    'secret',
  ]);
  expect((await steal({ target: '/bucket/secret' }, 'utm_source=mail')).map(({ body }) => body)).toEqual([
    'secret',
    'secret',
  ]);
});

test('two parameters cannot be joined into one value, whose signature would be the same', async () => {
  const two = 'response-content-type=a%2Fb&versionId=gone';
  const version = presignedV2Head({ target: `/bucket/secret?${two}` });
  expect((await roundTrip(gateway.port, version)).status).toBe(400);
  expect(
    (await roundTrip(gateway.port, version.replace(two, 'response-content-type=a%2Fb%26versionId=gone'))).status,
  ).toBe(403);
  const header = presignedV2Head({
    method: 'PUT',
    target: '/bucket/inbox?x-amz-acl=private&x-amz-meta-a=b',
    headers: { 'content-length': '0' },
  });
  expect((await roundTrip(gateway.port, header)).status).toBe(200);
  expect(
    (
      await roundTrip(
        gateway.port,
        header.replace('x-amz-acl=private&x-amz-meta-a=b', 'x-amz-acl=private%0Ax-amz-meta-a:b'),
      )
    ).status,
  ).toBe(400);
});
