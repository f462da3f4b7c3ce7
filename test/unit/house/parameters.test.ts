import { readFileSync, readdirSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

/*
 * One order of parameters everywhere: what it is done with (a context, a client), what is acted on, what is asked for,
 * the call. Work that a function is handed to do or to wait for stands last, so that it can be written in place.
 */

const ROOT = resolve(import.meta.dirname, '../../..');

interface Signature {
  readonly where: string;
  readonly types: readonly string[];
  readonly names: readonly string[];
}

const sources = ['src/manifest', 'src/operations', 'src/access', 'src/main', 'src/gateway', 'adapters'].flatMap(
  (folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => ({ path: join(folder, name), text: readFileSync(join(ROOT, folder, name), 'utf8') })),
);

const signatures: readonly Signature[] = sources.flatMap(({ path, text }) => signaturesOf(path, text));

/** Of all functions, methods and types of functions; a type that is not written is empty. */
function signaturesOf(path: string, text: string): Signature[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: Signature[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node)) {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart(file));
      const types = node.parameters.map(({ type }) => (type?.getText(file) ?? '').replaceAll(/\s+/g, ' '));
      const names = node.parameters.map(({ name }) => name.getText(file));
      found.push({ where: `${relative('.', path)}:${line + 1} (${types.join(', ')})`, types, names });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** Parameters that are a key of a bucket, one behind the other: `KeyRef` says the same in one. */
function takesBucketAndKey({ types, names }: Signature): boolean {
  return names.some((name, at) => name === 'key' && names[at - 1] === 'bucket' && isBucketType(types[at - 1]));
}

const isBucketType = (type = ''): boolean => type === 'Bucket' || type === '';
const isCall = (type: string): boolean => type === 'Call';
const isContext = (type: string): boolean => /^(?:Pick<)?(?:Objects|Uploads|BucketList)Context\b/.test(type);
const isClient = (type: string): boolean => /^(?:Azure|Gcs)Client$/.test(type);
const isOperationContext = (type: string): boolean => type === 'OperationContext';
/** A function, a promise, or what stands for one. */
const isWork = (type: string): boolean => /=>|^(?:Promise|Repeatable|Take)</.test(type);

/** Those which have such a parameter, and not at the end; work may follow it. */
function notLast(matches: (type: string) => boolean): string[] {
  return signatures
    .filter(({ types }) => {
      const at = types.findIndex(matches);
      return at >= 0 && !types.slice(at + 1).every(isWork);
    })
    .map(({ where }) => where);
}

function notFirst(matches: (type: string) => boolean): string[] {
  return signatures.filter(({ types }) => types.findIndex(matches) > 0).map(({ where }) => where);
}

describe('the order of parameters', () => {
  it('is seen in the signatures of many functions', () => {
    expect(signatures.filter(({ types }) => types.some(isCall)).length).toBeGreaterThan(300);
    expect(signatures.filter(({ types }) => types.some(isContext)).length).toBeGreaterThan(15);
    expect(signatures.filter(({ types }) => types.some(isClient)).length).toBeGreaterThan(40);
    expect(signatures.filter(({ types }) => types.some(isOperationContext)).length).toBeGreaterThan(40);
  });

  it('has the call last', () => {
    expect(notLast(isCall)).toEqual([]);
  });

  it('has a key of a bucket as one', () => {
    const planted = signaturesOf('planted.ts', 'function find(bucket: Bucket, key: string, call: Call) {}');
    expect(planted.filter(takesBucketAndKey)).toHaveLength(1);
    const found = signatures.filter(({ where }) => where.startsWith('src/manifest/')).filter(takesBucketAndKey);
    expect(found.map(({ where }) => where)).toEqual([]);
  });

  it('has the context of an operation last', () => {
    expect(notLast(isOperationContext)).toEqual([]);
  });

  it('has the context of the manifest, and the client of a service, first', () => {
    expect([...notFirst(isContext), ...notFirst(isClient)]).toEqual([]);
  });
});
