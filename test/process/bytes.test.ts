import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const SCRIPT = join(import.meta.dirname, '../bytes/run.mjs');

/** @returns exit code and what was printed */
function run(...args: string[]): Promise<{ code: number; text: string }> {
  return new Promise((resolve) => {
    const all = [SCRIPT, '--clients', '24', '--seed', '5', ...args];
    execFile(process.execPath, all, { encoding: 'utf8' }, (error, stdout) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, text: stdout });
    });
  });
}

test.each([[['--backend', 'azure', '--tls']], [['--backend', 'gcs']]])(
  'slow clients get the right bytes over https: %j',
  async (args) => {
    const { code, text } = await run(...args, '--gets', '60');
    expect(text).toContain('60 GETs');
    expect(text).toContain(' 0 wrong');
    expect(code).toBe(0);
  },
);

test.each(['old-next-slab', 'premature-give-back'])('a gateway with an old fault is found out: %s', async (plant) => {
  const { code, text } = await run('--plant', plant, '--gets', '100');
  expect(text).toContain('wrong bytes at');
  expect(code).toBe(1);
});
