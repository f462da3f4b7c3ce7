import { cpus } from 'node:os';
import { startTestbed } from '../support/testbed.ts';
import type { RunningTestbed } from '../support/testbed.ts';
import { measure } from './measure.ts';
import type { Measured, Stage, Target } from './measure.ts';
import { parseOptions, USAGE } from './options.ts';
import { benchObserved } from './observed.ts';
import type { BenchOptions } from './options.ts';
import { benchPolicies } from './policies.ts';
import { BenchProcess, LoadGenerator, NullBackend, portOf } from './processes.ts';
import { table } from './report.ts';
import { RequestSigner, signAll } from './sign.ts';
import type { S3Request } from './sign.ts';
import { BARE_CONTAINER, BEGIN_UPLOAD, BUCKETS, SETUP, UPLOAD, WORKS } from './work.ts';

export async function main(argv: readonly string[]): Promise<void> {
  let options: BenchOptions;
  try {
    options = parseOptions(argv);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${USAGE}\n`);
    process.exitCode = 2;
    return;
  }
  let results: Measured[];
  try {
    results = await benchOf(options);
  } catch (error) {
    process.stderr.write(`the bench failed: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
    return;
  }
  const about = {
    node: process.version,
    cpu: cpus()[0]?.model ?? '',
    cores: cpus().length,
    rounds: options.rounds,
    seconds: options.seconds,
  };
  process.stdout.write(
    options.json ? `${JSON.stringify({ ...about, results }, null, 2)}\n` : table(results, sidesOf(options)),
  );
}

function benchOf(options: BenchOptions): Promise<Measured[]> {
  if (options.policies) return benchPolicies(options);
  return options.observed ? benchObserved(options) : bench(options);
}

function sidesOf({ observed, policies }: BenchOptions): Parameters<typeof table>[1] {
  if (policies) return { gateway: '20 statements', other: 'no policy' };
  return observed ? { gateway: 'observed', other: 'unobserved' } : undefined;
}

async function bench(options: BenchOptions): Promise<Measured[]> {
  const backend = new NullBackend();
  const load = new LoadGenerator();
  const children: BenchProcess[] = [backend, load];
  let testbed: RunningTestbed | undefined;
  try {
    const origin = `http://127.0.0.1:${await portOf(backend)}`;
    const bare = new BenchProcess('bare-proxy.ts', origin);
    children.push(bare);
    const barePort = await portOf(bare);
    testbed = await startTestbed('--backend', 'azure', '--backend-endpoint', origin, '--admin-port', '0');
    const signer = new RequestSigner(testbed.bed);
    const targets = {
      bare: { port: barePort, pids: [bare.pid] },
      gateway: { port: signer.port, pids: testbed.bed.pids },
    };
    await setUp(signer, load, targets);
    const uploadId = await beginUpload(signer);
    await backend.delay(options.latency);
    return await measureAll({ signer, targets, load, backend, uploadId }, options);
  } finally {
    await testbed?.stop();
    for (const child of children) child.stop();
  }
}

async function measureAll(
  { signer, uploadId, ...stage }: Omit<Stage, 'work' | 'signed'> & { signer: RequestSigner; uploadId: string },
  options: BenchOptions,
): Promise<Measured[]> {
  const results: Measured[] = [];
  for (const work of WORKS) {
    if (options.only.length > 0 && !options.only.some((name) => work.name.includes(name))) continue;
    const signed = {
      gateway: await signAll(
        signer,
        work.requests.map((request) => ofUpload(request, uploadId)),
      ),
      bare: await signAll(signer, work.bare ?? work.requests),
    };
    const result = await measure({ ...stage, work, signed }, options);
    results.push(result);
    if (!options.json) process.stderr.write(`${work.name} ${result.ratio.toFixed(2)}\n`);
  }
  return results;
}

/** The same request with the id where its place is. */
function ofUpload(request: S3Request, uploadId: string): S3Request {
  const { query } = request;
  return query?.['uploadId'] === UPLOAD ? { ...request, query: { ...query, uploadId } } : request;
}

/** @returns the id of an upload that stays open */
async function beginUpload(signer: RequestSigner): Promise<string> {
  const { head } = await signer.sign(BEGIN_UPLOAD);
  const [line = '', ...lines] = head.trimEnd().split('\r\n');
  const headers = lines.map((text) => text.split(/: (.*)/s).slice(0, 2) as [string, string]);
  const target = line.split(' ')[1] ?? '';
  const kept = headers.filter(([name]) => name !== 'host');
  const answer = await fetch(`http://127.0.0.1:${signer.port}${target}`, { method: 'POST', headers: kept });
  const id = /<UploadId>([^<]+)</.exec(await answer.text())?.[1];
  if (id === undefined) throw new Error(`no upload: ${String(answer.status)}`);
  return id;
}

async function setUp(
  signer: RequestSigner,
  load: LoadGenerator,
  targets: { bare: Target; gateway: Target },
): Promise<void> {
  const buckets = await signAll(signer, BUCKETS);
  const container = await signAll(signer, [{ method: 'PUT', path: `/${BARE_CONTAINER}` }]);
  const once = { connections: 1, milliseconds: 0 };
  await load.run({ ...once, port: targets.gateway.port, requests: buckets });
  await load.run({ ...once, port: targets.bare.port, requests: container });
  await load.run({ ...once, connections: 8, port: targets.gateway.port, requests: await signAll(signer, SETUP) });
}
