import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { contentMd5 } from '../../support/clients/acl-client.ts';
import { BACKENDS, type Cloud, startCloud } from '../../support/backends/clouds.ts';
import { containerNames, ensureContainer } from '../../support/backends/native-containers.ts';
import { testCall } from '../../support/test-call.ts';
import { type Headers, World } from '../spec/world.ts';

/*
 * Two accounts, one of which owns the backend. One has an object that is locked; the other has made whatever could get
 * at its container, before it was there and afterwards, and tries everything that could loosen the lock through all of
 * it: names that were guessed, containers made by tools of the cloud, further names, hosts.
 */
type Party = 'owner' | 'other';

const UNTIL = '2090-01-01T00:00:00.000Z';
const BODY = 'kept as the law wants it';
const COMPLIANCE: Headers = {
  'x-amz-object-lock-mode': 'COMPLIANCE',
  'x-amz-object-lock-retain-until-date': UNTIL,
  'content-md5': contentMd5(BODY),
};
const BYPASS: Headers = { 'x-amz-bypass-governance-retention': 'true' };

/** Names that one cloud or another cannot hold, or that look like what the gateway gives itself. */
const NAMES: Readonly<Record<string, (seed: string) => string>> = {
  'with dots': (seed) => `pay.roll.${seed}`,
  'with two dashes': (seed) => `pay--roll--${seed}`,
  'that Google keeps to itself': (seed) => `google-${seed}`,
  'as long as can be': (seed) => `${seed}-${'x'.repeat(62 - seed.length)}`,
  'with dots, as long as can be': (seed) => `${seed}.${'x'.repeat(62 - seed.length)}`,
  'that ends as those that are given': (seed) => `${seed}-gw0123456789ab`,
};

/** What an attacker would guess that a container is called, or hope that it is mixed up with. */
function guesses(bucket: string): string[] {
  const dashed = bucket.replaceAll(/[^a-z0-9]+/g, '-');
  const hash = createHash('sha256').update(bucket).digest('hex');
  const all = [
    bucket.replaceAll('.', '-'),
    dashed,
    `${dashed.slice(0, 50)}-${hash.slice(0, 12)}`,
    `${dashed.slice(0, 47)}-gw${hash.slice(0, 12)}`,
    `${dashed.slice(0, 30)}-gw${hash.slice(0, 12)}`,
    bucket.slice(0, 62),
  ].map((name) => name.replace(/[.-]+$/, ''));
  return [...new Set(all)].filter((name) => name !== bucket && name.length >= 3);
}

describe.each(BACKENDS)('a lock holds whoever sits down beside its container: %s', (backend) => {
  let cloud: Cloud;
  let world: World;
  let made = 0;

  beforeAll(async () => {
    cloud = await startCloud(backend);
    // A further name for everything, which means nothing but what it is of.
    world = await World.open({ aliases: [{ pattern: 'by-alias-*', bucket: '$1' }] }, cloud.open());
  }, 120_000);

  afterAll(async () => {
    await world.close();
    await cloud.stop();
  });

  const containers = (): Promise<string[]> => containerNames(world.gateway.store);

  /** As tools of the cloud do it: nothing says whose it is. */
  async function makeNative(container: string): Promise<void> {
    if (!world.gateway.store.capabilities.containerName.test(container)) return;
    await ensureContainer(world.gateway.store, container);
  }

  interface Locked {
    readonly bucket: string;
    readonly victim: Party;
    readonly versionId: string;
    readonly uploadId: string;
  }

  async function lock(bucket: string, victim: Party): Promise<Locked> {
    await world.must('PUT', `/${bucket}`, { as: victim, headers: { 'x-amz-bucket-object-lock-enabled': 'true' } });
    const { headers } = await world.must('PUT', `/${bucket}/k`, { as: victim, headers: COMPLIANCE, body: BODY });
    const { body } = await world.must('POST', `/${bucket}/k?uploads`, { as: victim });
    return {
      bucket,
      victim,
      versionId: headers['x-amz-version-id'] ?? '',
      uploadId: /<UploadId>([^<]+)/.exec(body)?.[1] ?? '',
    };
  }

  /** All that could loosen a lock or get at what it is on, asked of one name. */
  async function attack(
    name: string,
    attacker: Party,
    { versionId, uploadId }: Locked,
    headers: Headers = {},
  ): Promise<void> {
    const path = headers['host'] === undefined ? `/${name}` : '';
    const id = encodeURIComponent(versionId);
    const ask = (method: string, target: string, body = '', more: Headers = {}): Promise<string> =>
      world.outcome(method, `${path}${target}`, {
        as: attacker,
        body,
        headers: { ...headers, ...more, ...(body !== '' && { 'content-md5': contentMd5(body) }) },
      });
    const gone = '<Delete><Object><Key>k</Key></Object></Delete>';
    const goneById = `<Delete><Object><Key>k</Key><VersionId>${versionId}</VersionId></Object></Delete>`;
    const retention =
      '<Retention><Mode>GOVERNANCE</Mode><RetainUntilDate>2030-01-01T00:00:00Z</RetainUntilDate></Retention>';
    const suspended = '<VersioningConfiguration><Status>Suspended</Status></VersioningConfiguration>';
    expect(await ask('GET', `/k?versionId=${id}`)).toMatch(/^40[034]/);
    expect(await ask('HEAD', '/k')).toMatch(/^40[034]$/);
    await ask('PUT', '/?versioning', suspended);
    await ask('PUT', `/k?retention&versionId=${id}`, retention, BYPASS);
    await ask('PUT', '/k?retention', retention, BYPASS);
    await ask('PUT', `/k?legal-hold&versionId=${id}`, '<LegalHold><Status>OFF</Status></LegalHold>');
    await ask('DELETE', `/k?versionId=${id}`, '', BYPASS);
    await ask('DELETE', '/k?versionId=null', '', BYPASS);
    await ask('POST', '/?delete', goneById, BYPASS);
    await ask('DELETE', `/k?uploadId=${uploadId}`);
    await ask('PUT', '/k', 'forged');
    await ask('PUT', '/k?tagging', '<Tagging><TagSet><Tag><Key>a</Key><Value>forged</Value></Tag></TagSet></Tagging>');
    await ask('POST', '/?delete', gone, BYPASS);
    await ask('DELETE', '/k');
    await ask('DELETE', '/?policy');
    await ask('DELETE', '/', '', BYPASS);
  }

  async function holds({ bucket, victim, versionId, uploadId }: Locked): Promise<void> {
    const id = encodeURIComponent(versionId);
    const read = await world.must('GET', `/${bucket}/k`, { as: victim });
    expect(read.body).toBe(BODY);
    expect(read.headers).toMatchObject({
      'x-amz-object-lock-mode': 'COMPLIANCE',
      'x-amz-object-lock-retain-until-date': UNTIL,
      'x-amz-version-id': versionId,
    });
    const { body } = await world.must('GET', `/${bucket}?versions`, { as: victim });
    expect([...body.matchAll(/<VersionId>([^<]*)/g)].map(([, listed]) => listed)).toEqual([versionId]);
    await world.must('GET', `/${bucket}/k?uploadId=${uploadId}`, { as: victim });
    const remove = { as: victim, headers: BYPASS };
    expect(await world.outcome('DELETE', `/${bucket}/k?versionId=${id}`, remove)).toBe('403 AccessDenied');
    expect(await world.outcome('DELETE', `/${bucket}`, { as: victim })).toBe('409 BucketNotEmpty');
  }

  const parties: readonly (readonly [Party, Party])[] = [
    ['owner', 'other'],
    ['other', 'owner'],
  ];

  test.each(
    parties.flatMap(([attacker, victim]) => Object.keys(NAMES).map((kind) => [attacker, victim, kind] as const)),
  )('%s against %s, a name %s', { timeout: 60_000 }, async (attacker, victim, kind) => {
    const bucket = NAMES[kind]?.(`t${++made}`) ?? '';
    const squats = guesses(bucket);
    const [first = '', ...others] = squats;
    // Who owns the backend has what tools make in it; the others have buckets.
    if (attacker === 'owner') for (const name of [bucket, ...others]) await makeNative(name);
    await world.outcome('PUT', `/${first}`, { as: attacker });
    const before = new Set(await containers());
    const wasNative = attacker === 'owner' && before.has(bucket);
    if (wasNative) {
      // A container of that name was the operator's before: the name is his, and nobody gets it.
      expect(await world.outcome('PUT', `/${bucket}`, { as: victim })).toBe('409 BucketAlreadyExists');
      await world.gateway.store.removeContainer(bucket, testCall());
      await world.close();
      world = await World.open({ aliases: [{ pattern: 'by-alias-*', bucket: '$1' }] }, cloud.open());
    }
    const locked = await lock(bucket, victim);
    const own = (await containers()).filter((name) => !before.has(name) || name === bucket);
    for (const name of [...others, ...own]) {
      if (name !== bucket && name !== 'system') await world.outcome('PUT', `/${name}`, { as: attacker });
    }
    const names = new Set([...squats, ...own, 'system', bucket]);
    await Promise.all([...names].map((name) => attack(name, attacker, locked)));
    for (const name of new Set([...own, bucket])) {
      const host = attack(name, attacker, locked, { host: `${name}.localhost` });
      await Promise.all([host, attack(`by-alias-${name}`, attacker, locked)]);
    }
    await holds(locked);
    // The website of a bucket and what strangers see of it are no way either.
    for (const name of [bucket, ...own, ...squats]) {
      expect(await world.outcome('GET', '/k', { as: 'anonymous', headers: { host: `${name}.web.localhost` } })).toMatch(
        /^40[034]/,
      );
    }
    await holds(locked);
  });
});
