import { expect, test } from 'vitest';
import { MemoryBlobStore } from '../../../adapters/memory/memory-blob-store.ts';
import { createRealm, partsOfContainers } from '../../../src/main/bucket-rules.ts';
import type { Backend } from '../../../src/manifest/buckets/realm.ts';

function backend(name: string): Backend {
  return { name, store: new MemoryBlobStore(), systemContainer: 'system', ownerId: 'owner' };
}

test('the first rule that fits a bucket name decides, then the default', () => {
  const rules = [
    { pattern: 'logs-*', backend: 'b' },
    { pattern: '*.a.*', backend: 'c' },
    { pattern: 'exact', backend: 'b' },
    { pattern: 'logs-x', backend: 'c' },
  ];
  const realm = createRealm([backend('a'), backend('b'), backend('c')], rules, 'a');
  const names = ['logs-', 'logs-x', 'logs', 'my-logs-x', 'x.a.y', 'xxaxy', 'exact', 'exactly'].map(
    (bucket) => realm.backendOf(bucket).name,
  );
  expect(names).toEqual(['b', 'b', 'a', 'a', 'c', 'a', 'b', 'a']);
});

test('one backend needs no default; a name that is none is an error', () => {
  expect(createRealm([backend('only')], [], undefined).backendOf('any').name).toBe('only');
  expect(() => createRealm([backend('only')], [], 'other')).toThrow('no backend other');
});

test('the parts of containers go to the backend that the rules give to their buckets', () => {
  const [a, b] = ['one', 'logs-two'].map((bucket) => ({ bucket, container: 'shared', prefix: `${bucket}/` }));
  if (a === undefined || b === undefined) throw new Error('no prefixes');
  const config = { rules: [{ pattern: 'logs-*', backend: 'y' }], default: 'x', prefixes: [a, b] };
  const places = ['x', 'y'].map((backend) => [...partsOfContainers(backend, ['x', 'y'], config)]);
  expect(places).toEqual([
    [['one', { container: 'shared', prefix: 'one/' }]],
    [['logs-two', { container: 'shared', prefix: 'logs-two/' }]],
  ]);
});
