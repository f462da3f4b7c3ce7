import { beforeAll, describe, expect, test } from 'vitest';
import type { Caller, Sent } from '../../support/clients/acl-client.ts';
import { outcome } from '../../support/clients/acl-client.ts';
import { type Fields, formRequest } from '../../support/clients/post-form.ts';
import { roundTrip } from '../../support/clients/raw-http.ts';
import { CANONICAL_ID } from '../../support/gateway/gateway.ts';
import { sharedGateway } from '../../support/gateway/shared-gateway.ts';

/*
 * An ACL may name accounts by their e-mail addresses. Whoever has keys can find out by that which addresses are
 * somebody's, as on AWS; whoever has none must not, and nobody where he may not write an ACL.
 */
const shared = sharedGateway();
const KNOWN = 'other@example.com';
const ADDRESSES = [
  KNOWN,
  'OTHER@example.com',
  'wire@example.com',
  'nobody@example.com',
  'other@example.com.',
  'other+more@example.com',
  '*@example.com',
  '__proto__',
];

beforeAll(async () => {
  const writable = { 'x-amz-object-ownership': 'ObjectWriter', 'x-amz-acl': 'public-read-write' };
  const ruled = { 'x-amz-object-ownership': 'ObjectWriter', 'x-amz-grant-write-acp': `uri="${ALL_USERS}"` };
  for (const [bucket, headers] of [
    ['writable', writable],
    ['ruled', ruled],
    ['closed', {}],
  ] as const) {
    expect(await shared.as('owner', { method: 'PUT', target: `/${bucket}`, headers })).toBe('200');
    const acl = bucket === 'ruled' ? { 'x-amz-grant-write-acp': `uri="${ALL_USERS}"` } : undefined;
    const key = { method: 'PUT', target: `/${bucket}/key`, ...(acl && { headers: acl }) };
    expect(await shared.as('owner', key)).toBe('200');
  }
  const policy = JSON.stringify({
    Version: '2012-10-17',
    Statement: [
      { Effect: 'Allow', Principal: '*', Action: ['s3:PutObject*'], Resource: 'arn:aws:s3:::enforced/*' },
      { Effect: 'Allow', Principal: '*', Action: 's3:PutBucketAcl', Resource: 'arn:aws:s3:::enforced' },
    ],
  });
  const enforced = { 'x-amz-object-ownership': 'BucketOwnerEnforced' };
  expect(await shared.as('owner', { method: 'PUT', target: '/enforced', headers: enforced })).toBe('200');
  expect(await shared.as('owner', { method: 'PUT', target: '/enforced?policy', body: policy })).toBe('204');
});

const ALL_USERS = 'http://acs.amazonaws.com/groups/global/AllUsers';

function aclDocument(address: string): string {
  const grantee = `<Grantee xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="AmazonCustomerByEmail"><EmailAddress>${address}</EmailAddress></Grantee>`;
  return `<AccessControlPolicy><Owner><ID>${CANONICAL_ID}</ID></Owner><AccessControlList><Grant>${grantee}<Permission>READ</Permission></Grant></AccessControlList></AccessControlPolicy>`;
}

const naming = (address: string): Record<string, string> => ({ 'x-amz-grant-read': `emailAddress="${address}"` });

const WAYS: Readonly<Record<string, (bucket: string, address: string) => Sent>> = {
  PutObject: (bucket, address) => ({ method: 'PUT', target: `/${bucket}/new`, headers: naming(address), body: 'x' }),
  CreateMultipartUpload: (bucket, address) => ({
    method: 'POST',
    target: `/${bucket}/new?uploads`,
    headers: naming(address),
  }),
  CopyObject: (bucket, address) => ({
    method: 'PUT',
    target: `/${bucket}/copy`,
    headers: { ...naming(address), 'x-amz-copy-source': `/${bucket}/key` },
  }),
  PutBucketAcl: (bucket, address) => ({ method: 'PUT', target: `/${bucket}?acl`, headers: naming(address) }),
  'PutBucketAcl, document': (bucket, address) => ({
    method: 'PUT',
    target: `/${bucket}?acl`,
    body: aclDocument(address),
  }),
  PutObjectAcl: (bucket, address) => ({ method: 'PUT', target: `/${bucket}/key?acl`, headers: naming(address) }),
  'PutObjectAcl, document': (bucket, address) => ({
    method: 'PUT',
    target: `/${bucket}/key?acl`,
    body: aclDocument(address),
  }),
  CreateBucket: (bucket, address) => ({ method: 'PUT', target: `/${bucket}`, headers: naming(address) }),
};

async function outcomes(
  caller: Caller,
  bucket: string,
  way: (bucket: string, address: string) => Sent,
): Promise<string[]> {
  const answers: string[] = [];
  for (const address of ADDRESSES) answers.push(await shared.as(caller, way(bucket, address)));
  return [...new Set(answers)];
}

describe.each(Object.entries(WAYS))('%s', (_name, way) => {
  test.each(['writable', 'ruled', 'closed', 'enforced'])(
    'nobody without keys tells addresses apart in %s',
    async (bucket) => {
      const [answer = '', ...others] = await outcomes('anonymous', bucket, way);
      expect(others).toEqual([]);
      expect(answer).toMatch(/^4/);
    },
  );

  test('nor does another account where it may not write an ACL', async () => {
    const name =
      _name === 'CreateBucket'
        ? /^(?:409 BucketAlreadyExists|400 UnresolvableGrantByEmailAddress)$/
        : /^403 AccessDenied$/;
    for (const answer of await outcomes('third', 'closed', way)) expect(answer).toMatch(name);
  });
});

test('nor by a form that nobody signed', async () => {
  const answers = new Set<string>();
  for (const address of ADDRESSES) {
    const fields: Fields = [['key', 'posted'], ...Object.entries(naming(address))];
    answers.add(outcome(await roundTrip(shared.gateway.port, formRequest('writable', { fields, file: 'x' }))));
  }
  expect([...answers]).toEqual(['400 UnresolvableGrantByEmailAddress']);
  expect(await shared.as('owner', { method: 'HEAD', target: '/writable/posted' })).toBe('404');
});

test.each(['third', 'owner'] as const)(
  'an address is an account for %s, in any case and no other letters',
  async (caller) => {
    const grant = async (address: string): Promise<string> =>
      shared.as(caller, { method: 'PUT', target: '/writable/granted', headers: naming(address) });
    for (const address of [KNOWN, 'OTHER@Example.COM']) expect(await grant(address)).toBe('200');
    for (const address of [
      'other@example.c\u03bfm',
      'other@example.com\u200b',
      'o\u0308ther@example.com',
      ' other@example.com',
      '',
    ]) {
      expect(await grant(Buffer.from(address).toString('latin1'))).toMatch(/^400 |^403 SignatureDoesNotMatch$/);
    }
  },
);
