import { startTestbedWith, type RunningTestbed } from '../support/testbed.ts';
import { measure, type Measured } from './measure.ts';
import type { BenchOptions } from './options.ts';
import { type BenchProcess, LoadGenerator, NullBackend, NullCollector, portOf } from './processes.ts';
import { RequestSigner, signAll } from './sign.ts';
import { BUCKET, SETUP, WORKS } from './work.ts';

/** Requests per second with everything that watches the gateway on, to those with all of it off. */
const GOAL = 0.9;
const SAMPLED = '0.01';
/** Bodies cost the same, watched or not. */
const SMALL = WORKS.filter(({ bytes, requests }) => bytes === undefined && requests.every(({ path }) => path.startsWith(`/${BUCKET}/`)));

/** Two gateways over one null backend, in alternating rounds: what metrics, journal, inspector and waiting spans cost. */
export async function benchObserved(options: BenchOptions): Promise<Measured[]> {
  const [backend, load, collector] = [new NullBackend(), new LoadGenerator(), new NullCollector()];
  const children: BenchProcess[] = [backend, load, collector];
  const testbeds: RunningTestbed[] = [];
  try {
    const over = ['--backend', 'azure', '--backend-endpoint', `http://127.0.0.1:${await portOf(backend)}`];
    const tracing = {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await portOf(collector)}`,
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: SAMPLED,
    };
    const [on, off] = await Promise.all([startTestbedWith(tracing, ...over, '--admin-port', '0'), startTestbedWith({ OTEL_SDK_DISABLED: 'true' }, ...over)]);
    testbeds.push(on, off);
    const signers = { gateway: new RequestSigner(on.bed), bare: new RequestSigner(off.bed) };
    const targets = { gateway: { port: signers.gateway.port, pids: on.bed.pids }, bare: { port: signers.bare.port, pids: off.bed.pids } };
    await setUp(signers.gateway, load);
    const results: Measured[] = [];
    for (const work of SMALL.filter(({ name }) => options.only.length === 0 || options.only.some((part) => name.includes(part)))) {
      const signed = { gateway: await signAll(signers.gateway, work.requests), bare: await signAll(signers.bare, work.requests) };
      const result = await measure({ work: { ...work, goal: GOAL }, signed, targets, load, backend }, options);
      results.push(result);
      if (!options.json) process.stderr.write(`${work.name} ${result.ratio.toFixed(2)}\n`);
    }
    return results;
  } finally {
    for (const { stop } of testbeds) await stop();
    for (const child of children) child.stop();
  }
}

async function setUp(signer: RequestSigner, load: LoadGenerator): Promise<void> {
  const { port } = signer;
  const small = SETUP.filter(({ path, size = 0 }) => path.startsWith(`/${BUCKET}/`) && size <= 4096);
  await load.run({ connections: 1, milliseconds: 0, port, requests: await signAll(signer, [{ method: 'PUT', path: `/${BUCKET}` }]) });
  await load.run({ connections: 8, milliseconds: 0, port, requests: await signAll(signer, small) });
}
