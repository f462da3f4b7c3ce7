import { expect, test } from 'vitest';
import { resolveGrant } from '../../../../src/access/acl/resolve-grant.ts';
import { createAccountDirectory } from '../../../../src/access/directory.ts';
import { isS3Error } from '../../../../src/errors/s3-error.ts';
import type { RequestedGrantee } from '../../../../src/protocol/acl/requested-grant.ts';

const account = (
  name: string,
  email: string,
  accountNumber: string,
): Parameters<typeof createAccountDirectory>[0][number] => ({
  name,
  canonicalId: `id-${name}`,
  displayName: name,
  email,
  accountNumber,
  keys: [],
  users: [],
});
const accounts = createAccountDirectory([
  account('one', 'one@example.com', '111111111111'),
  account('two', 'shared@example.com', '222222222222'),
  account('three', 'Shared@example.com', '333333333333'),
]);

function resolve(type: RequestedGrantee['type'], value: string, isAnonymous = false): unknown {
  try {
    return resolveGrant(
      { grantee: { type, value, argument: type }, permission: 'READ' },
      { ownerId: 'id-one', accounts, isAnonymous },
    ).grantee;
  } catch (error) {
    if (isS3Error(error)) return error.code;
    throw error;
  }
}

test.each<[string, RequestedGrantee['type'], string, unknown]>([
  ['an account', 'id', 'id-two', { kind: 'account', id: 'id-two' }],
  ['the owner', 'id', 'id-one', { kind: 'owner' }],
  ['an id of nobody', 'id', 'id-four', 'InvalidArgument'],
  ['an address of one account, in any case', 'emailAddress', 'ONE@example.com', { kind: 'owner' }],
  ['an address of two accounts', 'emailAddress', 'shared@example.com', 'AmbiguousGrantByEmailAddress'],
  ['an address of nobody', 'emailAddress', 'none@example.com', 'UnresolvableGrantByEmailAddress'],
  ['a group', 'uri', 'http://acs.amazonaws.com/groups/global/AllUsers', { kind: 'group', group: 'AllUsers' }],
  ['no group', 'uri', 'http://acs.amazonaws.com/groups/global/Nobody', 'InvalidArgument'],
])('%s', (_what, type, value, expected) => {
  expect(resolve(type, value)).toEqual(expected);
});

test.each(['one@example.com', 'shared@example.com', 'none@example.com'])('nobody learns whose %s is', (address) => {
  expect(resolve('emailAddress', address, true)).toBe('UnresolvableGrantByEmailAddress');
});
