import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGcsStore } from '../../adapters/gcs/index.ts';
import { startGcsDouble } from '../../adapters/doubles/index.ts';
import { startCommand } from '../support/gateway/start-command.ts';
import { testCall } from '../support/test-call.ts';

const { start, configFile } = startCommand();
let double: Awaited<ReturnType<typeof startGcsDouble>>;

beforeAll(async () => {
  double = await startGcsDouble();
  const store = createGcsStore({ endpoint: double.endpoint, bucketPrefix: 'mine-', credential: { kind: 'anonymous' } });
  await store.createContainer('team-a', {}, testCall());
  await store.close();
});
afterAll(() => double.stop());

function withAlias(pattern: string): string {
  const place = { endpoint: double.endpoint, bucketPrefix: 'mine-', credential: { kind: 'anonymous' } };
  const main = { kind: 'gcs', owner: 'main', ...place };
  return configFile(`${pattern.length}.yaml`, {
    backends: { main },
    buckets: { aliases: [{ pattern, bucket: 'elsewhere' }] },
  });
}

const LOGGED = /"bucket":"team-a","backend":"main","instead":\{"bucket":"elsewhere"\}.*cannot be reached by its name/;

test('a start says which buckets an alias hides, and serves', { timeout: 60_000 }, async () => {
  const started = start(['--config', withAlias('team-*')]);
  await started.printed(LOGGED);
  await started.printed(/"serving"/);
});

test('so does the preflight, which is good all the same', { timeout: 60_000 }, async () => {
  const started = start(['--preflight', withAlias('team-*')]);
  expect(await started.ended()).toBe(0);
  expect(started.output()).toContain(
    'names of buckets: 1 reach other buckets than their own: team-a (alias of elsewhere)',
  );
  const good = start(['--preflight', withAlias('teams-*')]);
  expect(await good.ended()).toBe(0);
  expect(good.output()).toContain('names of buckets: each reaches its bucket');
});
