import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { OPERATION_TABLE } from '../../../src/protocol/operation-table.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** Programs of their own: the inspector's page runs in a browser, and a double speaks the words of its cloud. */
const APART = ['src/admin/page/web/', 'adapters/doubles/'];

/** S3's name of an operation means it on both floors: what clients ask for, and what is done in the blobs. */
const OPERATIONS = new Set(OPERATION_TABLE.map(({ name }) => name.charAt(0).toLowerCase() + name.slice(1)));

/** Where a name has one meaning. Adapters say by one name what each of them does for the same call of the port. */
function subjectOf(file: string, name: string): string {
  if (/^adapters\/(azure|gcs|memory)\//.test(file)) return 'an adapter';
  if (OPERATIONS.has(name) && /^src\/(operations|manifest)\//.test(file)) return 'the operation';
  return file;
}

function exportedBy(file: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(join(ROOT, file), 'utf8'), ts.ScriptTarget.Latest);
  return source.statements.flatMap((statement) => {
    const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined;
    if (modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) !== true) return [];
    if (ts.isVariableStatement(statement)) {
      return statement.declarationList.declarations.flatMap(({ name }) => (ts.isIdentifier(name) ? [name.text] : []));
    }
    const { name } = statement as ts.DeclarationStatement;
    return name !== undefined && ts.isIdentifier(name) ? [name.text] : [];
  });
}

it('no name is exported with two meanings', () => {
  const subjects = new Map<string, Set<string>>();
  for (const file of globSync('{src,adapters,config}/**/*.ts', { cwd: ROOT })) {
    if (APART.some((folder) => file.startsWith(folder))) continue;
    for (const name of exportedBy(file)) {
      const of = subjects.get(name) ?? new Set();
      subjects.set(name, of.add(subjectOf(file, name)));
    }
  }
  expect(subjects.size).toBeGreaterThan(1000);
  const twice = [...subjects].filter(([, of]) => of.size > 1).map(([name, of]) => `${name}: ${[...of].join(', ')}`);
  expect(twice).toEqual([]);
});
