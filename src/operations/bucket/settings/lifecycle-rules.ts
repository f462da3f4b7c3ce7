import { S3Error, notOffered } from '../../../errors/s3-error.ts';
import type { Bucket } from '../../../manifest/index.ts';
import { requestedLifecycle } from '../../../protocol/lifecycle/lifecycle-document.ts';
import {
  type Lifecycle,
  type S3LifecycleRule,
  MINIMUM_SIZES,
  type MinimumSize,
} from '../../../protocol/lifecycle/lifecycle.ts';
import type { HeaderReader } from '../../../protocol/request.ts';
import { decodeXmlList } from '../../../protocol/xml/decode.ts';
import { LIFECYCLE_CONFIGURATION } from '../../../protocol/xml/lifecycle-shape.ts';
import { requireBodyDigest } from '../../required-digest.ts';

/** A thousand rules with the longest prefix each and some tags. */
export const MAX_LIFECYCLE_BYTES = 2 * 1024 * 1024;
const LIMITS = { bytes: MAX_LIFECYCLE_BYTES, elements: 100_000 } as const;

const MINIMUM_SIZE = 'x-amz-transition-default-minimum-object-size';

/** Reads the document a piece at a time, so that a long one holds no other request up. @throws S3Error */
export async function requestedRules(
  body: Buffer,
  { home }: Bucket,
  { headers, signal }: { readonly headers: HeaderReader; readonly signal: AbortSignal },
): Promise<Lifecycle> {
  requireBodyDigest(headers);
  const minimumSize = requestedMinimum(headers.get(MINIMUM_SIZE));
  const document = await decodeXmlList(LIFECYCLE_CONFIGURATION, body, { limits: LIMITS, signal });
  const lifecycle = requestedLifecycle(document, minimumSize);
  if (home.classes === undefined && lifecycle.rules.some(moves)) {
    throw notOffered('Transition of objects to other storage classes, which are labels here (storageClasses),');
  }
  return lifecycle;
}

function moves({ transitions, noncurrentTransitions }: S3LifecycleRule): boolean {
  return transitions !== undefined || noncurrentTransitions !== undefined;
}

/** @throws S3Error InvalidRequest */
function requestedMinimum(said: string | undefined): MinimumSize | undefined {
  const known = MINIMUM_SIZES.find((one) => one === said);
  if (said === undefined || known !== undefined) return known;
  throw new S3Error('InvalidRequest', { message: `Invalid TransitionDefaultMinimumObjectSize found: ${said}` });
}

/** Of PUT and GET: S3 names the default, too. */
export function minimumSizeHeader({ minimumSize }: Lifecycle): Readonly<Record<string, string>> {
  return { [MINIMUM_SIZE]: minimumSize ?? MINIMUM_SIZES[0] };
}
