import { expect } from 'vitest';
import { ABSENT } from '../../../src/store/blob-store.ts';
import { nameComparator } from '../../../src/store/name-order.ts';
import { blobsOf, type Define, failsWith, md5, type Subject } from './suite.ts';

const TREE = ['a', 'a/', 'a/b', 'a/b/c', 'a/d', 'a0', 'b/1', 'b/2', 'b/3', 'c', 'd//', 'd//x', 'd/e', 'z/'];
const ODD = [
  'odd/ leading',
  'odd/%',
  'odd/%2F',
  'odd/+',
  'odd/?q=1',
  'odd/#f',
  'odd/&amp;',
  'odd/a b',
  'odd/a\'"<>',
  'odd/trailing ',
  'odd/slash/',
  'odd//',
  'odd//x',
  'odd/.hidden',
  'odd/...x',
  'odd/ä',
  'odd/a\u0308',
  'odd/日本語',
  'odd/\u05e9\u05dc',
  'odd/\uffe5',
  '/odd',
  '//odd',
  'odd/~tilde',
  'odd/{}[]|^`',
  'odd/:;=,@$!*()',
];

export function listTests(subject: Subject, test: Define): void {
  treeTests(subject, test);
  startTests(subject, test);
  pagingTests(subject, test);
  entryTests(subject, test);
  nameTests(subject, test);
}

/** The names, made once per container that needs them. */
function filled(subject: Subject, names: readonly string[]): () => Promise<string> {
  let made: Promise<string> | undefined;
  const fill = async (): Promise<string> => {
    const container = await subject.newContainer();
    for (const name of names) {
      await subject.write({ container, name }, name, { metadata: { length: `${name.length}` } });
    }
    return container;
  };
  return () => (made ??= fill());
}

function treeTests(subject: Subject, test: Define): void {
  const tree = filled(subject, TREE);

  test('a container without blobs lists nothing', async () => {
    const container = await subject.newContainer();
    expect(await subject.store.list(container, { limit: 10 }, subject.call)).toEqual({ entries: [] });
  });

  test('all names, in order', async () => {
    expect(await subject.names(await tree())).toEqual(TREE);
  });

  test('prefix', async () => {
    const container = await tree();
    expect(await subject.names(container, { prefix: 'a/' })).toEqual(['a/', 'a/b', 'a/b/c', 'a/d']);
    expect(await subject.names(container, { prefix: 'a' })).toEqual(['a', 'a/', 'a/b', 'a/b/c', 'a/d', 'a0']);
    expect(await subject.names(container, { prefix: 'c' })).toEqual(['c']);
    expect(await subject.names(container, { prefix: 'nothing' })).toEqual([]);
  });

  test('delimiter', async () => {
    const entries = await subject.list(await tree(), { delimiter: '/' });
    expect(entries.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      'blob a',
      'prefix a/',
      'blob a0',
      'prefix b/',
      'blob c',
      'prefix d/',
      'prefix z/',
    ]);
  });

  test('prefix and delimiter', async () => {
    const container = await tree();
    expect(await subject.names(container, { prefix: 'a/', delimiter: '/' })).toEqual(['a/', 'a/b', 'a/b/', 'a/d']);
    expect(await subject.names(container, { prefix: 'a', delimiter: '/' })).toEqual(['a', 'a/', 'a0']);
    expect(await subject.names(container, { prefix: 'd/', delimiter: '/' })).toEqual(['d//', 'd/e']);
    expect(await subject.names(container, { prefix: 'd//', delimiter: '/' })).toEqual(['d//', 'd//x']);
  });

  test('another delimiter than the slash', async () => {
    expect(await subject.names(await tree(), { delimiter: 'b' })).toEqual([
      'a',
      'a/',
      'a/b',
      'a/d',
      'a0',
      'b',
      'c',
      'd//',
      'd//x',
      'd/e',
      'z/',
    ]);
  });

  test('names appear with their write and disappear with their removal', async () => {
    const container = await subject.newContainer();
    const ref = { container, name: 'comes-and-goes' };
    await subject.write(ref, 'x', { condition: ABSENT });
    expect(await subject.names(container)).toEqual([ref.name]);
    await subject.store.remove(ref, undefined, subject.call);
    expect(await subject.names(container)).toEqual([]);
    await subject.write(ref, 'x');
    expect(await subject.names(container)).toEqual([ref.name]);
  });
}

function startTests(subject: Subject, test: Define): void {
  const tree = filled(subject, TREE);

  test('startAt is inclusive', async () => {
    expect(await subject.names(await tree(), { startAt: 'b/2' })).toEqual(TREE.slice(TREE.indexOf('b/2')));
  });

  test('startAt a name that was never stored', async () => {
    const container = await tree();
    expect(await subject.names(container, { startAt: 'b/25' })).toEqual(TREE.slice(TREE.indexOf('b/3')));
    expect(await subject.names(container, { startAt: 'b' })).toEqual(TREE.slice(TREE.indexOf('b/1')));
    expect(await subject.names(container, { startAt: 'zz' })).toEqual([]);
  });

  test('startAt with a prefix: before it, within it, behind it', async () => {
    const container = await tree();
    expect(await subject.names(container, { prefix: 'b/', startAt: 'a' })).toEqual(['b/1', 'b/2', 'b/3']);
    expect(await subject.names(container, { prefix: 'b/', startAt: 'b/2' })).toEqual(['b/2', 'b/3']);
    expect(await subject.names(container, { prefix: 'b/', startAt: 'c' })).toEqual([]);
  });

  test('startAt inside a rolled-up prefix lists that prefix', async () => {
    const container = await tree();
    expect(await subject.names(container, { delimiter: '/', startAt: 'b/2' })).toEqual(['b/', 'c', 'd/', 'z/']);
    expect(await subject.names(container, { delimiter: '/', startAt: 'a/' })).toEqual([
      'a/',
      'a0',
      'b/',
      'c',
      'd/',
      'z/',
    ]);
    expect(await subject.names(container, { delimiter: '/', startAt: 'a0' })).toEqual(['a0', 'b/', 'c', 'd/', 'z/']);
  });

  test('startAt and pages of one', async () => {
    const container = await tree();
    expect(await subject.names(container, { delimiter: '/', startAt: 'b/2', limit: 1 })).toEqual([
      'b/',
      'c',
      'd/',
      'z/',
    ]);
    expect(await subject.names(container, { startAt: 'b/2', limit: 1 })).toEqual(TREE.slice(TREE.indexOf('b/2')));
  });
}

function pagingTests(subject: Subject, test: Define): void {
  const tree = filled(subject, TREE);
  const SHAPES = [
    {},
    { delimiter: '/' },
    { prefix: 'a' },
    { prefix: 'a/', delimiter: '/' },
    { startAt: 'a/b', delimiter: '/' },
  ];

  test('pages of any size give what one page gives', async () => {
    const container = await tree();
    for (const shape of SHAPES) {
      const whole = await subject.list(container, shape);
      for (const limit of [1, 2, 3, 5, whole.length, whole.length + 1]) {
        expect(await subject.list(container, { ...shape, limit }), JSON.stringify({ ...shape, limit })).toEqual(whole);
      }
    }
  });

  test('a page that holds everything has no token', async () => {
    const page = await subject.store.list(await tree(), { limit: TREE.length }, subject.call);
    expect(page.entries).toHaveLength(TREE.length);
    expect(page.nextToken).toBeUndefined();
  });

  test('a page goes on behind a name that was removed meanwhile', async () => {
    const container = await subject.newContainer();
    for (const name of ['a', 'b', 'c', 'd']) await subject.write({ container, name }, name);
    const first = await subject.store.list(container, { limit: 2 }, subject.call);
    const token = first.nextToken;
    expect(first.entries.map((entry) => entry.name)).toEqual(['a', 'b']);
    expect(token).toBeDefined();
    if (token === undefined) return;
    await subject.store.remove({ container, name: 'b' }, undefined, subject.call);
    const rest = await subject.store.list(container, { limit: 10, token }, subject.call);
    expect(rest.entries.map((entry) => entry.name)).toEqual(['c', 'd']);
  });
}

function entryTests(subject: Subject, test: Define): void {
  test('entries carry the properties that head gives', async () => {
    const ref = subject.ref('entry');
    const headers = {
      contentType: 'text/plain',
      contentEncoding: 'gzip',
      contentLanguage: 'de',
      contentDisposition: 'inline',
      cacheControl: 'no-cache',
    };
    const metadata = { s3_etag: 'abc', other: '<&> "x" = %41+' };
    await subject.write(ref, 'hello', { headers, metadata, md5: md5('hello') });
    const [entry] = blobsOf(await subject.list(ref.container, { prefix: ref.name }));
    const properties = await subject.store.head(ref, subject.call);
    expect(entry).toMatchObject({ ...headers, kind: 'blob', name: ref.name, size: 5, metadata, md5: md5('hello') });
    expect(entry?.lastModified).toBe(properties.lastModified);
    expect(entry?.revision).toBe(properties.revision);
  });

  test('entries follow a change of metadata', async () => {
    const ref = subject.ref('changed');
    const { revision } = await subject.write(ref, 'hello', { metadata: { a: '1' } });
    const changed = await subject.store.setMetadata(ref, { b: '2' }, { kind: 'match', revision }, subject.call);
    const [entry] = blobsOf(await subject.list(ref.container, { prefix: ref.name }));
    expect(entry?.metadata).toEqual({ b: '2' });
    expect(entry?.revision).toBe(changed.revision);
  });
}

function nameTests(subject: Subject, test: Define): void {
  const odd = filled(subject, ODD);

  test('odd names are kept as they are, and read, listed and removed by them', async () => {
    const container = await odd();
    const order = nameComparator(subject.store.capabilities.nameOrder);
    expect(await subject.names(container)).toEqual([...ODD].sort(order));
    for (const name of ODD) {
      expect(await subject.text({ container, name }), name).toBe(name);
      expect(await subject.names(container, { prefix: name }), name).toContain(name);
      expect((await subject.names(container, { startAt: name }))[0], name).toBe(name);
    }
    expect(await subject.names(container, { limit: 1 })).toEqual([...ODD].sort(order));
  });

  test('names beyond U+FFFF sort as the capabilities say', async () => {
    const container = await subject.newContainer();
    const names = ['x\u{1f600}', 'x\uffe5', 'x\u{10000}', 'xa', 'x\ud7a3', 'x\u{1f600}a'];
    for (const name of names) await subject.write({ container, name }, 'x');
    expect(await subject.names(container)).toEqual(
      [...names].sort(nameComparator(subject.store.capabilities.nameOrder)),
    );
  });

  test('names of 1,000 characters, with and without slashes', async () => {
    const container = await subject.newContainer();
    const names = ['n'.repeat(1000), 'seg/'.repeat(250)];
    for (const name of names) {
      await subject.write({ container, name }, name, { metadata: { a: '1' } });
      expect(await subject.text({ container, name })).toBe(name);
    }
    expect(await subject.names(container)).toEqual(names);
  });

  test('a name above the limit of the capabilities is refused', async () => {
    const name = 'n'.repeat(subject.store.capabilities.maxNameLength + 1);
    await failsWith(subject.write({ container: subject.container, name }, 'x'), 'invalidName', 'tooLarge');
  });
}
