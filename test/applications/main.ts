import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { APPLICATIONS, type Application } from './applications.ts';
import { prepare, type Prepared, PROGRAMS } from './packages.ts';
import { runProgram } from './program.ts';
import { recipeOf } from './recipe.ts';
import { CLOUDS, type Cloud, type CloudResult, keepResult } from './results.ts';
import { WatchedGateway } from './watched-gateway.ts';

const USAGE = `usage: npm run test:applications -- [--only NAME,...] [--cloud azure|gcs] [--write]
  --only    pages of docs/connect/, without .md; all unless given
  --cloud   both unless given
  --write   keep the results, and make docs/applications.md of them`;

/**
 * Runs applications against the gateway over Azurite and over the double of Cloud Storage, one after the other, with
 * the configuration that their pages hand out. @returns the exit code: 1 if any of them failed
 */
export async function main(argv: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...argv],
    options: { only: { type: 'string' }, cloud: { type: 'string' }, write: { type: 'boolean', default: false } },
  });
  const only = values.only?.split(',');
  const clouds = CLOUDS.filter((cloud) => values.cloud === undefined || values.cloud === cloud);
  const chosen = APPLICATIONS.filter(({ page }) => only === undefined || only.includes(page));
  if (clouds.length === 0 || chosen.length !== (only ?? APPLICATIONS).length) {
    process.stderr.write(`${USAGE}\npages: ${APPLICATIONS.map(({ page }) => page).join(', ')}\n`);
    return 2;
  }
  let failed = 0;
  for (const cloud of clouds) failed += await overCloud(cloud, chosen, values.write ? keepResult : () => undefined);
  return failed === 0 ? 0 : 1;
}

/** @returns how many failed */
async function overCloud(cloud: Cloud, chosen: readonly Application[], keep: typeof keepResult): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 's3gw-applications-'));
  const gateway = await WatchedGateway.start(cloud, folder);
  let failed = 0;
  try {
    for (const application of chosen) {
      const { page } = application;
      const { result, version } = await runOne(application, gateway, join(folder, page));
      keep(page, version, { [cloud]: result });
      if (result.failure !== undefined) failed += 1;
      const outcome = result.failure ?? `${result.steps.length} steps, ${result.requests} requests`;
      process.stdout.write(`${cloud} ${page} ${version}: ${outcome}, ${result.seconds} s\n`);
    }
  } finally {
    await gateway.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  return failed;
}

async function runOne(
  application: Application,
  gateway: WatchedGateway,
  folder: string,
): Promise<{ result: CloudResult; version: string }> {
  const { page, program, recipe } = application;
  let prepared: Prepared | undefined;
  let steps: readonly string[] = [];
  let failure: string | undefined;
  let began = Date.now();
  try {
    prepared = await prepare(application);
    mkdirSync(folder);
    copyFileSync(join(PROGRAMS, program), join(folder, program));
    if (prepared.modules !== undefined) symlinkSync(prepared.modules, join(folder, 'node_modules'));
    const place = await gateway.makePlace(page);
    writeFileSync(join(folder, recipe), recipeOf(page, place));
    began = Date.now();
    ({ steps, failure } = await runProgram(prepared, folder, place));
  } catch (error) {
    failure = error instanceof Error ? error.message : String(error);
  }
  const seconds = Math.round((Date.now() - began) / 1000);
  const statuses = await gateway.statuses();
  // 501 is the honest answer to what is not offered.
  const faults = statuses.filter((status) => status >= 500 && status !== 501).length;
  if (faults > 0) failure ??= `${faults} answers of 5xx`;
  const date = new Date(began).toISOString().slice(0, 10);
  const result = { date, steps, requests: statuses.length, seconds, ...(failure !== undefined && { failure }) };
  return { result, version: prepared?.version ?? '' };
}
