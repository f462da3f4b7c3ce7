import { createHash } from 'node:crypto';
import { formEncodedKey } from '../form-encoded-key.ts';
import type { EventName } from './event-names.ts';

/** What a record is made of. */
export interface RecordedEvent {
  readonly name: EventName;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly key: string;
  /** Absent: the null version. */
  readonly versionId?: string;
  readonly etag?: string;
  readonly size?: number;
  readonly sequencer: string;
  /** Of a restore: of the archived object. Of a transition: to which the object was moved. */
  readonly storageClass?: string;
  /** Of a restore that is done: how long the bytes can be read. Milliseconds since the epoch. */
  readonly until?: number;
  readonly principalId: string;
  /** Number of the account that asked. */
  readonly requester: string;
  readonly sourceAddress: string;
  readonly requestId: string;
  readonly hostId: string;
}

/** What records of one configuration of a bucket have in common. */
export interface RecordSource {
  readonly region: string;
  readonly bucket: string;
  /** Canonical id. */
  readonly ownerId: string;
  /** Number of the owner's account. */
  readonly ownerAccount: string;
  readonly ruleId: string;
}

type EventRecord = Readonly<Record<string, unknown>>;

/** How records of one kind of event are written. */
interface RecordForm {
  readonly version: '2.1' | '2.3';
  /** S3 has an order for what is created and removed, and none for what is said of objects. */
  readonly isUnordered?: true;
}

const PLAIN: RecordForm = { version: '2.1' };
const LATER: RecordForm = { version: '2.3' };
const SAID: RecordForm = { version: '2.3', isUnordered: true };

const FORMS: Readonly<Record<EventName, RecordForm>> = {
  'ObjectCreated:Put': PLAIN,
  'ObjectCreated:Post': PLAIN,
  'ObjectCreated:Copy': PLAIN,
  'ObjectCreated:CompleteMultipartUpload': PLAIN,
  'ObjectRemoved:Delete': PLAIN,
  'ObjectRemoved:DeleteMarkerCreated': PLAIN,
  'LifecycleExpiration:Delete': LATER,
  'LifecycleExpiration:DeleteMarkerCreated': LATER,
  LifecycleTransition: LATER,
  'ObjectRestore:Post': PLAIN,
  'ObjectRestore:Completed': PLAIN,
  'ObjectRestore:Delete': LATER,
  'ObjectTagging:Put': SAID,
  'ObjectTagging:Delete': SAID,
  'ObjectAcl:Put': SAID,
};

/** Undefined: S3 says none of such events. */
export function shownSequencer({ name, sequencer }: RecordedEvent): string | undefined {
  return FORMS[name].isUnordered === true ? undefined : sequencer;
}

/**
 * An event as S3 writes it, field by field.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-content-structure.html
 */
export function eventRecord(event: RecordedEvent, { region, bucket, ownerId, ruleId }: RecordSource): EventRecord {
  const { name, key, size, etag, versionId } = event;
  const sequencer = shownSequencer(event);
  return {
    eventVersion: FORMS[name].version,
    eventSource: 'aws:s3',
    awsRegion: region,
    eventTime: new Date(event.time).toISOString(),
    eventName: name,
    userIdentity: { principalId: event.principalId },
    requestParameters: { sourceIPAddress: event.sourceAddress },
    responseElements: { 'x-amz-request-id': event.requestId, 'x-amz-id-2': event.hostId },
    s3: {
      s3SchemaVersion: '1.0',
      configurationId: ruleId,
      bucket: { name: bucket, ownerIdentity: { principalId: ownerId }, arn: `arn:aws:s3:::${bucket}` },
      object: {
        key: formEncodedKey(key),
        ...(size !== undefined && { size }),
        ...(etag !== undefined && { eTag: etag }),
        ...(versionId !== undefined && { versionId }),
        ...(sequencer !== undefined && { sequencer }),
      },
    },
    ...moreOf(event),
  };
}

function moreOf({ name, storageClass, until }: RecordedEvent): EventRecord {
  if (name === 'LifecycleTransition') {
    return { lifecycleEventData: { transitionEventData: { destinationStorageClass: storageClass } } };
  }
  if (name !== 'ObjectRestore:Completed') return {};
  const lifecycleRestorationExpiryTime = new Date(until ?? 0).toISOString();
  return {
    glacierEventData: {
      restoreEventData: { lifecycleRestorationExpiryTime, lifecycleRestoreStorageClass: storageClass },
    },
  };
}

/**
 * The same as a CloudEvent, by the adapter of the specification.
 * https://github.com/cloudevents/spec/blob/main/cloudevents/adapters/aws-s3.md
 */
export function cloudEvent(event: RecordedEvent, source: RecordSource): EventRecord {
  return {
    specversion: '1.0',
    id: eventId(event),
    source: `aws:s3.${source.region}.${source.bucket}`,
    type: `com.amazonaws.s3.${event.name}`,
    subject: event.key,
    time: new Date(event.time).toISOString(),
    datacontenttype: 'application/json',
    data: eventRecord(event, source),
  };
}

/** Unique, as S3's request ids are not: one DeleteObjects has one for all its keys, which it may find at one place. */
export function eventId({ requestId, hostId, name, key, sequencer }: RecordedEvent): string {
  const which = createHash('sha256')
    .update(JSON.stringify([name, key]))
    .digest('hex')
    .slice(0, 16);
  return `${requestId}.${hostId}.${sequencer}.${which}`;
}
