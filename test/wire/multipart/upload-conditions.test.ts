import { beforeEach, describe, expect, test } from 'vitest';
import { type Caller, outcome } from '../../support/clients/acl-client.ts';
import { CANONICAL_ID } from '../../support/gateway/gateway.ts';
import type { RawAnswer } from '../../support/clients/raw-http.ts';
import { sharedGateway } from '../../support/gateway/shared-gateway.ts';

/*
 * What CreateMultipartUpload says, it says for the whole upload: parts and completion have no header to say it again,
 * and are judged by it. What each request says itself is judged for each.
 */
const shared = sharedGateway();
const { ask, as } = shared;
let bucket: string;
let made = 0;

beforeEach(async () => {
  bucket = `conditions-${++made}`;
  const headers = { 'x-amz-bucket-object-lock-enabled': 'true' };
  expect(await as('owner', { method: 'PUT', target: `/${bucket}`, headers })).toBe('200');
  for (const key of ['source', 'secret']) {
    expect(await as('owner', { method: 'PUT', target: `/${bucket}/${key}`, body: 'x' })).toBe('200');
  }
});

/** The other account may do all of it but what is denied, and that is denied to everybody. */
async function deny(...denials: readonly object[]): Promise<void> {
  const Resource = [`arn:aws:s3:::${bucket}`, `arn:aws:s3:::${bucket}/*`];
  const common = { Principal: '*', Resource };
  const Statement = [
    { ...common, Effect: 'Allow', Action: 's3:*' },
    ...denials.map((fields) => ({ ...common, Effect: 'Deny', Action: 's3:PutObject', ...fields })),
  ];
  const body = JSON.stringify({ Version: '2012-10-17', Statement });
  expect(await as('owner', { method: 'PUT', target: `/${bucket}?policy`, body })).toBe('204');
}

type Headers = Readonly<Record<string, string>>;

function create(caller: Caller, headers: Headers): Promise<RawAnswer> {
  return ask(caller, { method: 'POST', target: `/${bucket}/k?uploads`, headers });
}

async function upload(caller: Caller, headers: Headers): Promise<string> {
  const answer = await create(caller, headers);
  expect(outcome(answer)).toBe('200');
  return /<UploadId>([^<]+)/.exec(answer.body)?.[1] ?? '';
}

const part = (caller: Caller, id: string, headers: Headers = {}): Promise<string> =>
  as(caller, { method: 'PUT', target: `/${bucket}/k?partNumber=1&uploadId=${id}`, body: 'part', headers });

const copy = (caller: Caller, id: string, source = 'source'): Promise<string> => {
  const headers = { 'x-amz-copy-source': `${bucket}/${source}` };
  return as(caller, { method: 'PUT', target: `/${bucket}/k?partNumber=2&uploadId=${id}`, headers });
};

const ETAG = '686ddaebe1c4b31cc6a3b8c0e19d7a4a';

async function complete(caller: Caller, id: string, headers: Headers = {}): Promise<string> {
  const listed = await ask('owner', { method: 'GET', target: `/${bucket}/k?uploadId=${id}` });
  const etag = /<PartNumber>1<.*?<ETag>([^<]+)/s.exec(listed.body)?.[1] ?? ETAG;
  const body = `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${etag}</ETag></Part></CompleteMultipartUpload>`;
  return as(caller, { method: 'POST', target: `/${bucket}/k?uploadId=${id}`, body, headers });
}

const REFUSED = '403 AccessDenied';
const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
const RETAINED = { 'x-amz-object-lock-mode': 'GOVERNANCE', 'x-amz-object-lock-retain-until-date': tomorrow };

/** What the request that creates an upload can say, by the key that asks for it. */
const CREATION: readonly [string, Headers][] = [
  ['s3:x-amz-acl', { 'x-amz-acl': 'bucket-owner-full-control' }],
  ['s3:x-amz-grant-read', { 'x-amz-grant-read': `id=${CANONICAL_ID}` }],
  ['s3:x-amz-grant-full-control', { 'x-amz-grant-full-control': `id=${CANONICAL_ID}` }],
  ['s3:x-amz-server-side-encryption', { 'x-amz-server-side-encryption': 'AES256' }],
  ['s3:x-amz-storage-class', { 'x-amz-storage-class': 'STANDARD' }],
  ['s3:x-amz-website-redirect-location', { 'x-amz-website-redirect-location': '/there' }],
  ['s3:RequestObjectTag/team', { 'x-amz-tagging': 'team=a' }],
  ['s3:RequestObjectTagKeys', { 'x-amz-tagging': 'team=a' }],
  ['s3:object-lock-mode', RETAINED],
  ['s3:object-lock-retain-until-date', RETAINED],
  ['s3:object-lock-remaining-retention-days', RETAINED],
  ['s3:object-lock-legal-hold', { 'x-amz-object-lock-legal-hold': 'ON' }],
];
const callers: readonly Caller[] = ['owner', 'other'];
const cells = CREATION.flatMap(([key, headers]) => callers.map((caller) => [key, caller, headers] as const));

describe('what an upload was created with counts for its parts and its completion', () => {
  test.each(cells)('%s, for the %s of the bucket', async (key, caller, headers) => {
    await deny();
    const silent = await upload(caller, {});
    await deny({ Condition: { Null: { [key]: 'true' } } });
    expect(outcome(await create(caller, {}))).toBe(REFUSED);
    expect([await part(caller, silent), await copy(caller, silent), await complete(caller, silent)]).toEqual([
      REFUSED,
      REFUSED,
      REFUSED,
    ]);
    const said = await upload(caller, headers);
    expect([await part(caller, said), await copy(caller, said), await complete(caller, said)]).toEqual([
      '200',
      '200',
      '200',
    ]);
  });

  test('what a part says itself in its place does not', async () => {
    await deny();
    const silent = await upload('other', {});
    await deny({ Condition: { StringNotEquals: { 's3:x-amz-acl': 'bucket-owner-full-control' } } });
    const headers = { 'x-amz-acl': 'bucket-owner-full-control' };
    expect(await part('other', silent, headers)).toMatch(/^4/);
    expect(await complete('other', silent, headers)).toMatch(/^4/);
    expect(await as('owner', { method: 'HEAD', target: `/${bucket}/k` })).toMatch(/^404/);
  });

  test('the value decides, not that there is one', async () => {
    await deny();
    const [a, b] = [
      await upload('other', { 'x-amz-tagging': 'team=a' }),
      await upload('other', { 'x-amz-tagging': 'team=b' }),
    ];
    await deny({ Condition: { StringEquals: { 's3:RequestObjectTag/team': 'b' } } });
    expect([await part('other', a), await part('other', b), await complete('other', b)]).toEqual([
      '200',
      REFUSED,
      REFUSED,
    ]);
  });

  test('whoever may not write is not told of uploads', async () => {
    await deny({ Condition: { Null: { 's3:x-amz-server-side-encryption': 'true' } } });
    const said = await upload('owner', { 'x-amz-server-side-encryption': 'AES256' });
    expect(await part('other', 'none')).toBe(REFUSED);
    expect(await as('owner', { method: 'DELETE', target: `/${bucket}/k?uploadId=${said}` })).toBe('204');
    expect(await part('owner', said)).toBe(REFUSED);
  });
});

describe('what every request says itself counts for it alone', () => {
  test('s3:if-none-match with s3:ObjectCreationOperation, as the documentation has it', async () => {
    await deny({ Condition: { Null: { 's3:if-none-match': 'true' }, Bool: { 's3:ObjectCreationOperation': 'true' } } });
    const id = await upload('other', {});
    expect(await part('other', id)).toBe('200');
    expect(await complete('other', id)).toBe(REFUSED);
    expect(await complete('other', id, { 'if-none-match': '*' })).toBe('200');
  });

  test('s3:x-amz-copy-source', async () => {
    await deny({ Condition: { StringLike: { 's3:x-amz-copy-source': `${bucket}/secret*` } } });
    const id = await upload('other', {});
    expect([await part('other', id), await copy('other', id, 'source'), await copy('other', id, 'secret')]).toEqual([
      '200',
      '200',
      REFUSED,
    ]);
    expect(await complete('other', id)).toBe('200');
  });
});
