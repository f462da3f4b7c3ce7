import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Caller, type Sent, outcome, send } from '../../support/clients/acl-client.ts';
import { CANONICAL_ID, OTHER_CANONICAL_ID, type TestGateway, startTestGateway } from '../../support/gateway/gateway.ts';

const ALL_USERS = 'http://acs.amazonaws.com/groups/global/AllUsers';
const OWNER_ID = `id="${CANONICAL_ID}"`;
const OTHER_ID = `id="${OTHER_CANONICAL_ID}"`;

let gateway: TestGateway;
let bucket: string;
let made = 0;

beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.close());

beforeEach(async () => {
  bucket = `ownership-${++made}`;
  expect(
    await as('owner', { method: 'PUT', target: `/${bucket}`, headers: { 'x-amz-acl': 'public-read-write' } }),
  ).toBe('200');
  expect(
    await as('owner', {
      method: 'PUT',
      target: `/${bucket}/key`,
      body: 'bytes',
      headers: { 'x-amz-acl': 'public-read' },
    }),
  ).toBe('200');
  expect(
    await as('other', {
      method: 'PUT',
      target: `/${bucket}/theirs`,
      body: 'bytes',
      headers: { 'x-amz-acl': 'public-read' },
    }),
  ).toBe('200');
});

async function as(caller: Caller, sent: Sent): Promise<string> {
  return outcome(await send(gateway.port, caller, sent));
}

function own(ownership: string, target = bucket): Promise<string> {
  const body = `<OwnershipControls><Rule><ObjectOwnership>${ownership}</ObjectOwnership></Rule></OwnershipControls>`;
  return as('owner', { method: 'PUT', target: `/${target}?ownershipControls`, body });
}

function block(...names: string[]): Promise<string> {
  const elements = names.map((name) => `<${name}>true</${name}>`).join('');
  const body = `<PublicAccessBlockConfiguration>${elements}</PublicAccessBlockConfiguration>`;
  return as('owner', { method: 'PUT', target: `/${bucket}?publicAccessBlock`, body });
}

async function enforced(): Promise<void> {
  expect(await as('owner', { method: 'PUT', target: `/${bucket}?acl`, headers: { 'x-amz-acl': 'private' } })).toBe(
    '200',
  );
  expect(await own('BucketOwnerEnforced')).toBe('200');
}

async function ownerAndGrants(target: string, caller: Caller = 'owner'): Promise<string[]> {
  const { status, body } = await send(gateway.port, caller, { method: 'GET', target: `${target}?acl` });
  expect(status, body).toBe(200);
  const [, owner = ''] = /<Owner><ID>([^<]*)</.exec(body) ?? [];
  const grants = [...body.matchAll(/<Grant>.*?<\/Grant>/g)].map(([grant]) => {
    const who = /<(?:ID|URI)>([^<]*)</.exec(grant)?.[1] ?? '';
    return `${/<Permission>(\w+)</.exec(grant)?.[1] ?? ''} ${NAMES[who] ?? who}`;
  });
  return [NAMES[owner] ?? owner, ...grants];
}

const NAMES: Readonly<Record<string, string>> = {
  [CANONICAL_ID]: 'owner',
  [OTHER_CANONICAL_ID]: 'other',
  [ALL_USERS]: 'all',
};

/** Every way to write an object, as a request that needs nothing but its ACL headers. */
function writes(): readonly (readonly [string, (headers: Readonly<Record<string, string>>) => Sent])[] {
  const source = { 'x-amz-copy-source': `/${bucket}/key` };
  return [
    ['PutObject', (headers) => ({ method: 'PUT', target: `/${bucket}/put`, body: 'x', headers })],
    ['CopyObject', (headers) => ({ method: 'PUT', target: `/${bucket}/copy`, headers: { ...headers, ...source } })],
    ['CreateMultipartUpload', (headers) => ({ method: 'POST', target: `/${bucket}/upload?uploads`, headers })],
  ];
}

async function uploaded(caller: Caller, headers: Readonly<Record<string, string>>): Promise<string> {
  const target = `/${bucket}/upload`;
  const created = await send(gateway.port, caller, { method: 'POST', target: `${target}?uploads`, headers });
  const uploadId = /<UploadId>([^<]+)</.exec(created.body)?.[1] ?? '';
  const part = await send(gateway.port, caller, {
    method: 'PUT',
    target: `${target}?partNumber=1&uploadId=${uploadId}`,
    body: 'part',
  });
  expect(outcome(part)).toBe('200');
  const parts = await send(gateway.port, caller, { method: 'GET', target: `${target}?uploadId=${uploadId}` });
  expect(outcome(parts)).toBe('200');
  const body = `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${part.headers['etag'] ?? ''}</ETag></Part></CompleteMultipartUpload>`;
  expect(await as(caller, { method: 'POST', target: `${target}?uploadId=${uploadId}`, body })).toBe('200');
  return parts.body;
}

describe('BucketOwnerEnforced', () => {
  const REFUSED = '400 AccessControlListNotSupported';

  test.each<[string, Readonly<Record<string, string>>, string]>([
    ['no ACL', {}, '200'],
    ['bucket-owner-full-control', { 'x-amz-acl': 'bucket-owner-full-control' }, '200'],
    ['the same as a grant', { 'x-amz-grant-full-control': OWNER_ID }, '200'],
    ['the same by e-mail address', { 'x-amz-grant-full-control': 'emailAddress=wire@example.com' }, '200'],
    ['private', { 'x-amz-acl': 'private' }, REFUSED],
    ['public-read', { 'x-amz-acl': 'public-read' }, REFUSED],
    ['bucket-owner-read', { 'x-amz-acl': 'bucket-owner-read' }, REFUSED],
    ['an unknown one', { 'x-amz-acl': 'no-such' }, '400 InvalidArgument'],
    ['less for the owner', { 'x-amz-grant-read': OWNER_ID }, REFUSED],
    ['a grant to another', { 'x-amz-grant-full-control': `${OWNER_ID}, ${OTHER_ID}` }, REFUSED],
  ])('%s on what is written', async (_name, headers, expected) => {
    await enforced();
    for (const [name, request] of writes()) expect(await as('owner', request(headers)), name).toBe(expected);
    if (expected !== '200') {
      for (const key of ['put', 'copy']) {
        expect(await as('owner', { method: 'GET', target: `/${bucket}/${key}` })).toBe('404 NoSuchKey');
      }
    } else {
      expect(await ownerAndGrants(`/${bucket}/put`)).toEqual(['owner', 'FULL_CONTROL owner']);
    }
  });

  test('ACLs cannot be set, whatever they say', async () => {
    await enforced();
    // S3 looks at what is asked for first. That of an object is refused as such, as the specification has it.
    const sent: readonly (readonly [Partial<Sent>, string])[] = [
      [{ headers: { 'x-amz-acl': 'private' } }, REFUSED],
      [{ headers: { 'x-amz-acl': 'bucket-owner-full-control' } }, REFUSED],
      [{ body: 'not XML' }, '400 MalformedACLError'],
      [{}, '400 MissingSecurityHeader'],
    ];
    for (const target of [`/${bucket}?acl`, `/${bucket}/key?acl`]) {
      for (const [more, ofBucket] of sent) {
        expect(await as('owner', { method: 'PUT', target, ...more }), `${target} ${JSON.stringify(more)}`).toBe(
          target.includes('key') ? REFUSED : ofBucket,
        );
      }
      expect(await as('other', { method: 'PUT', target, headers: { 'x-amz-acl': 'private' } })).toBe(
        '403 AccessDenied',
      );
    }
  });

  test('the owner of the bucket owns everything in it, and the ACLs that are stored say nothing', async () => {
    await enforced();
    for (const target of [`/${bucket}`, `/${bucket}/key`, `/${bucket}/theirs`]) {
      expect(await ownerAndGrants(target)).toEqual(['owner', 'FULL_CONTROL owner']);
      for (const caller of ['other', 'anonymous'] as const) {
        expect(await as(caller, { method: 'GET', target }), `${caller} ${target}`).toBe('403 AccessDenied');
      }
    }
    expect((await send(gateway.port, 'owner', { method: 'GET', target: `/${bucket}/theirs` })).body).toBe('bytes');
    for (const query of ['', '?list-type=2&fetch-owner=true', '?versions']) {
      const { body } = await send(gateway.port, 'owner', { method: 'GET', target: `/${bucket}${query}` });
      const owners = [...body.matchAll(/<Owner><ID>([^<]+)</g)].map(([, id]) => id);
      expect(owners, query).toEqual([CANONICAL_ID, CANONICAL_ID]);
    }
  });

  test('brings them back when it goes', async () => {
    await enforced();
    expect(await as('owner', { method: 'DELETE', target: `/${bucket}?ownershipControls` })).toBe('204');
    expect(await as('owner', { method: 'GET', target: `/${bucket}/theirs?acl` })).toBe('403 AccessDenied');
    expect(await ownerAndGrants(`/${bucket}/theirs`, 'other')).toEqual(['other', 'READ all', 'FULL_CONTROL other']);
    expect(await as('anonymous', { method: 'GET', target: `/${bucket}/key` })).toBe('200');
  });

  test.each([
    ['public-read-write', {}],
    ['log-delivery-write', { 'x-amz-acl': 'log-delivery-write' }],
    ['a grant to another', { 'x-amz-grant-read': OTHER_ID }],
  ])('is refused while the ACL of the bucket grants others: %s', async (name, headers) => {
    if (name !== 'public-read-write') {
      expect(await as('owner', { method: 'PUT', target: `/${bucket}?acl`, headers })).toBe('200');
    }
    expect(await own('BucketOwnerEnforced')).toBe('400 InvalidBucketAclWithObjectOwnership');
    expect(await as('owner', { method: 'GET', target: `/${bucket}?ownershipControls` })).toBe(
      '404 OwnershipControlsNotFoundError',
    );
    expect(await own('BucketOwnerPreferred')).toBe('200');
    expect(
      await as('owner', { method: 'PUT', target: `/${bucket}?acl`, headers: { 'x-amz-grant-read': OWNER_ID } }),
    ).toBe('200');
    expect(await own('BucketOwnerEnforced')).toBe('200');
  });

  test.each([
    ['private', '200'],
    ['bucket-owner-full-control', '200'],
    ['public-read', '400 InvalidBucketAclWithObjectOwnership'],
    ['log-delivery-write', '400 InvalidBucketAclWithObjectOwnership'],
  ])('with the bucket and the ACL %s', async (acl, expected) => {
    const target = `/${bucket}-new`;
    const headers = { 'x-amz-object-ownership': 'BucketOwnerEnforced', 'x-amz-acl': acl };
    expect(await as('owner', { method: 'PUT', target, headers })).toBe(expected);
    expect(await as('owner', { method: 'HEAD', target })).toBe(expected === '200' ? '200' : '404');
  });
});

describe('BucketOwnerPreferred', () => {
  test('gives the owner of the bucket what is written for it, and nothing else', async () => {
    expect(await own('BucketOwnerPreferred')).toBe('200');
    const cases: [Readonly<Record<string, string>>, Caller][] = [
      [{}, 'other'],
      [{ 'x-amz-acl': 'private' }, 'other'],
      [{ 'x-amz-grant-full-control': OWNER_ID }, 'other'],
      [{ 'x-amz-acl': 'bucket-owner-full-control' }, 'owner'],
    ];
    for (const [headers, owner] of cases) {
      for (const key of ['put', 'copy']) {
        const [, request] = writes()[key === 'put' ? 0 : 1] ?? [];
        if (request === undefined) throw new Error('no such write');
        expect(await as('other', request(headers)), JSON.stringify(headers)).toBe('200');
        const grantee = 'x-amz-grant-full-control' in headers ? 'owner' : owner;
        expect(await ownerAndGrants(`/${bucket}/${key}`, owner), `${key} ${JSON.stringify(headers)}`).toEqual([
          owner,
          `FULL_CONTROL ${grantee}`,
        ]);
      }
    }
    expect(await as('other', { method: 'GET', target: `/${bucket}/put` }), 'given away').toBe('403 AccessDenied');
  });

  test('an upload for the owner of the bucket is finished by who began it', async () => {
    expect(await own('BucketOwnerPreferred')).toBe('200');
    const parts = await uploaded('other', { 'x-amz-acl': 'bucket-owner-full-control' });
    expect(parts).toContain(
      `<Initiator><ID>${OTHER_CANONICAL_ID}</ID><DisplayName>other</DisplayName></Initiator><Owner><ID>${CANONICAL_ID}</ID>`,
    );
    expect(await ownerAndGrants(`/${bucket}/upload`)).toEqual(['owner', 'FULL_CONTROL owner']);
    expect(await as('other', { method: 'GET', target: `/${bucket}/upload` })).toBe('403 AccessDenied');
  });
});

describe('ObjectWriter', () => {
  test.each(['ObjectWriter', undefined])('%s: what is written belongs to who wrote it', async (ownership) => {
    if (ownership !== undefined) expect(await own(ownership)).toBe('200');
    for (const [name, request] of writes().slice(0, 2)) {
      expect(await as('other', request({ 'x-amz-acl': 'bucket-owner-full-control' })), name).toBe('200');
    }
    await uploaded('other', { 'x-amz-acl': 'bucket-owner-full-control' });
    for (const key of ['put', 'copy', 'upload']) {
      expect(await ownerAndGrants(`/${bucket}/${key}`, 'other')).toEqual([
        'other',
        'FULL_CONTROL other',
        'FULL_CONTROL owner',
      ]);
    }
  });
});

describe('BlockPublicAcls', () => {
  const POLICY = (uri: string): string =>
    `<AccessControlPolicy><Owner><ID>${CANONICAL_ID}</ID></Owner><AccessControlList>` +
    '<Grant><Grantee xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="Group">' +
    `<URI>${uri}</URI></Grantee><Permission>READ</Permission></Grant></AccessControlList></AccessControlPolicy>`;

  test.each<[string, Pick<Sent, 'headers' | 'body'>, string]>([
    ['public-read', { headers: { 'x-amz-acl': 'public-read' } }, '403 AccessDenied'],
    ['public-read-write', { headers: { 'x-amz-acl': 'public-read-write' } }, '403 AccessDenied'],
    ['authenticated-read', { headers: { 'x-amz-acl': 'authenticated-read' } }, '403 AccessDenied'],
    ['a grant to a group', { headers: { 'x-amz-grant-write-acp': `uri="${ALL_USERS}"` } }, '403 AccessDenied'],
    ['a document', { body: POLICY(ALL_USERS) }, '403 AccessDenied'],
    ['a document about logs', { body: POLICY('http://acs.amazonaws.com/groups/s3/LogDelivery') }, '200'],
    ['private', { headers: { 'x-amz-acl': 'private' } }, '200'],
    ['a grant to an account', { headers: { 'x-amz-grant-read': OTHER_ID } }, '200'],
  ])('%s', async (_name, sent, expected) => {
    expect(await block('BlockPublicAcls')).toBe('200');
    for (const target of [`/${bucket}?acl`, `/${bucket}/key?acl`]) {
      const before = await ownerAndGrants(target.replace('?acl', ''));
      expect(await as('owner', { method: 'PUT', target, ...sent }), target).toBe(expected);
      if (expected !== '200') expect(await ownerAndGrants(target.replace('?acl', ''))).toEqual(before);
    }
    if (sent.headers === undefined) return;
    for (const [name, request] of writes()) expect(await as('owner', request(sent.headers)), name).toBe(expected);
    expect(await as('owner', { method: 'GET', target: `/${bucket}/put` })).toBe(
      expected === '200' ? '200' : '404 NoSuchKey',
    );
  });

  test('leaves those that are there in force', async () => {
    expect(await block('BlockPublicAcls', 'BlockPublicPolicy', 'RestrictPublicBuckets')).toBe('200');
    expect(await as('anonymous', { method: 'GET', target: `/${bucket}` })).toBe('200');
    expect(await as('anonymous', { method: 'GET', target: `/${bucket}/key` })).toBe('200');
    expect(await as('other', { method: 'PUT', target: `/${bucket}/new`, body: 'x' })).toBe('200');
  });
});

describe('IgnorePublicAcls', () => {
  test('leaves grants to groups as they are, without effect, until it goes', async () => {
    const grantToOther = { 'x-amz-grant-read': `${OTHER_ID}, uri="${ALL_USERS}"` };
    expect(await as('owner', { method: 'PUT', target: `/${bucket}/shared`, body: 'x', headers: grantToOther })).toBe(
      '200',
    );
    expect(await block('IgnorePublicAcls')).toBe('200');
    expect(
      await as('owner', {
        method: 'PUT',
        target: `/${bucket}/later`,
        body: 'x',
        headers: { 'x-amz-acl': 'public-read' },
      }),
    ).toBe('200');
    for (const target of [`/${bucket}`, `/${bucket}/key`, `/${bucket}/later`]) {
      for (const caller of ['other', 'anonymous'] as const) {
        expect(await as(caller, { method: 'GET', target }), `${caller} ${target}`).toBe('403 AccessDenied');
      }
      expect(await ownerAndGrants(target)).toContain('READ all');
    }
    expect(await as('other', { method: 'PUT', target: `/${bucket}/new`, body: 'x' })).toBe('403 AccessDenied');
    expect(await as('other', { method: 'GET', target: `/${bucket}/shared` }), 'by name').toBe('200');
    expect(await as('other', { method: 'GET', target: `/${bucket}/theirs` }), 'its owner').toBe('200');
    expect(await as('owner', { method: 'GET', target: `/${bucket}/theirs` })).toBe('403 AccessDenied');
    expect(await as('owner', { method: 'DELETE', target: `/${bucket}?publicAccessBlock` })).toBe('204');
    for (const key of ['key', 'later']) {
      expect(await as('anonymous', { method: 'GET', target: `/${bucket}/${key}` })).toBe('200');
    }
  });
});

describe('new buckets as AWS makes them', () => {
  let aws: TestGateway;
  beforeAll(async () => {
    aws = await startTestGateway({ newBuckets: 'aws' });
  });
  afterAll(() => aws.close());
  const ask = async (sent: Sent, caller: Caller = 'owner'): ReturnType<typeof send> => send(aws.port, caller, sent);

  test('enforce the owner and block public access', async () => {
    expect(outcome(await ask({ method: 'PUT', target: '/fresh' }))).toBe('200');
    expect(outcome(await ask({ method: 'PUT', target: '/fresh' })), 'again').toBe('200');
    expect((await ask({ method: 'GET', target: '/fresh?ownershipControls' })).body).toContain(
      '<ObjectOwnership>BucketOwnerEnforced</ObjectOwnership>',
    );
    expect((await ask({ method: 'GET', target: '/fresh?publicAccessBlock' })).body.match(/>true</g)).toHaveLength(4);
    expect(
      outcome(await ask({ method: 'PUT', target: '/fresh/key', body: 'x', headers: { 'x-amz-acl': 'public-read' } })),
    ).toBe('400 AccessControlListNotSupported');
    expect(outcome(await ask({ method: 'PUT', target: '/fresh/key', body: 'x' }))).toBe('200');
  });

  test('take what they are asked for', async () => {
    const create = async (target: string, ownership: string | undefined, acl: string | undefined): Promise<string> => {
      const headers = {
        ...(ownership !== undefined && { 'x-amz-object-ownership': ownership }),
        ...(acl !== undefined && { 'x-amz-acl': acl }),
      };
      return outcome(await ask({ method: 'PUT', target, headers }));
    };
    expect(await create('/asked', undefined, 'public-read')).toBe('400 InvalidBucketAclWithObjectOwnership');
    expect(await create('/asked', 'ObjectWriter', 'public-read')).toBe(
      '400 InvalidBucketAclWithBlockPublicAccessError',
    );
    expect(await create('/asked', 'ObjectWriter', 'log-delivery-write')).toBe('200');
    expect((await ask({ method: 'GET', target: '/asked?ownershipControls' })).body).toContain('ObjectWriter');
    expect(outcome(await ask({ method: 'PUT', target: '/asked?acl', headers: { 'x-amz-acl': 'public-read' } }))).toBe(
      '403 AccessDenied',
    );
    expect(outcome(await ask({ method: 'PUT', target: '/asked?acl', headers: { 'x-amz-acl': 'private' } }))).toBe(
      '200',
    );
  });
});
