import { describe, expect, it } from 'vitest';
import { digest, plain, requestBody } from './bodies.ts';
import { type Refused, A, rewired, cut, withoutHeader, OTHER_MD5, expectAnswer, failure } from './altered-bodies.ts';

describe('an XML body', () => {
  const XML = Buffer.from('<Delete/>');

  it.each<Refused>([
    { name: 'short', body: rewired(plain(XML), cut(1)), code: 'IncompleteBody' },
    {
      name: 'declared above the limit',
      body: plain(A(101)),
      code: 'MaxMessageLengthExceeded',
      extra: { MaxMessageLengthBytes: 100 },
    },
    {
      name: 'undeclared and above the limit',
      body: withoutHeader(plain(A(101)), 'content-length'),
      code: 'MaxMessageLengthExceeded',
      extra: { MaxMessageLengthBytes: 100 },
    },
    { name: 'Content-MD5 wrong', body: plain(XML, { 'content-md5': OTHER_MD5 }), code: 'BadDigest' },
    { name: 'Content-MD5 malformed', body: plain(XML, { 'content-md5': 'x' }), code: 'InvalidDigest' },
    { name: 'checksum wrong', body: plain(XML, { 'x-amz-checksum-crc32': 'AAAAAA==' }), code: 'BadDigest' },
    {
      name: 'payload hash wrong',
      body: plain(XML, {}, { kind: 'hash', sha256: digest('sha256', A(3), 'hex') }),
      code: 'XAmzContentSHA256Mismatch',
    },
  ])('$name: $code', async (entry) => {
    expectAnswer(await failure(requestBody(entry.body).readAll(100)), entry);
  });

  it.each([
    ['declared', plain(XML)],
    ['undeclared', withoutHeader(plain(XML), 'content-length')],
    [
      'with digests',
      plain(
        XML,
        { 'content-md5': digest('md5', XML), 'x-amz-checksum-sha1': digest('sha1', XML) },
        { kind: 'hash', sha256: digest('sha256', XML, 'hex') },
      ),
    ],
  ])('%s: read', async (_, body) => {
    expect((await requestBody(body).readAll(100)).toString()).toBe('<Delete/>');
  });

  it('is not checked against a checksum of the object', async () => {
    const body = plain(XML, { 'x-amz-checksum-crc32': 'AAAAAA==' });
    expect((await requestBody(body).readAll(100, { checksumsOf: 'object' })).toString()).toBe('<Delete/>');
  });
});
