import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, sep } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
const ENTRY_POINTS = [
  'src/start.mjs',
  'src/sweep.mjs',
  'src/export-plain.mjs',
  'src/healthcheck.mjs',
  'src/trace.mjs',
  'src/policy.mjs',
  'src/admin.mjs',
  'src/cosi.mjs',
  'test/testbed.mjs',
  'test/bench/run.mjs',
];
const OLDEST = 24;

const oldNode = findOldNode();
if (oldNode === undefined) {
  console.warn(
    `SKIPPED: no Node older than ${OLDEST} in the PATH, so nothing shows that the entry points refuse one. OLD_NODE=<path of one> names it.`,
  );
}

describe.skipIf(oldNode === undefined)(`an older Node (${oldNode ?? 'none found'})`, () => {
  const elsewhere = mkdtempSync(join(tmpdir(), 'entry-'));
  afterAll(() => rmSync(elsewhere, { recursive: true, force: true }));

  test.each(ENTRY_POINTS)('is refused by %s with one clear line', async (entry) => {
    const { code, output } = await start(join(ROOT, entry), elsewhere);
    expect(code).toBeGreaterThan(0);
    expect(output.trimEnd().split('\n')).toHaveLength(1);
    expect(output).toMatch(/Node(\.js)? 24/i);
    expect(output).toMatch(/v?\d+\.\d+\.\d+/);
  });
});

test.each(ENTRY_POINTS)('%s --help says how it is used, and nothing went wrong', async (entry) => {
  const { code, output } = await execute(process.execPath, [join(ROOT, entry), '--help'], ROOT);
  expect(output).toMatch(/^usage: npm (run|start)/);
  expect(code).toBe(0);
});

/** The machine's own Node, if it is an older one: npm puts that of `node_modules/.bin` before it. */
function findOldNode(): string | undefined {
  const folders = (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '' && !folder.includes(`node_modules${sep}`));
  const candidates = [process.env['OLD_NODE'], ...folders.map((folder) => join(folder, 'node'))];
  return candidates.find((path) => {
    const major = path === undefined ? undefined : majorOf(path);
    return major !== undefined && major < OLDEST;
  });
}

function majorOf(path: string): number | undefined {
  try {
    const version = execFileSync(path, ['--version'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 60_000,
    });
    return Number(/^v(\d+)\./.exec(version)?.[1] ?? NaN) || undefined;
  } catch {
    return undefined;
  }
}

function start(entry: string, cwd: string): Promise<Ended> {
  return execute(oldNode ?? '', [entry], cwd);
}

interface Ended {
  readonly code: number;
  /** Of standard output, then of standard error. */
  readonly output: string;
}

function execute(program: string, args: readonly string[], cwd: string): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(program, args, { cwd, timeout: 120_000 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : -1, output: stdout + stderr });
    });
    child.stdin?.end();
  });
}
