import { describe, expect, test } from 'vitest';
import { outcome } from '../../support/clients/acl-client.ts';

import {
  bucket,
  PAGE,
  openScene,
  ask,
  as,
  document,
  allowing,
  put,
  get,
  allow,
  told,
  preflight,
  asking,
} from './scene.ts';

openScene();

/** That it is refused, and leaves the rules as they were. */
async function expectRefused(body: string, expected: string, message = ''): Promise<void> {
  await allow(allowing('HEAD', PAGE));
  const answer = await ask('owner', { method: 'PUT', target: `/${bucket}?cors`, body });
  expect([outcome(answer), answer.body]).toEqual([expected, expect.stringContaining(message)]);
  expect(await get()).toBe(document(allowing('HEAD', PAGE)));
}

describe('the configuration', () => {
  test('is none, what was set, none again', async () => {
    expect(await get()).toBe('404 NoSuchCORSConfiguration');
    const whole = document(
      `<ID>all</ID>${allowing('GET PUT POST DELETE HEAD', 'https://*.example.com', '<AllowedOrigin>*</AllowedOrigin><AllowedHeader>x-amz-*</AllowedHeader><MaxAgeSeconds>600</MaxAgeSeconds><ExposeHeader>ETag</ExposeHeader><ExposeHeader>x-amz-request-id</ExposeHeader>')}`,
      allowing('GET', 'null'),
    );
    expect(await put(whole)).toBe('200');
    expect(await get()).toBe(whole);
    for (let again = 0; again < 2; again++) {
      expect(await as('owner', { method: 'DELETE', target: `/${bucket}?cors` })).toBe('204');
    }
    expect(await get()).toBe('404 NoSuchCORSConfiguration');
  });

  test('takes an age below zero: browsers remember nothing', async () => {
    await allow(allowing('GET', '*', '<AllowedHeader/><MaxAgeSeconds>-100</MaxAgeSeconds>'));
    expect(await get()).toBe(
      document(allowing('GET', '*', '<AllowedHeader></AllowedHeader><MaxAgeSeconds>-100</MaxAgeSeconds>')),
    );
    expect(told(await preflight(`/${bucket}/key`, asking('GET')))).toMatchObject({ 'max-age': '-100' });
  });

  test('survives other settings, and the most rules', async () => {
    const rules = Array.from({ length: 100 }, (_none, i) =>
      allowing('GET', `https://${'a'.repeat(300)}${i}.example.com`),
    );
    expect(await put(document(...rules))).toBe('200');
    expect(
      await as('owner', {
        method: 'PUT',
        target: `/${bucket}?versioning`,
        body: '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>',
      }),
    ).toBe('200');
    expect(await get()).toBe(document(...rules));
  });

  test.each([
    ['no rule', document(), '400 MalformedXML'],
    ['a rule without methods', document('<AllowedOrigin>*</AllowedOrigin>'), '400 MalformedXML'],
    ['a rule without origins', document('<AllowedMethod>GET</AllowedMethod>'), '400 MalformedXML'],
    [
      'an age out of bounds',
      document(allowing('GET', '*', '<MaxAgeSeconds>-2147483648</MaxAgeSeconds>')),
      '400 MalformedXML',
    ],
    ['an element nobody knows', document(allowing('GET', '*', '<Any/>')), '400 MalformedXML'],
    ['more than 64 KB', document(allowing('GET', 'a'.repeat(65_536))), '400 MaxMessageLengthExceeded'],
  ])('with %s is refused', (_name, body, expected) => expectRefused(body, expected));

  const allowed = (names: string): string => allowing('GET', '*', names);
  test.each([
    [
      'a method that is none',
      allowing('PATCH', '*'),
      'Found unsupported HTTP method in CORS config. Unsupported method is PATCH',
    ],
    [
      'a method in other letters',
      allowing('get', '*'),
      'Found unsupported HTTP method in CORS config. Unsupported method is get',
    ],
    [
      'two wildcards in an origin',
      allowing('GET', 'http://*.*'),
      'AllowedOrigin "http://*.*" can not have more than one wildcard.',
    ],
    [
      'two wildcards in a header',
      allowed('<AllowedHeader>*-*</AllowedHeader>'),
      'AllowedHeader "*-*" can not have more than one wildcard.',
    ],
    [
      'a wildcard to expose',
      allowed('<ExposeHeader>*</ExposeHeader>'),
      'ExposeHeader "*" contains wildcard. We currently do not support wildcard for ExposeHeader.',
    ],
    [
      'a header to expose that is none',
      allowed('<ExposeHeader>a: b&#xD;&#xA;c</ExposeHeader>'),
      'contains invalid character',
    ],
    [
      'a header to allow that is none',
      allowed('<AllowedHeader>x-a</AllowedHeader><AllowedHeader>X(Custom)</AllowedHeader>'),
      'AllowedHeader "X(Custom)" contains invalid character.',
    ],
    ['a long name', `<ID>${'i'.repeat(256)}</ID>${allowed('')}`, 'ID length should not exceed allowed limit of 255'],
  ])('with %s is refused, and told why', (_name, rule, message) =>
    expectRefused(document(rule), '400 InvalidRequest', message),
  );

  test('with 101 rules is refused, and told why', () => {
    const rules = document(...Array<string>(101).fill(allowing('GET', '*')));
    const message = 'The number of CORS rules should not exceed allowed limit of 100 rules.';
    return expectRefused(rules, '400 InvalidRequest', message);
  });

  test.each(['other', 'anonymous'] as const)("is the owner's alone: %s", async (caller) => {
    await allow(allowing('GET', '*'));
    expect(await as(caller, { method: 'GET', target: `/${bucket}?cors` })).toBe('403 AccessDenied');
    expect(await as(caller, { method: 'PUT', target: `/${bucket}?cors`, body: document(allowing('PUT', '*')) })).toBe(
      '403 AccessDenied',
    );
    expect(await as(caller, { method: 'DELETE', target: `/${bucket}?cors` })).toBe('403 AccessDenied');
    expect(await get()).toBe(document(allowing('GET', '*')));
  });
});
