import { describe, expect, test } from 'vitest';
import { type Sent, contentMd5 } from '../../support/clients/acl-client.ts';
import { CANONICAL_ID, OTHER_CANONICAL_ID } from '../../support/gateway/gateway.ts';
import { ALL_USERS, bucket, openScene, ask, as, grants, policy, grant, OTHER_READS } from './scene.ts';

openScene();

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
    [
      'a type under another prefix',
      policy(OTHER_READS.replaceAll('xsi:', 'i:').replaceAll(':xsi', ':i')),
      ['READ other'],
    ],
    ['nobody', policy(''), []],
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
    ['nothing in it', '<AccessControlPolicy/>', '400 MalformedACLError'],
    [
      'no list',
      `<AccessControlPolicy><Owner><ID>${CANONICAL_ID}</ID></Owner></AccessControlPolicy>`,
      '400 MalformedACLError',
    ],
    ['no owner element', policy(OTHER_READS, ''), ['READ other']],
    ['an owner without an id', policy(OTHER_READS, '<Owner/>'), '400 MalformedACLError'],
    ['an owner with an empty id', policy(OTHER_READS, '<Owner><ID></ID></Owner>'), '400 MalformedACLError'],
    ['an owner whose id is none', policy(OTHER_READS, '<Owner><ID>wire</ID></Owner>'), '400 InvalidArgument'],
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
