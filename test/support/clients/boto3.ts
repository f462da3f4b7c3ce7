import { execFileSync } from 'node:child_process';
import { homedir } from 'node:os';
import { join } from 'node:path';

const BOTO3 = '1.44.5';

/** A Python with boto3: `PYTHON` names it, else that in the PATH, else from PyPI. In CI it must be there. */
export function findBoto3(): string | undefined {
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  const folder = join(cache, 's3-cloud-gateway', `boto3-${BOTO3}`);
  const ours = join(folder, 'bin/python');
  const found = [process.env['PYTHON'] ?? 'python3', ours].find(hasBoto3);
  if (found !== undefined) return found;
  try {
    execFileSync('python3', ['-m', 'venv', folder], { stdio: 'pipe' });
    execFileSync(join(folder, 'bin/pip'), ['install', '--quiet', `boto3==${BOTO3}`], {
      stdio: 'pipe',
      timeout: 150_000,
    });
    return ours;
  } catch (error) {
    if (process.env['CI'] !== undefined) throw error;
    process.stderr.write('\n!!! SKIPPED: no boto3 here, and none to be had from PyPI !!!\n\n');
    return undefined;
  }
}

function hasBoto3(python: string): boolean {
  try {
    execFileSync(python, ['-c', 'import boto3'], { stdio: 'pipe' });
    return true;
  } catch {
    return false;
  }
}
