import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createAzureStore } from '../../../../adapters/azure/index.ts';
import { expandConnectionString } from '../../../../adapters/azure/credentials.ts';
import { blobPath, containerPath, encodeName, resolveEndpoint } from '../../../../adapters/azure/endpoint.ts';
import { isStoreError } from '../../../../src/store/store-error.ts';

function kindOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return isStoreError(error) ? error.kind : String(error);
  }
  return 'no error';
}

describe('names', () => {
  test('every byte outside A-Za-z0-9-._~/ is percent-encoded', () => {
    expect(encodeName("a/b-._~ !'()*+%?#&\\ä日😀")).toBe(
      'a/b-._~%20%21%27%28%29%2A%2B%25%3F%23%26%5C%C3%A4%E6%97%A5%F0%9F%98%80',
    );
  });

  test.each([
    ['v/246c/a/b!!199f-._~', 'v/246c/a/b%21%21199f-._~'],
    ['!', '%21'],
    ['a!b c', 'a%21b%20c'],
    ['a!*', 'a%21%2A'],
  ])('%j with exclamation marks', (name, encoded) => {
    expect(encodeName(name)).toBe(encoded);
  });

  test('decoding gives the name back, and nothing but unreserved characters goes out', () => {
    const names = fc
      .string({ minLength: 1, maxLength: 200, unit: 'grapheme' })
      .filter((name) => !/(^|\/)\.{1,2}(\/|$)/.test(name) && name.length <= 1024);
    fc.assert(
      fc.property(names, (name) => {
        const encoded = encodeName(name);
        expect(encoded).toMatch(/^[A-Za-z0-9._~/%-]+$/);
        expect(decodeURIComponent(encoded)).toBe(name);
      }),
    );
  });

  test.each(['', '.', '..', 'a/..', '../b', 'a/./b', 'a/../b', '\ud800', 'x'.repeat(1025)])('%j is refused', (name) => {
    expect(kindOf(() => encodeName(name))).toBe('invalidName');
  });

  test.each(['...', 'a/...', '.a', 'a.', 'a/.b/c', 'x'.repeat(1024), '/a', 'a//b'])('%j is fine', (name) => {
    expect(encodeName(name)).toBe(name);
  });

  test.each(['', 'ab', 'Abc', 'a--b', '-abc', 'abc-', 'a.b.c', 'a/b', '..', 'x'.repeat(64)])(
    'container %j is refused',
    (container) => {
      expect(kindOf(() => containerPath(resolveEndpoint({ account: 'account' }), container))).toBe('invalidName');
    },
  );
});

describe('endpoints', () => {
  test.each([
    [{ account: 'acc' }, 'https://acc.blob.core.windows.net', '', 'acc'],
    [{ account: 'acc', endpointSuffix: 'core.chinacloudapi.cn' }, 'https://acc.blob.core.chinacloudapi.cn', '', 'acc'],
    [{ endpoint: 'https://acc.blob.core.windows.net/' }, 'https://acc.blob.core.windows.net', '', 'acc'],
    [
      { endpoint: 'https://acc.privatelink.blob.core.windows.net' },
      'https://acc.privatelink.blob.core.windows.net',
      '',
      'acc',
    ],
    [{ endpoint: 'https://acc.z12.blob.storage.azure.net' }, 'https://acc.z12.blob.storage.azure.net', '', 'acc'],
    [
      { endpoint: 'http://127.0.0.1:10000/devstoreaccount1' },
      'http://127.0.0.1:10000',
      '/devstoreaccount1',
      'devstoreaccount1',
    ],
    [{ endpoint: 'https://storage.example.com', account: 'acc' }, 'https://storage.example.com', '', 'acc'],
  ])('%j', (options, origin, basePath, account) => {
    expect(resolveEndpoint(options)).toMatchObject({ origin, basePath, account });
  });

  test('the base path stands before every name', () => {
    const endpoint = resolveEndpoint({ endpoint: 'http://127.0.0.1:1/devstoreaccount1' });
    expect(blobPath(endpoint, { container: 'abc', name: 'a b' })).toBe('/devstoreaccount1/abc/a%20b');
  });

  test.each([
    {},
    { endpoint: 'https://storage.example.com' },
    { endpoint: 'ftp://acc.blob.core.windows.net' },
    { endpoint: 'https://acc.blob.core.windows.net?sv=1' },
  ])('%j is refused', (options) => {
    expect(() => resolveEndpoint(options)).toThrow('endpoint');
  });
});

describe('connection strings', () => {
  const expand = (connectionString: string): unknown =>
    expandConnectionString({ credential: { kind: 'connectionString', connectionString } });

  test('account key', () => {
    expect(
      expand('DefaultEndpointsProtocol=https;AccountName=acc;AccountKey=a2V5==;EndpointSuffix=core.windows.net'),
    ).toEqual({
      account: 'acc',
      endpointSuffix: 'core.windows.net',
      credential: { kind: 'accountKey', key: 'a2V5==' },
    });
  });

  test('shared access signature with an endpoint', () => {
    expect(expand('BlobEndpoint=https://acc.blob.core.windows.net;SharedAccessSignature=sv=1&sig=x%3D')).toEqual({
      endpoint: 'https://acc.blob.core.windows.net',
      credential: { kind: 'sas', token: 'sv=1&sig=x%3D' },
    });
  });

  test('the emulator', () => {
    expect(expand('UseDevelopmentStorage=true')).toMatchObject({
      account: 'devstoreaccount1',
      endpoint: 'http://127.0.0.1:10000/devstoreaccount1',
    });
  });

  test('plain http on the default host', () => {
    expect(expand('DefaultEndpointsProtocol=http;AccountName=acc;AccountKey=a2V5')).toMatchObject({
      endpoint: 'http://acc.blob.core.windows.net',
    });
  });

  test('neither key nor signature, or a key that is none, is refused', () => {
    expect(() => expand('AccountName=acc')).toThrow('connection string');
    expect(() => createAzureStore({ account: 'acc', credential: { kind: 'accountKey', key: '' } })).toThrow(
      'account key',
    );
  });
});
