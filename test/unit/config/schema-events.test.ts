import { describe, expect, test } from 'vitest';
import { EVENTS, targetFaults } from '../../../config/schema-events.ts';
import { quotaFaults, QUOTAS } from '../../../config/schema-quotas.ts';

const BUS = { name: 'bus', kind: 'serviceBus', url: 'https://n.servicebus.windows.net/q' };
const GRID = { name: 'grid', kind: 'eventGrid', url: 'https://t.westus2-1.eventgrid.azure.net/api/events' };
const TOPIC = { name: 'topic', kind: 'pubSub', topic: 'projects/p/topics/t', credential: { kind: 'default' } };
const HOOK = { name: 'hook', kind: 'webhook', url: 'http://hook.internal/' };
const CLOUD = { name: 'cloud', kind: 'cloudEvents', url: 'http://hook.internal/' };
const IDENTITY = { credential: { kind: 'managedIdentity' } };

function complaint(...targets: object[]): string | undefined {
  return EVENTS.safeParse({ targets }).error?.issues[0]?.message;
}

describe('a target', () => {
  test.each([
    [{ ...BUS, keyName: 'send', keyEnv: 'KEY' }],
    [{ ...BUS, ...IDENTITY }],
    [{ ...GRID, keyFile: 'key' }],
    [{ ...GRID, ...IDENTITY }],
    [CLOUD],
    [{ ...CLOUD, url: 'https://hook.example/', tokenEnv: 'TOKEN' }],
    [TOPIC],
    [{ ...TOPIC, endpoint: 'http://127.0.0.1:8085', credential: { kind: 'anonymous' } }],
  ])('%o is good', (target) => {
    expect(complaint(target)).toBeUndefined();
  });

  test.each([
    [{ ...BUS, keyEnv: 'KEY' }, 'keyName'],
    [{ ...BUS, keyName: 'send', ...IDENTITY }, 'keyName'],
    [BUS, 'exactly one of'],
    [{ ...GRID, keyEnv: 'KEY', ...IDENTITY }, 'exactly one of'],
    [{ ...GRID, url: 'http://grid.example/', keyEnv: 'KEY' }, 'https'],
    [{ ...GRID, url: 'grid.example', keyEnv: 'KEY' }, 'URL'],
    [{ ...GRID, url: 'https://user:pass@grid.example/', keyEnv: 'KEY' }, 'without user and password'],
    [{ ...HOOK, url: 'https://user@hook.example/' }, 'without user and password'],
    [{ ...CLOUD, url: 'https://:pass@hook.example/' }, 'without user and password'],
    [{ ...CLOUD, tokenFile: 'token' }, 'https'],
    [{ ...TOPIC, endpoint: 'http://127.0.0.1.example:80' }, 'https'],
    [{ ...TOPIC, topic: 't' }, 'projects/<project>/topics/<topic>'],
  ])('%o is not', (target, told) => {
    expect(complaint(target)).toContain(told);
  });
});

describe('what stands for EventBridge', () => {
  const faults = (eventBridge: string): unknown =>
    targetFaults(EVENTS.parse({ targets: [HOOK, { ...GRID, keyEnv: 'KEY' }], eventBridge })).map(({ path }) => path);

  test('is a target whose messages hold JSON', () => {
    expect(faults('hook')).toEqual([]);
    expect(faults('grid')).toEqual([['eventBridge']]);
    expect(faults('nobody')).toEqual([['eventBridge']]);
  });
});

test('who is told of quotas is a target of their own', () => {
  const events = EVENTS.parse({ targets: [HOOK, CLOUD], eventBridge: 'hook' });
  const faults = (target?: string): unknown =>
    quotaFaults({ quotas: QUOTAS.parse({ target }), events }).map(({ path }) => path);
  expect([faults(), faults('cloud')]).toEqual([[], []]);
  expect([faults('hook'), faults('nobody')]).toEqual([[['target']], [['target']]]);
});
