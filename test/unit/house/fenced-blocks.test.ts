import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { CONFIG } from '../../../config/schema.ts';

/** What documents hand out to be copied: configuration that the gateway takes, and commands that are known. */

const ROOT = join(import.meta.dirname, '../../..');
const DOCUMENTS = readdirSync(ROOT)
  .filter((name) => name.endsWith('.md') && name !== 'CHANGELOG.md')
  .concat(
    ['docs', 'helm'].flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.md'))
        .map((name) => join(folder, name)),
    ),
  );

interface Block {
  readonly document: string;
  readonly language: string;
  /** Without the indentation of a list that it stands in. */
  readonly text: string;
}

const BLOCKS = DOCUMENTS.flatMap((document) => {
  const text = readFileSync(join(ROOT, document), 'utf8');
  return [...text.matchAll(/^( *)```(\w*)\n(.*?)^ *```$/gms)].map(
    ([, indent = '', language = '', inside = '']): Block => ({
      ...{ document, language },
      text: inside.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  );
});

function blocksOf(language: string): [string, string][] {
  return BLOCKS.filter((block) => block.language === language).map(({ document, text }) => [document, text]);
}

/** Settings that a fragment needs around it. */
function whole(fragment: Readonly<Record<string, unknown>>): unknown {
  const keys = [{ accessKeyId: 'AROUNDAROUNDAROUND01', secretEnv: 'SECRET' }];
  const accounts = (fragment['accounts'] as { name: string }[] | undefined) ?? [{ name: 'around', keys }];
  const backends = { around: { kind: 'memory', owner: accounts[0]?.name } };
  return { accounts, backends, ...fragment };
}

describe('configuration', () => {
  const settings = new Set(Object.keys(CONFIG.shape));

  test.each(blocksOf('yaml'))('%s: a block of YAML is one that is taken', (_document, text) => {
    for (const document of parseAllDocuments(text)) {
      expect(document.errors).toEqual([]);
      expect(faultsOf(document.toJS())).toBeUndefined();
    }
  });

  function faultsOf(block: unknown): unknown {
    if (typeof block !== 'object' || block === null || Array.isArray(block)) return undefined;
    const isOfChart = 'config' in block;
    const fragment = isOfChart ? (block.config as object) : block;
    // Files of other programs have none of our names.
    if (!isOfChart && !Object.keys(fragment).some((name) => settings.has(name))) return undefined;
    return CONFIG.safeParse(whole({ ...fragment })).error?.issues;
  }

  test.each(blocksOf('json'))('%s: a block of JSON can be read', (_document, text) => {
    expect(() => JSON.parse(text) as unknown).not.toThrow();
  });
});

/** Where the options of each command are. */
const OPTIONS: Readonly<Record<string, string>> = {
  start: 'src/main/arguments.ts',
  sweep: 'src/main/sweep/sweep-arguments.ts',
  prove: 'src/main/prove/prove-arguments.ts',
  trace: 'src/main/trace/trace-arguments.ts',
  policy: 'src/main/policy-main.ts',
  cosi: 'src/main/cosi/cosi-arguments.ts',
  'export-plain': 'src/main/sweep/sweep-export-main.ts',
  testbed: 'test/testbed/options.ts',
  bench: 'test/bench/options.ts',
  compare: 'test/bench/servers/peer-servers.ts',
  'test:histories': 'test/histories/options.ts',
  'test:bytes': 'test/bytes/options.ts',
};
const COMMAND = /\bnpm (?:run (?:-s |--silent )?)?(start|[a-z][\w:-]*) -- ([^\n`|>#&;)]*)/g;
const SHARED = readFileSync(join(ROOT, 'src/main/command-line.ts'), 'utf8');

describe('commands', () => {
  test.each(blocksOf('sh'))('%s: a block of commands is one that a shell can read', (_document, text) => {
    const { status, stderr } = spawnSync('bash', ['-n'], { input: text, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  test.each(blocksOf('sh'))('%s: a block of commands names files that are there', (_document, text) => {
    const named = [...text.matchAll(/(?<![\w/.-])(?:helm|config|docs|src|test)\/[\w./-]*\w/g)].map(([path]) => path);
    expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  test.each(DOCUMENTS)('%s: options of our commands are known to them', (document) => {
    const text = readFileSync(join(ROOT, document), 'utf8').replaceAll('\\\n', ' ');
    const unknown = [...text.matchAll(COMMAND)].flatMap(([command, script = '', rest = '']) => {
      const file = OPTIONS[script];
      if (file === undefined) return [];
      const source = `${readFileSync(join(ROOT, file), 'utf8')}${SHARED}`;
      const options = [...rest.matchAll(/(?<=^|\s)--([a-z][\w-]*)/g)].map(([, name = '']) => name);
      return options
        .filter((name) => !new RegExp(`(?:^|[\\s{,'])${name}'?: `, 'm').test(source))
        .map((name) => `${command}: --${name}`);
    });
    expect(unknown).toEqual([]);
  });
});
