import { describe, expect, it } from 'vitest';
import type { Principal } from '../../../../src/access/accounts.ts';
import { decide } from '../../../../src/access/authorize.ts';
import { isPublicPolicy } from '../../../../src/access/policy/public.ts';
import { named, statement } from './policies.ts';

const PROVIDER = 'arn:aws:iam::111122223333:oidc-provider/idp.example.com';
const account = {
  name: 'main',
  canonicalId: 'c1',
  displayName: 'main',
  email: 'main@example.com',
  accountNumber: '111122223333',
};
const root: Principal = { kind: 'account', account, accessKeyId: 'k' };

/** A session of a role without policies. @param provider absent: a user assumed it */
function session(provider?: string, narrowed?: object): Principal {
  const user = { name: 'pod/1', arn: 'arn:aws:sts::111122223333:assumed-role/pod/1', id: 'AROA:1' };
  const role = { name: 'pod', arn: 'arn:aws:iam::111122223333:role/pod' };
  const policies = narrowed && { policies: [named(statement(narrowed), 'session')] };
  const temporary = { role, issuedAt: 0, expiresAt: 1, ...policies, ...(provider !== undefined && { provider }) };
  return { kind: 'account', account, accessKeyId: 'k', user, session: temporary };
}

function isAllowed(principal: Principal, fields: object): boolean {
  const settings = { policy: statement(fields, 'resource') };
  const bucket = { name: 'bucket', ownerId: 'c1', settings };
  return decide(principal, 's3:GetObject', { bucket, key: 'key', object: { ownerId: 'c1' } }).allowed;
}

describe('a principal that is an identity provider', () => {
  it.each([PROVIDER, '*'])('names the sessions that its tokens got, and nobody else: %s', (provider) => {
    const fields = { Principal: { Federated: provider } };
    expect(isAllowed(session(PROVIDER), fields)).toBe(true);
    expect(isAllowed(session(), fields)).toBe(false);
    expect(isAllowed({ kind: 'anonymous' }, fields)).toBe(false);
    expect(isAllowed(root, { ...fields, Effect: 'Deny' })).toBe(true);
  });

  it('is one provider', () => {
    expect(isAllowed(session(`${PROVIDER}/other`), { Principal: { Federated: PROVIDER } })).toBe(false);
  });

  it('lets a session do no more than its own policy', () => {
    const fields = { Principal: { Federated: PROVIDER } };
    expect(isAllowed(session(PROVIDER, { Action: 's3:GetObject' }), fields)).toBe(true);
    expect(isAllowed(session(PROVIDER, { Action: 's3:PutObject' }), fields)).toBe(false);
  });

  it('is public where it is any', () => {
    const isPublic = (provider: string): boolean =>
      isPublicPolicy(named(statement({ Principal: { Federated: provider } }, 'resource'), 'resource').document);
    expect([isPublic('*'), isPublic(PROVIDER)]).toEqual([true, false]);
  });
});
