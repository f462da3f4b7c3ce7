import { describe, expect, it } from 'vitest';
import { RawHeaders } from '../../../../src/protocol/headers/header-reader.ts';
import { withHoistedHeaders } from '../../../../src/protocol/headers/hoisted-headers.ts';
import { readQuery } from '../../../../src/protocol/headers/query-reader.ts';

const SIGNED = 'X-Amz-Algorithm=a&X-Amz-Date=d&X-Amz-Signature=s&X-Amz-Expires=5';

function hoist(query: string, ...rawHeaders: string[]): ReturnType<typeof withHoistedHeaders> {
  return withHoistedHeaders(new RawHeaders(rawHeaders), readQuery(query));
}

describe('headers in the query of a presigned URL', () => {
  it('count as if they had been sent', () => {
    const headers = hoist(`${SIGNED}&x-amz-meta-a=1&x-amz-acl=private`, 'x-amz-meta-b', '2', 'range', 'bytes=0-1');
    expect(headers.get('x-amz-acl')).toBe('private');
    expect(headers.get('range')).toBe('bytes=0-1');
    expect([...headers.startingWith('x-amz-meta-')]).toEqual([
      ['x-amz-meta-b', '2'],
      ['x-amz-meta-a', '1'],
    ]);
  });

  it.each(['If-None-Match', 'if-match', 'If-Modified-Since', 'if-unmodified-since'])(
    'count where they are conditions: %s',
    (name) => {
      expect(hoist(`${SIGNED}&${name}=%2A`).get(name.toLowerCase())).toBe('*');
      expect(hoist(`${name}=%2A`).get(name.toLowerCase())).toBeUndefined();
    },
  );

  it('do not replace one that was sent', () => {
    expect(hoist(`${SIGNED}&x-amz-acl=private`, 'x-amz-acl', 'public-read').get('x-amz-acl')).toBe('public-read');
  });

  it.each([
    ['host', 'UNSIGNED-PAYLOAD', undefined],
    ['host;x-amz-content-sha256', 'UNSIGNED-PAYLOAD', 'UNSIGNED-PAYLOAD'],
    ['host', 'other', 'other'],
  ])('hide what is ignored where it is not signed: of %s, %s', (signed, value, seen) => {
    const headers = hoist(
      `${SIGNED}&X-Amz-SignedHeaders=${signed}`,
      'x-amz-content-sha256',
      value,
      'x-amz-meta-a',
      '1',
    );
    expect(headers.get('x-amz-content-sha256')).toBe(seen);
    expect([...headers.startingWith('x-amz-')].map(([name]) => name)).toEqual(
      seen === undefined ? ['x-amz-meta-a'] : ['x-amz-content-sha256', 'x-amz-meta-a'],
    );
  });

  it('leave out the signature itself and checksums of a body not sent yet', () => {
    const headers = hoist(
      `${SIGNED}&x-amz-checksum-crc32=AAAAAA%3D%3D&x-amz-sdk-checksum-algorithm=CRC32&x-amz-content-sha256=x`,
    );
    expect([...headers.startingWith('x-amz-')]).toEqual([]);
  });
});
