import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { ConfigError, loadConfig } from '../../../config/load.ts';
import { renderReference } from '../../../config/reference.ts';

const ROOT = join(import.meta.dirname, '../../..');
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'config-'));
});

afterAll(() => rmSync(folder, { recursive: true }));

const ACCOUNT = {
  name: 'main',
  canonicalId: 'a'.repeat(64),
  displayName: 'Main',
  email: 'main@example.com',
  accountNumber: '123456789012',
  keys: [{ accessKeyId: 'KEY', secretEnv: 'SECRET' }],
};
const GOOD = { accounts: [ACCOUNT], backends: { store: { kind: 'memory', owner: 'main' } } };

function load(settings: object | string, environment: Record<string, string> = {}): ReturnType<typeof loadConfig> {
  const file = join(folder, 'config.yaml');
  writeFileSync(file, typeof settings === 'string' ? settings : stringify(settings));
  return loadConfig(file, environment);
}

function complaints(settings: object | string, environment: Record<string, string> = {}): readonly string[] {
  try {
    load(settings, environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.lines;
    throw error;
  }
}

describe('files that come with the gateway', () => {
  const files = [
    'default.yaml',
    'testbed.yaml',
    ...readdirSync(join(ROOT, 'config/examples')).map((name) => `examples/${name}`),
  ];

  test.each(files)('%s is good', (name) => {
    expect(() => loadConfig(join(ROOT, 'config', name), {})).not.toThrow();
  });

  test('docs/configuration.md is what `npm run docs` writes', async () => {
    await expect(renderReference()).toMatchFileSnapshot(join(ROOT, 'docs/configuration.md'));
  });
});

describe('defaults', () => {
  test('are filled in at every level', () => {
    const { config } = load(GOOD);
    expect(config).toMatchObject({
      region: 'us-east-1',
      acceptAnyRegion: false,
      baseHosts: ['localhost'],
      bucketCacheMs: 1000,
      newBuckets: 'open',
      defaultChecksum: 'none',
      smallRangeCopy: false,
      limits: { heldBodyBytes: 1024 * 1024 },
      admin: { host: '127.0.0.1' },
      buckets: { rules: [] },
    });
  });
});

describe('wrong settings are named with path and expectation', () => {
  test.each<[string, object, string[]]>([
    ['unknown at the top', { ...GOOD, colour: 'red' }, ['colour: there is no such setting']],
    ['unknown below', { ...GOOD, limits: { heldBytes: 1 } }, ['limits.heldBytes: there is no such setting']],
    ['wrong type', { ...GOOD, region: 7 }, ['region: expected string, received number']],
    [
      'out of range',
      { ...GOOD, listeners: [{ port: 70000 }] },
      ['listeners.0.port: Too big: expected number to be <=65535'],
    ],
    ['missing', { backends: GOOD.backends }, ['accounts: expected at least one account, here or in accountsFrom']],
    [
      'no such kind',
      { ...GOOD, backends: { store: { kind: 'ftp', owner: 'main' } } },
      [expect.stringMatching(/^backends\.store\.kind: /) as string],
    ],
    [
      'owner',
      { ...GOOD, backends: { store: { kind: 'memory', owner: 'nobody' } } },
      ['backends.store.owner: expected one of the accounts main'],
    ],
    [
      'several backends without a default',
      { ...GOOD, backends: { a: GOOD.backends.store, b: GOOD.backends.store } },
      ['buckets.default: expected the name of a backend, as there are several'],
    ],
    [
      'proxy',
      { ...GOOD, trustedProxies: ['10.0.0.0/8', '::1', 'proxy.example.com'] },
      ['trustedProxies.2: expected an address or a CIDR range'],
    ],
    [
      'rule',
      { ...GOOD, buckets: { rules: [{ pattern: 'x', backend: 'y' }] } },
      ['buckets.rules.0.backend: expected one of the backends store'],
    ],
    [
      'rules that stand twice',
      {
        ...GOOD,
        buckets: {
          rules: [
            { pattern: 'a-*', backend: 'store' },
            { pattern: 'a-(.*)', backend: 'store' },
          ],
        },
      },
      ['buckets.rules.1.pattern: expected a pattern that no rule before it has'],
    ],
    [
      'aliases',
      {
        ...GOOD,
        buckets: {
          aliases: [
            { pattern: 'a-*', bucket: 'b-$2' },
            { pattern: 'a-(.*)', bucket: 'c-$1' },
            { pattern: 'd', bucket: 'd' },
            { pattern: 'e', bucket: 'd' },
            { pattern: '*', bucket: 'f' },
          ],
        },
      },
      [
        'buckets.aliases.0.bucket: expected $1 to $1 at most, one for each * of the pattern',
        'buckets.aliases.1.pattern: expected a pattern that no alias before it has',
        'buckets.aliases.2.bucket: expected another bucket than the pattern names',
        'buckets.aliases.3.bucket: expected a bucket, not another alias',
        'buckets.aliases.4.bucket: expected $1, or all buckets would be this one',
      ],
    ],
    [
      'prefixes',
      {
        ...GOOD,
        buckets: {
          aliases: [{ pattern: 'alias-*', bucket: 'b-$1' }],
          prefixes: [
            { bucket: 'one', container: 'shared', prefix: 'teams/' },
            { bucket: 'two', container: 'shared', prefix: 'teams/a/' },
            { bucket: 'one', container: 'other', prefix: 'teams/' },
            { bucket: 'alias-a', container: 'shared', prefix: 'x/' },
            { bucket: 's3gw-system', container: 's3gw-system', prefix: 'y/' },
          ],
        },
      },
      [
        'buckets.prefixes.1.prefix: expected a prefix that shares no blobs with that of bucket one',
        'buckets.prefixes.2.bucket: expected a bucket that no prefix before it has',
        'buckets.prefixes.3.bucket: expected a name that is no alias',
        'buckets.prefixes.4.bucket: expected another name than that of a system container',
        'buckets.prefixes.4.container: expected another container than a system container',
      ],
    ],
    ...[
      '',
      '/',
      'a',
      '/a/',
      'a//',
      'a/../',
      'a./',
      'a\\b/',
      '~s3~/',
      '.well-known/acme-challenge/',
      '\u0001/',
      '😀/',
    ].map((prefix): [string, object, string[]] => [
      `the prefix ${JSON.stringify(prefix)}`,
      { ...GOOD, buckets: { prefixes: [{ bucket: 'one', container: 'shared', prefix }] } },
      [expect.stringMatching(/^buckets\.prefixes\.0\.prefix: expected /) as string],
    ]),
    [
      'two forms of one secret',
      { ...GOOD, accounts: [{ ...ACCOUNT, keys: [{ accessKeyId: 'KEY', secretEnv: 'A', secretFile: 'b' }] }] },
      ['accounts.0.keys.0: expected exactly one of secretAccessKey, secretFile, secretEnv'],
    ],
    [
      'a secret of Azure in the file itself',
      {
        ...GOOD,
        backends: { store: { kind: 'azure', owner: 'main', credential: { kind: 'accountKey', key: 'abc' } } },
      },
      [
        'backends.store.credential.key: there is no such setting',
        'backends.store.credential: expected exactly one of keyFile, keyEnv',
      ],
    ],
  ])('%s', (_name, settings, lines) => {
    expect(complaints(settings)).toEqual(lines);
  });

  test('all of them at once', () => {
    expect(complaints({ ...GOOD, region: 7, colour: 'red' })).toHaveLength(2);
  });

  test('no YAML, no file', () => {
    expect(complaints('a: [')).toEqual([expect.stringMatching(/config\.yaml: is not YAML: /)]);
    expect(() => loadConfig(join(folder, 'none.yaml'), {})).toThrow('cannot be read (ENOENT)');
  });
});

describe('two backends on one place', () => {
  const azure = (more: object): object => ({ kind: 'azure', owner: 'main', credential: { kind: 'default' }, ...more });
  const gcs = (more: object): object => ({ kind: 'gcs', owner: 'main', credential: { kind: 'default' }, ...more });
  const said = (one: object, two: object): readonly string[] =>
    complaints({ ...GOOD, backends: { one, two }, buckets: { default: 'one' } });

  test.each<[string, object, object]>([
    ['one account', azure({ account: 'acme' }), azure({ account: 'acme', systemContainer: 'other' })],
    [
      'one account by its name and by its host',
      azure({ account: 'acme' }),
      azure({ endpoint: 'https://ACME.blob.core.windows.net/' }),
    ],
    [
      'an account and its secondary, zonal or private host',
      azure({ endpoint: 'https://acme-secondary.z7.privatelink.blob.core.windows.net' }),
      azure({ account: 'acme' }),
    ],
    [
      'an emulator twice',
      azure({ endpoint: 'http://127.0.0.1:10000/dev' }),
      azure({ endpoint: 'http://127.0.0.1:10000/dev/' }),
    ],
    ['one prefix', gcs({ bucketPrefix: 'a-' }), gcs({ bucketPrefix: 'a-', projectId: 'another' })],
    ['a prefix and a longer one', gcs({ bucketPrefix: 'a-b-' }), gcs({ bucketPrefix: 'a-' })],
    ['no prefix and any', gcs({ bucketPrefix: '' }), gcs({ bucketPrefix: 'a-' })],
  ])('%s is refused', (_name, one, two) => {
    expect(said(one, two)).toEqual([
      expect.stringMatching(/^backends\.two: its containers would be those of backends\.one: .*another account/),
    ]);
  });

  test.each<[string, object, object]>([
    ['two accounts', azure({ account: 'acme' }), azure({ account: 'acme2' })],
    [
      'two emulated accounts',
      azure({ endpoint: 'http://127.0.0.1:10000/a' }),
      azure({ endpoint: 'http://127.0.0.1:10000/b' }),
    ],
    ['two prefixes', gcs({ bucketPrefix: 'a-' }), gcs({ bucketPrefix: 'b-' })],
    ['two clouds', azure({ account: 'acme' }), gcs({ bucketPrefix: 'a-' })],
    ['two services', gcs({ bucketPrefix: '' }), gcs({ bucketPrefix: '', endpoint: 'https://other.example.com' })],
  ])('%s are not', (_name, one, two) => {
    expect(said(one, two)).toEqual([]);
  });
});

describe('the demo keys', () => {
  const demo = {
    ...GOOD,
    accounts: [{ ...ACCOUNT, keys: [{ accessKeyId: 'DEMODEMODEMODEMO0000', secretAccessKey: 'demo-secret' }] }],
  };

  test.each(['127.0.0.1', '::1', 'localhost', '127.1.2.3'])('work on %s', (host) => {
    expect(complaints({ ...demo, listeners: [{ host, port: 1 }] })).toEqual([]);
  });

  test.each(['0.0.0.0', '::', '192.0.2.1', '127.0.0.1.example.com'])('are refused on %s', (host) => {
    expect(complaints({ ...demo, listeners: [{ host, port: 1 }] })).toEqual([
      'listeners.0.host: expected a loopback address (127.0.0.1) while the demo keys are in use',
    ]);
  });
});

test('two of one port are refused', () => {
  const settings = { listeners: [{ host: '::1', port: 9500 }], admin: { host: '::1', port: 9500 } };
  expect(complaints({ ...GOOD, ...settings })).toEqual([
    'admin.port: expected a port of its own; listeners.0.port is 9500, too',
  ]);
});

describe('environment', () => {
  test('lies over the file', () => {
    const { config } = load(
      { ...GOOD, backends: { 'my-store': GOOD.backends.store } },
      {
        S3GW_REGION: 'eu-west-1',
        S3GW_LIMITS__HELD_BODY_BYTES: '65536',
        S3GW_LISTENERS__0__PORT: '9443',
        S3GW_BASE_HOSTS: '[a.example, b.example]',
        S3GW_BACKENDS__MY_STORE__SYSTEM_CONTAINER: 'elsewhere',
        S3GW_CONFIG: 'not a setting',
      },
    );
    expect(config).toMatchObject({
      region: 'eu-west-1',
      limits: { heldBodyBytes: 65536 },
      listeners: [{ port: 9443 }],
      baseHosts: ['a.example', 'b.example'],
      backends: { 'my-store': { systemContainer: 'elsewhere' } },
    });
  });

  test('is checked like the file', () => {
    expect(complaints(GOOD, { S3GW_COLOUR: 'red' })).toEqual(['colour: there is no such setting (from S3GW_COLOUR)']);
    expect(complaints(GOOD, { S3GW_BUCKET_CACHE_MS: 'soon' })).toEqual([
      'bucketCacheMs: expected number, received string (from S3GW_BUCKET_CACHE_MS)',
    ]);
  });

  test.each<[Record<string, string>, string]>([
    [
      { S3GW_LIMITS: '{heldBodyBytes: much}' },
      'limits.heldBodyBytes: expected number, received string (from S3GW_LIMITS)',
    ],
    [
      { S3GW_LISTENERS__0__PORT: 'high' },
      'listeners.0.port: expected number, received string (from S3GW_LISTENERS__0__PORT)',
    ],
    [
      { S3GW_BACKENDS__STORE__COLOUR: 'red' },
      'backends.store.colour: there is no such setting (from S3GW_BACKENDS__STORE__COLOUR)',
    ],
    [{ S3GW_LIMITS__COLOUR__DEEP: 'red' }, 'limits.colour: there is no such setting (from S3GW_LIMITS__COLOUR__DEEP)'],
  ])('is named in the complaint about what it says: %j', (environment, line) => {
    expect(complaints(GOOD, environment)).toEqual([line]);
  });

  test('is not named for what the file says', () => {
    expect(complaints({ ...GOOD, bucketCacheMs: 'soon' }, { S3GW_REGION: 'eu-west-1' })).toEqual([
      'bucketCacheMs: expected number, received string',
    ]);
  });

  test.each([
    ['[secret', 'S3GW_REGION: is not YAML: line 1, column 8 (MISSING_CHAR)'],
    ['@secret', 'S3GW_REGION: is not YAML: line 1, column 1 (BAD_SCALAR_START)'],
    ['*secret', 'S3GW_REGION: is not YAML'],
  ])('that is no YAML is refused like a setting, without a word of it: %s', (value, line) => {
    expect(complaints(GOOD, { S3GW_REGION: value })).toEqual([line]);
    expect(complaints(`region: ${value}\n`)).toEqual([
      expect.stringMatching(/^\S+config\.yaml: is not YAML(?!.*secret)/) as unknown,
    ]);
  });

  test('has no effect in silence: members of lists are named by their places', () => {
    expect(complaints({ ...GOOD, listeners: [{ port: 1 }] }, { S3GW_LISTENERS__FIRST__PORT: '2' })).toEqual([
      'S3GW_LISTENERS__FIRST__PORT: expected a place in the list, from 0, instead of FIRST',
    ]);
  });

  test('makes no secret of the file: those that stand in the file do', () => {
    const keys = [{ accessKeyId: 'KEY' }];
    const secret = {
      S3GW_ACCOUNTS__0__KEYS__0__SECRET_ACCESS_KEY: 'from-outside',
      S3GW_STS: `{keys: [${'k'.repeat(32)}]}`,
    };
    expect(load({ ...GOOD, accounts: [{ ...ACCOUNT, keys }] }, secret).writtenSecrets).toEqual([]);
    const sts = { keys: ['k'.repeat(32)] };
    const written = [{ accessKeyId: 'KEY', secretAccessKey: 'in-the-file' }];
    const { file, writtenSecrets } = load({ ...GOOD, accounts: [{ ...ACCOUNT, keys: written }], sts });
    expect(writtenSecrets).toEqual([
      { file, setting: 'accounts.keys.secretAccessKey' },
      { file, setting: 'sts.keys' },
    ]);
  });
});
