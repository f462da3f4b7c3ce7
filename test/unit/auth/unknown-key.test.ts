import { afterEach, describe, expect, it, vi } from 'vitest';
import { HeaderLines } from '../../../src/auth/header-lines.ts';
import type { RawRequest } from '../../../src/auth/raw-request.ts';
import { SigningKeys } from '../../../src/auth/signing-key.ts';
import { judge, sdkSigned } from './signed-requests.ts';

/** What a refusal looked at, in its order. */
function stepsOf(raw: RawRequest): unknown[] {
  const steps: unknown[] = [];
  for (const name of ['get', 'isRepeated', 'canonicalValue'] as const) {
    const before: (this: HeaderLines, header: string) => unknown = HeaderLines.prototype[name];
    vi.spyOn(HeaderLines.prototype, name).mockImplementation(function look(this: HeaderLines, header: string): never {
      steps.push([name, header]);
      return before.call(this, header) as never;
    });
  }
  const signingKeys = new SigningKeys();
  const keyFor = signingKeys.keyFor.bind(signingKeys);
  vi.spyOn(signingKeys, 'keyFor').mockImplementation((id, secret, scope) => {
    steps.push('keyFor');
    return keyFor(id, secret, scope);
  });
  expect(() => judge(raw, { signingKeys })).toThrow();
  vi.restoreAllMocks();
  return steps;
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe('an access key that nobody has', () => {
  it.each([
    ['by header', {}],
    ['presigned', { expiresIn: 60 }],
  ])('%s goes through the steps of a wrong secret, in their order', async (_, form) => {
    const unknown = stepsOf(await sdkSigned({ ...form, accessKeyId: 'AKIANOBODY7EXAMPLE00' }));
    const signed = await sdkSigned(form);
    const wrong = stepsOf({ ...signed, method: 'DELETE' });
    expect(unknown).toEqual(wrong);
    expect(unknown).toContain('keyFor');
  });

  it.each([
    ['a session token', { 'x-amz-security-token': 'token' }],
    ['an unsigned header', { 'x-amz-acl': 'private' }],
  ])('is named before %s, which a known one is refused for', async (_, headers) => {
    const more = Object.entries(headers).flat();
    const [unknown, known] = [await sdkSigned({ accessKeyId: 'AKIANOBODY7EXAMPLE00' }), await sdkSigned({})];
    expect(() => judge({ ...unknown, rawHeaders: [...unknown.rawHeaders, ...more] })).toThrow(
      expect.objectContaining({ code: 'InvalidAccessKeyId' }),
    );
    expect(() => judge({ ...known, rawHeaders: [...known.rawHeaders, ...more] })).toThrow(
      expect.objectContaining({ code: expect.stringMatching(/InvalidToken|AccessDenied/) as string }),
    );
  });
});
