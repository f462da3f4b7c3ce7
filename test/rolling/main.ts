import { execFileSync } from 'node:child_process';
import { mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { checkPrograms } from '../model/program/check.ts';
import { Server } from '../model/program/server.ts';
import { CANONICAL_ID } from '../support/gateway/gateway.ts';
import { ACCESS_KEY, SECRET_KEY } from '../support/clients/sign-raw.ts';
import { startBackend } from '../testbed/backend.ts';
import { type Replica, startReplica } from '../testbed/gateway-process.ts';
import { parseOptions } from '../testbed/options.ts';

const USAGE = 'usage: npm run test:rolling -- [--from REVISION] [--backend azure|gcs] [--runs N] [--seed N]';
const ROOT = resolve(import.meta.dirname, '../..');
const MAX_COMMANDS = 60;
/** The emulator gets slower with all that it holds: each batch has one of its own. */
const BATCH = 5;

/** What the programs sign with, and whom the reference takes for the owner. */
const ACCOUNTS = JSON.stringify([
  {
    name: 'main',
    canonicalId: CANONICAL_ID,
    displayName: 'wire',
    email: 'wire@example.com',
    accountNumber: '444444444444',
    keys: [{ accessKeyId: ACCESS_KEY, secretAccessKey: SECRET_KEY }],
  },
]);

/**
 * A rolling update stands still in its midst: the gateway of an earlier commit and the one of this checkout serve the
 * same data, and random programs send their requests to the one and the other in turn. Every answer must be the one of
 * the reference.
 */
export async function main(argv: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      from: { type: 'string', default: 'HEAD~1' },
      backend: { type: 'string', default: 'azure' },
      runs: { type: 'string', default: '15' },
      seed: { type: 'string' },
    },
  });
  const runs = Number(values.runs);
  if (!Number.isInteger(runs) || runs < 1) throw new Error(USAGE);
  fc.configureGlobal({ seed: Number(values.seed ?? Date.now() % 1_000_000) });
  const revision = git('rev-parse', '--short', values.from);
  const earlier = checkOut(revision);
  try {
    for (let batch = 0; batch * BATCH < runs; batch += 1) {
      const options = { runs: Math.min(BATCH, runs - batch * BATCH), batch, maxCommands: MAX_COMMANDS };
      await serveBoth(values.backend, earlier, (server) => checkPrograms([server], options));
    }
    process.stdout.write(`${runs} programs over ${revision} and this checkout at once: every answer as it should be\n`);
  } catch (error) {
    process.stdout.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  } finally {
    git('worktree', 'remove', '--force', earlier);
  }
}

async function serveBoth(backendName: string, earlier: string, work: (server: Server) => Promise<void>): Promise<void> {
  const backend = await startBackend(parseOptions(['--backend', backendName]));
  const replicas: Replica[] = [];
  let server: Server | undefined;
  try {
    // Ranges of small sources are refused, as the reference has it.
    const settings = {
      ...backend.settings,
      S3GW_ACCOUNTS: ACCOUNTS,
      S3GW_SMALL_RANGE_COPY: 'false',
      S3GW_LISTENERS: '[{ port: 0 }]',
    };
    for (const root of [earlier, ROOT]) replicas.push(await startReplica(settings, 1, root));
    server = new Server('two releases', ...replicas.map(({ endpoints }) => Number(new URL(endpoints[0] ?? '').port)));
    await work(server);
  } finally {
    server?.close();
    await Promise.all(replicas.map((replica) => replica.stop()));
    await backend.stop();
  }
}

/** Its files in a folder of their own, with the packages of this checkout. */
function checkOut(revision: string): string {
  const folder = join(mkdtempSync(join(tmpdir(), 'rolling-')), 'checkout');
  git('worktree', 'add', '--detach', folder, revision);
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
}
