import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { outcome } from '../../support/clients/acl-client.ts';
import {
  BOUNDARY,
  type Fields,
  type FormParts,
  exactly,
  formBody,
  formRequest,
  signedV4,
} from '../../support/clients/post-form.ts';
import { RawConnection, roundTrip } from '../../support/clients/raw-http.ts';
import { signedHead } from '../../support/clients/sign-raw.ts';
import { ask, bucket, expectNothing, keys, openScene, port, post } from './scene.ts';

openScene();

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
        fields: signedV4([...fields, ['tagging', '<x>']], exactly([...fields, ['tagging', '<x>']], bucket)),
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
          [...fields, ['content-disposition', 'b\r\nSet-Cookie: c']],
          [{ bucket }, { key: 'k' }, ['starts-with', '$content-disposition', '']],
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
          port(),
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
          port(),
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
      const connection = await RawConnection.open(port());
      connection.send(request.subarray(0, Math.floor(request.length * share)));
      await new Promise((done) => setTimeout(done, 50));
      connection.close();
    }
    await new Promise((done) => setTimeout(done, 100));
    expect(await keys()).toEqual([]);
    expect(outcome(await roundTrip(port(), request, 'POST'))).toBe('204');
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
        const answer = await roundTrip(port(), Buffer.concat([Buffer.from(head), body]), 'POST');
        if (answer.status === 204) await ask('owner', { method: 'DELETE', target: `/${bucket}/k` });
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
      const connection = await RawConnection.open(port());
      const upTo = size < 100 ? 3000 : request.length;
      for (let at = 0; at < upTo; at += size) connection.send(request.subarray(at, Math.min(at + size, upTo)));
      connection.send(request.subarray(upTo));
      expect(outcome(await connection.answer('POST'))).toBe('204');
      connection.close();
      expect((await ask('owner', { method: 'HEAD', target: `/${bucket}/k` })).headers['etag']).toBe(
        `"${createHash('md5').update(bytes).digest('hex')}"`,
      );
    }
  });
});
