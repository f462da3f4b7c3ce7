import { expect, test } from 'vitest';
import { resolve } from 'node:path';
import { loadConfig } from '../../../../config/load.ts';
import { ownPlace, settingsOf } from '../../../../src/main/workers/place.ts';

const { config } = loadConfig(resolve(import.meta.dirname, '../../../../config/default.yaml'), {});

test('a process that is no worker takes the settings as they are', () => {
  expect(ownPlace()).toBeUndefined();
  expect(settingsOf(config, undefined)).toBe(config);
});

test('workers share ports and what is limited for the gateway; the first one has the admin port', () => {
  const [first, second] = [1, 2].map((slot) => settingsOf(config, { slot, count: 4, ports: slot === 1 ? [] : [1234] }));
  const { heldBudgetBytes, connections, connectionsPerAddress } = config.limits;
  const { waitingBytes, waitingCalls } = config.tracing;
  const admin = { ...config.admin, journal: { maxBytes: config.admin.journal.maxBytes / 4 } };
  expect(first).toEqual({
    ...config,
    admin,
    limits: {
      ...config.limits,
      heldBudgetBytes: heldBudgetBytes / 4,
      connections: connections / 4,
      connectionsPerAddress: connectionsPerAddress / 4,
    },
    tracing: { ...config.tracing, waitingBytes: waitingBytes / 4, waitingCalls: waitingCalls / 4 },
  });
  expect(second?.admin).toEqual({ ...admin, host: '127.0.0.1', port: 0 });
  expect(second?.listeners).toEqual([{ ...config.listeners[0], port: 1234 }]);
});

test('no share of a limit is nothing, and none of no limit is a limit', () => {
  const limits = { ...config.limits, connections: 3, connectionsPerAddress: 0 };
  const own = settingsOf({ ...config, limits }, { slot: 1, count: 4, ports: [] });
  expect(own.limits).toMatchObject({ connections: 1, connectionsPerAddress: 0 });
});
