import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../../..');
const FOLDERS = ['src', 'adapters', 'config', 'helm', 'test'];
const CODE = /\.(ts|mjs)$/;

/** Names that a tool calls, not an import: vitest's global setups. */
const CALLED_BY_TOOLS = /^test\/(acceptance|browser)\/support\/global-setup\.ts$/;

const files = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(ROOT, folder, name)),
).filter((file) => CODE.test(file) && !file.includes('node_modules') && !file.endsWith('.d.ts'));

const IMPORT =
  /(?:import|export)\s+(?:type\s+)?(?:\w+\s*,\s*)?(\*(?:\s+as\s+\w+)?|\{[^}]*\})\s*from\s*'(\.[^']+)'|import\(\s*'(\.[^']+)'\s*\)/g;
const EXPORT = /^export (?:async |abstract )?(?:interface|type|function\*?|const|let|class) (\w+)/gm;

/** All that is taken from a file by others: names, or `*`. */
function takenNames(): Map<string, Set<string>> {
  const taken = new Map<string, Set<string>>();
  for (const file of files) {
    for (const [, names = '*', from, loaded] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
      const target = resolve(dirname(file), from ?? loaded ?? '');
      const list = names.startsWith('*')
        ? ['*']
        : names
            .slice(1, -1)
            .split(',')
            .map(
              (name) =>
                name
                  .replace(/^\s*type\s/, '')
                  .trim()
                  .split(/\s/)[0] ?? '',
            );
      const known = taken.get(target) ?? new Set();
      for (const name of list) known.add(name);
      taken.set(target, known);
    }
  }
  return taken;
}

describe('what a file exports', () => {
  it('is imported by another', () => {
    const taken = takenNames();
    const idle = files.flatMap((file) => {
      const path = relative(ROOT, file);
      const by = taken.get(file);
      if (by?.has('*') === true || CALLED_BY_TOOLS.test(path)) return [];
      const names = [...readFileSync(file, 'utf8').matchAll(EXPORT)].map(([, name = '']) => name);
      return names.filter((name) => by?.has(name) !== true).map((name) => `${path}: ${name}`);
    });
    expect(idle).toEqual([]);
  });
});
