import { describe, expect, test } from 'vitest';
import { outcome } from '../../support/clients/acl-client.ts';
import {
  type State,
  NAMING,
  OF_S3,
  READING,
  TAGGING,
  UNKNOWN,
  answerTo,
  as,
  ask,
  bucket,
  get,
  idOf,
  marker,
  object,
  openScene,
  put,
  versioning,
  without,
} from './scene.ts';

openScene();

describe.each(Object.entries(NAMING))('versionId of %s', (name, request) => {
  test.each<[State, string, string]>([
    ['never', '', '400 InvalidArgument'],
    ['never', 'x', '400 InvalidArgument'],
    ['never', UNKNOWN, '400 InvalidArgument'],
    ['enabled', '', '400 InvalidArgument'],
    ['enabled', 'x', '400 InvalidArgument'],
    ['never', OF_S3, '400 InvalidArgument'],
    ['enabled', UNKNOWN.slice(1), '400 InvalidArgument'],
    ['enabled', `${UNKNOWN}0`, '400 InvalidArgument'],
    ['enabled', UNKNOWN.replace('0', '-'), '400 InvalidArgument'],
    ['enabled', UNKNOWN.replace('0', '%2F'), '400 InvalidArgument'],
    ['enabled', UNKNOWN, '404 NoSuchVersion'],
    ['enabled', UNKNOWN.toUpperCase().replace('0', 'A'), '404 NoSuchVersion'],
    ['enabled', OF_S3, '404 NoSuchVersion'],
    ['enabled', '.'.repeat(32), '404 NoSuchVersion'],
    ['suspended', UNKNOWN, '404 NoSuchVersion'],
    ['suspended', OF_S3, '404 NoSuchVersion'],
  ])('%s: "%s" is %s', async (state, versionId, expected) => {
    await versioning(state);
    await put();
    const answer = await answerTo(request(versionId));
    // A version that is not there is deleted already.
    expect(outcome(answer)).toBe(
      name === 'DeleteObject' && expected === '404 NoSuchVersion' ? '204' : without(expected, name),
    );
    expect(await get()).toBe('text');
  });

  test.each<State>(['never', 'enabled', 'suspended'])('%s: null names the null version', async (state) => {
    await put('null version');
    await versioning(state);
    if (state === 'enabled') await put('above it');
    const { status } = await answerTo(request('null'));
    expect([200, 204]).toContain(status);
    if (name === 'CopyObject') {
      expect((await ask({ method: 'GET', target: `/${bucket}/copy` }, 200)).body).toBe('null version');
    }
    expect(await get('null')).toBe(name === 'DeleteObject' ? '404 NoSuchVersion' : 'null version');
  });

  test('a null version that is not there', async () => {
    await versioning('enabled');
    await put();
    expect(await as('owner', request('null'))).toBe(
      name === 'DeleteObject' ? '204' : without('404 NoSuchVersion', name),
    );
  });
});

describe.each(READING)('%s', (_name, request) => {
  test('says which version it is about, in buckets that ever had versions', async () => {
    await put();
    expect([idOf(await answerTo(request())), idOf(await answerTo(request('null')))]).toEqual(['none', 'none']);
    await versioning('enabled');
    const [first, second] = [await put('first'), await put('second')];
    for (const [asked, expected] of [
      [undefined, second],
      [first, first],
      [second, second],
      ['null', 'null'],
    ] as const) {
      expect(idOf(await answerTo(request(asked)))).toBe(expected);
    }
    await versioning('suspended');
    await put();
    expect(idOf(await answerTo(request()))).toBe('null');
  });
});

describe('what belongs to a version', () => {
  test('tags', async () => {
    await versioning('enabled');
    const [first, second] = [await put('first', 'k', { 'x-amz-tagging': 'n=1' }), await put('second')];
    await ask({ method: 'PUT', target: object(second, 'tagging'), body: TAGGING }, 200);
    const tagsOf = async (id?: string): Promise<string> =>
      (await ask({ method: 'GET', target: object(id, 'tagging') }, 200)).body.replace(/^.*<TagSet/s, '');
    expect(
      [await tagsOf(first), await tagsOf(second), await tagsOf()].map((tags) => /<Key>(\w)/.exec(tags)?.[1]),
    ).toEqual(['n', 'k', 'k']);
    await ask({ method: 'DELETE', target: object(first, 'tagging') }, 204);
    expect([await tagsOf(first), await tagsOf()].map((tags) => /<Key>(\w)/.exec(tags)?.[1])).toEqual([undefined, 'k']);
    expect((await ask({ method: 'HEAD', target: object(second) }, 200)).headers['x-amz-tagging-count']).toBe('1');
  });

  test('ACLs', async () => {
    await versioning('enabled');
    const [first, second] = [await put('first', 'k', { 'x-amz-acl': 'public-read' }), await put('second')];
    const seen = async (): Promise<string[]> =>
      Promise.all([first, second, undefined].map((id) => as('anonymous', { method: 'GET', target: object(id) })));
    expect(await seen()).toEqual(['200', '403 AccessDenied', '403 AccessDenied']);
    await ask({ method: 'PUT', target: object(second, 'acl'), headers: { 'x-amz-acl': 'public-read' } }, 200);
    await ask({ method: 'PUT', target: object(first, 'acl'), headers: { 'x-amz-acl': 'private' } }, 200);
    expect(await seen()).toEqual(['403 AccessDenied', '200', '200']);
  });

  test('metadata, ranges and conditions', async () => {
    await versioning('enabled');
    const [first] = [await put('0123456789', 'k', { 'x-amz-meta-a': '1' }), await put('other')];
    const {
      headers: { etag = '', ...described },
    } = await ask({ method: 'HEAD', target: object(first) }, 200);
    expect(described).toMatchObject({ 'x-amz-meta-a': '1', 'content-length': '10' });
    const part = await ask({ method: 'GET', target: object(first), headers: { range: 'bytes=2-4' } }, 206);
    expect([part.body, part.headers['content-range'], idOf(part)]).toEqual(['234', 'bytes 2-4/10', first]);
    expect(idOf(await ask({ method: 'GET', target: object(first), headers: { 'if-none-match': etag } }, 304))).toBe(
      first,
    );
    expect(await as('owner', { method: 'GET', target: object(undefined), headers: { 'if-match': etag } })).toBe(
      '412 PreconditionFailed',
    );
  });
});

test('which version there is, is told only to those who may list', async () => {
  await versioning('enabled');
  await put();
  const id = await marker();
  for (const [name, request] of READING) {
    for (const versionId of [undefined, id, UNKNOWN]) {
      expect(await as('other', request(versionId)), name).toBe(without('403 AccessDenied', name));
    }
  }
});
