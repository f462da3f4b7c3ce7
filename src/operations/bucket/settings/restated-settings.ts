import { S3Error } from '../../../errors/s3-error.ts';
import type { OperationName } from '../../../protocol/operation-table.ts';
import { xml } from '../../../protocol/xml/document.ts';
import { ACCELERATE_CONFIGURATION, REQUEST_PAYMENT_CONFIGURATION } from '../../../protocol/xml/setting-shapes.ts';
import { authorizedBucket } from '../../authorized-bucket.ts';
import type { Operation } from '../../operation.ts';
import { elementsOf, type ForeignDocument, notOffered } from './not-offered.ts';
import { settingBody } from './setting-body.ts';

const DONE = { status: 200 } as const;

/** A setting whose document is empty when nothing is switched on, as it is for every bucket here. */
function emptyOrRefused(what: string, document: ForeignDocument): Operation {
  return async (request, context) => {
    await authorizedBucket(request, context);
    if ((await elementsOf(request, document)).length > 0) throw notOffered(what);
    return DONE;
  };
}

/**
 * Requires the word that describes what is in force; the other word asks for what the gateway does not offer.
 * @throws S3Error MalformedXML, NotImplemented
 */
function requireInForce(
  word: string | undefined,
  words: { readonly inForce: string; readonly refused: string; readonly what: string },
): void {
  if (word === words.inForce) return;
  throw word === words.refused ? notOffered(words.what) : new S3Error('MalformedXML');
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketRequestPayment.html */
const putBucketRequestPayment: Operation = async (request, context) => {
  await authorizedBucket(request, context);
  const { Payer } = await settingBody(request, REQUEST_PAYMENT_CONFIGURATION);
  requireInForce(Payer, { inForce: 'BucketOwner', refused: 'Requester', what: 'Payment by the requester' });
  return DONE;
};

/**
 * The state is stored, because S3 distinguishes "suspended" from "never set".
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketAccelerateConfiguration.html
 */
const putBucketAccelerateConfiguration: Operation = async (request, context) => {
  const bucket = await authorizedBucket(request, context);
  const { Status } = await settingBody(request, ACCELERATE_CONFIGURATION);
  if (bucket.name.includes('.')) {
    throw new S3Error('InvalidRequest', {
      message: 'S3 Transfer Acceleration is not supported for buckets with periods (.) in their names',
    });
  }
  requireInForce(Status, { inForce: 'Suspended', refused: 'Enabled', what: 'Transfer acceleration' });
  await context.manifest.buckets.amend(bucket, (settings) => ({ ...settings, accelerate: 'Suspended' }), context.call);
  return DONE;
};

const getBucketAccelerateConfiguration: Operation = async (request, context) => {
  const bucket = await authorizedBucket(request, context);
  const { accelerate } = (await context.manifest.buckets.latest(bucket, context.call)).settings;
  return { status: 200, body: xml(ACCELERATE_CONFIGURATION, { Status: accelerate }) };
};

/**
 * S3 has an error of its own for a missing document of this kind.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketNotificationConfiguration.html
 */
const putBucketNotification: Operation = async (request, context) => {
  await authorizedBucket(request, context);
  if ((await elementsOf(request, NOTIFICATIONS, 'MissingRequestBodyError')).length > 0) {
    throw notOffered('Notification of events');
  }
  return DONE;
};

const LOGGING = { root: 'BucketLoggingStatus', children: ['LoggingEnabled'] };
const NOTIFICATIONS = {
  root: 'NotificationConfiguration',
  children: ['TopicConfiguration', 'QueueConfiguration', 'CloudFunctionConfiguration', 'EventBridgeConfiguration'],
};

/** Settings that always have one state here. Setting that state succeeds; any other is refused. */
export const RESTATED_SETTINGS = {
  PutBucketLogging: emptyOrRefused('Server access logging', LOGGING),
  PutBucketNotificationConfiguration: putBucketNotification,
  PutBucketRequestPayment: putBucketRequestPayment,
  PutBucketAccelerateConfiguration: putBucketAccelerateConfiguration,
  GetBucketAccelerateConfiguration: getBucketAccelerateConfiguration,
} as const satisfies Readonly<Partial<Record<OperationName, Operation>>>;
