import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import fc from 'fast-check';
import '../support/property-seed.ts';
import { type Caller, outcome, send } from '../support/acl-client.ts';
import { type TestGateway, startTestGateway } from '../support/gateway.ts';
import {
  BOUNDARY,
  type Fields,
  type FormParts,
  exactly,
  formBody,
  formRequest,
  signatureV4,
  signedV2,
  signedV4,
} from '../support/post-form.ts';
import { type RawAnswer, RawConnection, roundTrip } from '../support/raw-http.ts';
import { ACCESS_KEY, OTHER_ACCESS_KEY, SECRET_KEY, signedHead } from '../support/sign-raw.ts';
import { testCall } from '../support/test-call.ts';

let gateway: TestGateway;
let strict: TestGateway;
let bucket: string;
let made = 0;
let before: ReadonlySet<string>;

beforeAll(async () => {
  gateway = await startTestGateway({ presignedV2: true });
  strict = await startTestGateway();
});
afterAll(async () => {
  await gateway.close();
  await strict.close();
});

beforeEach(async () => {
  bucket = `form-${++made}`;
  expect((await send(gateway.port, 'owner', { method: 'PUT', target: `/${bucket}` })).status).toBe(200);
  before = new Set(await staged());
});

function post(parts: FormParts, headers: Readonly<Record<string, string>> = {}): Promise<RawAnswer> {
  return roundTrip(gateway.port, formRequest(bucket, parts, headers), 'POST');
}

/** A form that its owner signed, just for these fields. */
function signed(
  fields: Fields,
  file: string | Buffer = 'bytes',
  conditions: readonly unknown[] = exactly(fields, bucket),
): Promise<RawAnswer> {
  return post({ fields: signedV4(fields, conditions), file });
}

function get(key: string, caller: Caller = 'owner', query = ''): Promise<RawAnswer> {
  return send(gateway.port, caller, { method: 'GET', target: `/${bucket}/${key}${query}` });
}

async function keys(): Promise<string[]> {
  const { body } = await send(gateway.port, 'owner', { method: 'GET', target: `/${bucket}?versions` });
  return Array.from(body.matchAll(/<Key>([^<]*)<\/Key>/g), ([, key]) => key ?? '');
}

async function expectNothing(): Promise<void> {
  expect(await keys()).toEqual([]);
  expect((await staged()).filter((name) => !before.has(name))).toEqual([]);
}

/** What lies in the system container for objects. */
async function staged(): Promise<string[]> {
  const names: string[] = [];
  const page = await gateway.store.list('system', { limit: 1000 }, testCall());
  for (const entry of page.entries) if (!entry.name.startsWith('b/')) names.push(entry.name);
  return names;
}

describe('a signed form', () => {
  test('is an object, as PutObject would make it', async () => {
    const fields: Fields = [
      ['key', 'dir/a b+\u00e9.txt'],
      ['acl', 'public-read'],
      ['Content-Type', 'text/plain'],
      ['Cache-Control', 'no-cache'],
      ['Content-Disposition', 'inline'],
      ['Expires', 'never'],
      ['x-amz-meta-Colour', 'r\u00f6t'],
      ['x-amz-storage-class', 'STANDARD_IA'],
      ['x-amz-website-redirect-location', '/elsewhere'],
      ['tagging', '<Tagging><TagSet><Tag><Key>a b</Key><Value>c+d=</Value></Tag></TagSet></Tagging>'],
      ['x-amz-server-side-encryption', 'AES256'],
    ];
    const answer = await signed(fields);
    const etag = `"${createHash('md5').update('bytes').digest('hex')}"`;
    expect([
      answer.status,
      answer.body,
      answer.headers['etag'],
      answer.headers['x-amz-server-side-encryption'],
    ]).toEqual([204, '', etag, 'AES256']);
    const key = 'dir/a%20b%2B%C3%A9.txt';
    expect(answer.headers['location']).toBe(`http://localhost/${bucket}/${key}`);
    const stored = await get(key, 'anonymous');
    expect([stored.status, stored.body]).toEqual([200, 'bytes']);
    expect(stored.headers).toMatchObject({
      etag: etag,
      'content-type': 'text/plain',
      'cache-control': 'no-cache',
      'content-disposition': 'inline',
      expires: 'never',
      'x-amz-tagging-count': '1',
      'x-amz-storage-class': 'STANDARD_IA',
      'x-amz-website-redirect-location': '/elsewhere',
      'x-amz-meta-colour': `=?UTF-8?B?${Buffer.from('r\u00f6t').toString('base64')}?=`,
    });
    expect((await get(key, 'owner', '?tagging')).body).toContain('<Tag><Key>a b</Key><Value>c+d=</Value></Tag>');
  });

  test.each([0, 1, 20_000, 60_000, 64 * 1024, 90_000, 300_000, 3_000_000])('has a file of %i bytes', async (size) => {
    const bytes = randomBytes(size);
    const md5 = createHash('md5').update(bytes).digest('hex');
    const sha256 = createHash('sha256').update(bytes).digest('base64');
    const fields: Fields = [
      ['key', 'file'],
      ['content-md5', Buffer.from(md5, 'hex').toString('base64')],
      ['x-amz-checksum-sha256', sha256],
    ];
    for (const behind of [
      '',
      `\r\n--${BOUNDARY}\r\nContent-Disposition: form-data; name="submit"\r\n\r\n${'Upload '.repeat(1000)}`,
    ]) {
      const answer = await post({ fields: signedV4(fields, exactly(fields, bucket)), file: bytes, behind });
      expect([outcome(answer), answer.headers['etag'], answer.headers['x-amz-checksum-sha256']]).toEqual([
        '204',
        `"${md5}"`,
        sha256,
      ]);
      const head = await send(gateway.port, 'owner', {
        method: 'HEAD',
        target: `/${bucket}/file`,
        headers: { 'x-amz-checksum-mode': 'ENABLED' },
      });
      expect(head.headers).toMatchObject({
        'content-length': String(size),
        etag: `"${md5}"`,
        'x-amz-checksum-sha256': sha256,
        'content-type': 'binary/octet-stream',
      });
      const answerBytes = await fetch(`http://127.0.0.1:${gateway.port}/${bucket}/file`, {
        headers: signedHeaders(`/${bucket}/file`, `127.0.0.1:${gateway.port}`),
      });
      expect(
        createHash('md5')
          .update(Buffer.from(await answerBytes.arrayBuffer()))
          .digest('hex'),
      ).toBe(md5);
    }
  });

  test.each(['Enabled', 'Suspended'])('makes a version where versioning is %s', async (status) => {
    await send(gateway.port, 'owner', {
      method: 'PUT',
      target: `/${bucket}?versioning`,
      body: `<VersioningConfiguration><Status>${status}</Status></VersioningConfiguration>`,
    });
    for (const size of [5, 200_000, 300_000]) {
      const answer = await signed([['key', 'k']], randomBytes(size));
      expect([outcome(answer), answer.headers['x-amz-version-id'] === undefined]).toEqual([
        '204',
        status === 'Suspended',
      ]);
      expect(
        (await send(gateway.port, 'owner', { method: 'HEAD', target: `/${bucket}/k` })).headers['content-length'],
      ).toBe(String(size));
    }
    expect((await keys()).length).toBe(status === 'Enabled' ? 3 : 1);
  });

  test('keeps the conditions of a PUT, and the locks of the bucket', async () => {
    expect(
      outcome(
        await signed([
          ['key', 'k'],
          ['if-none-match', '*'],
        ]),
      ),
    ).toBe('204');
    for (const size of [10, 200_000]) {
      expect(
        outcome(
          await signed(
            [
              ['key', 'k'],
              ['if-none-match', '*'],
            ],
            randomBytes(size),
          ),
        ),
      ).toBe('412 PreconditionFailed');
    }
    expect(
      outcome(
        await post(
          { fields: signedV4([['key', 'k']], exactly([['key', 'k']], bucket)), file: 'other' },
          { 'if-none-match': '*' },
        ),
      ),
    ).toBe('412 PreconditionFailed');
    expect((await get('k')).body).toBe('bytes');
    const until = new Date(Date.now() + 3_600_000).toISOString();
    expect(
      outcome(
        await signed([
          ['key', 'l'],
          ['x-amz-object-lock-mode', 'GOVERNANCE'],
          ['x-amz-object-lock-retain-until-date', until],
        ]),
      ),
    ).toBe('400 InvalidRequest');
  });

  test('by version 2 counts where it is allowed', async () => {
    const fields: Fields = [['key', 'k']];
    const parts = { fields: signedV2(fields, exactly(fields, bucket)), file: 'bytes' };
    expect(outcome(await post(parts))).toBe('204');
    expect(outcome(await roundTrip(strict.port, formRequest(bucket, parts), 'POST'))).toBe('400 InvalidRequest');
    expect(
      outcome(
        await post({
          ...parts,
          fields: parts.fields.map(([name, value]) => [name, name === 'signature' ? value.toLowerCase() : value]),
        }),
      ),
    ).toBe('403 SignatureDoesNotMatch');
  });

  test('reaches the bucket by its host', async () => {
    const fields: Fields = [
      ['key', 'k'],
      ['success_action_status', '201'],
    ];
    const answer = await roundTrip(
      gateway.port,
      formRequest(
        '',
        { fields: signedV4(fields, exactly(fields, bucket)), file: 'bytes' },
        { host: `${bucket}.localhost` },
      ),
      'POST',
    );
    expect([answer.status, answer.headers['location']]).toEqual([201, `http://${bucket}.localhost/k`]);
    expect((await get('k')).body).toBe('bytes');
  });

  test('of an account without permission is refused, as one that is signed for another bucket', async () => {
    const fields: Fields = [['key', 'k']];
    expect(
      outcome(
        await post({ fields: signedV4(fields, exactly(fields, bucket), { accessKey: OTHER_ACCESS_KEY }), file: 'x' }),
      ),
    ).toBe('403 AccessDenied');
    expect(outcome(await signed(fields, 'x', exactly(fields, 'another')))).toBe('403 AccessDenied');
    expect(outcome(await signed([...fields, ['bucket', 'another']], 'x', exactly(fields, 'another')))).toBe(
      '403 AccessDenied',
    );
    await expectNothing();
  });
});

function signedHeaders(target: string, host: string): Record<string, string> {
  const lines = signedHead({ target, host }).split('\r\n').slice(1).filter(Boolean);
  const pairs = lines.map((line): [string, string] => [
    line.slice(0, line.indexOf(':')),
    line.slice(line.indexOf(':') + 2),
  ]);
  return Object.fromEntries(pairs.filter(([name]) => name !== 'host'));
}

describe('an anonymous form', () => {
  test('is refused unless the bucket is open', async () => {
    const parts = { fields: [['key', 'k']] as const, file: 'bytes' };
    expect(outcome(await post(parts))).toBe('403 AccessDenied');
    await send(gateway.port, 'owner', {
      method: 'PUT',
      target: `/${bucket}?acl`,
      headers: { 'x-amz-acl': 'public-read-write' },
    });
    await new Promise((done) => setTimeout(done, 30));
    expect(outcome(await post(parts))).toBe('204');
    expect(
      outcome(
        await post({
          ...parts,
          fields: [
            ...parts.fields,
            ['tagging', '<Tagging><TagSet><Tag><Key>k</Key><Value>v</Value></Tag></TagSet></Tagging>'],
          ],
        }),
      ),
    ).toBe('204');
    expect(outcome(await post({ ...parts, fields: [...parts.fields, ['x-amz-object-lock-legal-hold', 'ON']] }))).toBe(
      '403 AccessDenied',
    );
  });
});

describe('the answer', () => {
  const ask = (name: string, value: string): Promise<RawAnswer> =>
    signed([
      ['key', 'a/b c'],
      [name, value],
    ]);

  test.each([
    ['200', 200],
    ['201', 201],
    ['204', 204],
    ['404', 204],
    ['', 204],
  ])('success_action_status %s: %i', async (value, status) => {
    const answer = await ask('success_action_status', value);
    expect([answer.status, answer.headers['content-length']]).toEqual([
      status,
      status === 204 ? undefined : status === 200 ? '0' : expect.any(String),
    ]);
    if (status !== 201) return;
    const etag = answer.headers['etag'] ?? '';
    expect(answer.body).toBe(
      '<?xml version="1.0" encoding="UTF-8"?>\n' +
        `<PostResponse><Location>http://localhost/${bucket}/a/b%20c</Location><Bucket>${bucket}</Bucket><Key>a/b c</Key><ETag>${etag.replaceAll('"', '&quot;')}</ETag></PostResponse>`,
    );
  });

  test.each([
    ['http://example.com/done', 'http://example.com/done?'],
    ['https://example.com/done?a=b#c', 'https://example.com/done?a=b&'],
    ['/done', undefined],
    ['javascript:alert(1)', undefined],
    ['http://', undefined],
    ['http://example.com/\u00e9', undefined],
    ['http://example.com/ x', undefined],
  ])('success_action_redirect %s', async (value, begins) => {
    const answer = await ask('success_action_redirect', value);
    if (begins === undefined) {
      expect(answer.status).toBe(204);
    } else {
      const etag = encodeURIComponent(answer.headers['etag'] ?? '');
      expect([answer.status, answer.headers['location']]).toEqual([
        303,
        `${begins}bucket=${bucket}&key=a%2Fb%20c&etag=${etag}${value.includes('#') ? '#c' : ''}`,
      ]);
    }
    expect(await keys()).toEqual(['a/b c']);
  });

  test('says to the page what CORS allows', async () => {
    const body =
      '<CORSConfiguration><CORSRule><AllowedMethod>POST</AllowedMethod><AllowedOrigin>https://p.example</AllowedOrigin><ExposeHeader>ETag</ExposeHeader></CORSRule></CORSConfiguration>';
    await send(gateway.port, 'owner', { method: 'PUT', target: `/${bucket}?cors`, body });
    await new Promise((done) => setTimeout(done, 30));
    for (const fields of [signedV4([['key', 'k']], exactly([['key', 'k']], bucket)), [['key', 'k']] as const]) {
      const answer = await post({ fields, file: 'x' }, { origin: 'https://p.example' });
      expect([answer.headers['access-control-allow-origin'], answer.headers['access-control-expose-headers']]).toEqual([
        'https://p.example',
        'ETag',
      ]);
    }
  });
});

describe('${filename}', () => {
  test.each([
    ['photo.jpg', 'photo.jpg'],
    ['C:\\\\Users\\\\me\\\\photo.jpg', 'photo.jpg'],
    ['../../photo.jpg', 'photo.jpg'],
    ['$&$1.jpg', '$&$1.jpg'],
    ['\u00fc.jpg', '\u00fc.jpg'],
  ])('%s', async (filename, name) => {
    const fields: Fields = [
      ['key', 'up/${filename}'],
      ['x-amz-meta-name', 'n-${filename}'],
    ];
    const conditions = [{ bucket }, ['starts-with', '$key', 'up/'], ['starts-with', '$x-amz-meta-name', '']];
    expect(outcome(await post({ fields: signedV4(fields, conditions), file: 'x', filename }))).toBe('204');
    expect(await keys()).toEqual([`up/${name.replaceAll('&', '&amp;')}`]);
  });

  test('that is put where the policy does not allow it is refused', async () => {
    const fields: Fields = [['key', '${filename}']];
    expect(
      outcome(
        await post({
          fields: signedV4(fields, [{ bucket }, ['starts-with', '$key', 'user/']]),
          file: 'x',
          filename: 'other',
        }),
      ),
    ).toBe('403 AccessDenied');
    expect(
      outcome(
        await post({ fields: signedV4(fields, [{ bucket }, ['starts-with', '$key', '']]), file: 'x', filename: '' }),
      ),
    ).toBe('400 InvalidArgument');
    await expectNothing();
  });
});

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
    expect((await send(gateway.port, 'owner', { method: 'DELETE', target: `/${bucket}/user/k` })).status).toBe(204);
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

describe('a form that is none', () => {
  const fields: Fields = [['key', 'k']];
  const SIGNED = (): Fields => signedV4(fields, exactly(fields, bucket));

  test.each<[string, () => FormParts, string]>([
    ['no file', () => ({ fields: SIGNED() }), '400 InvalidArgument'],
    ['no key', () => ({ fields: signedV4([], [{ bucket }]), file: 'x' }), '400 InvalidArgument'],
    [
      'a key behind the file',
      () => ({
        fields: signedV4([], exactly(fields, bucket)),
        file: 'x',
        behind: `\r\n--${BOUNDARY}\r\nContent-Disposition: form-data; name="key"\r\n\r\nk`,
      }),
      '400 InvalidArgument',
    ],
    [
      'a key too long',
      () => ({ fields: signedV4([['key', 'k'.repeat(1025)]], [{ bucket }, ['starts-with', '$key', '']]), file: 'x' }),
      '400 KeyTooLongError',
    ],
    [
      'no signature',
      () => ({ fields: SIGNED().filter(([name]) => name !== 'x-amz-signature'), file: 'x' }),
      '400 InvalidArgument',
    ],
    ['no policy', () => ({ fields: SIGNED().filter(([name]) => name !== 'policy'), file: 'x' }), '400 InvalidArgument'],
    [
      'an unknown key',
      () => ({ fields: signedV4(fields, exactly(fields, bucket), { accessKey: 'NOBODYNOBODYNOBODY01' }), file: 'x' }),
      '403 InvalidAccessKeyId',
    ],
    [
      'a wrong secret',
      () => ({ fields: signedV4(fields, exactly(fields, bucket), { secretKey: 'wrong' }), file: 'x' }),
      '403 SignatureDoesNotMatch',
    ],
    [
      'another region',
      () => ({ fields: signedV4(fields, exactly(fields, bucket), { region: 'eu-west-1' }), file: 'x' }),
      '400 InvalidArgument',
    ],
    [
      'a wrong checksum',
      () => ({ fields: [...SIGNED(), ['x-amz-checksum-crc32', 'AAAAAA==']], file: 'x' }),
      '400 BadDigest',
    ],
    [
      'a wrong checksum of much',
      () => ({ fields: [...SIGNED(), ['x-amz-checksum-crc32', 'AAAAAA==']], file: randomBytes(300_000) }),
      '400 BadDigest',
    ],
    [
      'tags that are none',
      () => ({
        fields: signedV4([...fields, ['tagging', '<x/>']], exactly([...fields, ['tagging', '<x/>']], bucket)),
        file: 'x',
      }),
      '400 MalformedXML',
    ],
    [
      'an ACL that is none',
      () => ({ fields: signedV4([...fields, ['acl', 'x']], exactly([...fields, ['acl', 'x']], bucket)), file: 'x' }),
      '400 InvalidArgument',
    ],
    [
      "a key of the customer's",
      () => ({
        fields: signedV4(
          [...fields, ['x-amz-server-side-encryption-customer-key', 'x']],
          [{ bucket }, { key: 'k' }, { 'x-amz-server-side-encryption-customer-key': 'x' }],
        ),
        file: 'x',
      }),
      '400 InvalidRequest',
    ],
    [
      'a value that no header carries',
      () => ({
        fields: signedV4(
          [...fields, ['x-amz-meta-a', 'b\r\nSet-Cookie: c']],
          [{ bucket }, { key: 'k' }, ['starts-with', '$x-amz-meta-a', '']],
        ),
        file: 'x',
      }),
      '400 InvalidArgument',
    ],
    [
      'a token',
      () => ({
        fields: signedV4(
          [...fields, ['x-amz-security-token', 't']],
          exactly([...fields, ['x-amz-security-token', 't']], bucket),
        ),
        file: 'x',
      }),
      '400 InvalidToken',
    ],
    [
      'fields above 20 KB',
      () => ({ fields: [...SIGNED(), ['x-ignore-a', 'a'.repeat(21_000)]], file: 'x' }),
      '400 MaxPostPreDataLengthExceeded',
    ],
    [
      'fields without end',
      () => ({ fields: [...SIGNED(), ['x-ignore-a', 'a'.repeat(2_000_000)]], file: 'x' }),
      '400 MaxPostPreDataLengthExceeded',
    ],
    [
      'much behind a large file',
      () => ({
        fields: SIGNED(),
        file: randomBytes(200_000),
        behind: `\r\n--${BOUNDARY}\r\nContent-Disposition: form-data; name="b"\r\n\r\n${'b'.repeat(60_000)}`,
      }),
      '400 MaxPostPreDataLengthExceeded',
    ],
    ...['', '"; filename="f'].flatMap((name) =>
      [1, 60_000].map((size): [string, () => FormParts, string] => [
        `a part of ${String(size)} bytes called name="${name}"`,
        () => ({ fields: [...SIGNED(), [name, 'n'.repeat(size)]], file: 'x' }),
        '400 MalformedPOSTRequest',
      ]),
    ),
    ['no end', () => ({ fields: SIGNED(), file: 'x', end: '' }), '400 MalformedPOSTRequest'],
    ['no end of much', () => ({ fields: SIGNED(), file: randomBytes(200_000), end: '' }), '400 MalformedPOSTRequest'],
    ['half an end', () => ({ fields: SIGNED(), file: 'x', end: `\r\n--${BOUNDARY}` }), '400 MalformedPOSTRequest'],
  ])('%s is refused', async (_name, parts, expected) => {
    expect(outcome(await post(parts()))).toBe(expected);
    await expectNothing();
  });

  test.each([
    ['application/x-www-form-urlencoded', '412 PreconditionFailed'],
    ['multipart/form-data', '400 MalformedPOSTRequest'],
    ['multipart/form-data; boundary=', '400 MalformedPOSTRequest'],
    ['multipart/form-data; boundary=another', '400 InvalidArgument'],
    [`multipart/form-data; boundary=${'b'.repeat(300)}`, '400 MalformedPOSTRequest'],
  ])('%s', async (type, expected) => {
    expect(outcome(await post({ fields: SIGNED(), file: 'x' }, { 'content-type': type }))).toMatch(
      expected === '400 InvalidArgument' ? /^400 (InvalidArgument|MalformedPOSTRequest)$/ : expected,
    );
    await expectNothing();
  });

  test('without a length is refused', async () => {
    const body = formBody({ fields: SIGNED(), file: 'x' });
    const head = `POST /${bucket} HTTP/1.1\r\nhost: localhost\r\ncontent-type: multipart/form-data; boundary=${BOUNDARY}\r\ntransfer-encoding: chunked\r\n\r\n`;
    expect(
      outcome(
        await roundTrip(
          gateway.port,
          Buffer.concat([Buffer.from(`${head}${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')]),
          'POST',
        ),
      ),
    ).toBe('411 MissingContentLength');
    await expectNothing();
  });

  test('in a request that is signed itself', async () => {
    const body = formBody({ fields, file: 'bytes' });
    const sendAs = async (
      headers: Readonly<Record<string, string>>,
      bytes: Buffer,
      payloadHash: string,
    ): Promise<string> => {
      const all = {
        'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
        'content-length': String(bytes.length),
        ...headers,
      };
      return outcome(
        await roundTrip(
          gateway.port,
          Buffer.concat([
            Buffer.from(signedHead({ method: 'POST', target: `/${bucket}`, headers: all, payloadHash })),
            bytes,
          ]),
          'POST',
        ),
      );
    };
    const hash = createHash('sha256').update(body).digest('hex');
    expect(await sendAs({}, body, '0'.repeat(64))).toBe('400 XAmzContentSHA256Mismatch');
    expect(await sendAs({}, formBody({ fields: SIGNED(), file: 'x' }), 'UNSIGNED-PAYLOAD')).toBe('400 InvalidArgument');
    await expectNothing();
    expect(await sendAs({}, body, hash)).toBe('204');
  });

  test('broken off in its midst stores nothing', async () => {
    const request = formRequest(bucket, { fields: SIGNED(), file: randomBytes(400_000) });
    for (const share of [0.001, 0.004, 0.3, 0.97, 0.9999]) {
      const connection = await RawConnection.open(gateway.port);
      connection.send(request.subarray(0, Math.floor(request.length * share)));
      await new Promise((done) => setTimeout(done, 50));
      connection.close();
    }
    await new Promise((done) => setTimeout(done, 100));
    expect(await keys()).toEqual([]);
    expect(outcome(await roundTrip(gateway.port, request, 'POST'))).toBe('204');
  });

  test('of any bytes is refused and stores nothing, and the next one is taken', async () => {
    const whole = formBody({ fields: SIGNED(), file: 'bytes' });
    const cuts = fc.record({
      at: fc.nat({ max: whole.length - 1 }),
      drop: fc.nat({ max: 20 }),
      insert: fc.uint8Array({ maxLength: 12 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(cuts, { minLength: 1, maxLength: 3 }), async (edits) => {
        let body = whole;
        for (const { at, drop, insert } of edits) {
          body = Buffer.concat([body.subarray(0, at), insert, body.subarray(at + drop)]);
        }
        const head = `POST /${bucket} HTTP/1.1\r\nhost: localhost\r\ncontent-type: multipart/form-data; boundary=${BOUNDARY}\r\ncontent-length: ${body.length}\r\n\r\n`;
        const answer = await roundTrip(gateway.port, Buffer.concat([Buffer.from(head), body]), 'POST');
        if (answer.status === 204) await send(gateway.port, 'owner', { method: 'DELETE', target: `/${bucket}/k` });
        else expect(outcome(answer)).toMatch(/^40[03] [A-Z]/);
        expect(await keys()).toEqual([]);
      }),
      { numRuns: 300 },
    );
    expect(outcome(await post({ fields: SIGNED(), file: 'x' }))).toBe('204');
  });

  test('in pieces of any size is the same form', async () => {
    const bytes = randomBytes(120_000);
    const request = formRequest(bucket, { fields: SIGNED(), file: bytes });
    for (const size of [1, 7, 1000, 16_384]) {
      const connection = await RawConnection.open(gateway.port);
      const upTo = size < 100 ? 3000 : request.length;
      for (let at = 0; at < upTo; at += size) connection.send(request.subarray(at, Math.min(at + size, upTo)));
      connection.send(request.subarray(upTo));
      expect(outcome(await connection.answer('POST'))).toBe('204');
      connection.close();
      expect((await send(gateway.port, 'owner', { method: 'HEAD', target: `/${bucket}/k` })).headers['etag']).toBe(
        `"${createHash('md5').update(bytes).digest('hex')}"`,
      );
    }
  });
});
