import type { Call } from '../../observe/call.ts';
import type { WriteConditions } from '../../protocol/conditions.ts';
import type { ByteSource } from '../../streams/bytes.ts';
import type { Bucket } from '../buckets/bucket.ts';
import { type ObjectAmendment, amendObject } from './object-amend.ts';
import type { ObjectsContext } from './object-context.ts';
import { copyObject } from './object-copy.ts';
import { publishObject } from './object-publish.ts';
import { findObject, openObject, openView } from './object-read.ts';
import { removeObject } from './object-remove.ts';
import type { Committed, CopyObjectRequest, OpenRequest, PublishRequest, PutRequest } from './object-requests.ts';
import type { ObjectView } from './object-view.ts';
import { putObject } from './object-write.ts';

/**
 * Objects of buckets, current versions. Every change of a key is one write of its head
 * (docs/decisions/0002-commit-protocol.md).
 */
export interface Objects {
  /** @throws S3Error NoSuchKey, NoSuchBucket */
  find(bucket: Bucket, key: string, call: Call): Promise<ObjectView>;
  /** Properties and bytes in one backend call where possible. @throws as `find`; StoreError rangeNotSatisfiable */
  open(bucket: Bucket, key: string, request: OpenRequest, call: Call): Promise<{ view: ObjectView; body: ByteSource }>;
  /** Bytes of a view read before; StoreError conditionFailed or notFound when the object has changed since. */
  openView(bucket: Bucket, view: ObjectView, request: OpenRequest, call: Call): Promise<ByteSource>;
  /** @throws S3Error PreconditionFailed, ConditionalRequestConflict, NoSuchKey (If-Match), NoSuchBucket */
  put(bucket: Bucket, key: string, request: PutRequest, call: Call): Promise<Committed>;
  publish(bucket: Bucket, key: string, request: PublishRequest, call: Call): Promise<Committed>;
  copy(bucket: Bucket, key: string, request: CopyObjectRequest, call: Call): Promise<Committed>;
  /** Changes what is said of the object; its bytes, ETag and Last-Modified stay. @throws S3Error NoSuchKey, and what the amendment throws */
  amend(bucket: Bucket, key: string, amendment: ObjectAmendment, call: Call): Promise<void>;
  /** @returns false when there was nothing. @throws S3Error PreconditionFailed */
  remove(bucket: Bucket, key: string, conditions: WriteConditions, call: Call): Promise<boolean>;
}

export function createObjects(context: ObjectsContext): Objects {
  /** Whoever meets an object that a crash left unsettled has it settled, in the background. */
  const noticed = (bucket: Bucket, view: ObjectView): void => {
    if (view.head.kind === 'mlink') context.settler.schedule(bucket, view.key);
  };
  return {
    find: async (bucket, key, call) => {
      const view = await findObject(bucket, key, call);
      noticed(bucket, view);
      return view;
    },
    open: async (bucket, key, request, call) => {
      const opened = await openObject(bucket, key, request, call);
      noticed(bucket, opened.view);
      return opened;
    },
    openView: (bucket, view, request, call) => openView(bucket, view, request, call),
    put: (bucket, key, request, call) => putObject(context, { bucket, key, request }, call),
    publish: (bucket, key, request, call) => publishObject(context, { bucket, key, request }, call),
    copy: (bucket, key, request, call) => copyObject(context, { bucket, key, request }, call),
    amend: (bucket, key, amendment, call) => amendObject(context, { bucket, key, amendment }, call),
    remove: (bucket, key, conditions, call) => removeObject(context, { bucket, key, conditions }, call),
  };
}
