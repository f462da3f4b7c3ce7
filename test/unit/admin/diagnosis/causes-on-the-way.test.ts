import { describe, expect, test } from 'vitest';
import { altersHeader, altersTarget, both, type Alter } from '../../../support/backends/altering-proxy.ts';
import { presignedHead, signedHead, type RawRequestOptions } from '../../../support/clients/sign-raw.ts';
import {
  server,
  proxy,
  openScene,
  sendBySdk,
  sendPresigned,
  sendRaw,
  expectCause,
  put,
  get,
  acl,
  list,
} from './causes-scene.ts';

openScene();

describe('altered header', () => {
  const charset = altersHeader('content-type', (value) => `${value}; charset=utf-8`);
  test('by header', () => expectCause(() => sendBySdk(put()), charset, 'altered-header'));
  test('presigned', () =>
    expectCause(() => sendPresigned(put(), { method: 'PUT', contentType: 'text/plain' }), charset, 'altered-header'));

  test.each([
    ['accept-encoding', 'identity', altersHeader('accept-encoding', 'gzip')],
    ['accept-encoding', 'gzip', altersHeader('accept-encoding', undefined)],
    ['expect', '100-continue', altersHeader('expect', undefined)],
    ['te', 'trailers', altersHeader('te', undefined)],
    ['connection', 'keep-alive', altersHeader('connection', 'close')],
    ['x-forwarded-for', '192.0.2.1', altersHeader('x-forwarded-for', (value) => `${value}, 198.51.100.7`)],
    ['x-amz-meta-list', 'a,b', altersHeader('x-amz-meta-list', 'a, b')],
  ])('%s: %s', async (name, value, alter) => {
    await expectCause(
      () => sendRaw(signingAll, { target: '/bucket/k', headers: { [name]: value } }),
      alter,
      'altered-header',
    );
  });

  test('one that is gone and that nobody can guess', () =>
    expectCause(
      () => sendRaw(signingAll, { target: '/bucket/k', headers: { 'user-agent': 'mine/1' } }),
      altersHeader('user-agent', undefined),
      'altered-header',
      'likely',
    ));

  test('an empty one that is gone', () =>
    expectCause(
      () => sendRaw(signingAll, { target: '/bucket/k', headers: { 'user-agent': '' } }),
      altersHeader('user-agent', undefined),
      'altered-header',
      'likely',
    ));

  test('one that nobody can guess, through a proxy that leaves traces', () =>
    expectCause(
      () => sendRaw(signingAll, { target: '/bucket/k', headers: { 'user-agent': 'mine/1' } }),
      both(altersHeader('user-agent', 'proxy/2'), altersHeader('via', '1.1 proxy')),
      'altered-header',
      'likely',
    ));

  test('one that was added and must be signed', () =>
    expectCause(() => sendBySdk(get()), altersHeader('x-amz-cf-id', 'abc'), 'unsigned-header'));
});

describe('re-encoded path', () => {
  const twice = altersTarget((target) => target.replaceAll('%', '%25'));
  test('by header', () => expectCause(() => sendBySdk(put()), twice, 're-encoded-path'));
  test('presigned', () =>
    expectCause(
      () => sendPresigned(get()),
      altersTarget((target) => target.replace(/^[^?]*/, (path) => path.replaceAll('%', '%25'))),
      're-encoded-path',
    ));

  test.each([
    ['a//b/c', altersTarget((target) => target.replace('//', '/'))],
    ['a+b', altersTarget((target) => target.replace('%2B', '+').replace('+', '%20'))],
    ['caf\u00e9', altersTarget((target) => target.replace('caf%C3%A9', 'cafe%CC%81'))],
    ['50%25', altersTarget((target) => target.replaceAll('%25', '%'))],
    ['folder/', altersTarget((target) => target.replace('folder/', 'folder'))],
  ])('%s', async (key, alter) => {
    await expectCause(() => sendPresigned(get(key)), alter, 're-encoded-path');
  });

  test('escaped slash', () =>
    expectCause(
      () => sendRaw(signedHead, { target: '/bucket/a%2Fb' }),
      altersTarget(() => '/bucket/a/b'),
      're-encoded-path',
    ));
});

describe('changed host', () => {
  const named = (): Alter =>
    both(altersHeader('host', 'upstream.internal'), altersHeader('x-forwarded-host', `localhost:${proxy.port}`));
  test('by header', () => expectCause(() => sendBySdk(get()), named(), 'changed-host'));
  test('presigned', () => expectCause(() => sendPresigned(get()), named(), 'changed-host'));
  test('port cut off, nobody says so', () =>
    expectCause(
      () => sendRaw(signedHead, { target: '/b/k', host: 'localhost:9000' }),
      altersHeader('host', 'localhost'),
      'changed-host',
    ));
  test('another configured name', () =>
    expectCause(
      () => sendRaw(presignedHead, { target: '/b/k', host: 's3.example.com' }),
      altersHeader('host', 'pod-1:9000'),
      'changed-host',
    ));
  test('bucket moved from host to path', () =>
    expectCause(
      () => sendRaw(signedHead, { target: '/k/l', host: 'photos.s3.example.com' }),
      both(
        altersHeader('host', 's3.example.com'),
        altersTarget((target) => `/photos${target}`),
      ),
      'changed-host',
    ));
  test('a name that nobody knows, through a proxy that leaves traces', () =>
    expectCause(
      () => sendRaw(signedHead, { target: '/b/k', host: 'public.example.org' }),
      both(altersHeader('host', 'pod-1'), altersHeader('via', '1.1 proxy')),
      'changed-host',
      'likely',
    ));
  test('host and path', async () => {
    await expectCause(
      () => sendRaw(signedHead, { target: '/b/a%20b', host: 's3.example.com' }),
      both(
        altersHeader('host', 's3.example.com:9000'),
        altersTarget(() => '/b/a%2520b'),
      ),
      'changed-host',
    );
    expect(server.last?.diagnosis.hints.map(({ cause }) => cause)).toEqual(['changed-host', 're-encoded-path']);
  });
});

describe('trimmed space', () => {
  const fold = altersHeader('x-amz-meta-note', (value) => value.replaceAll(/ +/g, ' ').trim());
  /** A client that signs spaces as they are: nothing but an exact server would let it in, so it is never right. */
  test.each([
    ['by header', signedHead],
    ['presigned', presignedHead],
  ])('%s', async (_, make) => {
    proxy.alter = fold;
    await sendRaw(make, { target: '/b/k', headers: { 'x-amz-meta-note': 'two  spaces' } });
    expect(server.last?.diagnosis.hints).toMatchObject([{ cause: 'trimmed-space', certainty: 'proved' }]);
    proxy.alter = (head) => head;
    await sendRaw(make, { target: '/b/k', headers: { 'x-amz-meta-note': 'end ' } });
    expect(server.last?.diagnosis.hints).toMatchObject([{ cause: 'trimmed-space', certainty: 'proved' }]);
  });

  const trimmed = altersTarget((target) => target.replace('note%20', 'note'));
  test('of a key, by header', () => expectCause(() => sendBySdk(get('note ')), trimmed, 'trimmed-space'));
  test('of a key, presigned', () => expectCause(() => sendPresigned(get('note ')), trimmed, 'trimmed-space'));
  test('of a prefix', () =>
    expectCause(
      () => sendRaw(signedHead, { target: '/b?list-type=2&prefix=a%20' }),
      altersTarget((target) => target.replace(/%20$/, '')),
      'trimmed-space',
    ));
});

describe('lost query', () => {
  const without = (name: string): Alter =>
    altersTarget((target) =>
      target.replace(new RegExp(`([?&])${name}(=[^&]*)?(&|$)`), (_, before: string, _value, after: string) =>
        after === '' ? '' : before,
      ),
    );
  test('by header', () => expectCause(() => sendBySdk(acl()), without('acl'), 'lost-query'));
  test('presigned', () => expectCause(() => sendPresigned(acl()), without('acl'), 'lost-query'));
  test('the name of the operation', () => expectCause(() => sendPresigned(get()), without('x-id'), 'lost-query'));
  test('a value', () =>
    expectCause(
      () => sendRaw(signedHead, { target: '/b?list-type=2&prefix=x' }),
      altersTarget((target) => target.replace('list-type=2', 'list-type=')),
      'lost-query',
    ));
  test('a parameter of the signature', () =>
    expectCause(() => sendPresigned(get()), without('X-Amz-Expires'), 'lost-query', 'likely'));
  test('one added', () =>
    expectCause(
      () => sendPresigned(get()),
      altersTarget((target) => `${target}&utm_source=mail`),
      'altered-query',
    ));
  test('in another order is no fault', async () => {
    proxy.alter = altersTarget((target) =>
      target.replace(/\?(.*)$/, (_, query: string) => `?${query.split('&').toReversed().join('&')}`),
    );
    await sendBySdk(list());
    expect(server.last).toBeUndefined();
  });
});

/** Signs every header, as some clients do. */
function signingAll(options: RawRequestOptions): string {
  return signedHead({ ...options, signAll: true });
}
