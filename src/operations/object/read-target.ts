import type { Bucket } from '../../manifest/index.ts';
import type { ReadConditions } from '../../protocol/conditions.ts';
import type { ResponseHeaders } from '../../protocol/headers/object-headers.ts';
import type { S3Request } from '../../protocol/request.ts';
import type { CustomerKey } from '../../store/customer-key.ts';
import { shownKey } from '../encryption.ts';
import { type VersionTarget, versionTarget } from '../object-version.ts';
import type { OperationContext } from '../operation.ts';
import { readConditions, responseOverrides } from './read-response.ts';
import { type Selection, selectionOf } from './select-bytes.ts';

/** What a GetObject or HeadObject asks for: a version, some of its bytes, and on which conditions. */
export interface ReadTarget extends VersionTarget {
  readonly selection: Selection;
  readonly conditions: ReadConditions;
  /** The customer's key (SSE-C) that the client sends. */
  readonly shown: CustomerKey | undefined;
  /** Headers of the answer that the client asks for in place of the object's own. */
  readonly overrides: ResponseHeaders;
}

/** @throws S3Error InvalidArgument, InvalidRequest, AccessDenied */
export function readTarget(request: S3Request, bucket: Bucket, context: OperationContext): ReadTarget {
  const { key, versionId } = versionTarget(request, bucket, context);
  const overrides = responseOverrides(request);
  const shown = shownKey({ headers: request.headers }, context);
  const selection = selectionOf(request);
  return { bucket, key, versionId, selection, conditions: readConditions(request.headers), shown, overrides };
}
