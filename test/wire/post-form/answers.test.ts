import { describe, expect, test } from 'vitest';
import { outcome } from '../../support/clients/acl-client.ts';
import { type Fields, exactly, signedV4 } from '../../support/clients/post-form.ts';
import type { RawAnswer } from '../../support/clients/raw-http.ts';
import { ask, bucket, expectNothing, keys, openScene, post, signed } from './scene.ts';

openScene();

describe('the answer', () => {
  const answerFor = (name: string, value: string): Promise<RawAnswer> =>
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
    const answer = await answerFor('success_action_status', value);
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
    const answer = await answerFor('success_action_redirect', value);
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
    await ask('owner', { method: 'PUT', target: `/${bucket}?cors`, body });
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

  test('stays as it is when the file has no name', async () => {
    const conditions = [{ bucket }, ['starts-with', '$key', 'up/']];
    const fields = signedV4([['key', 'up/${filename}']], conditions);
    expect(outcome(await post({ fields, file: 'x', filename: null }))).toBe('204');
    expect(await keys()).toEqual(['up/${filename}']);
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
