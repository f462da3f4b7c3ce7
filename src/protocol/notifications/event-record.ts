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
  readonly principalId: string;
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
  readonly ruleId: string;
}

type EventRecord = Readonly<Record<string, unknown>>;

/** Events of clients have an older version of the record than those of lifecycle rules. */
const VERSIONS = { plain: '2.1', lifecycle: '2.3' } as const;

/**
 * An event as S3 writes it, field by field.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-content-structure.html
 */
export function eventRecord(event: RecordedEvent, { region, bucket, ownerId, ruleId }: RecordSource): EventRecord {
  const { name, key, size, etag, versionId, sequencer } = event;
  return {
    eventVersion: name.startsWith('Lifecycle') ? VERSIONS.lifecycle : VERSIONS.plain,
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
        key: encodedKey(key),
        ...(size !== undefined && { size }),
        ...(etag !== undefined && { eTag: etag }),
        ...(versionId !== undefined && { versionId }),
        sequencer,
      },
    },
  };
}

/**
 * The same as a CloudEvent, by the adapter of the specification; its id is unique, as S3's request ids are not.
 * https://github.com/cloudevents/spec/blob/main/cloudevents/adapters/aws-s3.md
 */
export function cloudEvent(event: RecordedEvent, source: RecordSource): EventRecord {
  return {
    specversion: '1.0',
    id: `${event.requestId}.${event.hostId}.${event.sequencer}`,
    source: `aws:s3.${source.region}.${source.bucket}`,
    type: `com.amazonaws.s3.${event.name}`,
    subject: event.key,
    time: new Date(event.time).toISOString(),
    datacontenttype: 'application/json',
    data: eventRecord(event, source),
  };
}

/** As forms encode, but for slashes. */
function encodedKey(key: string): string {
  return encodeURIComponent(key)
    .replaceAll('%2F', '/')
    .replaceAll('%20', '+')
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}
