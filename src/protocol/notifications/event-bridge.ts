import { createHash } from 'node:crypto';
import { type EventName, THE_SERVICE } from './event-names.ts';
import { type RecordedEvent, type RecordSource, shownSequencer } from './event-record.ts';

/** What EventBridge calls an event, and what its detail says besides the object. */
interface BridgeWords {
  readonly type: string;
  readonly reason?: string;
  readonly 'deletion-type'?: string;
}

const DELETED = { type: 'Object Deleted', 'deletion-type': 'Permanently Deleted' };
const MARKED = { type: 'Object Deleted', 'deletion-type': 'Delete Marker Created' };
const BY_CLIENT = 'DeleteObject';
const BY_RULE = 'Lifecycle Expiration';

/** https://docs.aws.amazon.com/AmazonS3/latest/userguide/EventBridge.html */
const WORDS: Readonly<Record<EventName, BridgeWords>> = {
  'ObjectCreated:Put': { type: 'Object Created', reason: 'PutObject' },
  'ObjectCreated:Post': { type: 'Object Created', reason: 'POST Object' },
  'ObjectCreated:Copy': { type: 'Object Created', reason: 'CopyObject' },
  'ObjectCreated:CompleteMultipartUpload': { type: 'Object Created', reason: 'CompleteMultipartUpload' },
  'ObjectRemoved:Delete': { ...DELETED, reason: BY_CLIENT },
  'ObjectRemoved:DeleteMarkerCreated': { ...MARKED, reason: BY_CLIENT },
  'LifecycleExpiration:Delete': { ...DELETED, reason: BY_RULE },
  'LifecycleExpiration:DeleteMarkerCreated': { ...MARKED, reason: BY_RULE },
  LifecycleTransition: { type: 'Object Storage Class Changed' },
  'ObjectRestore:Post': { type: 'Object Restore Initiated' },
  'ObjectRestore:Completed': { type: 'Object Restore Completed' },
  'ObjectRestore:Delete': { type: 'Object Restore Expired' },
  'ObjectTagging:Put': { type: 'Object Tags Added' },
  'ObjectTagging:Delete': { type: 'Object Tags Deleted' },
  'ObjectAcl:Put': { type: 'Object ACL Updated' },
};

/**
 * An event as Amazon EventBridge has it: another form than S3's own, with the key as it is.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/ev-events.html
 */
export function bridgeEvent(event: RecordedEvent, { region, bucket, ownerAccount }: RecordSource): object {
  const { key, size, etag, versionId, requestId, requester, sourceAddress, storageClass, until } = event;
  const { type, ...words } = WORDS[event.name];
  const sequencer = shownSequencer(event);
  const isMove = event.name === 'LifecycleTransition';
  return {
    version: '0',
    id: idOf(event, bucket),
    'detail-type': type,
    source: 'aws.s3',
    account: ownerAccount,
    time: `${new Date(event.time).toISOString().slice(0, -'.000Z'.length)}Z`,
    region,
    resources: [`arn:aws:s3:::${bucket}`],
    detail: {
      version: '0',
      bucket: { name: bucket },
      object: {
        key,
        ...(size !== undefined && { size }),
        ...(etag !== undefined && { etag }),
        ...(versionId !== undefined && { 'version-id': versionId }),
        ...(sequencer !== undefined && { sequencer }),
      },
      'request-id': requestId,
      requester,
      ...(sourceAddress !== THE_SERVICE && { 'source-ip-address': sourceAddress }),
      ...words,
      ...(storageClass !== undefined && { [`${isMove ? 'destination' : 'source'}-storage-class`]: storageClass }),
      ...(until !== undefined && { 'restore-expiry-time': new Date(until).toISOString() }),
    },
  };
}

/** A UUID that is the same however often the event is sent. */
function idOf({ requestId, name, key, sequencer }: RecordedEvent, bucket: string): string {
  const hex = createHash('sha256')
    .update(JSON.stringify([bucket, requestId, name, key, sequencer]))
    .digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
}
