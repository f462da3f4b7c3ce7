import { describe, expect, it } from 'vitest';
import { base32, derivedIds, uniqueId } from '../../../../src/access/identities/derived-ids.ts';

describe("what is made of an account's name", () => {
  // Bucket records hold these: they may never change. The first is `printf s3gw:canonical-id:main | sha256sum`.
  it('is always the same', () => {
    expect(derivedIds('main')).toEqual({
      canonicalId: '091f6bebe3eb0d65039d66ac8f74aeb5b60878b257ffb71482bd476f3b613851',
      accountNumber: '340163698846',
      displayName: 'main',
      email: 'main@accounts.invalid',
    });
    expect(uniqueId('AIDA', 'arn:aws:iam::123456789012:user/alice')).toBe('AIDAGEYHRZOJJCAOD7TDX');
  });

  it.each(['main', 'Team A', '日本', '-', 'a'.repeat(300)])('%s has ids of the right form', (name) => {
    const { canonicalId, accountNumber, email } = derivedIds(name);
    expect(canonicalId).toMatch(/^[0-9a-f]{64}$/);
    expect(accountNumber).toMatch(/^\d{12}$/);
    expect(email).toMatch(/^[a-z0-9][a-z0-9_-]*@accounts\.invalid$/);
  });

  it('base32 is that of RFC 4648', () => {
    expect(base32(Buffer.from('foobar1234'))).toBe('MZXW6YTBOIYTEMZU');
  });
});
