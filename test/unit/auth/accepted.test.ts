import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { refuseStreamingPayload } from '../../../src/auth/payload-mode.ts';
import { deriveSigningKey } from '../../../src/auth/signing-key.ts';
import { AMZ_DATE, authorization, EMPTY_SHA256, judge, rawRequest, sdkSigned, SECRET_KEY } from './signed-requests.ts';
import { withHeader, later, SHA, MINUTE } from './altered-requests.ts';

describe('anonymous requests', () => {
  it.each([
    { name: 'plain', target: '/b/k', headers: {}, kind: 'unsigned' },
    { name: 'ordinary parameters', target: '/b/k?x-id=GetObject&versionId=null', headers: {}, kind: 'unsigned' },
    { name: 'payload hash', target: '/b/k', headers: { [SHA]: EMPTY_SHA256 }, kind: 'hash' },
    {
      name: 'unsigned trailer',
      target: '/b/k',
      headers: { [SHA]: 'STREAMING-UNSIGNED-PAYLOAD-TRAILER' },
      kind: 'streaming-unsigned-trailer',
    },
    {
      name: 'trailer of botocore without a signer',
      target: '/b/k',
      headers: { 'x-amz-trailer': 'x-amz-checksum-crc32', 'x-amz-decoded-content-length': '3' },
      kind: 'streaming-unsigned-trailer',
    },
  ])('$name', ({ target, headers, kind }) => {
    expect(judge(rawRequest('PUT', target, { host: 'h', ...headers }))).toMatchObject({
      kind: 'anonymous',
      payload: { kind },
    });
  });

  it('have no signed chunks', () => {
    const raw = rawRequest('PUT', '/b/k', { host: 'h', [SHA]: 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD' });
    expect(() => judge(raw)).toThrow(expect.objectContaining({ code: 'InvalidRequest', status: 400 }));
  });
});

describe('what else is accepted', () => {
  it('the Date header in place of x-amz-date', () => {
    const headers = { host: 'localhost', date: 'Fri, 24 May 2013 00:00:00 GMT', [SHA]: EMPTY_SHA256 };
    const raw = rawRequest('GET', '/b', { ...headers, authorization: authorization(headers, '0'.repeat(64)) });
    expect(() => judge(raw)).toThrow(
      expect.objectContaining({
        extra: expect.objectContaining({
          StringToSign: expect.stringContaining('\n20130524T000000Z\n') as string,
        }) as object,
      }),
    );
  });

  it('blanks inside header values, as one', async () => {
    const raw = await sdkSigned({ headers: { 'x-amz-meta-note': 'a   b\tc' } });
    expect(judge(raw).kind).toBe('signed');
  });

  it('header bytes beyond ASCII as they are, a trailing A0 included', () => {
    const utf8 = Buffer.from('caf\u00e9 \u00e0').toString('latin1');
    const headers = { host: 'localhost', 'x-amz-meta-name': utf8, 'x-amz-date': AMZ_DATE, [SHA]: EMPTY_SHA256 };
    const canonical = `GET\n/b\n\nhost:localhost\n${SHA}:${EMPTY_SHA256}\nx-amz-date:${AMZ_DATE}\nx-amz-meta-name:caf\u00e9 \u00e0\n\nhost;${SHA};x-amz-date;x-amz-meta-name\n${EMPTY_SHA256}`;
    const digest = createHash('sha256').update(canonical, 'utf8').digest('hex');
    const scope = { date: '20130524', region: 'us-east-1', service: 's3', terminator: 'aws4_request' };
    const text = `AWS4-HMAC-SHA256\n${AMZ_DATE}\n20130524/us-east-1/s3/aws4_request\n${digest}`;
    const signature = deriveSigningKey(SECRET_KEY, scope).ofLatin1(text, 'hex');
    expect(judge(rawRequest('GET', '/b', { ...headers, authorization: authorization(headers, signature) })).kind).toBe(
      'signed',
    );
  });

  it('a header that the presigned query repeats with the same value', async () => {
    const signed = await sdkSigned({ expiresIn: 60, query: { 'x-amz-acl': 'public-read' } });
    expect(judge(withHeader('x-amz-acl', 'public-read')(signed))).toMatchObject({ kind: 'signed', method: 'query' });
  });

  it('an unsigned x-amz-content-sha256 that says UNSIGNED-PAYLOAD, which changes nothing', async () => {
    const add = withHeader(SHA, 'UNSIGNED-PAYLOAD');
    const query = { 'X-Amz-Content-Sha256': EMPTY_SHA256 };
    expect(judge(add(await sdkSigned({ expiresIn: 60, query })))).toMatchObject({
      kind: 'signed',
      payload: { kind: 'hash', sha256: EMPTY_SHA256 },
    });
  });

  it('clocks 15 minutes apart', async () => {
    const signed = await sdkSigned({});
    expect(judge(later(15 * MINUTE)(signed)).kind).toBe('signed');
    expect(judge(later(-15 * MINUTE)(signed)).kind).toBe('signed');
  });

  it('a presigned URL up to its last second, for a week', async () => {
    const signed = await sdkSigned({ expiresIn: 604_800 });
    expect(judge(later(604_800_000)(signed)).kind).toBe('signed');
  });
});

describe('streaming payloads', () => {
  it.each(['streaming-signed', 'streaming-signed-trailer', 'streaming-unsigned-trailer'] as const)(
    '%s is refused outside of uploads',
    (kind) => {
      expect(() => refuseStreamingPayload({ kind })).toThrow(
        expect.objectContaining({ code: 'InvalidRequest', status: 400 }),
      );
    },
  );

  it('others pass', () => {
    expect(() => refuseStreamingPayload({ kind: 'unsigned' })).not.toThrow();
    expect(() => refuseStreamingPayload({ kind: 'hash', sha256: EMPTY_SHA256 })).not.toThrow();
  });
});
