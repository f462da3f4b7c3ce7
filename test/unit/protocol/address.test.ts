import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { S3Error } from '../../../src/errors/s3-error.ts';
import { controlAddress, hostResolver, parseAddress, splitTarget } from '../../../src/protocol/address.ts';

describe('hosts', () => {
  const hosts = hostResolver(['localhost', 's3.example.com', 'deep.s3.example.com'], 'eu-west-1');

  test.each<[string, string | undefined]>([
    ['localhost', undefined],
    ['localhost:9000', undefined],
    ['LOCALHOST.', undefined],
    ['bucket.localhost:9000', 'bucket'],
    ['a.b.c.localhost', 'a.b.c'],
    ['s3.example.com', undefined],
    ['bucket.s3.example.com', 'bucket'],
    ['bucket.s3.eu-west-1.example.com', 'bucket'],
    ['bucket.s3-eu-west-1.example.com', 'bucket'],
    ['bucket.s3.dualstack.eu-west-1.example.com', 'bucket'],
    ['s3.eu-west-1.example.com:443', undefined],
    ['bucket.deep.s3.example.com', 'bucket'],
    ['deep.s3.example.com', undefined],
    ['example.com', undefined],
    ['bucket.example.org', undefined],
    ['127.0.0.1:9000', undefined],
    ['[::1]:9000', undefined],
    ['', undefined],
    ['.localhost', undefined],
  ])('%j -> %j, also when asked again', (host, bucket) => {
    expect([hosts.bucketOf(host), hosts.bucketOf(host)]).toEqual([bucket, bucket]);
  });

  test.each([
    ['localhost', true],
    ['LOCALHOST.:9000', true],
    ['bucket.s3.example.com:443', true],
    ['a.b.s3.eu-west-1.example.com', true],
    ['evil.test', false],
    ['s3.example.com.evil.test', false],
    ['s3.example.com@evil.test', false],
    ['evil.test/s3.example.com', false],
    ['evil.test/x.s3.example.com', false],
    ['evil.test#.s3.example.com', false],
    ['evil.test\\.s3.example.com', false],
    ['evil.test:80/.s3.example.com', false],
    ['.s3.example.com', false],
    ['127.0.0.1:9000', false],
    ['', false],
  ])('%j is configured: %j', (host, configured) => {
    expect(hosts.isConfigured(host)).toBe(configured);
  });
});

describe('targets', () => {
  test.each([
    ['/a?b?c', { path: '/a', query: 'b?c' }],
    ['/a', { path: '/a', query: '' }],
    ['/?x', { path: '/', query: 'x' }],
    ['http://host/a?b', { path: '/a', query: 'b' }],
    ['HTTP://HOST?b', { path: '/', query: 'b' }],
    ['https://host', { path: '/', query: '' }],
  ])('%s', (target, expected) => {
    expect(splitTarget(target, 'host')).toEqual(expected);
  });

  test.each(['*', 'a/b', '', 'http://other/a', 'ftp://host/a', 'http://user@host/a'])('%j is refused', (target) => {
    expect(() => splitTarget(target, 'host')).toThrow(S3Error);
  });
});

describe('addresses', () => {
  test.each<[string, string | undefined, object]>([
    ['/', undefined, { virtualHost: false }],
    ['/bucket', undefined, { virtualHost: false, bucket: 'bucket' }],
    ['/bucket/', undefined, { virtualHost: false, bucket: 'bucket' }],
    ['/bucket//', undefined, { virtualHost: false, bucket: 'bucket', key: '/' }],
    ['/buck%65t/k', undefined, { virtualHost: false, bucket: 'bucket', key: 'k' }],
    ['/', 'bucket', { virtualHost: true, bucket: 'bucket' }],
    ['//', 'bucket', { virtualHost: true, bucket: 'bucket', key: '/' }],
    ['/other/k', 'bucket', { virtualHost: true, bucket: 'bucket', key: 'other/k' }],
    ['/bucket/\xc3\xa9', undefined, { virtualHost: false, bucket: 'bucket', key: 'é' }],
    ['/bucket/%00', undefined, { virtualHost: false, bucket: 'bucket', key: '\0' }],
    ['/bucket/%EF%BB%BFx', undefined, { virtualHost: false, bucket: 'bucket', key: '\ufeffx' }],
  ])('%s at %j', (path, host, expected) => {
    expect(parseAddress(path, host)).toEqual(expected);
  });

  test('any key comes back, decoded exactly once', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }), (key) => {
        expect(parseAddress(`/bucket/${encodeURIComponent(key)}`, undefined).key).toBe(key);
        expect(parseAddress(`/bucket/${encodeURIComponent(encodeURIComponent(key))}`, undefined).key).toBe(
          encodeURIComponent(key),
        );
      }),
    );
  });
});

describe('an ARN of a bucket', () => {
  const addressOf = (partition: string): unknown =>
    controlAddress(`/v20180820/tags/${encodeURIComponent(`arn:${partition}:s3:::bucket`)}`);

  test.each(['aws', 'aws-cn', 'aws-us-gov', 'aws-iso-b', 'aws-eusc'])('is one in %s', (partition) => {
    expect(addressOf(partition)).toEqual({ bucket: 'bucket', virtualHost: false, control: true });
  });

  test.each(['awsx', 'aws-', `aws-${'x'.repeat(1000)}`, `aws${'-x'.repeat(1000)}`, 'aws-CN', 'azure'])(
    'is none in %.20s',
    (partition) => {
      expect(() => addressOf(partition)).toThrow(expect.objectContaining({ code: 'NotImplemented' }));
    },
  );
});
