import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { outcome } from '../../support/clients/acl-client.ts';
import { type Fields, exactly, signatureV4, signedV4 } from '../../support/clients/post-form.ts';
import { ACCESS_KEY, SECRET_KEY } from '../../support/clients/sign-raw.ts';
import { ask, bucket, expectNothing, keys, openScene, post, signed } from './scene.ts';

openScene();

describe('the policy', () => {
  const key: Fields = [['key', 'user/k']];

  test.each<[string, Fields, readonly unknown[], string, string]>([
    [
      'another key',
      key,
      [['starts-with', '$key', 'other/']],
      '403 AccessDenied',
      'Policy Condition failed: ["starts-with", "$key", "other/"]',
    ],
    [
      'a field that is missing',
      key,
      [
        ['starts-with', '$key', ''],
        ['starts-with', '$Content-Type', ''],
      ],
      '403 AccessDenied',
      'Policy Condition failed: ["starts-with", "$Content-Type", ""]',
    ],
    [
      'a field too many',
      [...key, ['x-amz-meta-a', 'b']],
      [['eq', '$key', 'user/k']],
      '403 AccessDenied',
      'Extra input fields: x-amz-meta-a',
    ],
    ['no word of the key', key, [], '403 AccessDenied', 'Extra input fields: key'],
    [
      'another ACL',
      [...key, ['acl', 'public-read']],
      [{ key: 'user/k' }, { acl: 'private' }],
      '403 AccessDenied',
      'Policy Condition failed: ["eq", "$acl", "private"]',
    ],
    [
      'one type of several',
      [...key, ['Content-Type', 'image/png,text/html']],
      [{ key: 'user/k' }, ['starts-with', '$Content-Type', 'image/']],
      '403 AccessDenied',
      'Policy Condition failed',
    ],
    [
      'a repeated field',
      [
        ['key', 'user/k'],
        ['key', 'z'],
      ],
      [{ key: 'user/k' }],
      '403 AccessDenied',
      'Policy Condition failed',
    ],
    [
      'a file too large',
      key,
      [{ key: 'user/k' }, ['content-length-range', 0, 4]],
      '400 EntityTooLarge',
      '<MaxSizeAllowed>4</MaxSizeAllowed>',
    ],
    [
      'a file too small',
      key,
      [{ key: 'user/k' }, ['content-length-range', 6, 10]],
      '400 EntityTooSmall',
      '<MinSizeAllowed>6</MinSizeAllowed>',
    ],
    [
      'ranges that leave nothing',
      key,
      [{ key: 'user/k' }, ['content-length-range', 0, 4], ['content-length-range', 6, 9]],
      '400 EntityTooLarge',
      '',
    ],
    [
      'half a range',
      key,
      [{ key: 'user/k' }, ['content-length-range', 1]],
      '400 InvalidPolicyDocument',
      'Invalid Policy',
    ],
    [
      'a range below zero',
      key,
      [{ key: 'user/k' }, ['content-length-range', -1, 5]],
      '400 InvalidPolicyDocument',
      'Invalid Policy',
    ],
    [
      'an empty condition',
      key,
      [{}],
      '400 InvalidPolicyDocument',
      'Simple-Conditions must have exactly one property specified.',
    ],
    [
      'two conditions in one',
      key,
      [{ key: 'user/k', acl: 'private' }],
      '400 InvalidPolicyDocument',
      'Simple-Conditions must have exactly one property specified.',
    ],
    ['a number', key, [{ key: 1 }], '400 InvalidPolicyDocument', 'value must be a string'],
    ['an operation nobody knows', key, [['ends-with', '$key', 'k']], '400 InvalidPolicyDocument', 'unknown operation'],
    [
      'a field without its sign',
      key,
      [{ key: 'user/k' }, ['eq', 'key', 'user/k']],
      '403 AccessDenied',
      'Policy Condition failed: ["eq", "key", "user/k"]',
    ],
    ['a field that is a number', key, [['eq', 1, 'user/k']], '400 InvalidPolicyDocument', 'Invalid Policy'],
    ['what is no condition', key, ['key'], '400 InvalidPolicyDocument', 'Invalid Policy'],
  ])('%s is refused', async (_name, ...[fields, conditions, expected, message]) => {
    const answer = await post({ fields: signedV4(fields, [{ bucket }, ...conditions]), file: 'bytes' });
    expect([outcome(answer), answer.body]).toEqual([expected, expect.stringContaining(message)]);
    await expectNothing();
  });

  test('names fields and operations in any letters', async () => {
    const fields: Fields = [
      ['KeY', 'user/k'],
      ['aCL', 'private'],
      ['X-Ignore-Me', 'x'],
    ];
    expect(
      outcome(
        await signed(fields, 'bytes', [
          { BucKet: bucket },
          ['StArTs-WiTh', '$kEy', 'user/'],
          { Acl: 'private' },
          ['Content-Length-Range', '1', '5'],
        ]),
      ),
    ).toBe('204');
  });

  test.each<[string, unknown, string]>([
    ['expired', new Date(Date.now() - 1000).toISOString(), '403 AccessDenied'],
    ['of another form', '2030-01-01 00:00:00', '400 InvalidPolicyDocument'],
    ['of no day', '2030-13-01T00:00:00Z', '400 InvalidPolicyDocument'],
    ['a number', 4_000_000_000, '400 InvalidPolicyDocument'],
  ])('with an expiration that is %s', async (_name, expiration, expected) => {
    expect(outcome(await post({ fields: signedV4(key, exactly(key, bucket), { expiration }), file: 'x' }))).toBe(
      expected,
    );
    await expectNothing();
  });

  test.each([
    '',
    '{',
    '[]',
    'null',
    '"x"',
    '{}',
    '{"expiration":"2099-01-01T00:00:00Z"}',
    '{"expiration":"2099-01-01T00:00:00Z","conditions":{}}',
    '{"conditions":[]}',
    '{"EXPIRATION":"2099-01-01T00:00:00Z","conditions":[]}',
    '\u00ff',
  ])('that is %j is refused', async (document) => {
    const amzDate = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
    const scope = [amzDate.slice(0, 8), 'us-east-1', 's3', 'aws4_request'];
    const signing: Fields = [
      ['x-amz-algorithm', 'AWS4-HMAC-SHA256'],
      ['x-amz-credential', [ACCESS_KEY, ...scope].join('/')],
      ['x-amz-date', amzDate],
    ];
    const fields = [...key, ...signing, ...signatureV4(document, { secretKey: SECRET_KEY, scope })];
    expect(outcome(await post({ fields, file: 'x' }))).toBe('400 InvalidPolicyDocument');
    await expectNothing();
  });

  test('altered in any field is refused', async () => {
    const fields: Fields = [
      ['key', 'user/k'],
      ['acl', 'private'],
      ['Content-Type', 'text/plain'],
      ['x-amz-meta-a', 'b'],
      ['success_action_status', '201'],
      ['x-amz-storage-class', 'STANDARD'],
    ];
    const whole = signedV4(fields, exactly(fields, bucket));
    expect(outcome(await post({ fields: whole, file: 'x' }))).toBe('201');
    expect((await ask('owner', { method: 'DELETE', target: `/${bucket}/user/k` })).status).toBe(204);
    const edits = fc.constantFrom<(value: string) => string>(
      (value) => `${value}x`,
      (value) => value.slice(0, -1),
      (value) => `x${value}`,
      (value) => value.replace(/[a-y0-8]/, (one) => String.fromCharCode(one.charCodeAt(0) + 1)),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: whole.length - 1 }),
        edits,
        fc.constantFrom('alter', 'drop', 'repeat', 'add'),
        async (at, edit, how) => {
          const altered = whole.flatMap(([name, value], i): Fields => {
            if (i !== at) return [[name, value]];
            if (how === 'drop') return [];
            if (how === 'repeat') {
              return [
                [name, value],
                [name, edit(value)],
              ];
            }
            return how === 'add'
              ? [
                  [name, value],
                  [`x-amz-meta-${edit('z')}`, 'z'],
                ]
              : [[name, edit(value)]];
          });
          if (JSON.stringify(altered) === JSON.stringify(whole)) return;
          expect(outcome(await post({ fields: altered, file: 'x' }))).toMatch(/^40[03] /);
          expect(await keys()).toEqual([]);
        },
      ),
      { numRuns: 200 },
    );
  });
});
