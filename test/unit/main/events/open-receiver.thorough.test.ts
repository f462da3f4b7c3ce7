import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EVENTS } from '../../../../config/schema-events.ts';
import { openReceiver } from '../../../../src/main/events/open-receiver.ts';
import type { EventReceiver } from '../../../../src/main/events/receiver.ts';
import { StartError } from '../../../../src/main/start-error.ts';
import { startAuthority } from '../../../support/backends/entra.ts';
import { LoopbackReceiver } from '../../../support/backends/receiver.ts';
import { testCall } from '../../../support/test-call.ts';

let folder: string;
let receiver: LoopbackReceiver;
let origin: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'targets-'));
  receiver = new LoopbackReceiver();
  origin = await receiver.start();
});
afterEach(() => {
  receiver.stop();
  rmSync(folder, { recursive: true });
});

function open(target: object, environment: Record<string, string> = {}, outbound = {}): EventReceiver {
  const [read] = EVENTS.parse({ targets: [{ name: 't', ...target }] }).targets;
  const sources = { folder, environment };
  return openReceiver(read ?? expect.fail(), { where: 'events.targets[0]', sources, outbound });
}

async function authorizationOf(target: EventReceiver): Promise<string | undefined> {
  await target.greet('{}', testCall());
  return receiver.messages.at(-1)?.headers['authorization'];
}

test('a secret comes from a file or a variable, and its absence is said by the path of the setting', async () => {
  const grid = { kind: 'eventGrid', url: origin };
  writeFileSync(join(folder, 'key'), 'from-a-file\n');
  await open({ ...grid, keyFile: 'key' }).greet('{}', testCall());
  await open({ ...grid, keyEnv: 'KEY' }, { KEY: 'from-a-variable' }).greet('{}', testCall());
  expect(receiver.messages.map(({ headers }) => headers['aeg-sas-key'])).toEqual(['from-a-file', 'from-a-variable']);
  const missing = (): unknown => open({ ...grid, keyEnv: 'KEY' });
  expect(missing).toThrow(StartError);
  expect(missing).toThrow('events.targets[0].keyEnv');
});

test.each([
  'account.queue.core.windows.net/queue?sig=SIGNED',
  'http://account.queue.core.windows.net/queue?sig=SIGNED',
  'https://SIGNED@account.queue.core.windows.net/queue',
])('a URL of a queue that is refused is not shown: %s', (url) => {
  let refusal: unknown;
  try {
    open({ kind: 'azureQueue', urlEnv: 'QUEUE' }, { QUEUE: url });
  } catch (error) {
    refusal = error;
  }
  expect(refusal).toBeInstanceOf(StartError);
  expect(inspect(refusal)).toContain('events.targets[0].url: ');
  expect(inspect(refusal)).not.toContain('SIGNED');
});

test('Service Bus is sent signatures by the key of a policy', async () => {
  const target = open({ kind: 'serviceBus', url: `${origin}/q`, keyName: 'send', keyEnv: 'KEY' }, { KEY: 'secret' });
  expect(await authorizationOf(target)).toMatch(/^SharedAccessSignature sr=http.*&sig=.*&se=\d+&skn=send$/);
});

test.each([
  ['eventGrid', 'https://eventgrid.azure.net/.default'],
  ['serviceBus', 'https://servicebus.azure.net/.default'],
])('%s takes tokens of Entra ID for the audience %s', async (kind, scope) => {
  const authority = await startAuthority();
  try {
    writeFileSync(join(folder, 'ca.pem'), authority.ca);
    const { tenantId, url: authorityHost } = authority;
    const identity = { kind: 'clientSecret', clientId: 'gateway', clientSecretEnv: 'SECRET' };
    const credential = { ...identity, tenantId, authorityHost, validateAuthority: false };
    const target = open({ kind, url: origin, credential }, { SECRET: 'of-the-client' }, { caFile: 'ca.pem' });
    expect(await authorizationOf(target)).toMatch(/^Bearer .+/);
    const asked = authority.requests.find(({ path }) => path.includes('/oauth2/v2.0/token'));
    expect(new URLSearchParams(asked?.body).get('scope')?.split(' ')).toContain(scope);
  } finally {
    await authority.stop();
  }
});

test('Pub/Sub takes tokens of a Google identity, for Pub/Sub', async () => {
  const tokens = new LoopbackReceiver();
  tokens.reply = { access_token: 'of-google', expires_in: 3600, token_type: 'Bearer' };
  try {
    const tokenUrl = await tokens.start();
    writeFileSync(join(folder, 'subject'), 'token-of-the-cluster');
    const configuration = {
      type: 'external_account',
      audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q',
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      token_url: `${tokenUrl}/v1/token`,
      credential_source: { file: join(folder, 'subject') },
    };
    writeFileSync(join(folder, 'federation.json'), JSON.stringify(configuration));
    const credential = { kind: 'workloadIdentity', configurationFile: 'federation.json' };
    const target = open({ kind: 'pubSub', topic: 'projects/p/topics/t', endpoint: origin, credential });
    expect(await authorizationOf(target)).toBe('Bearer of-google');
    expect(new URLSearchParams(tokens.messages[0]?.body).get('scope')).toBe('https://www.googleapis.com/auth/pubsub');
  } finally {
    tokens.stop();
  }
});
