import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const ROOT = resolve(import.meta.dirname, '../..');
const run = promisify(execFile);

interface PreviousChart {
  readonly folder: string;
  remove(): void;
}

/** The chart as it was before its latest commit, in a temporary folder; undefined when it has only one. */
export async function previousChart(): Promise<PreviousChart | undefined> {
  const { stdout } = await run('git', [
    '-C',
    ROOT,
    'log',
    '--max-count=2',
    '--format=%H',
    '--',
    'helm/templates',
    'helm/values.yaml',
  ]);
  const commit = stdout.trim().split('\n')[1];
  if (commit === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'chart-'));
  const archive = join(folder, 'chart.tar');
  await run('git', ['-C', ROOT, 'archive', '--output', archive, commit, 'helm']);
  await run('tar', ['--extract', '--file', archive, '--directory', folder]);
  return { folder: join(folder, 'helm'), remove: () => rmSync(folder, { recursive: true }) };
}
