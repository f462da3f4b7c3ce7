import { AGAIN, type AdmittedWrite, type WrittenAmount } from '../manifest/index.ts';
import { isStoreError } from '../store/store-error.ts';
import type { OperationContext } from './operation.ts';

/** Lets a request in. To be called once, before anything is added. @throws S3Error QuotaExceeded */
type Admit = () => Promise<AdmittedWrite | undefined>;

/**
 * Does work that adds something to the request's bucket, if the quotas of the bucket and of its owner let it in. It is
 * judged before the work begins, and counts from then on, unless the work fails. Without a quota nothing is asked.
 * @param addition undeclared bytes are told by `admitted.grow`, before they are stored
 * @throws S3Error QuotaExceeded, and what the work throws
 */
export function withinQuota<T>(
  addition: WrittenAmount,
  context: OperationContext,
  work: (admitted: AdmittedWrite | undefined) => Promise<T>,
): Promise<T> {
  if (context.settings.quotas?.isFor(context.bucket) !== true) return work(undefined);
  return withinQuotaIfAdded(addition, context, async (admit) => work(await admit()));
}

/** The same for work that finds out on its way whether it adds anything: it calls `admit` if it does. */
export async function withinQuotaIfAdded<T>(
  addition: WrittenAmount,
  { bucket, settings: { quotas }, call }: OperationContext,
  work: (admit: Admit) => Promise<T>,
): Promise<T> {
  let admitted: AdmittedWrite | undefined;
  let isWritten = false;
  try {
    const result = await work(async () => {
      if (quotas?.isFor(bucket) === true) admitted = await quotas.admit(bucket, addition, call);
      return admitted;
    });
    isWritten = result !== AGAIN;
    return result;
  } catch (error) {
    // Of a change whose outcome nobody knows it is safe to assume that it was made. A client that leaves breaks its own
    // body off.
    isWritten = isStoreError(error) && error.kind !== 'aborted' && error.lost;
    throw error;
  } finally {
    admitted?.end(isWritten);
  }
}
