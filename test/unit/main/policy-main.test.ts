import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Environment } from '../../../config/load.ts';
import { policyMain } from '../../../src/main/policy-main.ts';

let folder: string;
let config: string;

const CONFIG = `
listeners: [{ host: 127.0.0.1, port: 9000 }]
accounts:
  - name: team
    accountNumber: "111122223333"
    keys: [{ accessKeyId: TEAMTEAMTEAMTEAM0001, secretAccessKey: team-secret-for-this-test-only-0000000000 }]
    users:
      - { name: reader, buckets: [reports], readOnly: true, keys: [{ accessKeyId: READREADREADREAD0001, secretAccessKey: reader-secret-for-this-test-only-00000000 }] }
backends:
  azure: { kind: azure, owner: team, account: examplestorage, credential: { kind: accountKey, keyEnv: KEY } }
`;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'policy-'));
  config = join(folder, 'gateway.yaml');
  writeFileSync(config, CONFIG);
});
afterAll(() => rmSync(folder, { recursive: true }));

function run(...argv: string[]): { readonly code: number; readonly text: string } {
  return runIn({}, ...argv);
}

function runIn(environment: Environment, ...argv: string[]): { readonly code: number; readonly text: string } {
  let text = '';
  const take = (chunk: unknown): boolean => {
    text += String(chunk);
    return true;
  };
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(take),
    vi.spyOn(process.stderr, 'write').mockImplementation(take),
  ];
  try {
    return { code: policyMain(argv, environment), text };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

const explain = (as: string, action: string, ...more: string[]): ReturnType<typeof run> =>
  run('explain', '--config', config, '--as', as, '--action', action, '--bucket', 'reports', '--key', 'a', ...more);

test('explain says who may, and what would let who may not', () => {
  expect(explain('team', 's3:PutObject')).toMatchObject({ code: 0 });
  expect(explain('team/reader', 's3:GetObject')).toMatchObject({
    code: 0,
    text: expect.stringContaining('allowed by identityPolicy') as string,
  });
  const refused = explain('team/reader', 's3:PutObject');
  expect(refused.code).toBe(1);
  expect(refused.text).toContain(
    'it would take, in a policy of the caller: {"Effect":"Allow","Action":"s3:PutObject","Resource":"arn:aws:s3:::reports/a"}',
  );
  expect(explain('anonymous', 's3:GetObject', '--owner', 'team').code).toBe(1);
  expect(explain('team/nobody', 's3:GetObject')).toMatchObject({
    code: 2,
    text: expect.stringContaining('--as') as string,
  });
});

test('explain takes the file of the environment, and the name of a user alone where one account has it', () => {
  const asked = ['explain', '--as', 'reader', '--action', 's3:GetObject', '--bucket', 'reports', '--key', 'a'];
  expect(runIn({ S3GW_CONFIG: config }, ...asked)).toMatchObject({
    code: 0,
    text: expect.stringContaining('allowed by identityPolicy') as string,
  });
  expect(run(...asked).text).toMatch(/^usage: /);
  const twice = join(folder, 'twice.yaml');
  const other = 'accounts:\n  - { name: other, users: [{ name: reader }] }';
  writeFileSync(twice, CONFIG.replace('accounts:', other));
  expect(runIn({ S3GW_CONFIG: twice }, ...asked)).toEqual({
    code: 2,
    text: '--as: several accounts have a user reader: write account/reader\n',
  });
});

test('explain says that it does not see users of the admin API, where there may be any', () => {
  const managed = join(folder, 'managed.yaml');
  writeFileSync(managed, `${CONFIG}\nmanagedAccounts: { folder: accounts }\n`);
  const asked = ['explain', '--as', 'team/bob', '--action', 's3:GetObject', '--bucket', 'reports', '--key', 'a'];
  const unknown = '--as: there is no account, user or role team/bob\n';
  expect(runIn({ S3GW_CONFIG: config }, ...asked)).toEqual({ code: 2, text: unknown });
  const { text } = runIn({ S3GW_CONFIG: managed }, ...asked);
  expect(text).toContain(`${unknown}Users that the admin API has made are not seen`);
});

test('explain takes the policy of the bucket and conditions', () => {
  const policy = join(folder, 'bucket.json');
  const Condition = { IpAddress: { 'aws:SourceIp': '10.0.0.0/8' } };
  const statement = {
    Effect: 'Allow',
    Principal: '*',
    Action: 's3:PutObject',
    Resource: 'arn:aws:s3:::reports/*',
    Condition,
  };
  writeFileSync(policy, JSON.stringify({ Statement: statement }));
  const from = (address: string): number =>
    explain('team/reader', 's3:PutObject', '--bucket-policy', policy, '--condition', `aws:SourceIp=${address}`).code;
  expect([from('10.1.1.1'), from('11.1.1.1')]).toEqual([0, 1]);
});

test('check says what is wrong, and where', () => {
  const file = join(folder, 'wrong.json');
  writeFileSync(
    file,
    JSON.stringify({
      Statement: [{ Effect: 'Allow', Principal: '*', Action: 's3:Fly', Resource: 'arn:aws:s3:::b/*' }],
    }),
  );
  expect(run('check', '--kind', 'resource', file)).toEqual({
    code: 1,
    text: `${file}: Statement[0].Action: Policy has invalid action (s3:Fly)\n`,
  });
  expect(run('check')).toMatchObject({ code: 2 });
});

test('words of a policy do not forge lines', () => {
  const file = join(folder, 'forged.json');
  const forged = 's3:Fly\nother.json: nothing is wrong\u001b[2K\r';
  const statement = { Effect: 'Allow', Principal: '*', Action: forged, Resource: 'arn:aws:s3:::b/*' };
  writeFileSync(file, JSON.stringify({ Statement: [statement] }));
  const { code, text } = run('check', '--kind', 'resource', file);
  expect(code).toBe(1);
  expect(text).toBe(
    `${file}: Statement[0].Action: Policy has invalid action (s3:Fly\\u{a}other.json: nothing is wrong\\u{1b}[2K\\u{d})\n`,
  );
});

test('nor does a command line; how the command is used stands in lines', () => {
  const { code, text } = explain('team\nallowed by owner', 's3:GetObject');
  expect(code).toBe(2);
  expect(text).toBe('--as: there is no account, user or role team\\u{a}allowed by owner\n');
  expect(run().text).toMatch(
    /^usage: npm run policy -- explain .*\n {7}npm run policy -- check .*\n\nWithout .*\nWHO: .*\n$/,
  );
});
