import { S3Error, notOffered } from '../../../errors/s3-error.ts';
import type { BucketSettings } from '../../../manifest/index.ts';
import {
  type RequestedRule,
  notificationDocument,
  requestedNotifications,
  withIds,
} from '../../../protocol/notifications/notification-document.ts';
import { SMALL_DOCUMENT, decodeXml } from '../../../protocol/xml/decode.ts';
import { NOTIFICATION_CONFIGURATION } from '../../../protocol/xml/notification-shape.ts';
import type { Operation, OperationContext } from '../../operation.ts';
import { without } from './setting.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketNotificationConfiguration.html */
export const getBucketNotificationConfiguration: Operation = async (_request, { bucket, manifest, call }) => {
  const { notifications = [] } = (await manifest.buckets.latest(bucket, call)).settings;
  return { status: 200, body: notificationDocument(notifications) };
};

/**
 * Replaces all configurations of the bucket; an empty document turns notification off. It is answered when all replicas
 * announce changes by it, as one that does not would destroy what proves the changes that others have announced.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketNotificationConfiguration.html
 */
export const putBucketNotificationConfiguration: Operation = async (request, context) => {
  const { bucket, manifest, call } = context;
  const bytes = await request.body.readAll(SMALL_DOCUMENT.bytes);
  if (bytes.length === 0) throw new S3Error('MissingRequestBodyError');
  const rules = requestedNotifications(decodeXml(NOTIFICATION_CONFIGURATION, bytes));
  requireTargets(rules, context);
  if (request.headers.get('x-amz-skip-destination-validation')?.toLowerCase() !== 'true') {
    await greetNew(rules, context);
  }
  const change = (settings: BucketSettings): BucketSettings =>
    rules.length === 0
      ? without(settings, 'notifications')
      : { ...settings, notifications: withIds(rules, settings.notifications ?? []) };
  await manifest.buckets.amendEverywhere(bucket, change, call);
  return { status: 200 };
};

/** @throws S3Error InvalidArgument: the operator has named no such target; NotImplemented: none for EventBridge */
function requireTargets(rules: readonly RequestedRule[], { settings }: OperationContext): void {
  const missing = rules.filter(({ target }) => settings.notificationTargets?.has(target) !== true);
  if (missing.some(({ kind }) => kind === 'eventBridge')) throw notOffered('Notification by Amazon EventBridge');
  if (missing.length > 0) throw unusable(missing, 'does not exist');
}

/**
 * S3 sends a message to each target that is new, but not to EventBridge.
 * @throws S3Error InvalidArgument: it did not take it
 */
async function greetNew(rules: readonly RequestedRule[], context: OperationContext): Promise<void> {
  const { bucket, settings, call, hostId, asked } = context;
  const before = new Set(bucket.settings.notifications?.map(({ target }) => target));
  const isNew = ({ kind, target }: RequestedRule): boolean => kind !== 'eventBridge' && !before.has(target);
  const fresh = new Map(rules.filter(isNew).map((rule) => [rule.target, rule]));
  for (const rule of fresh.values()) {
    const message = {
      Service: 'Amazon S3',
      Event: 's3:TestEvent',
      Time: new Date(asked.now).toISOString(),
      Bucket: bucket.name,
      RequestId: call.requestId,
      HostId: hostId,
    };
    try {
      await settings.notificationTargets?.greet(rule.target, JSON.stringify(message), call);
    } catch (cause) {
      throw unusable([rule], 'did not take the test message', cause);
    }
  }
}

const WHAT = { topic: 'topic', queue: 'queue', function: 'Lambda', eventBridge: 'event bus' } as const;

/** S3 numbers the targets (recorded). */
function unusable(rules: readonly RequestedRule[], why: string, cause?: unknown): S3Error {
  const named = rules.flatMap(({ kind, target }, index) => [
    [`ArgumentName${index + 1}`, target],
    [`ArgumentValue${index + 1}`, `The destination ${WHAT[kind]} ${why}`],
  ]);
  return new S3Error('InvalidArgument', {
    message: 'Unable to validate the following destination configurations',
    extra: Object.fromEntries(named) as Record<string, string>,
    cause,
  });
}
