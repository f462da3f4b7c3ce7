import { expect, test } from 'vitest';
import { bridgeEvent } from '../../../../src/protocol/notifications/event-bridge.ts';
import { EVENT_NAMES, THE_SERVICE } from '../../../../src/protocol/notifications/event-names.ts';
import type { RecordedEvent } from '../../../../src/protocol/notifications/event-record.ts';

const SOURCE = {
  region: 'ca-central-1',
  bucket: 'b',
  ownerId: 'o',
  ownerAccount: '111122223333',
  ruleId: 'EventBridge',
};
const EVENT: RecordedEvent = {
  name: 'ObjectCreated:Put',
  time: Date.UTC(2026, 10, 12, 0, 0, 0, 7),
  key: 'dir/a b+ü.jpg',
  versionId: 'v',
  etag: 'b1946ac92492d2347c6235b4d2611184',
  size: 5,
  sequencer: '617F',
  principalId: 'AWS:U',
  requester: '123456789012',
  sourceAddress: '192.0.2.4',
  requestId: 'R',
  hostId: 'H',
};

test("an event has EventBridge's fields, and the key as it is", () => {
  expect(bridgeEvent(EVENT, SOURCE)).toEqual({
    version: '0',
    id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/) as string,
    'detail-type': 'Object Created',
    source: 'aws.s3',
    account: '111122223333',
    time: '2026-11-12T00:00:00Z',
    region: 'ca-central-1',
    resources: ['arn:aws:s3:::b'],
    detail: {
      version: '0',
      bucket: { name: 'b' },
      object: { key: 'dir/a b+ü.jpg', size: 5, etag: EVENT.etag, 'version-id': 'v', sequencer: '617F' },
      'request-id': 'R',
      requester: '123456789012',
      'source-ip-address': '192.0.2.4',
      reason: 'PutObject',
    },
  });
});

test('an id is the same when the event is sent again, and of no other event', () => {
  const idOf = (event: RecordedEvent): unknown => (bridgeEvent(event, SOURCE) as { id: string }).id;
  expect(idOf({ ...EVENT })).toBe(idOf(EVENT));
  expect(idOf({ ...EVENT, key: 'k' })).not.toBe(idOf(EVENT));
  expect(new Set(EVENT_NAMES.map((name) => idOf({ ...EVENT, name }))).size).toBe(EVENT_NAMES.length);
});

test.each([
  [
    { name: 'ObjectRemoved:Delete' },
    'Object Deleted',
    { 'deletion-type': 'Permanently Deleted', reason: 'DeleteObject' },
  ],
  [
    { name: 'LifecycleExpiration:DeleteMarkerCreated' },
    'Object Deleted',
    { 'deletion-type': 'Delete Marker Created', reason: 'Lifecycle Expiration' },
  ],
  [
    { name: 'ObjectRestore:Completed', storageClass: 'GLACIER', until: Date.UTC(2026, 10, 13) },
    'Object Restore Completed',
    { 'source-storage-class': 'GLACIER', 'restore-expiry-time': '2026-11-13T00:00:00.000Z' },
  ],
  [
    { name: 'LifecycleTransition', storageClass: 'GLACIER_IR' },
    'Object Storage Class Changed',
    { 'destination-storage-class': 'GLACIER_IR' },
  ],
] as const)('%o is %s', (more, type, detail) => {
  expect(bridgeEvent({ ...EVENT, ...more }, SOURCE)).toMatchObject({ 'detail-type': type, detail });
});

test('what no client asked for has no address, and what has no order no sequencer', () => {
  const { detail } = bridgeEvent({ ...EVENT, name: 'ObjectTagging:Put', sourceAddress: THE_SERVICE }, SOURCE) as {
    detail: { object: object };
  };
  expect(detail).not.toHaveProperty('source-ip-address');
  expect(detail.object).not.toHaveProperty('sequencer');
});
