import { describe, expect, test } from 'vitest';
import { OTHER_CANONICAL_ID } from '../../support/gateway/gateway.ts';
import { bucket, openScene, ask, as, grants } from './scene.ts';

openScene();

describe('what is written', () => {
  test('has the ACL it was written with, and keeps it until it is written again', async () => {
    const target = `/${bucket}/key`;
    expect(await as('owner', { method: 'PUT', target, body: 'public', headers: { 'x-amz-acl': 'public-read' } })).toBe(
      '200',
    );
    expect((await ask('anonymous', { method: 'GET', target })).body).toBe('public');
    expect(await as('owner', { method: 'PUT', target, body: 'private' })).toBe('200');
    expect(await as('anonymous', { method: 'GET', target })).toBe('403 AccessDenied');
  });

  test('keeps bytes, ETag, Last-Modified and metadata when its ACL changes', async () => {
    const target = `/${bucket}/meta`;
    const headers = {
      'x-amz-meta-a': 'b',
      'x-amz-meta-odd-name': 'c',
      'content-type': 'text/x',
      'x-amz-storage-class': 'STANDARD_IA',
      'x-amz-checksum-crc32': '6Le+Qw==',
    };
    expect(await as('owner', { method: 'PUT', target, body: 'a', headers })).toBe('200');
    const read = { method: 'GET', target, headers: { 'x-amz-checksum-mode': 'ENABLED' } };
    const before = await ask('owner', read);
    await new Promise((resolve) => setTimeout(resolve, 1100));
    expect(await as('owner', { method: 'PUT', target: `${target}?acl`, headers: { 'x-amz-acl': 'public-read' } })).toBe(
      '200',
    );
    const after = await ask('anonymous', read);
    const varying = new Set(['date', 'x-amz-request-id', 'x-amz-id-2']);
    const stable = (all: Readonly<Record<string, string>>): object =>
      Object.fromEntries(Object.entries(all).filter(([name]) => !varying.has(name)));
    expect([after.status, after.body, stable(after.headers)]).toEqual([200, before.body, stable(before.headers)]);
  });

  test('a copy is private to who made it, unless it asks for something else', async () => {
    await as('owner', { method: 'PUT', target: `/${bucket}/key?acl`, headers: { 'x-amz-acl': 'public-read' } });
    const source = { 'x-amz-copy-source': `/${bucket}/key` };
    expect(await as('owner', { method: 'PUT', target: `/${bucket}/copy`, headers: source })).toBe('200');
    expect(await grants(`/${bucket}/copy`)).toEqual(['FULL_CONTROL owner']);
    expect(
      await as('owner', {
        method: 'PUT',
        target: `/${bucket}/copy`,
        headers: { ...source, 'x-amz-acl': 'public-read' },
      }),
    ).toBe('200');
    expect(await grants(`/${bucket}/copy`)).toEqual(['READ all', 'FULL_CONTROL owner']);
    const id = `id="${OTHER_CANONICAL_ID}"`;
    const headers = { ...source, 'x-amz-grant-read': id, 'x-amz-grant-write': id };
    expect(await as('owner', { method: 'PUT', target: `/${bucket}/copy`, headers })).toBe('200');
    expect(await grants(`/${bucket}/copy`)).toEqual(['READ other']);
  });

  test('a copy source must be readable', async () => {
    expect(await as('other', { method: 'PUT', target: '/others' })).toBe('200');
    const headers = { 'x-amz-copy-source': `/${bucket}/key` };
    expect(await as('other', { method: 'PUT', target: '/others/copy', headers })).toBe('403 AccessDenied');
    expect(
      await as('other', { method: 'PUT', target: '/others/copy', headers: { 'x-amz-copy-source': `/${bucket}/none` } }),
    ).toBe('403 AccessDenied');
    await as('owner', {
      method: 'PUT',
      target: `/${bucket}/key?acl`,
      headers: { 'x-amz-grant-read': `id=${OTHER_CANONICAL_ID}` },
    });
    expect(await as('other', { method: 'PUT', target: '/others/copy', headers })).toBe('200');
    expect(await grants('/others/copy', 'other')).toEqual(['FULL_CONTROL other']);
  });

  test('by nobody belongs to the anonymous id', async () => {
    await as('owner', { method: 'PUT', target: `/${bucket}?acl`, headers: { 'x-amz-acl': 'public-read-write' } });
    const target = `/${bucket}/found`;
    expect(await as('anonymous', { method: 'PUT', target, body: 'left here' })).toBe('200');
    expect(await grants(target, 'anonymous')).toEqual(['FULL_CONTROL anonymous']);
    expect(await as('other', { method: 'GET', target })).toBe('403 AccessDenied');
    expect(await as('owner', { method: 'DELETE', target })).toBe('204');
  });
});
