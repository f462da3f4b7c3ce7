import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../../..');
const DEPCRUISE = join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');

interface Violation {
  readonly from: string;
  readonly rule: { readonly name: string };
}

interface Plant {
  readonly what: string;
  readonly rule: string;
  readonly file: string;
  readonly imports: string;
}

/** One file each that breaks one rule. */
const PLANTS: readonly Plant[] = [
  {
    what: 'an operation that imports an adapter',
    rule: 'adapters-are-chosen-by-main',
    file: 'src/operations/a.ts',
    imports: '../../adapters/memory/ok.ts',
  },
  {
    what: 'the store looking up at the manifest',
    rule: 'store-imports-downward',
    file: 'src/store/a.ts',
    imports: '../manifest/ok.ts',
  },
  {
    what: 'authentication looking up at the protocol',
    rule: 'auth-imports-downward',
    file: 'src/auth/a.ts',
    imports: '../protocol/ok.ts',
  },
  {
    what: 'an operation that imports the gateway',
    rule: 'operations-imports-downward',
    file: 'src/operations/b.ts',
    imports: '../gateway/ok.ts',
  },
  {
    what: 'the manifest importing an account decision',
    rule: 'manifest-imports-downward',
    file: 'src/manifest/a.ts',
    imports: '../access/ok.ts',
  },
  {
    what: 'the gateway importing its neighbour',
    rule: 'gateway-imports-downward',
    file: 'src/gateway/a.ts',
    imports: '../admin/ok.ts',
  },
  {
    what: 'an adapter that knows S3 errors',
    rule: 'adapters-know-no-s3',
    file: 'adapters/azure/a.ts',
    imports: '../../src/errors/ok.ts',
  },
  {
    what: 'an adapter that borrows from another',
    rule: 'one-adapter-knows-no-other',
    file: 'adapters/azure/b.ts',
    imports: '../memory/ok.ts',
  },
  {
    what: 'an adapter that knows a double',
    rule: 'one-adapter-knows-no-other',
    file: 'adapters/azure/c.ts',
    imports: '../doubles/ok.ts',
  },
  {
    what: 'an operation that looks behind the door of the manifest',
    rule: 'one-door-of-the-manifest',
    file: 'src/operations/e.ts',
    imports: '../manifest/objects/ok.ts',
  },
  {
    what: 'an operation that knows Fastify',
    rule: 'http-server-in-front-only',
    file: 'src/operations/c.ts',
    imports: 'fastify',
  },
  {
    what: "the COSI driver using the gateway's own files",
    rule: 'the-cosi-driver-stands-apart',
    file: 'src/main/cosi/a.ts',
    imports: '../ok.ts',
  },
  {
    what: 'a command that speaks gRPC',
    rule: 'grpc-in-one-place',
    file: 'src/main/b.ts',
    imports: '@grpc/grpc-js',
  },
  {
    what: 'a manifest file that knows an SDK',
    rule: 'cloud-clients-in-adapters-only',
    file: 'src/manifest/b.ts',
    imports: '@azure/storage-blob',
  },
  {
    what: 'configuration that imports the gateway',
    rule: 'config-stands-alone',
    file: 'config/a.ts',
    imports: '../src/gateway/ok.ts',
  },
  {
    what: 'an operation that reads the configuration',
    rule: 'config-is-read-by-main',
    file: 'src/operations/d.ts',
    imports: '../../config/ok.ts',
  },
  {
    what: 'production code that needs a development package',
    rule: 'no-development-packages',
    file: 'src/auth/b.ts',
    imports: 'fast-check',
  },
  { what: 'a folder that is no layer', rule: 'known-layers', file: 'src/gateway/b.ts', imports: '../helpers/ok.ts' },
  {
    what: 'a record that looks up at a head',
    rule: 'manifest-records-imports-downward',
    file: 'src/manifest/records/a.ts',
    imports: '../heads/ok.ts',
  },
  {
    what: 'a head that looks up at the versions',
    rule: 'manifest-heads-imports-downward',
    file: 'src/manifest/heads/a.ts',
    imports: '../versions/ok.ts',
  },
  {
    what: 'a version that looks up at uploads',
    rule: 'manifest-versions-imports-downward',
    file: 'src/manifest/versions/a.ts',
    imports: '../uploads/ok.ts',
  },
  {
    what: 'uploads that import their neighbour',
    rule: 'manifest-uploads-imports-downward',
    file: 'src/manifest/uploads/a.ts',
    imports: '../objects/ok.ts',
  },
  {
    what: 'objects that import their neighbour',
    rule: 'manifest-objects-imports-downward',
    file: 'src/manifest/objects/a.ts',
    imports: '../listing/ok.ts',
  },
  {
    what: 'a listing that looks up at the sweeper',
    rule: 'manifest-listing-imports-downward',
    file: 'src/manifest/listing/a.ts',
    imports: '../sweep/ok.ts',
  },
  {
    what: 'a bucket that imports its neighbour',
    rule: 'manifest-buckets-imports-downward',
    file: 'src/manifest/buckets/a.ts',
    imports: '../uploads/ok.ts',
  },
  {
    what: 'the sweeper importing the inspection',
    rule: 'manifest-sweep-imports-downward',
    file: 'src/manifest/sweep/a.ts',
    imports: '../inspect/ok.ts',
  },
  {
    what: 'the inspection importing the whole manifest',
    rule: 'manifest-inspect-imports-downward',
    file: 'src/manifest/inspect/a.ts',
    imports: '../ok.ts',
  },
  {
    what: 'a folder that is no floor',
    rule: 'known-floors',
    file: 'src/manifest/sweep/b.ts',
    imports: '../helpers/ok.ts',
  },
  { what: 'an import of nothing', rule: 'no-unresolvable', file: 'src/auth/c.ts', imports: './nowhere.ts' },
  { what: 'a file in a cycle', rule: 'no-cycles', file: 'src/streams/a.ts', imports: './b.ts' },
];

/** What the plants import, and one file each that keeps the rules. */
const HARMLESS: Readonly<Record<string, string>> = {
  'src/main/ok.ts': "import '../gateway/ok.ts';\nimport '../../adapters/memory/ok.ts';\nimport '../../config/ok.ts';\n",
  'src/main/cosi/ok.ts': "import '../../streams/b.ts';\nimport '@grpc/grpc-js';\n",
  'src/gateway/ok.ts': "import '../operations/ok.ts';\nimport 'fastify';\n",
  'src/admin/ok.ts': 'export {};\n',
  'src/operations/ok.ts': "import '../access/ok.ts';\nimport '../errors/ok.ts';\n",
  'src/access/ok.ts': "import '../manifest/index.ts';\n",
  'src/manifest/index.ts': "import './ok.ts';\n",
  'src/manifest/ok.ts':
    "import type { X } from '../store/ok.ts';\nimport './sweep/ok.ts';\nimport './objects/ok.ts';\nexport type Y = X;\n",
  'src/manifest/sweep/ok.ts': "import '../uploads/ok.ts';\nimport '../records/ok.ts';\n",
  'src/manifest/inspect/ok.ts': "import '../versions/ok.ts';\n",
  'src/manifest/objects/ok.ts': "import '../versions/ok.ts';\n",
  'src/manifest/uploads/ok.ts': "import '../heads/ok.ts';\n",
  'src/manifest/listing/ok.ts': "import '../records/ok.ts';\n",
  'src/manifest/versions/ok.ts': "import '../heads/ok.ts';\n",
  'src/manifest/heads/ok.ts': "import '../records/ok.ts';\n",
  'src/manifest/records/ok.ts': "import '../../store/ok.ts';\n",
  'src/manifest/helpers/ok.ts': 'export {};\n',
  'src/store/ok.ts': 'export type X = number;\n',
  'src/protocol/ok.ts': "import '../auth/ok.ts';\n",
  'src/auth/ok.ts': "import '../errors/ok.ts';\n",
  'src/errors/ok.ts': 'export {};\n',
  'src/streams/b.ts': "import type { A } from './a.ts';\nexport type B = A;\n",
  'src/helpers/ok.ts': 'export {};\n',
  'adapters/doubles/ok.ts': "import '../memory/ok.ts';\n",
  'adapters/memory/ok.ts': "import type { X } from '../../src/store/ok.ts';\nexport type Z = X;\n",
  'config/ok.ts': "import 'zod';\n",
  'test/ok.test.ts': "import '../adapters/memory/ok.ts';\nimport 'fast-check';\n",
};

describe('the layer check', () => {
  let folder: string;
  let violations: readonly Violation[];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'layers-'));
    for (const file of ['.dependency-cruiser.cjs', 'tsconfig.json', 'package.json']) {
      await cp(join(ROOT, file), join(folder, file));
    }
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    for (const [file, text] of Object.entries(HARMLESS)) await write(join(folder, file), text);
    for (const { file, imports } of PLANTS) {
      await write(join(folder, file), `import '${imports}';\nexport type A = number;\n`);
    }
    violations = await check(folder);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test.each(PLANTS)('refuses $what', ({ rule, file }) => {
    expect(violations.filter((violation) => violation.from === file).map((violation) => violation.rule.name)).toContain(
      rule,
    );
  });

  test('lets pass what keeps the rules', () => {
    const innocent = new Set(Object.keys(HARMLESS).filter((file) => file !== 'src/streams/b.ts'));
    expect(violations.filter((violation) => innocent.has(violation.from))).toEqual([]);
  });

  test('says so by its exit code', async () => {
    await expect(
      run(process.execPath, [DEPCRUISE, '--config', '.dependency-cruiser.cjs', 'src'], { cwd: folder }),
    ).rejects.toMatchObject({
      stdout: expect.stringContaining('store-imports-downward') as string,
    });
  });
});

async function write(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

/** The JSON reporter always exits with 0. */
async function check(folder: string): Promise<readonly Violation[]> {
  const args = [
    DEPCRUISE,
    '--config',
    '.dependency-cruiser.cjs',
    '--output-type',
    'json',
    'src',
    'adapters',
    'config',
    'test',
  ];
  const { stdout } = await run(process.execPath, args, { cwd: folder, maxBuffer: 1 << 26 });
  return (JSON.parse(stdout) as { summary: { violations: Violation[] } }).summary.violations;
}
