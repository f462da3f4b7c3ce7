import { describe, expect, test } from 'vitest';
import { redactFields, redactHeader, redactTarget, redactText } from '../../../src/observe/redact.ts';
import { expectGone } from './expect-gone.ts';

describe('names that say secret, known or not', () => {
  test.each([
    'pwd',
    'pass',
    'password',
    'key',
    'auth',
    'session',
    'jwt',
    'token',
    'sig',
    'otp',
    'apikey',
    'api_key',
    'db_password',
    'refreshToken',
    'X-Vault-Token',
    'PHPSESSID',
    'session_id',
    'x-functions-key',
    'subscription-key',
    'sas',
    'csrf',
    'my.secret',
    'clientSecret',
    'x-amz-mfa',
    'p%61ss',
    'a%75th',
    'X-Amz-Signature[]',
    'x-amz-signature%5B%5D',
    'X-Amz-Signature[0]',
    'sig%5b0%5D',
    'key[]',
    'login[pwd]',
    'login[pwd][0]',
    'token[a]',
    'sig[a]',
    'x-amz-security-token.1',
    'X-Amz-Signature%00',
    'x-amz-security-token%E2%80%8B',
    'x-amz-signature!',
    'authorization[]',
    'authorization-x',
    'authorization2',
    'x-authorization',
    'x-auth-token-old',
    'cookie2',
    'set-cookie2',
    'password1',
    'sig2',
  ])('%s', (parameter) => {
    const value = 'hunter2-hunter2';
    expectGone(redactTarget(`/b/k?list-type=2&${parameter}=${value}&x=y`), value);
    expectGone(redactHeader(decodeURIComponent(parameter), value), value);
    expectGone(redactText(`GET http://h/b?${parameter}=${value}&x=y failed`), value);
    expectGone(
      redactHeader('referer', `http://h/?next=${encodeURIComponent(`http://i/?a=b&${parameter}=${value}`)}`),
      value,
    );
  });

  test.each([
    'continuation-token',
    'key-marker',
    'upload-id-marker',
    'uploadId',
    'X-Amz-SignedHeaders',
    'X-Amz-Credential',
    'x-amz-access-key-id',
    'tokenizer',
    'design',
    'AWSAccessKeyId',
    'prefix',
    'start-after',
    'versionId',
  ])('%s is none', (parameter) => {
    expect(redactTarget(`/b?${parameter}=photos`)).toBe(`/b?${parameter}=photos`);
  });

  test('the key of an object is none', () => {
    expect(redactFields({ key: 'photos/cat.jpg' })).toEqual({ key: 'photos/cat.jpg' });
    expect(redactText('no such key: photos/cat.jpg')).toBe('no such key: photos/cat.jpg');
  });
});
