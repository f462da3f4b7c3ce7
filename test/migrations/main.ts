import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { MIGRATIONS, type Migration } from './migrations.ts';
import { runByCopy, runInPlace } from './moves.ts';
import { keepResult, type Result } from './results.ts';

const USAGE = `usage: npm run test:migrations -- [--only NAME,...] [--write]
  --only    names of migrations; all unless given
  --write   keep the results, and write them into docs/operations/migration.md`;

/**
 * Moves data of other S3 servers to the gateway, one migration after the other, by the commands of the page.
 * @returns the exit code: 1 if any of them failed. One whose server cannot be had is left out, loudly.
 */
export async function main(argv: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...argv],
    options: { only: { type: 'string' }, write: { type: 'boolean', default: false } },
  });
  const only = values.only?.split(',');
  const chosen = MIGRATIONS.filter(({ name }) => only === undefined || only.includes(name));
  if (chosen.length !== (only ?? MIGRATIONS).length) {
    process.stderr.write(`${USAGE}\nnames: ${MIGRATIONS.map(({ name }) => name).join(', ')}\n`);
    return 2;
  }
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const migration of chosen) {
    const result = await runOne(migration);
    if (result === undefined) counts.skipped += 1;
    else if (result.failure === undefined) counts.passed += 1;
    else counts.failed += 1;
    if (result !== undefined && values.write) keepResult(migration.name, result);
    if (result !== undefined) {
      process.stdout.write(`${migration.name} ${result.versions}: ${result.failure ?? result.compared}\n`);
    }
  }
  process.stdout.write(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`);
  return counts.failed === 0 ? 0 : 1;
}

async function runOne(migration: Migration): Promise<Result | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 's3gw-migrations-'));
  const home = join(folder, 'home');
  mkdirSync(home);
  const date = new Date().toISOString().slice(0, 10);
  try {
    const moved = migration.kind === 'in place' ? await runInPlace(migration, home) : await runByCopy(migration, home);
    if ('missing' in moved) {
      process.stderr.write(`!!! ${migration.name} is not run: ${moved.missing} !!!\n`);
      return undefined;
    }
    const { versions, compared, found } = moved;
    if (found.length > 0) process.stderr.write(`${found.map((line) => `  ${line}`).join('\n')}\n`);
    const failure = found.length === 0 ? undefined : `${found.length} disagreements`;
    return { date, versions, compared, ...(failure !== undefined && { failure }) };
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error);
    return { date, versions: '', compared: '', failure };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
