/**
 * The events that a configuration may name and that are sent. Those that S3 has besides are refused, so that nobody
 * waits for what never comes.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-how-to-event-types-and-destinations.html
 */
export const EVENT_NAMES = [
  'ObjectCreated:Put',
  'ObjectCreated:Post',
  'ObjectCreated:Copy',
  'ObjectCreated:CompleteMultipartUpload',
  'ObjectRemoved:Delete',
  'ObjectRemoved:DeleteMarkerCreated',
  'LifecycleExpiration:Delete',
  'LifecycleExpiration:DeleteMarkerCreated',
] as const;
export type EventName = (typeof EVENT_NAMES)[number];

/** What becomes of a key, as the manifest sees it. */
export type ChangeKind = 'created' | 'markerCreated' | 'removed' | 'amended';

/** What changes objects without a request: lifecycle rules, carried out. */
export const LIFECYCLE = 'Lifecycle';

/** The service itself, where events name who made a change and from which address. */
export const THE_SERVICE = 's3.amazonaws.com';

const CREATED: Readonly<Record<string, EventName>> = {
  PutObject: 'ObjectCreated:Put',
  PostObject: 'ObjectCreated:Post',
  CopyObject: 'ObjectCreated:Copy',
  CompleteMultipartUpload: 'ObjectCreated:CompleteMultipartUpload',
};

/**
 * The event that a change is. Undefined: S3 has none, or none is sent.
 * @param operation name of a row of the operation table, or LIFECYCLE
 */
export function eventNameOf(operation: string, kind: ChangeKind): EventName | undefined {
  if (kind === 'amended') return undefined;
  if (kind === 'created') return CREATED[operation];
  const what = kind === 'removed' ? 'Delete' : 'DeleteMarkerCreated';
  return operation === LIFECYCLE ? `LifecycleExpiration:${what}` : `ObjectRemoved:${what}`;
}

/** Names as configurations write them: `s3:ObjectCreated:Put`, or all of a kind, `s3:ObjectCreated:*`. */
const CONFIGURABLE: ReadonlySet<string> = new Set(
  EVENT_NAMES.flatMap((name) => [`s3:${name}`, `s3:${name.slice(0, name.indexOf(':'))}:*`]),
);

export function isConfigurable(name: string): boolean {
  return CONFIGURABLE.has(name);
}

/** Whether a configured name means an event. */
export function meansEvent(configured: string, event: EventName): boolean {
  const name = configured.slice('s3:'.length);
  return name === event || (name.endsWith(':*') && event.startsWith(name.slice(0, -1)));
}
