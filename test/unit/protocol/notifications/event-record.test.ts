import { expect, test } from 'vitest';
import { type RecordedEvent, cloudEvent, eventRecord } from '../../../../src/protocol/notifications/event-record.ts';

const SOURCE = { region: 'eu-west-1', bucket: 'b', ownerId: 'owner', ownerAccount: '111122223333', ruleId: 'rule' };
const EVENT: RecordedEvent = {
  name: 'ObjectCreated:Put',
  time: Date.UTC(2026, 10, 27, 10, 0, 0, 7),
  key: 'dir/a b+ü@(1)~.jpg',
  versionId: 'v',
  etag: 'd41d8cd98f00b204e9800998ecf8427e',
  size: 0,
  sequencer: '0055AED6DCD90281',
  principalId: 'AWS:U',
  requester: '444455556666',
  sourceAddress: '192.0.2.1',
  requestId: 'R',
  hostId: 'H',
};

test("a record has S3's fields", () => {
  expect(eventRecord(EVENT, SOURCE)).toEqual({
    eventVersion: '2.1',
    eventSource: 'aws:s3',
    awsRegion: 'eu-west-1',
    eventTime: '2026-11-27T10:00:00.007Z',
    eventName: 'ObjectCreated:Put',
    userIdentity: { principalId: 'AWS:U' },
    requestParameters: { sourceIPAddress: '192.0.2.1' },
    responseElements: { 'x-amz-request-id': 'R', 'x-amz-id-2': 'H' },
    s3: {
      s3SchemaVersion: '1.0',
      configurationId: 'rule',
      bucket: { name: 'b', ownerIdentity: { principalId: 'owner' }, arn: 'arn:aws:s3:::b' },
      object: {
        key: 'dir/a+b%2B%C3%BC%40%281%29~.jpg',
        size: 0,
        eTag: 'd41d8cd98f00b204e9800998ecf8427e',
        versionId: 'v',
        sequencer: '0055AED6DCD90281',
      },
    },
  });
});

test('what an event does not have is left out, and lifecycle has a version of its own', () => {
  const { versionId: _none, etag: _neither, size: _nor, ...bare } = EVENT;
  const record = eventRecord({ ...bare, name: 'LifecycleExpiration:Delete' }, SOURCE);
  expect(record).toMatchObject({ eventVersion: '2.3', eventName: 'LifecycleExpiration:Delete' });
  expect((record['s3'] as { object: object }).object).toEqual({
    key: 'dir/a+b%2B%C3%BC%40%281%29~.jpg',
    sequencer: EVENT.sequencer,
  });
});

test.each(['ObjectTagging:Put', 'ObjectTagging:Delete', 'ObjectAcl:Put'] as const)(
  '%s says neither size nor sequencer',
  (name) => {
    const { size: _none, ...said } = EVENT;
    const record = eventRecord({ ...said, name }, SOURCE);
    expect(record).toMatchObject({ eventVersion: '2.3', eventName: name });
    expect((record['s3'] as { object: object }).object).toEqual({
      key: 'dir/a+b%2B%C3%BC%40%281%29~.jpg',
      eTag: EVENT.etag,
      versionId: 'v',
    });
  },
);

test('a restore that is done says until when, and of which class', () => {
  const until = Date.UTC(2026, 10, 30);
  const restored = { ...EVENT, storageClass: 'GLACIER', until };
  expect(eventRecord({ ...restored, name: 'ObjectRestore:Completed' }, SOURCE)).toMatchObject({
    eventVersion: '2.1',
    s3: { object: { size: 0, sequencer: EVENT.sequencer } },
    glacierEventData: {
      restoreEventData: {
        lifecycleRestorationExpiryTime: '2026-11-30T00:00:00.000Z',
        lifecycleRestoreStorageClass: 'GLACIER',
      },
    },
  });
  expect(eventRecord({ ...restored, name: 'ObjectRestore:Post' }, SOURCE)).not.toHaveProperty('glacierEventData');
  expect(eventRecord({ ...EVENT, name: 'ObjectRestore:Delete' }, SOURCE)).toMatchObject({ eventVersion: '2.3' });
});

test('a transition says to which class', () => {
  expect(eventRecord({ ...EVENT, name: 'LifecycleTransition', storageClass: 'GLACIER_IR' }, SOURCE)).toMatchObject({
    eventVersion: '2.3',
    eventName: 'LifecycleTransition',
    lifecycleEventData: { transitionEventData: { destinationStorageClass: 'GLACIER_IR' } },
  });
});

test('a CloudEvent is told apart from the others of its request', () => {
  const one = cloudEvent(EVENT, SOURCE);
  expect(one).toMatchObject({
    specversion: '1.0',
    source: 'aws:s3.eu-west-1.b',
    type: 'com.amazonaws.s3.ObjectCreated:Put',
    subject: EVENT.key,
    data: eventRecord(EVENT, SOURCE),
  });
  expect(cloudEvent({ ...EVENT, sequencer: '01' }, SOURCE)['id']).not.toBe(one['id']);
  expect(cloudEvent({ ...EVENT, key: 'another' }, SOURCE)['id']).not.toBe(one['id']);
  expect(cloudEvent(EVENT, SOURCE)['id']).toBe(one['id']);
});
