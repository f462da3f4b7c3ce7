import { execFileSync } from 'node:child_process';
import { createReadStream, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createWriteStream } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type BenchBackend, startBenchBackend } from '../servers/backend.ts';
import { machine } from '../machine.ts';
import { cpuSeconds, forgetPeak, peakMebibytes } from '../servers/processes.ts';
import { filledFrom } from '../null-backend/null-bytes.ts';
import { runBench } from '../run-bench.ts';
import { BUCKET, type Files, run, type Transfer, transfers } from './clients.ts';
import { parseOptions, type TransferOptions, USAGE } from './options.ts';
import { markdown, type Result, table } from './report.ts';
import { type Server, startServers } from './servers.ts';

const MIB = 1024 * 1024;

async function measureTransfers(options: TransferOptions): Promise<void> {
  const before = machine();
  const results = await bench(options);
  const about = { ...before, aws: awsVersion(options) };
  if (options.json) process.stdout.write(`${JSON.stringify({ ...about, ...options, results }, null, 2)}\n`);
  else process.stdout.write(options.markdown ? markdown(results, about, options) : table(results, about.aws));
}

/** To standard output, or in old Pythons to standard error. */
function awsVersion({ aws }: TransferOptions): string {
  return execFileSync(aws, ['--version'], { encoding: 'utf8' }).trim();
}

async function bench(options: TransferOptions): Promise<readonly Result[]> {
  const folder = mkdtempSync(join(tmpdir(), 'transfers-'));
  const backend = await startBenchBackend({ backend: 'azure', backendTls: false, backendPort: 0 });
  let servers: readonly Server[] = [];
  try {
    if (options.crtPython === undefined) process.stderr.write('!!! nothing by the CRT: no --crt-python !!!\n');
    const files = await makeFiles(options, folder);
    servers = await startServers(backend, options.programs, folder);
    return await measureAll({ servers, backend, files }, options);
  } finally {
    for (const server of servers) await server.stop();
    await backend.stop();
    rmSync(folder, { recursive: true });
  }
}

/** Of the bytes that the null backend answers, so that what is fetched can be compared. */
async function makeFiles({ size, files, fileSize }: TransferOptions, folder: string): Promise<Files> {
  const [large, many] = [join(folder, 'large'), join(folder, 'many')];
  await pipeline(Readable.from(filledFrom(0, size * MIB)), createWriteStream(large));
  mkdirSync(many);
  const bytes = Buffer.concat(filledFrom(0, fileSize));
  for (let number = 0; number < files; number += 1) {
    if (number % 100 === 0) mkdirSync(join(many, `folder-${number / 100}`));
    writeFileSync(join(many, `folder-${Math.floor(number / 100)}`, `file-${number}`), bytes);
  }
  return { folder, large, many };
}

interface Stage {
  readonly servers: readonly Server[];
  readonly backend: BenchBackend;
  readonly files: Files;
}

/** The servers have their turns one after the other for each command, in another order for every other one. */
async function measureAll({ servers, backend, files }: Stage, options: TransferOptions): Promise<readonly Result[]> {
  const all = transfers(options, files);
  const results = servers.flatMap(({ name }) =>
    all.map(
      (transfer): Result => ({ transfer: transfer.name, server: name, seconds: [], calls: [], cpu: [], peak: 0 }),
    ),
  );
  for (const server of servers) {
    const make = { command: options.aws, args: ['s3api', 'create-bucket', '--bucket', bucketOf(server)] };
    await run(make, server, options.within);
  }
  await backend.store.delay(options.latency);
  const until = performance.now() + options.minutes * 60_000;
  for (let round = 0; round < options.rounds; round += 1) {
    for (const [index, transfer] of all.entries()) {
      for (const server of (round + index) % 2 === 0 ? servers : servers.toReversed()) {
        const result = results.find((one) => one.transfer === transfer.name && one.server === server.name);
        if (result === undefined || result.error !== undefined) continue;
        if (performance.now() > until) result.error = 'there was no time left';
        else await turn({ result, transfer, server, backend, files }, options);
      }
    }
  }
  return results;
}

function bucketOf({ name }: Server): string {
  return `${BUCKET}-${name.toLowerCase()}`;
}

interface Turn extends Omit<Stage, 'servers'> {
  readonly result: Result;
  readonly transfer: Transfer;
  readonly server: Server;
}

async function turn({ result, transfer, server, backend, files }: Turn, options: TransferOptions): Promise<void> {
  const args = transfer.args.map((arg) => arg.replace(/^(s3:\/\/)?transfers(?=\/|$)/, `$1${bucketOf(server)}`));
  forgetPeak(server.pids);
  const callsBefore = await backend.store.calls();
  const cpuBefore = cpuSeconds(server.pids);
  const began = performance.now();
  try {
    await run({ command: transfer.command, args }, server, options.within);
    const seconds = (performance.now() - began) / 1000;
    result.cpu.push(cpuSeconds(server.pids) - cpuBefore);
    if (transfer.fetched !== undefined) await compare(transfer.fetched, files.large);
    result.peak = Math.max(result.peak, peakMebibytes(server.pids));
    result.seconds.push(seconds);
    result.calls.push((await backend.store.calls()) - callsBefore);
    if (transfer.leavesKeys !== undefined) await look(server, transfer.leavesKeys, options);
    process.stderr.write(`${transfer.name}, ${server.name}: ${seconds.toFixed(1)} s\n`);
  } catch (error) {
    // What a traceback says stands at its end.
    result.error = String(error).slice(-300);
    process.stderr.write(`!!! ${transfer.name}, ${server.name}: ${result.error} !!!\n`);
  } finally {
    if (transfer.fetched !== undefined) rmSync(transfer.fetched, { force: true });
  }
}

/** @throws Error when a listing shows keys where there should be none, or none where there should be some */
async function look(server: Server, shouldHaveKeys: boolean, { aws, within }: TransferOptions): Promise<void> {
  const args = ['s3api', 'list-objects-v2', '--bucket', bucketOf(server), '--prefix', 'many/', '--max-items', '1'];
  const listed = await run({ command: aws, args: [...args, '--query', 'Contents[].Key'] }, server, within);
  if (listed.includes('many/') === shouldHaveKeys) return;
  throw new Error(`a listing shows ${listed.trim() || 'no keys'} then`);
}

/** @throws Error when what was fetched is not what was sent */
async function compare(fetched: string, sent: string): Promise<void> {
  if (statSync(fetched).size !== statSync(sent).size) throw new Error('the fetched file has another length');
  let at = 0;
  for await (const piece of createReadStream(fetched, { highWaterMark: MIB }) as AsyncIterable<Buffer>) {
    if (!Buffer.concat(filledFrom(at, piece.length)).equals(piece)) {
      throw new Error(`other bytes were fetched at ${at}`);
    }
    at += piece.length;
  }
}

await runBench({ argv: process.argv.slice(2), parse: parseOptions, usage: USAGE }, measureTransfers);
