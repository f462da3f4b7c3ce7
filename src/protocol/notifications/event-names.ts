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
  'LifecycleTransition',
  'ObjectRestore:Post',
  'ObjectRestore:Completed',
  'ObjectRestore:Delete',
  'ObjectTagging:Put',
  'ObjectTagging:Delete',
  'ObjectAcl:Put',
] as const;
export type EventName = (typeof EVENT_NAMES)[number];

/**
 * What becomes of a key, as the manifest sees it. `amended`: its record, of which nobody is told. `described`: what is
 * said of an object. The last four are amendments, too: a restore of archived bytes is asked for, has brought them
 * back, or is over; and a change of class.
 */
export type ChangeKind =
  | 'created'
  | 'markerCreated'
  | 'removed'
  | 'amended'
  | 'described'
  | 'restoreBegun'
  | 'restored'
  | 'restoreOver'
  | 'moved';

/** What changes objects without a request: lifecycle rules, carried out. */
export const LIFECYCLE = 'Lifecycle';

/** The service itself: where events name who made a change and from which address, and where policies let it in. */
export const THE_SERVICE = 's3.amazonaws.com';

/** What an operation makes of the change. */
const BY_OPERATION: Readonly<Partial<Record<ChangeKind, Readonly<Record<string, EventName>>>>> = {
  created: {
    PutObject: 'ObjectCreated:Put',
    PostObject: 'ObjectCreated:Post',
    CopyObject: 'ObjectCreated:Copy',
    CompleteMultipartUpload: 'ObjectCreated:CompleteMultipartUpload',
  },
  described: {
    PutObjectTagging: 'ObjectTagging:Put',
    DeleteObjectTagging: 'ObjectTagging:Delete',
    PutObjectAcl: 'ObjectAcl:Put',
  },
  moved: { [LIFECYCLE]: 'LifecycleTransition' },
};

/** What is the same by any operation; removals of lifecycle rules have names of their own. */
const BY_KIND: Readonly<Partial<Record<ChangeKind, { readonly any: EventName; readonly lifecycle?: EventName }>>> = {
  markerCreated: { any: 'ObjectRemoved:DeleteMarkerCreated', lifecycle: 'LifecycleExpiration:DeleteMarkerCreated' },
  removed: { any: 'ObjectRemoved:Delete', lifecycle: 'LifecycleExpiration:Delete' },
  restoreBegun: { any: 'ObjectRestore:Post' },
  restored: { any: 'ObjectRestore:Completed' },
  restoreOver: { any: 'ObjectRestore:Delete' },
};

/**
 * The event that a change is. Undefined: S3 has none, or none is sent.
 * @param operation name of a row of the operation table, or LIFECYCLE
 */
export function eventNameOf(operation: string, kind: ChangeKind): EventName | undefined {
  const { any, lifecycle = any } = BY_KIND[kind] ?? {};
  return (operation === LIFECYCLE ? lifecycle : any) ?? BY_OPERATION[kind]?.[operation];
}

/** S3 has no name for all events of these. */
const WITHOUT_STAR = ['LifecycleTransition', 'ObjectAcl:Put'] as const satisfies readonly EventName[];

/** Names as configurations write them: `s3:ObjectCreated:Put`, or all of a kind, `s3:ObjectCreated:*`. */
const CONFIGURABLE: ReadonlySet<string> = new Set(
  EVENT_NAMES.flatMap((name) => {
    const own = `s3:${name}`;
    return WITHOUT_STAR.some((other) => other === name) ? [own] : [own, `s3:${name.slice(0, name.indexOf(':'))}:*`];
  }),
);

export function isConfigurable(name: string): boolean {
  return CONFIGURABLE.has(name);
}

/** Whether a configured name means an event. */
export function meansEvent(configured: string, event: EventName): boolean {
  const name = configured.slice('s3:'.length);
  return name === event || (name.endsWith(':*') && event.startsWith(name.slice(0, -1)));
}
