import { describe, expect, test } from 'vitest';
import { orSkip } from './tools/cache.ts';
import { CHART, type Clients, findClients, run, type ValueSet, valuesOf } from './tools/helm.ts';

const PLANTED = 'planted-secret-of-forty-characters-length';
const clients = await orSkip('helm', findClients);

describe.skipIf(clients === undefined)('the chart', () => {
  const { helm } = clients as Clients;

  const REFUSED: readonly { what: string; set: ValueSet; args: readonly string[]; says: RegExp }[] = [
    { what: 'an unknown value', set: 'dev', args: ['--set', 'replica=3'], says: /replica/ },
    { what: 'an unknown setting of the gateway', set: 'dev', args: ['--set', 'config.regoin=x'], says: /regoin/ },
    {
      what: 'a setting of the wrong type',
      set: 'dev',
      args: ['--set', 'config.keepAliveMs=soon'],
      says: /keepAliveMs/,
    },
    {
      what: "a setting that is the chart's",
      set: 'dev',
      args: ['--set', 'config.listeners[0].port=1'],
      says: /listeners/,
    },
    { what: 'a gateway without probes', set: 'dev', args: ['--set', 'config.admin.enabled=false'], says: /enabled/ },
    {
      what: 'a secret in the ConfigMap',
      set: 'dev',
      args: ['--set', 'config.accounts[0].keys[0].secretAccessKey=12345678'],
      says: /secretAccessKey/,
    },
    {
      what: 'sealing keys in the ConfigMap',
      set: 'dev',
      args: ['--set', `config.sts.keys[0]=${'k'.repeat(32)}`],
      says: /keys/,
    },
    {
      what: 'nobody who may do anything',
      set: 'dev',
      args: ['--set-json', 'config.accounts=[]'],
      says: /expected accounts, or accountsFrom/,
    },
    {
      what: 'a backend that is not in the image',
      set: 'dev',
      args: ['--set', 'config.backends.memory.kind=azurite'],
      says: /memory/,
    },
    {
      what: 'several replicas over one memory',
      set: 'dev',
      args: ['--set', 'replicas=2'],
      says: /memory of one process/,
    },
    {
      what: 'an empty secret',
      set: 'dev',
      args: ['--set', 'secrets.other.existingSecret='],
      says: /secrets.other: expected either/,
    },
    { what: 'TLS without a certificate', set: 'dev', args: ['--set', 'tls.enabled=true'], says: /tls: expected/ },
    {
      what: 'a route without a Gateway',
      set: 'azure',
      args: ['--set', 'httpRoute.parentRefs=null'],
      says: /parentRefs/,
    },
    { what: 'an Ingress without hosts', set: 'minimal', args: ['--set', 'ingress.enabled=true'], says: /baseHosts/ },
    {
      what: 'a rollout that cannot move',
      set: 'minimal',
      args: ['--set', 'rollout.maxSurge=0'],
      says: /cannot both be 0/,
    },
  ];

  test.each([
    ['an access key', ['--set', `config.accounts[0].keys[0].secretAccessKey=${PLANTED}`], /secretFile/],
    ["a user's access key", ['--set', `config.accounts[0].users[0].keys[0].secretAccessKey=${PLANTED}`], /secretFile/],
    ['a sealing key of sessions', ['--set', `config.sts.keys[0]=${PLANTED}`], /keysFile/],
    [
      "a proxy's password",
      ['--set', `config.outbound.proxy=http://user:${PLANTED}@proxy:3128`],
      /S3GW_OUTBOUND__PROXY/,
    ],
    [
      'a variable that the configuration names as a secret',
      [
        ...['--set', 'config.accounts[0].keys[1].accessKeyId=SECONDACCESSKEY00001'],
        ...['--set', 'config.accounts[0].keys[1].secretEnv=SECOND_SECRET'],
        ...['--set', 'extraEnv[0].name=SECOND_SECRET'],
        ...['--set', `extraEnv[0].value=${PLANTED}`],
      ],
      /SECOND_SECRET.*secretKeyRef/,
    ],
  ])('takes %s only as a secret, also when the schema is skipped', async (_what, args, says) => {
    const { code, output } = await run(helm, [
      ...['template', 'rel', CHART, '--skip-schema-validation'],
      ...valuesOf('dev'),
      ...args,
    ]);
    expect(output).toMatch(says);
    expect(output).not.toContain(PLANTED);
    expect(code).not.toBe(0);
  });

  test.each(REFUSED)('refuses $what', async ({ set, args, says }) => {
    const { code, output } = await run(helm, ['template', 'rel', CHART, ...valuesOf(set), ...args]);
    expect(output).toMatch(says);
    expect(code).not.toBe(0);
  });
});
