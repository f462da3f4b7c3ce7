import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Caller, type Sent, contentMd5, outcome, send } from '../support/acl-client.ts';
import { type TestGateway, startTestGateway } from '../support/gateway.ts';
import type { RawAnswer } from '../support/raw-http.ts';

type Headers = Readonly<Record<string, string>>;
type State = 'never' | 'enabled' | 'suspended';

/** Well-formed, and of no version. */
const UNKNOWN = '1'.padStart(32, '0');
const TOKEN = /^[0-9a-f]{32}$/;
const TAGGING = '<Tagging><TagSet><Tag><Key>k</Key><Value>v</Value></Tag></TagSet></Tagging>';

let gateway: TestGateway;
let bucket: string;
let made = 0;

beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.close());

beforeEach(async () => {
  bucket = `versions-${++made}`;
  await ask({ method: 'PUT', target: `/${bucket}` }, 200);
});

async function ask(sent: Sent, status: number, caller: Caller = 'owner'): Promise<RawAnswer> {
  const answer = await send(gateway.port, caller, sent);
  expect(answer.status, `${sent.method} ${sent.target} ${answer.body}`).toBe(status);
  return answer;
}

async function as(caller: Caller, sent: Sent): Promise<string> {
  return outcome(await send(gateway.port, caller, sent));
}

async function versioning(...states: State[]): Promise<void> {
  for (const state of states) {
    if (state === 'never') continue;
    const status = state === 'enabled' ? 'Enabled' : 'Suspended';
    await ask({ method: 'PUT', target: `/${bucket}?versioning`, body: `<VersioningConfiguration><Status>${status}</Status></VersioningConfiguration>` }, 200);
  }
}

/** Like a name of a version, whatever made it. */
function idOf({ headers }: RawAnswer): string {
  return headers['x-amz-version-id'] ?? 'none';
}

async function put(body = 'text', key = 'k', headers: Headers = {}): Promise<string> {
  return idOf(await ask({ method: 'PUT', target: `/${bucket}/${key}`, headers, body }, 200));
}

const object = (versionId?: string, more = ''): string => {
  const query = [more, versionId === undefined ? '' : `versionId=${versionId}`].filter(Boolean).join('&');
  return `/${bucket}/k${query === '' ? '' : `?${query}`}`;
};

/** The text, or the error. */
async function get(versionId?: string): Promise<string> {
  const answer = await send(gateway.port, 'owner', { method: 'GET', target: object(versionId) });
  return answer.status === 200 ? answer.body : outcome(answer);
}

/** `204 marker <id>`: what a deletion says. */
async function remove(versionId?: string, headers: Headers = {}): Promise<string> {
  const answer = await send(gateway.port, 'owner', { method: 'DELETE', target: object(versionId), headers });
  return [outcome(answer), answer.headers['x-amz-delete-marker'] === 'true' ? 'marker' : '', answer.headers['x-amz-version-id'] ?? ''].filter(Boolean).join(' ');
}

/** @returns id of the marker */
async function marker(): Promise<string> {
  return idOf(await ask({ method: 'DELETE', target: object() }, 204));
}

/** All operations that may name a version. */
const NAMING: Readonly<Record<string, (versionId?: string) => Sent>> = {
  GetObject: (id) => ({ method: 'GET', target: object(id) }),
  HeadObject: (id) => ({ method: 'HEAD', target: object(id) }),
  GetObjectAttributes: (id) => ({ method: 'GET', target: object(id, 'attributes'), headers: { 'x-amz-object-attributes': 'ETag' } }),
  GetObjectAcl: (id) => ({ method: 'GET', target: object(id, 'acl') }),
  PutObjectAcl: (id) => ({ method: 'PUT', target: object(id, 'acl'), headers: { 'x-amz-acl': 'private' } }),
  GetObjectTagging: (id) => ({ method: 'GET', target: object(id, 'tagging') }),
  PutObjectTagging: (id) => ({ method: 'PUT', target: object(id, 'tagging'), body: TAGGING }),
  DeleteObjectTagging: (id) => ({ method: 'DELETE', target: object(id, 'tagging') }),
  DeleteObject: (id) => ({ method: 'DELETE', target: object(id) }),
  CopyObject: (id) => ({ method: 'PUT', target: `/${bucket}/copy`, headers: { 'x-amz-copy-source': object(id) } }),
};
const READING = Object.entries(NAMING).filter(([name]) => !['DeleteObject', 'CopyObject'].includes(name));

/** HEAD has no error document. */
function without(document: string, name: string): string {
  return name === 'HeadObject' ? document.slice(0, 3) : document;
}

describe.each(Object.entries(NAMING))('versionId of %s', (name, request) => {
  test.each<[State, string, string]>([
    ['never', '', '400 InvalidArgument'],
    ['never', 'x', '400 InvalidArgument'],
    ['never', UNKNOWN, '400 InvalidArgument'],
    ['enabled', '', '400 InvalidArgument'],
    ['enabled', 'x', '400 InvalidArgument'],
    ['enabled', UNKNOWN.toUpperCase().replace('0', 'A'), '400 InvalidArgument'],
    ['enabled', UNKNOWN, '404 NoSuchVersion'],
    ['suspended', UNKNOWN, '404 NoSuchVersion'],
  ])('%s: "%s" is %s', async (state, versionId, expected) => {
    await versioning(state);
    await put();
    const answer = await send(gateway.port, 'owner', request(versionId));
    // A version that is not there is deleted already.
    expect(outcome(answer)).toBe(name === 'DeleteObject' && expected === '404 NoSuchVersion' ? '204' : without(expected, name));
    expect(await get()).toBe('text');
  });

  test.each<State>(['never', 'enabled', 'suspended'])('%s: null names the null version', async (state) => {
    await put('null version');
    await versioning(state);
    if (state === 'enabled') await put('above it');
    const { status } = await send(gateway.port, 'owner', request('null'));
    expect([200, 204]).toContain(status);
    if (name === 'CopyObject') expect((await ask({ method: 'GET', target: `/${bucket}/copy` }, 200)).body).toBe('null version');
    expect(await get('null')).toBe(name === 'DeleteObject' ? '404 NoSuchVersion' : 'null version');
  });

  test('a null version that is not there', async () => {
    await versioning('enabled');
    await put();
    expect(await as('owner', request('null'))).toBe(name === 'DeleteObject' ? '204' : without('404 NoSuchVersion', name));
  });
});

describe.each(READING)('%s', (_name, request) => {
  test('says which version it is about, in buckets that ever had versions', async () => {
    await put();
    expect([idOf(await send(gateway.port, 'owner', request())), idOf(await send(gateway.port, 'owner', request('null')))]).toEqual(['none', 'none']);
    await versioning('enabled');
    const [first, second] = [await put('first'), await put('second')];
    for (const [asked, expected] of [[undefined, second], [first, first], [second, second], ['null', 'null']] as const) {
      expect(idOf(await send(gateway.port, 'owner', request(asked)))).toBe(expected);
    }
    await versioning('suspended');
    await put();
    expect(idOf(await send(gateway.port, 'owner', request()))).toBe('null');
  });
});

describe('a delete marker as target', () => {
  const MARKED = (id: string): Headers => ({ 'x-amz-delete-marker': 'true', 'x-amz-version-id': id });
  const OF_CURRENT: Readonly<Record<string, string>> = {
    GetObject: '404 NoSuchKey', HeadObject: '404', GetObjectAttributes: '404 NoSuchKey', GetObjectAcl: '404 NoSuchKey', CopyObject: '404 NoSuchKey',
    PutObjectAcl: '405 MethodNotAllowed', GetObjectTagging: '405 MethodNotAllowed', PutObjectTagging: '405 MethodNotAllowed', DeleteObjectTagging: '405 MethodNotAllowed',
  };

  test.each(Object.entries(OF_CURRENT))('that is current: %s is %s', async (name, expected) => {
    await versioning('enabled');
    await put();
    const id = await marker();
    const answer = await send(gateway.port, 'owner', NAMING[name]?.() ?? { method: 'GET', target: '/' });
    expect(outcome(answer)).toBe(expected);
    if (answer.status === 404) {
      expect(answer.headers).toMatchObject(MARKED(id));
    } else {
      expect([answer.headers['allow'], answer.headers['x-amz-delete-marker'], answer.headers['x-amz-version-id']]).toEqual(['DELETE', undefined, undefined]);
      expect(answer.body).toContain(`<Method>${NAMING[name]?.().method ?? ''}</Method><ResourceType>DeleteMarker</ResourceType>`);
    }
  });

  test.each(READING)('by its id: %s is 405', async (name, request) => {
    await versioning('enabled');
    const id = await marker();
    for (const isCurrent of [true, false]) {
      if (!isCurrent) await put();
      const answer = await send(gateway.port, 'owner', request(id));
      expect(outcome(answer)).toBe(without('405 MethodNotAllowed', name));
      expect(answer.headers).toMatchObject({ ...MARKED(id), 'allow': 'DELETE', 'last-modified': expect.stringMatching(/ GMT$/) as string });
      if (name !== 'HeadObject') expect(answer.body).toContain(`<Method>${request().method}</Method><ResourceType>DeleteMarker</ResourceType>`);
    }
  });

  test('by its id, as a source', async () => {
    await versioning('enabled');
    const id = await marker();
    const answer = await send(gateway.port, 'owner', NAMING['CopyObject']?.(id) ?? { method: 'GET', target: '/' });
    expect(outcome(answer)).toBe('400 InvalidRequest');
    expect(answer.body).toContain('The source of a copy request may not specifically refer to a delete marker by version id.');
  });

  test('that is the null version', async () => {
    await versioning('enabled', 'suspended');
    expect(await marker()).toBe('null');
    const [current, named] = [await ask({ method: 'GET', target: object() }, 404), await ask({ method: 'GET', target: object('null') }, 405)];
    expect([current.headers, named.headers]).toMatchObject([MARKED('null'), MARKED('null')]);
  });

  test('does not hinder an upload in parts', async () => {
    await versioning('enabled');
    await marker();
    expect(await multipart('part')).toMatch(TOKEN);
    expect(await get()).toBe('part');
  });
});

describe('DeleteObject', () => {
  test('never: the object goes, and no version is spoken of', async () => {
    for (const versionId of [undefined, 'null']) {
      await put();
      expect(await remove(versionId)).toBe('204');
      expect(await get()).toBe('404 NoSuchKey');
      expect(await remove(versionId)).toBe('204');
    }
  });

  test('enabled: a marker, also where nothing was', async () => {
    await versioning('enabled');
    expect(await remove()).toMatch(/^204 marker [0-9a-f]{32}$/);
    const version = await put();
    expect(await remove()).toMatch(/^204 marker [0-9a-f]{32}$/);
    expect(await remove()).toMatch(/^204 marker [0-9a-f]{32}$/);
    expect([await get(), await get(version)]).toEqual(['404 NoSuchKey', 'text']);
  });

  test.each<State>(['enabled', 'suspended'])('%s: a version by its id goes for good, any number of times', async (state) => {
    await versioning('enabled');
    const [first, second] = [await put('first'), await put('second')];
    await versioning(state);
    expect(await remove(first)).toBe(`204 ${first}`);
    expect([await get(first), await get()]).toEqual(['404 NoSuchVersion', 'second']);
    expect(await remove(first)).toBe(`204 ${first}`);
    expect(await remove(UNKNOWN)).toBe(`204 ${UNKNOWN}`);
    expect(await remove(second)).toBe(`204 ${second}`);
    expect(await get()).toBe('404 NoSuchKey');
  });

  test.each<State>(['enabled', 'suspended'])('%s: the last marker uncovers what was below it', async (state) => {
    await versioning('enabled');
    await put();
    const [first, second] = [await marker(), await marker()];
    await versioning(state);
    expect(await remove(first)).toBe(`204 marker ${first}`);
    expect(await get()).toBe('404 NoSuchKey');
    expect(await remove(second)).toBe(`204 marker ${second}`);
    expect(await get()).toBe('text');
  });

  test('suspended: a null marker takes the place of the null version, and of nothing else', async () => {
    await put('null version');
    await versioning('enabled');
    const version = await put('version');
    await versioning('suspended');
    expect(await remove()).toBe('204 marker null');
    expect([await get(), await get('null'), await get(version)]).toEqual(['404 NoSuchKey', '405 MethodNotAllowed', 'version']);
    expect(await remove()).toBe('204 marker null');
    expect(await remove('null')).toBe('204 marker null');
    expect(await get()).toBe('version');
    expect(await remove('null')).toBe('204 null');
    expect(await get(version)).toBe('version');
  });

  test('suspended: the null version by its name', async () => {
    await versioning('enabled');
    const version = await put('version');
    await versioning('suspended');
    await put('null version');
    expect(await remove('null')).toBe('204 null');
    expect([await get(), await get(version)]).toEqual(['version', 'version']);
  });

  test.each<State>(['enabled', 'suspended'])('%s: If-Match', async (state) => {
    await versioning('enabled', state);
    expect(await remove(undefined, { 'if-match': '*' }), 'nothing there').toBe('204');
    const old = await ask({ method: 'PUT', target: object(), body: 'old' }, 200);
    const { etag = '' } = (await ask({ method: 'PUT', target: object(), body: 'new' }, 200)).headers;
    expect(await remove(undefined, { 'if-match': old.headers['etag'] ?? '' })).toBe('412 PreconditionFailed');
    expect(await get()).toBe('new');
    expect(await remove(undefined, { 'if-match': etag })).toMatch(/^204 marker /);
    expect(await remove(undefined, { 'if-match': etag }), 'a marker is no object').toBe('204');
    await put('again');
    expect(await remove(undefined, { 'if-match': '*' })).toMatch(/^204 marker /);
  });

  test('If-Match with a version is judged on that version', async () => {
    await versioning('enabled');
    const old = await ask({ method: 'PUT', target: object(), body: 'old' }, 200);
    const { etag = '' } = (await ask({ method: 'PUT', target: object(), body: 'new' }, 200)).headers;
    expect(await remove(idOf(old), { 'if-match': etag })).toBe('412 PreconditionFailed');
    expect(await get(idOf(old))).toBe('old');
    expect(await remove(idOf(old), { 'if-match': old.headers['etag'] ?? '' })).toBe(`204 ${idOf(old)}`);
  });

  test('for good is for the owner of the bucket alone', async () => {
    await put('null version');
    await versioning('enabled');
    await ask({ method: 'PUT', target: `/${bucket}?acl`, headers: { 'x-amz-acl': 'public-read-write' } }, 200);
    const version = await put();
    for (const caller of ['other', 'anonymous'] as const) {
      for (const id of [version, 'null', UNKNOWN]) expect(await as(caller, { method: 'DELETE', target: object(id) })).toBe('403 AccessDenied');
      expect(await removeMany(`<Object><Key>k</Key><VersionId>${version}</VersionId></Object>`, caller)).toEqual([`AccessDenied k ${version}`]);
      expect(await as(caller, { method: 'DELETE', target: object() })).toBe('204');
    }
    expect([await get(version), await get('null')]).toEqual(['text', 'null version']);
  });
});

/** Of each element of the answer, all its texts. */
async function removeMany(objects: string, caller: Caller = 'owner'): Promise<string[]> {
  const body = `<Delete>${objects}</Delete>`;
  const { body: result } = await ask({ method: 'POST', target: `/${bucket}?delete`, headers: { 'content-md5': contentMd5(body) }, body }, 200, caller);
  const textOf = (element: string, name: string): string[] => [new RegExp(`<${name}>([^<]*)<`).exec(element)?.[1] ?? ''].filter(Boolean);
  const names = ['Code', 'Key', 'VersionId', 'DeleteMarker', 'DeleteMarkerVersionId'];
  return [...result.matchAll(/<(?:Deleted|Error)>(.*?)<\/(?:Deleted|Error)>/g)].map(([, element = '']) => names.flatMap((name) => textOf(element, name)).join(' ')).sort();
}

describe('DeleteObjects', () => {
  const item = (key: string, more = ''): string => `<Object><Key>${key}</Key>${more}</Object>`;
  const named = (key: string, versionId: string): string => item(key, `<VersionId>${versionId}</VersionId>`);

  test('makes markers, deletes versions and markers, and says which', async () => {
    await versioning('enabled');
    const version = await put();
    const old = await marker();
    await put('other', 'other');
    const [a = '', b = '', c = ''] = await removeMany(named('k', version) + named('k', old) + item('other'));
    expect([a, b]).toEqual([`k ${old} true ${old}`, `k ${version}`].sort());
    expect(c).toMatch(/^other true [0-9a-f]{32}$/);
    expect([await get(), await get(version)]).toEqual(['404 NoSuchKey', '404 NoSuchVersion']);
    expect(await removeMany(named('k', version) + named('k', UNKNOWN)), 'gone already').toEqual([`k ${UNKNOWN}`, `k ${version}`].sort());
  });

  test('all versions of a key at once', async () => {
    await put('null version');
    await versioning('enabled');
    const ids = ['null', await put('1'), await put('2'), await put('3')];
    expect(await removeMany(ids.map((id) => named('k', id)).join(''))).toEqual(ids.map((id) => `k ${id}`).sort());
    for (const id of [undefined, ...ids]) expect(await get(id)).toMatch(/^404 /);
  });

  test('suspended: null markers', async () => {
    await versioning('enabled', 'suspended');
    await put();
    expect(await removeMany(item('k') + item('none'))).toEqual(['k true null', 'none true null']);
    expect(await removeMany(named('k', 'null'))).toEqual(['k null true null']);
  });

  test('never: no word about versions', async () => {
    await put();
    expect(await removeMany(item('k') + item('none'))).toEqual(['k', 'none']);
    expect(await removeMany(named('k', UNKNOWN))).toEqual([`InvalidArgument k ${UNKNOWN}`]);
  });

  test('an id that is none is an error of its own', async () => {
    await versioning('enabled');
    const version = await put();
    expect(await removeMany(named('k', 'x') + named('k', version))).toEqual(['InvalidArgument k x', `k ${version}`].sort());
  });

  test.each<State>(['never', 'enabled', 'suspended'])('%s: ETag is a condition', async (state) => {
    await versioning(state);
    const { etag = '' } = (await ask({ method: 'PUT', target: object(), body: 'text' }, 200)).headers;
    const conditional = (value: string): string => item('k', `<ETag>${value.replaceAll('"', '&quot;')}</ETag>`);
    expect(await removeMany(conditional('"0"'))).toEqual(['PreconditionFailed k']);
    expect(await get()).toBe('text');
    const [deleted] = await removeMany(conditional(etag));
    expect(deleted).toMatch({ never: /^k$/, enabled: /^k true [0-9a-f]{32}$/, suspended: /^k true null$/ }[state]);
    expect(await removeMany(conditional(etag)), 'nothing there').toEqual(['k']);
  });

  test('ETag with a version is judged on that version', async () => {
    await versioning('enabled');
    const old = await ask({ method: 'PUT', target: object(), body: 'old' }, 200);
    await put('new');
    const conditional = (etag: string): string => item('k', `<VersionId>${idOf(old)}</VersionId><ETag>${etag.replaceAll('"', '&quot;')}</ETag>`);
    expect(await removeMany(conditional('"0"'))).toEqual([`PreconditionFailed k ${idOf(old)}`]);
    expect(await removeMany(conditional(old.headers['etag'] ?? ''))).toEqual([`k ${idOf(old)}`]);
  });
});

/** @returns version id */
async function multipart(body: string, between: () => Promise<unknown> = async () => undefined): Promise<string> {
  const created = await ask({ method: 'POST', target: object(undefined, 'uploads') }, 200);
  const query = `uploadId=${/<UploadId>([^<]+)</.exec(created.body)?.[1] ?? ''}`;
  const part = await ask({ method: 'PUT', target: object(undefined, `partNumber=1&${query}`), body }, 200);
  expect([idOf(created), idOf(part)]).toEqual(['none', 'none']);
  await between();
  const list = `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${part.headers['etag'] ?? ''}</ETag></Part></CompleteMultipartUpload>`;
  const complete: Sent = { method: 'POST', target: object(undefined, query), body: list };
  const completed = await ask(complete, 200);
  expect(idOf(await ask(complete, 200)), 'sent again').toBe(idOf(completed));
  return idOf(completed);
}

describe('what is written', () => {
  const WRITES: Readonly<Record<string, () => Promise<string>>> = {
    PutObject: () => put('written'),
    CopyObject: async () => {
      await put('written', 'source');
      return idOf(await ask({ method: 'PUT', target: object(), headers: { 'x-amz-copy-source': `/${bucket}/source` } }, 200));
    },
    CompleteMultipartUpload: () => multipart('written'),
  };

  test.each(Object.entries(WRITES))('%s: names its version where it has an id', async (_name, write) => {
    expect(await write()).toBe('none');
    await versioning('enabled');
    const version = await write();
    expect(version).toMatch(TOKEN);
    expect([await get(version), await get('null')]).toEqual(['written', 'written']);
    await versioning('suspended');
    expect(await write(), 'not said of the null version').toBe('none');
    expect([await get(), await get(version)]).toEqual(['written', 'written']);
    expect(await remove('null')).toBe('204 null');
    expect(await remove(version)).toBe(`204 ${version}`);
    expect(await get()).toBe('404 NoSuchKey');
  });

  test.each(Object.entries(WRITES))('%s: takes the place of the null version where versioning is suspended', async (_name, write) => {
    await versioning('enabled');
    const version = await put('version');
    await versioning('suspended');
    await put('null version');
    await write();
    expect([await get('null'), await get(version)]).toEqual(['written', 'version']);
    await remove('null');
    expect(await get()).toBe('version');
  });

  test('an upload in parts has the place of its initiation', async () => {
    await versioning('enabled');
    let later = '';
    const version = await multipart('part', async () => {
      later = await put('later');
    });
    expect([await get(), await get(version), await get(later)]).toEqual(['later', 'part', 'later']);
    await remove(later);
    expect(await get()).toBe('part');
  });

  test('If-None-Match and If-Match see markers as nothing', async () => {
    await versioning('enabled');
    const { etag = '' } = (await ask({ method: 'PUT', target: object(), body: 'text' }, 200)).headers;
    const conditional = (headers: Headers): Promise<string> => as('owner', { method: 'PUT', target: object(), headers, body: 'more' });
    expect(await conditional({ 'if-none-match': '*' })).toBe('412 PreconditionFailed');
    await marker();
    expect(await conditional({ 'if-match': etag })).toBe('404 NoSuchKey');
    expect(await conditional({ 'if-none-match': '*' })).toBe('200');
  });

  test('parts have no versions', async () => {
    await versioning('enabled');
    const created = await ask({ method: 'POST', target: object(undefined, 'uploads') }, 200);
    const uploadId = /<UploadId>([^<]+)</.exec(created.body)?.[1] ?? '';
    const target = object(UNKNOWN, `partNumber=1&uploadId=${uploadId}`);
    expect(await as('owner', { method: 'PUT', target, body: 'part' })).toBe('400 InvalidArgument');
  });
});

describe('a source of a copy', () => {
  /** Version that was copied as the answer says, and the text of the copy. */
  const COPIES: Readonly<Record<string, (source: string) => Promise<[string, string]>>> = {
    CopyObject: async (source) => {
      const answer = await ask({ method: 'PUT', target: `/${bucket}/copy`, headers: { 'x-amz-copy-source': source } }, 200);
      return [answer.headers['x-amz-copy-source-version-id'] ?? 'none', (await ask({ method: 'GET', target: `/${bucket}/copy` }, 200)).body];
    },
    UploadPartCopy: async (source) => {
      const created = await ask({ method: 'POST', target: `/${bucket}/copy?uploads` }, 200);
      const uploadId = /<UploadId>([^<]+)</.exec(created.body)?.[1] ?? '';
      const part = await ask({ method: 'PUT', target: `/${bucket}/copy?partNumber=1&uploadId=${uploadId}`, headers: { 'x-amz-copy-source': source } }, 200);
      expect(idOf(part), 'a part is no version').toBe('none');
      const etag = /<ETag>(?:&quot;|")?([0-9a-f]+)/.exec(part.body)?.[1] ?? '';
      const body = `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${etag}</ETag></Part></CompleteMultipartUpload>`;
      await ask({ method: 'POST', target: `/${bucket}/copy?uploadId=${uploadId}`, body }, 200);
      return [part.headers['x-amz-copy-source-version-id'] ?? 'none', (await ask({ method: 'GET', target: `/${bucket}/copy` }, 200)).body];
    },
  };

  test.each(Object.entries(COPIES))('%s: current or by its id; said unless it is the null version', async (_name, copy) => {
    await put('null version');
    expect(await copy(object())).toEqual(['none', 'null version']);
    await versioning('enabled');
    const [first, second] = [await put('first'), await put('second')];
    expect(await copy(object())).toEqual([second, 'second']);
    expect(await copy(object(first))).toEqual([first, 'first']);
    expect(await copy(object('null'))).toEqual(['none', 'null version']);
    await versioning('suspended');
    expect(await copy(object(first))).toEqual([first, 'first']);
    await put('new null version');
    expect(await copy(object())).toEqual(['none', 'new null version']);
  });

  test.each([
    ['', '400 InvalidArgument'], ['x', '400 InvalidArgument'], [UNKNOWN, '404 NoSuchVersion'], ['null', '404 NoSuchVersion'],
  ])('UploadPartCopy of version "%s": %s', async (versionId, expected) => {
    await versioning('enabled');
    await put();
    expect(await partCopy(object(versionId))).toBe(expected);
  });

  test('UploadPartCopy of a delete marker', async () => {
    await versioning('enabled');
    await put();
    const id = await marker();
    expect([await partCopy(object()), await partCopy(object(id))]).toEqual(['404 NoSuchKey', '400 InvalidRequest']);
  });

  async function partCopy(source: string): Promise<string> {
    const created = await ask({ method: 'POST', target: `/${bucket}/copy?uploads` }, 200);
    const uploadId = /<UploadId>([^<]+)</.exec(created.body)?.[1] ?? '';
    return as('owner', { method: 'PUT', target: `/${bucket}/copy?partNumber=1&uploadId=${uploadId}`, headers: { 'x-amz-copy-source': source } });
  }

  test('an older version onto its own key brings it back', async () => {
    await versioning('enabled');
    const [first] = [await put('first'), await put('second')];
    const restored = idOf(await ask({ method: 'PUT', target: object(), headers: { 'x-amz-copy-source': object(first) } }, 200));
    expect([await get(), await get(restored), await get(first)]).toEqual(['first', 'first', 'first']);
    expect(restored).not.toBe(first);
    expect(await as('owner', { method: 'PUT', target: object(), headers: { 'x-amz-copy-source': object() } })).toBe('400 InvalidRequest');
  });
});

describe('what belongs to a version', () => {
  test('tags', async () => {
    await versioning('enabled');
    const [first, second] = [await put('first', 'k', { 'x-amz-tagging': 'n=1' }), await put('second')];
    await ask({ method: 'PUT', target: object(second, 'tagging'), body: TAGGING }, 200);
    const tagsOf = async (id?: string): Promise<string> => (await ask({ method: 'GET', target: object(id, 'tagging') }, 200)).body.replace(/^.*<TagSet/s, '');
    expect([await tagsOf(first), await tagsOf(second), await tagsOf()].map((tags) => /<Key>(\w)/.exec(tags)?.[1])).toEqual(['n', 'k', 'k']);
    await ask({ method: 'DELETE', target: object(first, 'tagging') }, 204);
    expect([await tagsOf(first), await tagsOf()].map((tags) => /<Key>(\w)/.exec(tags)?.[1])).toEqual([undefined, 'k']);
    expect((await ask({ method: 'HEAD', target: object(second) }, 200)).headers['x-amz-tagging-count']).toBe('1');
  });

  test('ACLs', async () => {
    await versioning('enabled');
    const [first, second] = [await put('first', 'k', { 'x-amz-acl': 'public-read' }), await put('second')];
    const seen = async (): Promise<string[]> => Promise.all([first, second, undefined].map((id) => as('anonymous', { method: 'GET', target: object(id) })));
    expect(await seen()).toEqual(['200', '403 AccessDenied', '403 AccessDenied']);
    await ask({ method: 'PUT', target: object(second, 'acl'), headers: { 'x-amz-acl': 'public-read' } }, 200);
    await ask({ method: 'PUT', target: object(first, 'acl'), headers: { 'x-amz-acl': 'private' } }, 200);
    expect(await seen()).toEqual(['403 AccessDenied', '200', '200']);
  });

  test('metadata, ranges and conditions', async () => {
    await versioning('enabled');
    const [first] = [await put('0123456789', 'k', { 'x-amz-meta-a': '1' }), await put('other')];
    const { headers: { etag = '', ...described } } = await ask({ method: 'HEAD', target: object(first) }, 200);
    expect(described).toMatchObject({ 'x-amz-meta-a': '1', 'content-length': '10' });
    const part = await ask({ method: 'GET', target: object(first), headers: { range: 'bytes=2-4' } }, 206);
    expect([part.body, part.headers['content-range'], idOf(part)]).toEqual(['234', 'bytes 2-4/10', first]);
    expect(idOf(await ask({ method: 'GET', target: object(first), headers: { 'if-none-match': etag } }, 304))).toBe(first);
    expect(await as('owner', { method: 'GET', target: object(undefined), headers: { 'if-match': etag } })).toBe('412 PreconditionFailed');
  });
});

test('which version there is, is told only to those who may list', async () => {
  await versioning('enabled');
  await put();
  const id = await marker();
  for (const [name, request] of READING) {
    for (const versionId of [undefined, id, UNKNOWN]) expect(await as('other', request(versionId)), name).toBe(without('403 AccessDenied', name));
  }
});
