import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ExposedSecrets, readSecret, readTextFile } from '../../../src/main/secrets.ts';
import { StartError } from '../../../src/main/start-error.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'secrets-'));
  for (const [name, mode] of [
    ['private', 0o600],
    ['group', 0o440],
    ['open', 0o644],
  ] as const) {
    writeFileSync(join(folder, name), 'secret\n');
    chmodSync(join(folder, name), mode);
  }
  // As the kubelet mounts them.
  symlinkSync('open', join(folder, 'link'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const read = (file: string, exposed: ExposedSecrets): string =>
  readSecret({ file }, 'here', { folder, environment: {}, exposed });

test('files that everybody can read are told of, once each, and what to do', () => {
  const exposed = new ExposedSecrets('warn');
  for (const file of ['private', 'group', 'open', 'open', 'link']) expect(read(file, exposed)).toBe('secret');
  expect(exposed.lines).toEqual([
    expect.stringMatching(/\/open, which hereFile names or holds: chmod o-r.*defaultMode 0440/),
    expect.stringContaining('/link'),
  ]);
});

test('or refused, or nobody asks', () => {
  expect(() => read('link', new ExposedSecrets('refuse'))).toThrow(StartError);
  expect(read('private', new ExposedSecrets('refuse'))).toBe('secret');
  const allowed = new ExposedSecrets('allow');
  expect([read('open', allowed), allowed.lines]).toEqual(['secret', []]);
});

test('what is no secret may be read by anybody', () => {
  const exposed = new ExposedSecrets('refuse');
  expect(readTextFile('open', 'tls.certFile', { folder, environment: {}, exposed })).toBe('secret\n');
});
