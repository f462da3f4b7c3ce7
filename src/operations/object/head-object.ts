import { namedBucket } from '../authorized-bucket.ts';
import { authorizedObject } from '../authorized-object.ts';
import { versionHeaders, versionTarget } from '../object-version.ts';
import { addHeaders } from '../../protocol/headers/object-headers.ts';
import { requireKey } from '../../manifest/heads/customer-keys.ts';
import { shownKey, storedEncryptionHeaders } from '../encryption.ts';
import type { Operation } from '../operation.ts';
import { requireConditions } from './get-object.ts';
import { shownLock } from './object-lock.ts';
import { describeRead, notModified, readConditions, responseOverrides } from './read-response.ts';
import { selectBytes, selectionOf } from './select-bytes.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadObject.html */
export const headObject: Operation = async (request, context) => {
  const bucket = await namedBucket(request, context);
  const target = versionTarget(request, bucket, context);
  const overrides = responseOverrides(request);
  const selection = selectionOf(request);
  const shown = shownKey({ headers: request.headers }, context);
  const view = await authorizedObject(target, context);
  requireKey(view.encryption?.by, shown);
  if (requireConditions(view, readConditions(request.headers)) === 'notModified') {
    return notModified(view, versionHeaders(bucket, view.versionId));
  }
  const selected = selectBytes(selection, view);
  const headers = addHeaders(
    describeRead(request, view, selected),
    storedEncryptionHeaders(view, shown),
    shownLock(view, bucket, context),
    versionHeaders(bucket, view.versionId),
    overrides,
  );
  headers['content-length'] = String(selected.length);
  return { status: selected.partial ? 206 : 200, headers };
};
