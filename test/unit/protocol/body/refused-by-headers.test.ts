import { describe, expect, it, vi } from 'vitest';
import { digest, plain, requestBody, STREAMED } from './bodies.ts';
import {
  type Refused,
  CONTENT,
  TRAILER,
  unsigned,
  signed,
  withHeaders,
  withoutHeader,
  MD5,
  expectAnswer,
  failure,
} from './altered-bodies.ts';

/** Found before the first byte is read. */
const BY_HEADERS: readonly Refused[] = [
  {
    name: 'no length',
    body: withoutHeader(plain(CONTENT), 'content-length'),
    code: 'MissingContentLength',
    status: 411,
  },
  {
    name: 'no decoded length',
    body: withoutHeader(unsigned, 'x-amz-decoded-content-length'),
    code: 'MissingContentLength',
    status: 411,
  },
  {
    name: 'decoded length no number',
    body: withHeaders(unsigned, { 'x-amz-decoded-content-length': '-5' }),
    code: 'MissingContentLength',
    status: 411,
  },
  {
    name: 'too large',
    body: plain(CONTENT),
    options: { maxSize: 17_000 },
    code: 'EntityTooLarge',
    extra: { ProposedSize: 17_196, MaxSizeAllowed: 17_000 },
  },
  ...['', 'bad', `${MD5} `, digest('sha1', CONTENT), MD5.slice(0, -2)].map((value) => ({
    name: `Content-MD5 "${value}"`,
    body: plain(CONTENT, { 'content-md5': value }),
    code: 'InvalidDigest',
    extra: { 'Content-MD5': value },
  })),
  ...['', 'bad!', 'AAAA', digest('sha256', CONTENT)].map((value) => ({
    name: `CRC32 "${value}"`,
    body: plain(CONTENT, { 'x-amz-checksum-crc32': value }),
    code: 'BadDigest',
    message: 'Value for x-amz-checksum-crc32 header is invalid.',
  })),
  {
    name: 'two checksums',
    body: plain(CONTENT, { 'x-amz-checksum-crc32': 'AAAAAA==', 'x-amz-checksum-crc32c': 'AAAAAA==' }),
    code: 'InvalidRequest',
    message: 'Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.',
  },
  ...['', 'bad!'].map((value) => ({
    name: `two checksums, one of them "${value}"`,
    body: plain(CONTENT, { 'x-amz-checksum-crc32': value, 'x-amz-checksum-crc32c': 'AAAAAA==' }),
    code: 'InvalidRequest',
    message: 'Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.',
  })),
  {
    name: 'header and trailer',
    body: withHeaders(unsigned, { 'x-amz-checksum-crc32': 'AAAAAA==' }),
    code: 'InvalidRequest',
  },
  {
    name: 'two trailers',
    body: withHeaders(unsigned, { 'x-amz-trailer': `${TRAILER},x-amz-checksum-crc32` }),
    code: 'InvalidRequest',
  },
  { name: 'unknown algorithm', body: plain(CONTENT, { 'x-amz-checksum-rot13': 'AAAA' }), code: 'InvalidRequest' },
  {
    name: 'algorithm announced, no value',
    body: plain(CONTENT, { 'x-amz-sdk-checksum-algorithm': 'CRC32' }),
    code: 'InvalidRequest',
  },
  {
    name: 'MD5 announced, no value',
    body: plain(CONTENT, { 'x-amz-sdk-checksum-algorithm': 'MD5' }),
    code: 'InvalidRequest',
  },
  {
    name: 'another algorithm announced than Content-MD5 has',
    body: plain(CONTENT, { 'x-amz-sdk-checksum-algorithm': 'SHA256', 'content-md5': digest('md5', CONTENT) }),
    code: 'InvalidRequest',
  },
  {
    name: 'algorithm announced, another given',
    body: plain(CONTENT, { 'x-amz-sdk-checksum-algorithm': 'CRC32', 'x-amz-checksum-crc32c': 'AAAAAA==' }),
    code: 'InvalidRequest',
    message: 'Value for x-amz-sdk-checksum-algorithm header is invalid.',
  },
  {
    name: 'algorithm announced, another in the trailer',
    body: withHeaders(unsigned, { 'x-amz-sdk-checksum-algorithm': 'CRC32' }),
    code: 'InvalidRequest',
  },
  {
    name: 'trailer that is no checksum',
    body: withHeaders(unsigned, { 'x-amz-trailer': 'x-amz-meta-a' }),
    code: 'InvalidRequest',
  },
  {
    name: 'trailer announced, payload without',
    body: plain(CONTENT, { 'x-amz-trailer': TRAILER }),
    code: 'InvalidRequest',
  },
  {
    name: 'trailer announced, signed chunks without',
    body: withHeaders(signed, { 'x-amz-trailer': TRAILER }),
    code: 'InvalidRequest',
  },
];

describe('refused by its headers', () => {
  it.each(BY_HEADERS)('$name: $code', async (entry) => {
    const onFirstRead = vi.fn();
    expectAnswer(
      await failure(requestBody(entry.body, { onFirstRead }).open({ ...STREAMED, ...entry.options })),
      entry,
    );
    expect(onFirstRead).not.toHaveBeenCalled();
  });
});
