import { expect, test } from 'vitest';
import type { BucketLogging } from '../../../../src/protocol/logging/bucket-logging.ts';
import { logKey } from '../../../../src/protocol/logging/log-key.ts';

const PLACE = { bucket: 'photos', account: '444444444444', region: 'eu-west-1' };
const TIME = Date.UTC(2026, 0, 9, 23, 5, 7, 999);

test.each<[string, Pick<BucketLogging, 'targetPrefix' | 'keyFormat'>, RegExp]>([
  ['nothing said', { targetPrefix: 'logs/' }, /^logs\/2026-01-09-23-05-07-[0-9A-F]{16}$/],
  ['no prefix', { targetPrefix: '' }, /^2026-01-09-23-05-07-[0-9A-F]{16}$/],
  ['simple', { targetPrefix: 'a', keyFormat: 'simple' }, /^a2026-01-09-23-05-07-[0-9A-F]{16}$/],
  [
    'by the day of delivery',
    { targetPrefix: 'a/', keyFormat: { partitionedBy: 'DeliveryTime' } },
    /^a\/444444444444\/eu-west-1\/photos\/2026\/01\/09\/2026-01-09-23-05-07-[0-9A-F]{16}$/,
  ],
  [
    'by the day of the events, without the hour',
    { targetPrefix: '', keyFormat: { partitionedBy: 'EventTime' } },
    /^444444444444\/eu-west-1\/photos\/2026\/01\/09\/2026-01-09-00-00-00-[0-9A-F]{16}$/,
  ],
])('%s', (_, logging, key) => {
  expect(logKey({ targetBucket: 'logs', ...logging }, PLACE, TIME)).toMatch(key);
});

test('no two are the same', () => {
  const keys = Array.from({ length: 100 }, () => logKey({ targetBucket: 'logs', targetPrefix: '' }, PLACE, TIME));
  expect(new Set(keys).size).toBe(100);
});
