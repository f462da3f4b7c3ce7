import { beforeEach, describe, expect, test } from 'vitest';
import { type Caller, type Sent, contentMd5, outcome, send } from '../support/acl-client.ts';
import { CANONICAL_ID, OTHER_CANONICAL_ID, startGatewayOver, startTestGateway } from '../support/gateway.ts';
import { sharedGateway } from '../support/shared-gateway.ts';

const ALL_USERS = 'http://acs.amazonaws.com/groups/global/AllUsers';
const ANONYMOUS = '65a011a29cdf8ec533ec3d1ccaae921c';

const shared = sharedGateway();
const { ask, as } = shared;
let bucket: string;
let made = 0;

beforeEach(async () => {
  bucket = `acl-${++made}`;
  expect(await as('owner', { method: 'PUT', target: `/${bucket}` })).toBe('200');
  expect(await as('owner', { method: 'PUT', target: `/${bucket}/key`, body: 'bytes' })).toBe('200');
});

/** Grants as `permission grantee`, in the order of the answer. */
async function grants(target: string, caller: Caller = 'owner'): Promise<string[]> {
  const { status, body } = await ask(caller, { method: 'GET', target: `${target}?acl` });
  expect(status, body).toBe(200);
  return [...body.matchAll(/<Grant>.*?<\/Grant>/g)].map(([grant]) => {
    const who = /<(?:ID|URI)>([^<]*)</.exec(grant)?.[1] ?? '';
    return `${/<Permission>(\w+)</.exec(grant)?.[1] ?? ''} ${NAMES[who] ?? who}`;
  });
}

const NAMES: Readonly<Record<string, string>> = {
  [CANONICAL_ID]: 'owner',
  [OTHER_CANONICAL_ID]: 'other',
  [ANONYMOUS]: 'anonymous',
  [ALL_USERS]: 'all',
  'http://acs.amazonaws.com/groups/global/AuthenticatedUsers': 'authenticated',
  'http://acs.amazonaws.com/groups/s3/LogDelivery': 'logs',
};

function policy(list: string, owner = `<Owner><ID>${CANONICAL_ID}</ID></Owner>`): string {
  return `<AccessControlPolicy xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${owner}<AccessControlList>${list}</AccessControlList></AccessControlPolicy>`;
}

function grant(type: string, child: string, permission = 'READ'): string {
  return `<Grant><Grantee xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="${type}">${child}</Grantee><Permission>${permission}</Permission></Grant>`;
}

const OTHER_READS = grant('CanonicalUser', `<ID>${OTHER_CANONICAL_ID}</ID><DisplayName>ignored</DisplayName>`);

describe('canned ACLs', () => {
  test.each([
    ['private', ['FULL_CONTROL owner'], ['FULL_CONTROL owner']],
    ['public-read', ['READ all', 'FULL_CONTROL owner'], ['READ all', 'FULL_CONTROL owner']],
    [
      'public-read-write',
      ['READ all', 'WRITE all', 'FULL_CONTROL owner'],
      ['READ all', 'WRITE all', 'FULL_CONTROL owner'],
    ],
    ['authenticated-read', ['READ authenticated', 'FULL_CONTROL owner'], ['READ authenticated', 'FULL_CONTROL owner']],
    ['aws-exec-read', ['FULL_CONTROL owner'], ['FULL_CONTROL owner']],
    ['bucket-owner-read', ['FULL_CONTROL owner'], ['FULL_CONTROL owner']],
    ['bucket-owner-full-control', ['FULL_CONTROL owner'], ['FULL_CONTROL owner']],
    ['log-delivery-write', ['WRITE logs', 'READ_ACP logs', 'FULL_CONTROL owner'], '400 InvalidArgument'],
    ['no-such', '400 InvalidArgument', '400 InvalidArgument'],
    ['toString', '400 InvalidArgument', '400 InvalidArgument'],
  ] as const)('%s', async (name, onBucket, onObject) => {
    for (const [target, expected] of [
      [`/${bucket}`, onBucket],
      [`/${bucket}/key`, onObject],
    ] as const) {
      const answer = await as('owner', { method: 'PUT', target: `${target}?acl`, headers: { 'x-amz-acl': name } });
      if (typeof expected === 'string') expect(answer).toBe(expected);
      else expect([answer, ...(await grants(target))]).toEqual(['200', ...expected]);
    }
  });

  test('bucket-owner ones let the owner of the bucket at objects of others', async () => {
    await as('owner', { method: 'PUT', target: `/${bucket}?acl`, headers: { 'x-amz-acl': 'public-read-write' } });
    const target = `/${bucket}/theirs`;
    expect(await as('other', { method: 'PUT', target, body: 'x' })).toBe('200');
    expect(await as('owner', { method: 'GET', target })).toBe('403 AccessDenied');
    expect(await as('other', { method: 'PUT', target, body: 'x', headers: { 'x-amz-acl': 'bucket-owner-read' } })).toBe(
      '200',
    );
    expect(await grants(target, 'other')).toEqual(['FULL_CONTROL other', 'READ owner']);
    expect(await as('owner', { method: 'GET', target })).toBe('200');
    expect(await as('owner', { method: 'GET', target: `${target}?acl` })).toBe('403 AccessDenied');
    expect(
      await as('other', {
        method: 'PUT',
        target: `${target}?acl`,
        headers: { 'x-amz-acl': 'bucket-owner-full-control' },
      }),
    ).toBe('200');
    expect(await as('owner', { method: 'GET', target: `${target}?acl` })).toBe('200');
  });
});

describe('the document', () => {
  test('names owner and grantees with their types', async () => {
    await as('owner', { method: 'PUT', target: `/${bucket}/key?acl`, headers: { 'x-amz-acl': 'public-read' } });
    const { body, headers } = await ask('owner', { method: 'GET', target: `/${bucket}/key?acl` });
    expect(headers['content-type']).toBe('application/xml');
    const xsi = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';
    expect(body).toBe(
      '<?xml version="1.0" encoding="UTF-8"?>\n<AccessControlPolicy xmlns="http://s3.amazonaws.com/doc/2006-03-01/">' +
        `<Owner><ID>${CANONICAL_ID}</ID><DisplayName>wire</DisplayName></Owner><AccessControlList>` +
        `<Grant><Grantee ${xsi} xsi:type="Group"><URI>${ALL_USERS}</URI></Grantee><Permission>READ</Permission></Grant>` +
        `<Grant><Grantee ${xsi} xsi:type="CanonicalUser"><ID>${CANONICAL_ID}</ID><DisplayName>wire</DisplayName></Grantee>` +
        '<Permission>FULL_CONTROL</Permission></Grant></AccessControlList></AccessControlPolicy>',
    );
  });

  test.each([
    ['an account', policy(OTHER_READS), ['READ other']],
    ['a group', policy(grant('Group', `<URI>${ALL_USERS}</URI>`, 'WRITE_ACP')), ['WRITE_ACP all']],
    [
      'an e-mail address',
      policy(grant('AmazonCustomerByEmail', '<EmailAddress>OTHER@example.com</EmailAddress>')),
      ['READ other'],
    ],
    ['the owner by its id', policy(grant('CanonicalUser', `<ID>${CANONICAL_ID}</ID>`, 'WRITE')), ['WRITE owner']],
    ['nobody', policy(''), []],
    ['no owner element', policy(OTHER_READS, ''), ['READ other']],
    [
      'a Type child',
      policy(
        `<Grant><Grantee><Type>Group</Type><URI>${ALL_USERS}</URI></Grantee><Permission>READ</Permission></Grant>`,
      ),
      ['READ all'],
    ],
    ['several', policy(OTHER_READS + grant('Group', `<URI>${ALL_USERS}</URI>`)), ['READ all', 'READ other']],
    ['not XML', 'acl', '400 MalformedACLError'],
    ['another document', '<Tagging/>', '400 MalformedACLError'],
    ['no list', '<AccessControlPolicy/>', '400 MalformedACLError'],
    [
      'an unknown permission',
      policy(grant('CanonicalUser', `<ID>${CANONICAL_ID}</ID>`, 'EXECUTE')),
      '400 MalformedACLError',
    ],
    ['an unknown type', policy(grant('constructor', `<ID>${CANONICAL_ID}</ID>`)), '400 MalformedACLError'],
    ['a type without its value', policy(grant('Group', `<ID>${CANONICAL_ID}</ID>`)), '400 MalformedACLError'],
    [
      'no type',
      policy(`<Grant><Grantee><ID>${CANONICAL_ID}</ID></Grantee><Permission>READ</Permission></Grant>`),
      '400 MalformedACLError',
    ],
    ['more than 100 grants', policy(OTHER_READS.repeat(101)), '400 MalformedACLError'],
    ['an unknown id', policy(grant('CanonicalUser', '<ID>_foo</ID>')), '400 InvalidArgument'],
    ['an unknown group', policy(grant('Group', '<URI>http://example.com/all</URI>')), '400 InvalidArgument'],
    [
      'an unknown e-mail address',
      policy(grant('AmazonCustomerByEmail', '<EmailAddress>x@example.com</EmailAddress>')),
      '400 UnresolvableGrantByEmailAddress',
    ],
    ['another owner', policy(OTHER_READS, `<Owner><ID>${OTHER_CANONICAL_ID}</ID></Owner>`), '403 AccessDenied'],
  ] as const)('%s', async (_name, body, expected) => {
    for (const target of [`/${bucket}`, `/${bucket}/key`]) {
      const answer = await as('owner', { method: 'PUT', target: `${target}?acl`, body });
      if (typeof expected !== 'string') expect([answer, ...(await grants(target))]).toEqual(['200', ...expected]);
      else expect([answer, ...(await grants(target))]).toEqual([expected, 'FULL_CONTROL owner']);
    }
  });

  test('100 grants are stored, and spill from the metadata of the blob', async () => {
    const body = policy(OTHER_READS.repeat(100));
    expect(await as('owner', { method: 'PUT', target: `/${bucket}/key?acl`, body })).toBe('200');
    expect(await grants(`/${bucket}/key`)).toEqual(Array.from({ length: 100 }, () => 'READ other'));
    expect((await ask('other', { method: 'GET', target: `/${bucket}/key` })).body).toBe('bytes');
    expect(await as('anonymous', { method: 'GET', target: `/${bucket}/key` })).toBe('403 AccessDenied');
  });
});

describe('a request', () => {
  test.each<[string, Omit<Sent, 'method' | 'target'>, string]>([
    ['with nothing', {}, '400 MissingSecurityHeader'],
    [
      'with a canned ACL and grants',
      { headers: { 'x-amz-acl': 'private', 'x-amz-grant-read': `uri="${ALL_USERS}"` } },
      '400 InvalidRequest',
    ],
    [
      'with a canned ACL and grants that are none',
      { headers: { 'x-amz-acl': 'private', 'x-amz-grant-read': 'somebody' } },
      '400 InvalidRequest',
    ],
    [
      'with grants that are none and a body',
      { headers: { 'x-amz-grant-read': 'somebody' }, body: policy('') },
      '400 UnexpectedContent',
    ],
    [
      'with a canned ACL and a body',
      { headers: { 'x-amz-acl': 'private' }, body: policy('') },
      '400 UnexpectedContent',
    ],
    [
      'with grants and a body',
      { headers: { 'x-amz-grant-read': `uri="${ALL_USERS}"` }, body: policy('') },
      '400 UnexpectedContent',
    ],
    ['with a wrong digest', { headers: { 'content-md5': contentMd5('other') }, body: policy('') }, '400 BadDigest'],
    ['with no digest at all', { headers: { 'content-md5': 'x' }, body: policy('') }, '400 InvalidDigest'],
    [
      'with another expected owner',
      { headers: { 'x-amz-acl': 'private', 'x-amz-expected-bucket-owner': '555555555555' } },
      '403 AccessDenied',
    ],
  ])('%s', async (_name, sent, expected) => {
    for (const target of [`/${bucket}`, `/${bucket}/key`]) {
      expect(await as('owner', { method: 'PUT', target: `${target}?acl`, ...sent })).toBe(expected);
      expect(await grants(target)).toEqual(['FULL_CONTROL owner']);
    }
  });

  test.each([
    ['GET', '?acl&versionId=x', '400 InvalidArgument'],
    ['PUT', '?acl&versionId=x', '400 InvalidArgument'],
    ['PUT', '?acl&versionId=null', '200'],
    ['GET', '?acl&versionId=null', '200'],
  ])('%s %s', async (method, query, expected) => {
    const headers: Record<string, string> = method === 'PUT' ? { 'x-amz-acl': 'private' } : {};
    expect(await as('owner', { method, target: `/${bucket}/key${query}`, headers })).toBe(expected);
  });

  test('for what is not there', async () => {
    const headers = { 'x-amz-acl': 'private' };
    expect(await as('owner', { method: 'PUT', target: `/${bucket}/none?acl`, headers })).toBe('404 NoSuchKey');
    expect(await as('owner', { method: 'PUT', target: `/${bucket}-none?acl`, headers })).toBe('404 NoSuchBucket');
    expect(await as('anonymous', { method: 'GET', target: `/${bucket}-none?acl` })).toBe('404 NoSuchBucket');
  });
});

describe('grant headers', () => {
  const other = `id="${OTHER_CANONICAL_ID}"`;
  test.each<[Record<string, string>, readonly string[] | string]>([
    [{ 'x-amz-grant-read': other }, ['READ other']],
    [{ 'x-amz-grant-read': `ID=${OTHER_CANONICAL_ID} , uri="${ALL_USERS}"` }, ['READ all', 'READ other']],
    [{ 'x-amz-grant-full-control': 'emailAddress=other@example.com' }, ['FULL_CONTROL other']],
    [
      {
        'x-amz-grant-full-control': other,
        'x-amz-grant-write-acp': other,
        'x-amz-grant-read-acp': other,
        'x-amz-grant-write': other,
        'x-amz-grant-read': other,
      },
      ['READ other', 'WRITE other', 'READ_ACP other', 'WRITE_ACP other', 'FULL_CONTROL other'],
    ],
    [{ 'x-amz-grant-read': 'name=other' }, '400 InvalidArgument'],
    [{ 'x-amz-grant-read': OTHER_CANONICAL_ID }, '400 InvalidArgument'],
    [{ 'x-amz-grant-read': `${other} ${other}` }, '400 InvalidArgument'],
    [{ 'x-amz-grant-read': `id="${OTHER_CANONICAL_ID}` }, '400 InvalidArgument'],
    [{ 'x-amz-grant-read': 'id="_foo"' }, '400 InvalidArgument'],
    [{ 'x-amz-grant-read': 'uri="http://example.com"' }, '400 InvalidArgument'],
    [{ 'x-amz-grant-read': 'emailAddress="x@example.com"' }, '400 UnresolvableGrantByEmailAddress'],
  ])('%j', async (headers, expected) => {
    const requests: readonly (readonly [Sent, string])[] = [
      [{ method: 'PUT', target: `/${bucket}/key?acl`, headers }, `/${bucket}/key`],
      [{ method: 'PUT', target: `/${bucket}?acl`, headers }, `/${bucket}`],
      [{ method: 'PUT', target: `/${bucket}/new`, headers, body: 'new' }, `/${bucket}/new`],
      [{ method: 'PUT', target: `/${bucket}-new`, headers }, `/${bucket}-new`],
    ];
    for (const [sent, target] of requests) {
      const answer = await as('owner', sent);
      if (typeof expected === 'string') expect(answer).toBe(expected);
      else expect([answer, ...(await grants(target))]).toEqual(['200', ...expected]);
    }
  });
});

describe('what is written', () => {
  test('has the ACL it was written with, and keeps it until it is written again', async () => {
    const target = `/${bucket}/key`;
    expect(await as('owner', { method: 'PUT', target, body: 'public', headers: { 'x-amz-acl': 'public-read' } })).toBe(
      '200',
    );
    expect((await ask('anonymous', { method: 'GET', target })).body).toBe('public');
    expect(await as('owner', { method: 'PUT', target, body: 'private' })).toBe('200');
    expect(await as('anonymous', { method: 'GET', target })).toBe('403 AccessDenied');
  });

  test('keeps bytes, ETag, Last-Modified and metadata when its ACL changes', async () => {
    const target = `/${bucket}/meta`;
    const headers = {
      'x-amz-meta-a': 'b',
      'x-amz-meta-odd-name': 'c',
      'content-type': 'text/x',
      'x-amz-storage-class': 'STANDARD_IA',
      'x-amz-checksum-crc32': '6Le+Qw==',
    };
    expect(await as('owner', { method: 'PUT', target, body: 'a', headers })).toBe('200');
    const read = { method: 'GET', target, headers: { 'x-amz-checksum-mode': 'ENABLED' } };
    const before = await ask('owner', read);
    await new Promise((resolve) => setTimeout(resolve, 1100));
    expect(await as('owner', { method: 'PUT', target: `${target}?acl`, headers: { 'x-amz-acl': 'public-read' } })).toBe(
      '200',
    );
    const after = await ask('anonymous', read);
    const varying = new Set(['date', 'x-amz-request-id', 'x-amz-id-2']);
    const stable = (all: Readonly<Record<string, string>>): object =>
      Object.fromEntries(Object.entries(all).filter(([name]) => !varying.has(name)));
    expect([after.status, after.body, stable(after.headers)]).toEqual([200, before.body, stable(before.headers)]);
  });

  test('a copy is private to who made it, unless it asks for something else', async () => {
    await as('owner', { method: 'PUT', target: `/${bucket}/key?acl`, headers: { 'x-amz-acl': 'public-read' } });
    const source = { 'x-amz-copy-source': `/${bucket}/key` };
    expect(await as('owner', { method: 'PUT', target: `/${bucket}/copy`, headers: source })).toBe('200');
    expect(await grants(`/${bucket}/copy`)).toEqual(['FULL_CONTROL owner']);
    expect(
      await as('owner', {
        method: 'PUT',
        target: `/${bucket}/copy`,
        headers: { ...source, 'x-amz-acl': 'public-read' },
      }),
    ).toBe('200');
    expect(await grants(`/${bucket}/copy`)).toEqual(['READ all', 'FULL_CONTROL owner']);
    const id = `id="${OTHER_CANONICAL_ID}"`;
    const headers = { ...source, 'x-amz-grant-read': id, 'x-amz-grant-write': id };
    expect(await as('owner', { method: 'PUT', target: `/${bucket}/copy`, headers })).toBe('200');
    expect(await grants(`/${bucket}/copy`)).toEqual(['READ other']);
  });

  test('a copy source must be readable', async () => {
    expect(await as('other', { method: 'PUT', target: '/others' })).toBe('200');
    const headers = { 'x-amz-copy-source': `/${bucket}/key` };
    expect(await as('other', { method: 'PUT', target: '/others/copy', headers })).toBe('403 AccessDenied');
    expect(
      await as('other', { method: 'PUT', target: '/others/copy', headers: { 'x-amz-copy-source': `/${bucket}/none` } }),
    ).toBe('403 AccessDenied');
    await as('owner', {
      method: 'PUT',
      target: `/${bucket}/key?acl`,
      headers: { 'x-amz-grant-read': `id=${OTHER_CANONICAL_ID}` },
    });
    expect(await as('other', { method: 'PUT', target: '/others/copy', headers })).toBe('200');
    expect(await grants('/others/copy', 'other')).toEqual(['FULL_CONTROL other']);
  });

  test('an upload makes an object with the ACL it was created with', async () => {
    const target = `/${bucket}/big`;
    const created = await ask('owner', {
      method: 'POST',
      target: `${target}?uploads`,
      headers: { 'x-amz-acl': 'public-read' },
    });
    const uploadId = /<UploadId>([^<]+)</.exec(created.body)?.[1] ?? '';
    const part = await ask('owner', {
      method: 'PUT',
      target: `${target}?partNumber=1&uploadId=${uploadId}`,
      body: 'part',
    });
    const body = `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${part.headers['etag'] ?? ''}</ETag></Part></CompleteMultipartUpload>`;
    expect(await as('owner', { method: 'POST', target: `${target}?uploadId=${uploadId}`, body })).toBe('200');
    expect(await grants(target)).toEqual(['READ all', 'FULL_CONTROL owner']);
    expect((await ask('anonymous', { method: 'GET', target })).body).toBe('part');
    expect(await as('owner', { method: 'PUT', target: `${target}?acl`, headers: { 'x-amz-acl': 'private' } })).toBe(
      '200',
    );
    expect(await as('anonymous', { method: 'GET', target })).toBe('403 AccessDenied');
    const head = await ask('owner', { method: 'HEAD', target });
    expect(head.headers['etag']).toMatch(/^"[0-9a-f]{32}-1"$/);
  });

  test('who may write, and knows all of an upload of somebody else, is told nothing of how it ended', async () => {
    await as('owner', { method: 'PUT', target: `/${bucket}?acl`, headers: { 'x-amz-acl': 'public-read-write' } });
    for (const starter of ['owner', 'user'] as const) {
      const target = `/${bucket}/ours-${starter}`;
      const created = await ask(starter, { method: 'POST', target: `${target}?uploads` });
      const uploadId = /<UploadId>([^<]+)</.exec(created.body)?.[1] ?? '';
      const part = await ask(starter, {
        method: 'PUT',
        target: `${target}?partNumber=1&uploadId=${uploadId}`,
        body: 'part',
      });
      const body = `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${part.headers['etag'] ?? ''}</ETag></Part></CompleteMultipartUpload>`;
      const complete: Sent = { method: 'POST', target: `${target}?uploadId=${uploadId}`, body };
      const outcomes: string[] = [];
      for (const caller of ['other', starter, 'other', 'anonymous', starter, 'owner'] as const) {
        outcomes.push(await as(caller, complete));
      }
      expect(outcomes).toEqual(['403 AccessDenied', '200', '403 AccessDenied', '403 AccessDenied', '200', '200']);
    }
  });

  test('by nobody belongs to the anonymous id', async () => {
    await as('owner', { method: 'PUT', target: `/${bucket}?acl`, headers: { 'x-amz-acl': 'public-read-write' } });
    const target = `/${bucket}/found`;
    expect(await as('anonymous', { method: 'PUT', target, body: 'left here' })).toBe('200');
    expect(await grants(target, 'anonymous')).toEqual(['FULL_CONTROL anonymous']);
    expect(await as('other', { method: 'GET', target })).toBe('403 AccessDenied');
    expect(await as('owner', { method: 'DELETE', target })).toBe('204');
  });

  test('uploads of another account in a public bucket are its own', async () => {
    await as('owner', { method: 'PUT', target: `/${bucket}?acl`, headers: { 'x-amz-acl': 'public-read-write' } });
    const target = `/${bucket}/theirs`;
    const created = await ask('other', { method: 'POST', target: `${target}?uploads` });
    const uploadId = /<UploadId>([^<]+)</.exec(created.body)?.[1] ?? '';
    const partOf: Sent = { method: 'PUT', target: `${target}?partNumber=1&uploadId=${uploadId}`, body: 'part' };
    const part = await ask('other', partOf);
    expect(outcome(part)).toBe('200');
    expect(await as('anonymous', partOf)).toBe('403 AccessDenied');
    expect(await as('anonymous', { method: 'DELETE', target: `${target}?uploadId=${uploadId}` })).toBe(
      '403 AccessDenied',
    );
    expect(await as('other', { method: 'GET', target: `${target}?uploadId=${uploadId}` })).toBe('200');
    expect(await as('owner', { method: 'GET', target: `${target}?uploadId=${uploadId}` })).toBe('200');
    const body = `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${part.headers['etag'] ?? ''}</ETag></Part></CompleteMultipartUpload>`;
    const complete: Sent = { method: 'POST', target: `${target}?uploadId=${uploadId}`, body };
    expect(await as('anonymous', complete)).toBe('403 AccessDenied');
    expect(await as('other', complete)).toBe('200');
    expect(await as('other', complete), 'repeated').toBe('200');
    expect(await as('anonymous', complete), 'repeated by somebody else who may write').toBe('403 AccessDenied');
    expect(await as('owner', complete), 'repeated by the owner of the bucket').toBe('200');
    expect(
      await as('anonymous', { ...complete, body: complete.body?.replace(/[0-9a-f]{32}/, '0'.repeat(32)) ?? '' }),
    ).toBe('404 NoSuchUpload');
    expect(await as('other', { method: 'GET', target })).toBe('200');
    expect(await as('owner', { method: 'GET', target })).toBe('403 AccessDenied');
  });
});

describe('buckets', () => {
  test('created again with the same ACL they stay, with another they are refused', async () => {
    const target = `/${bucket}-public`;
    const headers = { 'x-amz-acl': 'public-read' };
    expect(await as('owner', { method: 'PUT', target, headers })).toBe('200');
    expect(await as('owner', { method: 'PUT', target, headers })).toBe('200');
    expect(await as('owner', { method: 'PUT', target })).toBe('409 BucketAlreadyExists');
    expect(await as('owner', { method: 'PUT', target, headers: { 'x-amz-acl': 'public-read-write' } })).toBe(
      '409 BucketAlreadyExists',
    );
    expect(await grants(target)).toEqual(['READ all', 'FULL_CONTROL owner']);
  });

  test('a grantee with WRITE_ACP may change the ACL, until that is taken back', async () => {
    const acl = { method: 'PUT', target: `/${bucket}?acl` };
    expect(await as('owner', { ...acl, headers: { 'x-amz-grant-write-acp': `id=${OTHER_CANONICAL_ID}` } })).toBe('200');
    expect(await as('other', { method: 'GET', target: `/${bucket}?acl` })).toBe('403 AccessDenied');
    expect(await as('other', { ...acl, headers: { 'x-amz-acl': 'public-read' } })).toBe('200');
    expect(await as('other', { ...acl, headers: { 'x-amz-acl': 'private' } })).toBe('403 AccessDenied');
    expect(await grants(`/${bucket}`)).toEqual(['READ all', 'FULL_CONTROL owner']);
  });
});

test('the ACL of a bucket that another process put is answered at once, whatever this one remembers', async () => {
  const here = await startTestGateway({ bucketCacheMs: 60_000 });
  const there = await startGatewayOver(here.store, { bucketCacheMs: 60_000 });
  try {
    const bucketAcl = async (): Promise<string> =>
      (await send(here.port, 'owner', { method: 'GET', target: '/remembered?acl' })).body;
    await send(here.port, 'owner', { method: 'PUT', target: '/remembered' });
    expect(await bucketAcl()).not.toContain(ALL_USERS);
    const put = await send(there.port, 'owner', {
      method: 'PUT',
      target: '/remembered?acl',
      headers: { 'x-amz-acl': 'public-read' },
    });
    expect(put.status, put.body).toBe(200);
    expect(await bucketAcl()).toContain(ALL_USERS);
  } finally {
    await there.close();
    await here.close();
  }
});
