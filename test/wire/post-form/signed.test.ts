import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { outcome } from '../../support/clients/acl-client.ts';
import { BOUNDARY, type Fields, exactly, formRequest, signedV2, signedV4 } from '../../support/clients/post-form.ts';
import { roundTrip } from '../../support/clients/raw-http.ts';
import { sharedGateway } from '../../support/gateway/shared-gateway.ts';
import { OTHER_ACCESS_KEY, signedHead } from '../../support/clients/sign-raw.ts';
import { ask, bucket, expectNothing, get, keys, openScene, port, post, signed } from './scene.ts';

openScene();
const strict = sharedGateway();

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
      'x-amz-meta-colour': '=?UTF-8?Q?r=C3=B6t?=',
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
      const head = await ask('owner', {
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
      const answerBytes = await fetch(`http://127.0.0.1:${port()}/${bucket}/file`, {
        headers: signedHeaders(`/${bucket}/file`, `127.0.0.1:${port()}`),
      });
      expect(
        createHash('md5')
          .update(Buffer.from(await answerBytes.arrayBuffer()))
          .digest('hex'),
      ).toBe(md5);
    }
  });

  test.each(['Enabled', 'Suspended'])('makes a version where versioning is %s', async (status) => {
    await ask('owner', {
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
      expect((await ask('owner', { method: 'HEAD', target: `/${bucket}/k` })).headers['content-length']).toBe(
        String(size),
      );
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
    expect(outcome(await roundTrip(strict.gateway.port, formRequest(bucket, parts), 'POST'))).toBe(
      '400 InvalidRequest',
    );
    const wrong = await post({
      ...parts,
      fields: parts.fields.map(([name, value]) => [name, name === 'signature' ? value.toLowerCase() : value]),
    });
    expect(outcome(wrong)).toBe('403 SignatureDoesNotMatch');
    // As S3 was recorded to show it: what was signed, and its bytes.
    const [, text = '', bytes = ''] =
      /<StringToSign>([^<]*)<\/StringToSign>.*<StringToSignBytes>([^<]*)</.exec(wrong.body) ?? [];
    expect(bytes).toBe(
      [...Buffer.from(text)]
        .map((byte) => byte.toString(16).padStart(2, '0'))
        .join(' ')
        .slice(0, bytes.length),
    );
    expect(bytes.length).toBeGreaterThan(100);
  });

  test('reaches the bucket by its host', async () => {
    const fields: Fields = [
      ['key', 'k'],
      ['success_action_status', '201'],
    ];
    const answer = await roundTrip(
      port(),
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

describe('an anonymous form', () => {
  test('is refused unless the bucket is open', async () => {
    const parts = { fields: [['key', 'k']] as const, file: 'bytes' };
    expect(outcome(await post(parts))).toBe('403 AccessDenied');
    await ask('owner', {
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

function signedHeaders(target: string, host: string): Record<string, string> {
  const lines = signedHead({ target, host }).split('\r\n').slice(1).filter(Boolean);
  const pairs = lines.map((line): [string, string] => [
    line.slice(0, line.indexOf(':')),
    line.slice(line.indexOf(':') + 2),
  ]);
  return Object.fromEntries(pairs.filter(([name]) => name !== 'host'));
}
