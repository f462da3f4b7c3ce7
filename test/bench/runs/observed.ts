import { startTestbedWith } from '../../support/gateway/testbed.ts';
import { combined, measure, type Measured } from '../measuring/measure.ts';
import type { BenchOptions } from '../options.ts';
import { LoadGenerator, NullBackend, NullCollector, portOf } from '../servers/processes.ts';
import { RequestSigner, signAll } from '../load/sign.ts';
import { BUCKET, SETUP, WORKS } from '../load/work.ts';

/** Requests per second with everything that watches the gateway on, to those with all of it off. */
const GOAL = 0.95;
const SAMPLED = '0.01';
/** Bodies cost the same, watched or not. */
const SMALL = WORKS.filter(
  ({ bytes, requests }) => bytes === undefined && requests.every(({ path }) => path.startsWith(`/${BUCKET}/`)),
);

/**
 * Two gateways over one null backend, in alternating rounds: what metrics, journal, inspector and waiting spans cost.
 */
export async function benchObserved(options: BenchOptions): Promise<Measured[]> {
  const [backend, load, collector] = [new NullBackend(), new LoadGenerator(), new NullCollector()];
  try {
    const ports = { backend: await portOf(backend), collector: await portOf(collector) };
    const byWork = new Map<string, [Measured, ...Measured[]]>();
    for (let start = 0; start < options.starts; start += 1) {
      for (const result of await measurePair({ backend, load, ports }, options)) {
        const earlier = byWork.get(result.name);
        if (earlier === undefined) byWork.set(result.name, [result]);
        else earlier.push(result);
        if (!options.json) process.stderr.write(`${result.name} ${result.ratio.toFixed(2)}\n`);
      }
    }
    return Array.from(byWork.values(), combined);
  } finally {
    for (const child of [backend, load, collector]) child.stop();
  }
}

interface Surroundings {
  readonly backend: NullBackend;
  readonly load: LoadGenerator;
  readonly ports: { readonly backend: number; readonly collector: number };
}

async function measurePair({ backend, load, ports }: Surroundings, options: BenchOptions): Promise<Measured[]> {
  const over = ['--backend', 'azure', '--backend-endpoint', `http://127.0.0.1:${ports.backend}`];
  const tracing = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${ports.collector}`,
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: SAMPLED,
  };
  const starting = [
    startTestbedWith(tracing, ...over, '--admin-port', '0'),
    startTestbedWith({ OTEL_SDK_DISABLED: 'true' }, ...over),
  ] as const;
  try {
    const [on, off] = await Promise.all(starting);
    const signers = { gateway: new RequestSigner(on.bed), bare: new RequestSigner(off.bed) };
    const targets = {
      gateway: { port: signers.gateway.port, pids: on.bed.pids },
      bare: { port: signers.bare.port, pids: off.bed.pids },
    };
    await setUp(signers.gateway, load);
    const results: Measured[] = [];
    for (const work of SMALL.filter(
      ({ name }) => options.only.length === 0 || options.only.some((part) => name.includes(part)),
    )) {
      const signed = {
        gateway: await signAll(signers.gateway, work.requests),
        bare: await signAll(signers.bare, work.requests),
      };
      results.push(await measure({ work, goal: { ratio: GOAL }, signed, targets, load, backend }, options));
    }
    return results;
  } finally {
    for (const started of await Promise.allSettled(starting)) {
      if (started.status === 'fulfilled') await started.value.stop();
    }
  }
}

async function setUp(signer: RequestSigner, load: LoadGenerator): Promise<void> {
  const { port } = signer;
  const small = SETUP.filter(({ path, size = 0 }) => path.startsWith(`/${BUCKET}/`) && size <= 4096);
  await load.run({
    connections: 1,
    milliseconds: 0,
    port,
    requests: await signAll(signer, [{ method: 'PUT', path: `/${BUCKET}` }]),
  });
  await load.run({ connections: 8, milliseconds: 0, port, requests: await signAll(signer, small) });
}
