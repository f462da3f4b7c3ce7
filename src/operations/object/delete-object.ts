import { S3Error } from '../../errors/s3-error.ts';
import type { WriteConditions } from '../../protocol/conditions.ts';
import type { HeaderReader } from '../../protocol/request.ts';
import { idOf } from '../../access/acl/permits.ts';
import { deletionHeaders, versionTarget } from '../object-version.ts';
import type { Operation } from '../operation.ts';
import { deletionGuard, refuseIdleBypass } from './object-lock.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObject.html */
export const deleteObject: Operation = async (request, context) => {
  const target = versionTarget(request, context);
  const conditions = deleteConditions(request.headers);
  refuseIdleBypass(request.headers, context.bucket);
  const guard = deletionGuard(request.headers, target.key, context);
  const removed = await context.manifest.objects.remove(
    target,
    { conditions, ownerId: idOf(context.principal), guard },
    context.call,
  );
  return { status: 204, headers: deletionHeaders(removed) };
};

/** @throws S3Error NotImplemented for the conditions that only directory buckets have */
function deleteConditions(headers: HeaderReader): WriteConditions {
  for (const name of ['x-amz-if-match-size', 'x-amz-if-match-last-modified-time']) {
    if (headers.get(name) !== undefined) throw new S3Error('NotImplemented', { extra: { Header: name } });
  }
  const ifMatch = headers.get('if-match');
  return ifMatch === undefined ? {} : { ifMatch };
}
