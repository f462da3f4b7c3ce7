import type { AccountDirectory } from '../access/accounts.ts';
import { type LogSource, deliveryRefusal, unfitTarget } from '../access/log-delivery.ts';
import { isS3Error } from '../errors/s3-error.ts';
import type { Bucket, Manifest } from '../manifest/index.ts';
import type { Call } from '../observe/call.ts';
import { putForService } from '../operations/object/put-for-service.ts';
import type { OperationSettings } from '../operations/operation.ts';
import { partitionedBy } from '../protocol/logging/bucket-logging.ts';
import { logKey } from '../protocol/logging/log-key.ts';
import type { LogBatch, LogOwner } from './waiting-records.ts';

/** A log object that is to be written. */
export interface LogObject extends Pick<LogBatch, 'owner' | 'since' | 'records'> {
  /** Chosen by the first attempt that comes so far: a repeated write then replaces what a lost answer left. */
  key: string | undefined;
}

/** A log object that will never be written. */
export class Undeliverable extends Error {
  constructor(reason: string, cause?: unknown) {
    super(reason, { cause });
    this.name = 'Undeliverable';
  }
}

interface DeliveryOptions {
  readonly manifest: Pick<Manifest, 'buckets' | 'objects'>;
  readonly accounts: Pick<AccountDirectory, 'byCanonicalId'>;
  readonly settings: Pick<OperationSettings, 'region' | 'isReadOnly'>;
  /** Why no change is made at the moment; undefined: changes are made. */
  readonly changesRefused: () => string | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Makes what writes log objects: as objects of the target's owner, in the way of any other object of the bucket. The
 * target is judged at each delivery, as it is then. A delivery is no request: it leaves no record in a log, so that a
 * bucket that logs to itself does not log for ever.
 */
export function logDelivery(options: DeliveryOptions): (object: LogObject, call: Call) => Promise<void> {
  return async (object, call) => {
    const refused = options.changesRefused();
    if (refused !== undefined) throw new Error(refused);
    const { manifest, settings } = options;
    const { owner } = object;
    const target = await findTarget(owner, manifest, call);
    const source: LogSource = { bucket: owner.bucket, ownerId: owner.ownerId, grants: owner.logging.targetGrants };
    const unfit = unfitTarget(target, source);
    if (unfit !== undefined) throw new Undeliverable(unfit);
    if (settings.isReadOnly?.(target.name) === true) throw new Undeliverable('the target bucket is read-only');
    const accountNumber = options.accounts.byCanonicalId(owner.ownerId)?.accountNumber;
    const key = (object.key ??= newKey(object, accountNumber ?? owner.ownerId, options));
    const refusal = deliveryRefusal({ target, key, source, accountNumber, now: options.now() });
    if (refusal !== undefined) throw new Undeliverable(refusal);
    await put({ target, key }, object, { ...options, call });
  };
}

async function findTarget({ logging }: LogOwner, { buckets }: Pick<Manifest, 'buckets'>, call: Call): Promise<Bucket> {
  try {
    return await buckets.get(logging.targetBucket, call);
  } catch (error) {
    throw isS3Error(error, 'NoSuchBucket') ? new Undeliverable('the target bucket does not exist', error) : error;
  }
}

function newKey({ owner, since }: LogObject, account: string, { settings, now }: DeliveryOptions): string {
  const { bucket, logging } = owner;
  const time = partitionedBy(logging) === 'EventTime' ? since : now();
  return logKey(logging, { bucket, account, region: settings.region }, time);
}

async function put(
  { target, key }: { readonly target: Bucket; readonly key: string },
  { records, owner }: LogObject,
  { manifest, now, call }: Pick<DeliveryOptions, 'manifest' | 'now'> & { readonly call: Call },
): Promise<void> {
  const body = Buffer.from(`${records.join('\n')}\n`, 'latin1');
  const { targetGrants } = owner.logging;
  const acl = targetGrants && [OWNERS, ...targetGrants];
  const object = { body, contentType: 'text/plain', conditions: {}, ...(acl && { acl }) };
  try {
    await putForService({ manifest, now: now() }, { bucket: target, key }, object, call);
  } catch (error) {
    throw isS3Error(error, 'NoSuchBucket', 'KeyTooLongError') ? new Undeliverable(error.message, error) : error;
  }
}

const OWNERS = { grantee: { kind: 'owner' }, permission: 'FULL_CONTROL' } as const;
