import { startTestbedWith } from '../../support/gateway/testbed.ts';
import { combined, measure, type Measured } from '../measuring/measure.ts';
import type { BenchOptions } from '../options.ts';
import { LoadGenerator, NullBackend, portOf } from '../servers/processes.ts';
import { RequestSigner, type S3Request, signAll } from '../load/sign.ts';
import { BUCKET, SETUP, WORKS } from '../load/work.ts';

/** Requests per second under twenty statements, to those under none. */
const GOAL = 0.97;
/** Their names are of one length: what is longer takes longer. */
const GOVERNED = 'bench-policies';
const UNGOVERNED = 'bench-nopolicy';

/** Twenty statements of a bucket that many share; all name the requests' action, and the denials their resource. */
function policy(): string {
  const resource = `arn:aws:s3:::${GOVERNED}`;
  const Resource = [resource, `${resource}/*`];
  const teams = Array.from({ length: 16 }, (_, team) => ({
    Sid: `Team${team}`,
    Effect: 'Allow',
    Principal: '*',
    Action: ['s3:GetObject', 's3:PutObject'],
    Resource: `${resource}/team-${team}/*`,
    Condition: { StringEquals: { 'aws:PrincipalTag/team': `team-${team}` } },
  }));
  const denials = [
    { Condition: { NotIpAddress: { 'aws:SourceIp': ['10.0.0.0/8', '127.0.0.0/8'] } } },
    { Condition: { NumericLessThan: { 's3:TlsVersion': '1.2' } } },
    {
      Condition: {
        StringNotEqualsIfExists: { 'aws:PrincipalAccount': '000000000000' },
        Bool: { 'aws:ViaAWSService': 'true' },
      },
    },
    { Condition: { DateGreaterThan: { 'aws:CurrentTime': '2100-01-01T00:00:00Z' } } },
  ].map((fields) => ({ Effect: 'Deny', Principal: '*', Action: 's3:*', Resource, ...fields }));
  return JSON.stringify({ Version: '2012-10-17', Statement: [...teams, ...denials] });
}

const moved =
  (bucket: string) =>
  (request: S3Request): S3Request => ({ ...request, path: request.path.replace(`/${BUCKET}/`, `/${bucket}/`) });

function readsOfPlainBucket({ name, requests }: (typeof WORKS)[number]): boolean {
  return name.startsWith('get-4k') && requests.every(({ path }) => path.startsWith(`/${BUCKET}/`));
}

/** One gateway, two buckets, in short alternating turns: what asking policies costs. */
export async function benchPolicies(options: BenchOptions): Promise<Measured[]> {
  const [backend, load] = [new NullBackend(), new LoadGenerator()];
  try {
    const origin = `http://127.0.0.1:${await portOf(backend)}`;
    const byWork = new Map<string, [Measured, ...Measured[]]>();
    for (let start = 0; start < options.starts; start += 1) {
      for (const result of await measureOnce({ backend, load, origin }, options)) {
        const earlier = byWork.get(result.name);
        if (earlier === undefined) byWork.set(result.name, [result]);
        else earlier.push(result);
        if (!options.json) process.stderr.write(`${result.name} ${result.ratio.toFixed(3)}\n`);
      }
    }
    return Array.from(byWork.values(), combined);
  } finally {
    for (const child of [backend, load]) child.stop();
  }
}

interface Surroundings {
  readonly backend: NullBackend;
  readonly load: LoadGenerator;
  readonly origin: string;
}

async function measureOnce({ backend, load, origin }: Surroundings, options: BenchOptions): Promise<Measured[]> {
  const over = ['--backend', 'azure', '--backend-endpoint', origin, '--admin-port', '0'];
  const testbed = await startTestbedWith({}, ...over);
  try {
    const signer = new RequestSigner(testbed.bed);
    const target = { port: signer.port, pids: testbed.bed.pids };
    const send = async (requests: readonly S3Request[]): Promise<unknown> =>
      load.run({ connections: 1, milliseconds: 0, port: target.port, requests: await signAll(signer, requests) });
    const small = SETUP.filter(({ path, size = 0 }) => path.startsWith(`/${BUCKET}/`) && size <= 4096);
    for (const bucket of [UNGOVERNED, GOVERNED]) {
      await send([{ method: 'PUT', path: `/${bucket}` }, ...small.map(moved(bucket))]);
    }
    await send([{ method: 'PUT', path: `/${GOVERNED}`, query: { policy: '' }, text: policy() }]);
    const results: Measured[] = [];
    for (const work of WORKS.filter(readsOfPlainBucket)) {
      if (options.only.length > 0 && !options.only.some((part) => work.name.includes(part))) continue;
      const signed = {
        gateway: await signAll(signer, work.requests.map(moved(GOVERNED))),
        bare: await signAll(signer, work.requests.map(moved(UNGOVERNED))),
      };
      const stage = {
        work,
        goal: { ratio: GOAL },
        signed,
        targets: { gateway: target, bare: target },
        load,
        backend,
      };
      results.push(await measure(stage, options));
    }
    return results;
  } finally {
    await testbed.stop();
  }
}
