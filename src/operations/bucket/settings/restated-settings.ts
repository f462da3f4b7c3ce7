import { S3Error, notOffered } from '../../../errors/s3-error.ts';
import type { OperationName } from '../../../protocol/operation-table.ts';
import { decodeXml } from '../../../protocol/xml/decode.ts';
import { REQUEST_PAYMENT_CONFIGURATION } from '../../../protocol/xml/setting-shapes.ts';
import type { Operation } from '../../operation.ts';
import { elementsOf, requireInForce } from './not-offered.ts';
import { MAX_BODY } from './setting.ts';

const DONE = { status: 200 } as const;

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketRequestPayment.html */
const putBucketRequestPayment: Operation = async (request) => {
  const { Payer } = decodeXml(REQUEST_PAYMENT_CONFIGURATION, await request.body.readAll(MAX_BODY));
  requireInForce(Payer, { inForce: 'BucketOwner', refused: 'Requester', what: 'Payment by the requester' });
  return DONE;
};

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketReplication.html */
const putBucketReplication: Operation = async (request, context) => {
  const { bucket } = context;
  await elementsOf(request, REPLICATION);
  if (bucket.versioning !== 'enabled') {
    throw new S3Error('InvalidRequest', {
      message: "Versioning must be 'Enabled' on the bucket to apply a replication configuration",
    });
  }
  throw notOffered('Replication');
};

const REPLICATION = { root: 'ReplicationConfiguration', children: ['Role', 'Rule'] };

/** Settings that always have one state here. Setting that state succeeds; any other is refused. */
export const RESTATED_SETTINGS = {
  PutBucketRequestPayment: putBucketRequestPayment,
  PutBucketReplication: putBucketReplication,
} as const satisfies Readonly<Partial<Record<OperationName, Operation>>>;
